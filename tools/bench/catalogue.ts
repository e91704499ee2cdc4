/** What rules cost that nothing triggers: the same snapshot judged with forty rules and with all of them, by the engine alone. */
import { diagnose } from '../../src/engine/index.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { RESOURCES } from '../../src/model/resources.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { ruleSet } from '../rule-files.ts';
import { median } from './measure.ts';
import { NAMESPACE, type Size, lists } from './objects.ts';

export const FEW = 40;
const ROUNDS = 15;

export interface Compared {
  rules: number;
  few: number;
  all: number;
  ratio: number;
}

/** Medians in ms of processor time, in turn, after both have been compiled and run warm; the rules that fire are among the forty. */
export function compareCatalogues(size: Size): Compared {
  const snapshot = snapshotOf(size);
  const scope = { namespaces: [NAMESPACE], all: false, targets: [] };
  const all = ruleSet();
  const fired = new Set(diagnose(snapshot, scope, { rules: all }).findings.map(({ rule }) => rule));
  const few = { ...all, rules: [...all.rules].sort((a, b) => Number(fired.has(b.id)) - Number(fired.has(a.id))).slice(0, FEW) };
  const time = (rules: typeof all): number => {
    // Of the processor, not of the clock: what else the machine does is no cost of a rule.
    const started = process.cpuUsage();
    diagnose(snapshot, scope, { rules });
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  for (let i = 0; i < 3; i += 1) [few, all].map(time);
  const rounds = Array.from({ length: ROUNDS }, (_, i) => (i % 2 === 0 ? [time(few), time(all)] : [time(all), time(few)].reverse()) as [number, number]);
  return { rules: all.rules.length, few: median(rounds.map(([a]) => a)), all: median(rounds.map(([, b]) => b)), ratio: median(rounds.map(([a, b]) => b / a)) };
}

function snapshotOf(size: Size): Snapshot {
  const objects = Object.entries(lists(size)).flatMap(([plural, items]) => {
    const resource = RESOURCES.find((each) => each.resource === plural);
    if (!resource) return [];
    const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    return items.map((item) => ({ ...item, apiVersion, kind: resource.kind }) as unknown as KubeObject);
  });
  return new Snapshot({
    objects,
    coverage: RESOURCES.map(({ kind }) => ({ kind, namespace: null, state: 'complete', count: 0 })),
    capturedAt: new Date().toISOString(),
    server: {
      kind: 'APIServer',
      apiVersion: 'kubectl-strata/v1',
      metadata: { name: 'bench' },
      endpoint: 'http://bench',
      reached: true,
      connection: [],
      health: [],
      failures: [],
    },
    source: { kind: 'cluster', name: 'bench' },
    cost: { requests: 0, bytes: 0, ms: 0 },
  });
}
