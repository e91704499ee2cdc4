/** Two recordings beside each other: what came, what went, what is different. No clock, no printing. */
import { isRestless, movesAlong } from '../facts/restless.ts';
import type { Change, Comparison, ComparisonSide } from '../model/comparison.ts';
import { isFields } from '../model/fields.ts';
import { type Finding, lastingOf, type Subject } from '../model/finding.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Report } from '../model/report.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { byText } from '../model/order.ts';

const MOST_CHANGES = 12;

/** What lies between two snapshots and the reports on them. An object that the other side may just not have read is neither added nor removed. */
export function compareRecordings(before: { snapshot: Snapshot; report: Report }, after: { snapshot: Snapshot; report: Report }): Comparison {
  return {
    apiVersion: 'kubectl-strata/v1',
    kind: 'Comparison',
    before: side(before.report),
    after: side(after.report),
    findings: compareFindings(before.report.findings, after.report.findings),
    objects: compareObjects(before.snapshot, after.snapshot),
  };
}

const side = ({ source, capturedAt, verdict }: Report): ComparisonSide => ({ name: source.name, capturedAt, verdict });

function compareFindings(before: readonly Finding[], after: readonly Finding[]): Comparison['findings'] {
  const [old, now] = [keyed(before), keyed(after)];
  const changed: { before: Finding; after: Finding }[] = [];
  for (const [key, finding] of now) {
    const other = old.get(key);
    if (other && (other.title !== finding.title || other.role !== finding.role || other.certainty !== finding.certainty))
      changed.push({ before: other, after: finding });
  }
  return {
    gained: [...now].flatMap(([key, finding]) => (old.has(key) ? [] : [finding])),
    lost: [...old].flatMap(([key, finding]) => (now.has(key) ? [] : [finding])),
    changed,
  };
}

function keyed(findings: readonly Finding[]): Map<string, Finding> {
  const found = new Map<string, Finding>();
  for (const finding of findings) {
    const { rule, layer } = finding;
    const { kind, namespace, name } = lastingOf(finding);
    let key = [rule, layer, kind, namespace ?? '', name].join('\0');
    while (found.has(key)) key += '+';
    found.set(key, finding);
  }
  return found;
}

function compareObjects(before: Snapshot, after: Snapshot): Comparison['objects'] {
  const result: Comparison['objects'] = { added: [], removed: [], replaced: [], changed: [], unknown: [] };
  const kinds = [...new Set([...before.kinds(), ...after.kinds()])].filter((kind) => kind !== 'Event').sort(byText);
  for (const kind of kinds) {
    const [old, now] = [named(before, kind), named(after, kind)];
    for (const [key, object] of now) {
      const other = old.get(key);
      if (!other) {
        if (isAbsent(before, kind, object)) result.added.push(subjectOf(object));
        else result.unknown.push({ ...subjectOf(object), missing: 'before' });
      } else if (object.metadata.uid && other.metadata.uid && object.metadata.uid !== other.metadata.uid) result.replaced.push(subjectOf(object));
      else {
        const changes = changesIn(other, object, '', []);
        if (changes.length > 0)
          result.changed.push({ object: subjectOf(object), changes: foremost(changes), more: Math.max(0, changes.length - MOST_CHANGES) });
      }
    }
    for (const [key, object] of old) {
      if (now.has(key)) continue;
      if (isAbsent(after, kind, object)) result.removed.push(subjectOf(object));
      else result.unknown.push({ ...subjectOf(object), missing: 'after' });
    }
  }
  return result;
}

const isAbsent = (snapshot: Snapshot, kind: string, { metadata }: KubeObject): boolean =>
  snapshot.get(kind, metadata.namespace, metadata.name).state === 'absent';

function named(snapshot: Snapshot, kind: string): Map<string, KubeObject> {
  const objects = [...snapshot.seen(kind)].map((object): [string, KubeObject] => [`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object]);
  return new Map(objects.sort(([a], [b]) => byText(a, b)));
}

const subjectOf = ({ apiVersion, kind, metadata: { namespace, name, uid } }: KubeObject): Subject => ({
  apiVersion,
  kind,
  ...(namespace ? { namespace } : {}),
  name,
  ...(uid ? { uid } : {}),
});

const WORDS = /^\/status\/conditions\/\d+\/(?:reason|message)$/;
const rankOf = (change: Change): number => (movesAlong(change) ? 2 : WORDS.test(change.pointer) ? 1 : 0);

/** As many as are told, in their order: where not all can be, the words of conditions give way to states; what moves along stands last. */
function foremost(changes: readonly Change[]): Change[] {
  const kept = new Set(changes.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_CHANGES));
  const told = changes.filter((change) => kept.has(change));
  return [...told.filter((change) => !movesAlong(change)), ...told.filter(movesAlong)];
}

/** Fields of which an empty one says as much as none: one client writes it, another leaves it out. An empty selector or emptyDir says something. */
const HOLDS_NOTHING =
  /\/(?:resources|limits|requests|securityContext|affinity|lastState|state|loadBalancer|conditions|labels|annotations|finalizers|ownerReferences|status)$/;
const isEmpty = (value: unknown): boolean => value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

function changesIn(before: unknown, after: unknown, pointer: string, found: Change[], item = ''): Change[] {
  if (before === after || isRestless(pointer) || (HOLDS_NOTHING.test(pointer) && isEmpty(before) && isEmpty(after))) return found;
  if (isFields(before) && isFields(after)) {
    for (const key of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byText))
      changesIn(before[key], after[key], `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, found, item);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    const pairs = itemsOf(before, after);
    if (pairs) for (const { name, index, old, now } of pairs) changesIn(old, now, `${pointer}/${index}`, found, [item, name].filter(Boolean).join(' '));
    else for (let i = 0; i < Math.max(before.length, after.length); i++) changesIn(before[i], after[i], `${pointer}/${i}`, found, item);
  } else found.push({ pointer, ...(item ? { item } : {}), before, after });
  return found;
}

/** By what the API server itself keeps the items of a list apart (x-kubernetes-list-map-keys), where one field does. */
const MAP_KEYS = ['type', 'name'];

/** The items of two lists beside each other, whatever place they stand at; null where nothing tells them apart. */
function itemsOf(before: readonly unknown[], after: readonly unknown[]): { name: string; index: number; old: unknown; now: unknown }[] | null {
  for (const key of MAP_KEYS) {
    const [old, now] = [namesBy(before, key), namesBy(after, key)];
    if (!old || !now || old.size + now.size === 0) continue;
    return [...new Set([...now.keys(), ...old.keys()])].map((name) => {
      const [was, is] = [old.get(name), now.get(name)];
      return { name, index: is ?? was ?? 0, old: was === undefined ? undefined : before[was], now: is === undefined ? undefined : after[is] };
    });
  }
  return null;
}

/** Where each item stands by a field that all of them have and no two alike. */
function namesBy(items: readonly unknown[], key: string): Map<string, number> | null {
  const names = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const name = isFields(item) ? item[key] : undefined;
    if (typeof name !== 'string' || names.has(name)) return null;
    names.set(name, index);
  }
  return names;
}
