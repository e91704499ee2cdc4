/** What a dump leaves out, or gives as null, takes no more from the diagnosis than what hung on it: no rule breaks, and nothing raises. */
import { describe, expect, test } from 'vitest';
import { inspect } from '../../src/engine/index.ts';
import { type RuleCase, type RuleTest, snapshotFor } from '../../src/engine/tester.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { kindKey } from '../../src/model/resources.ts';
import { type Door, admit } from '../../src/source/door.ts';
import { createNotes } from '../../src/source/notes.ts';
import { createRedactor } from '../../src/source/redact.ts';
import { files, ruleSet, ruleTest } from '../../tools/rule-files.ts';

type Path = readonly string[];
type Json = Record<string, unknown>;

const newDoor = (): Door => ({ notes: createNotes(), redactor: createRedactor('key') });
const judge = (testOf: RuleTest, each: RuleCase, given: KubeObject[]) =>
  inspect(snapshotFor({ now: testOf.now, cases: [] }, { ...each, given, patch: {}, without: [] }), { namespaces: [], all: true, targets: [] }, { rules: ruleSet(), strict: true, risks: true });

function places(value: unknown, path: Path = []): Path[] {
  if (value === null || typeof value !== 'object') return [path];
  return [...(path.length > 0 ? [path] : []), ...Object.entries(value).flatMap(([key, held]) => places(held, [...path, key]))];
}

/** Without these it is no object. */
const isNeeded = ([top = '', next = '']: Path): boolean => top === 'kind' || top === 'apiVersion' || (top === 'metadata' && (next === '' || next === 'name' || next === 'namespace'));

function bend(object: KubeObject, path: Path, how: 'dropped' | 'null'): void {
  const holder = path.slice(0, -1).reduce<unknown>((held, key) => (held as Json)[key], object) as Json;
  const key = path.at(-1) ?? '';
  if (how === 'null') holder[key] = null;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

/** The objects of the first case of a rule that fires, in turn without each of what they hold. */
function bent(testOf: RuleTest, each: RuleCase, how: 'dropped' | 'null'): string[] {
  const whole = [...new Set([...(testOf.given ?? []), ...(each.given ?? [])].map(({ apiVersion, kind }) => kindKey(apiVersion, kind)))].flatMap((kind) => [...snapshotFor(testOf, each).seen(kind)]);
  return whole.flatMap((object, index) => places(object).filter((path) => !isNeeded(path)).flatMap((path) => {
    const all = structuredClone(whole);
    bend(all[index] as KubeObject, path, how);
    const door = newDoor();
    try {
      judge(testOf, each, all.flatMap((one) => admit(one, door) ?? []));
      return [];
    } catch (error) {
      return [`${object.kind} ${path.join('.')}: ${String(error)}`];
    }
  }));
}

const firing = files.rules.flatMap(({ file }) => {
  const testOf = ruleTest(file);
  const each = testOf?.cases.find(({ expect: found }) => found.length > 0);
  return testOf && each ? [{ file, testOf, each }] : [];
});

describe.each(['dropped', 'null'] as const)('%s', (how) => {
  test.each(firing)('$file', ({ testOf, each }) => expect(bent(testOf, each, how)).toEqual([]), 30_000);
});

test('null is absent, whatever it stands for, but for the times of events', () => {
  const job = admit({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', labels: null }, spec: { suspend: null, template: null }, status: null }, newDoor());
  expect(job).toEqual({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'default' }, spec: {} });
  expect(admit({ apiVersion: 'acme.io/v1', kind: 'Widget', metadata: { name: 'w' }, spec: null, status: null }, newDoor())).not.toHaveProperty('spec');
  expect(admit({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, eventTime: null, series: null }, newDoor())).toMatchObject({ eventTime: null });
});
