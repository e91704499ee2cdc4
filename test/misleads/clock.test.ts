/** A kubelet whose clock is off writes the same story, and it is told the same. */
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import type { Report } from '../../src/model/report.ts';
import { ruleSet } from '../../tools/rule-files.ts';
import { type Case, loadCases, scopeOf, snapshotOf } from '../cases/case.ts';

// Written by others than the kubelet: the scheduler, whoever evicts, and whoever keeps a gate.
const OTHERS = /^PodScheduled$|^DisruptionTarget$|\//;

const moved = (value: unknown, seconds: number): unknown => {
  if (Array.isArray(value)) return value.map((each) => moved(each, seconds));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, moved(each, seconds)]));
  return typeof value === 'string' && /^20\d\d-\d\d-\d\dT[\d:.]+Z$/.test(value) ? new Date(Date.parse(value) + seconds * 1000).toISOString() : value;
};

/** The case as the API would hold it, had the last of its nodes a clock that is so many seconds ahead. */
function ahead(one: Case, seconds: number): Case | null {
  const nodes = one.objects.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name).sort();
  const name = nodes.at(-1) ?? '';
  const lease = one.objects.find(({ kind, metadata }) => kind === 'Lease' && metadata.namespace === 'kube-node-lease' && metadata.name === name);
  if (!lease) return null;
  const change = (object: KubeObject): KubeObject => {
    const { kind, metadata } = object;
    const { spec, status, source } = object as unknown as Record<string, Record<string, unknown>>;
    if (object === lease) {
      const note = { manager: 'kubelet', operation: 'Update', apiVersion: object.apiVersion, time: String(spec?.['renewTime']).replace(/\.\d+/, ''), fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:renewTime': {} } } };
      return { ...object, metadata: { ...metadata, managedFields: [note] } as KubeObject['metadata'], spec: moved(spec, seconds) };
    }
    if (kind === 'Pod' && spec?.['nodeName'] === name) {
      const conditions = (status?.['conditions'] ?? []) as { type: string }[];
      return { ...object, status: { ...(moved(status, seconds) as object), conditions: conditions.map((each) => (OTHERS.test(each.type) ? each : moved(each, seconds))) } };
    }
    if (kind === 'Node' && metadata.name === name) return { ...object, status: moved(status, seconds) };
    if (kind === 'Event' && source?.['component'] === 'kubelet' && source['host'] === name) return { ...(moved({ ...object, metadata: {} }, seconds) as KubeObject), metadata };
    return object;
  };
  return { ...one, objects: one.objects.map(change) };
}

const told = ({ verdict, findings }: Report) => ({
  verdict,
  roots: findings.filter(({ role }) => role === 'root').map(({ layer, certainty, title }) => `${layer} ${certainty} ${title.replace(/\d+[smhd]/g, 'N')}`).sort(),
});

const cases = loadCases('blind9n').filter(({ id, objects }) => !id.includes('clock') && !objects.some((object) => JSON.stringify(object).includes('"Unknown"')));

describe('a kubelet whose clock is off', () => {
  for (const seconds of [1200, -1200]) {
    it(`by ${seconds} s is told of as one whose clock is not`, () => {
      const rules = ruleSet();
      const differing = cases.flatMap((one) => {
        const other = ahead(one, seconds);
        if (!other) return [];
        const [right, off] = [one, other].map((each) => told(diagnose(snapshotOf(each), scopeOf(each), { rules })));
        return JSON.stringify(right) === JSON.stringify(off) ? [] : [{ id: one.id, right, off }];
      });
      expect(differing).toEqual([]);
    }, 60_000);
  }
});
