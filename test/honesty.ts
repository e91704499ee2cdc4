/** Ways to bend a snapshot that an honest diagnosis must survive. */
import type { KubeObject } from '../src/model/kinds.ts';
import { kindKey } from '../src/model/resources.ts';
import { Snapshot, type SnapshotInput } from '../src/model/snapshot.ts';
import { event, pod } from './build.ts';

export function inputOf(snapshot: Snapshot): SnapshotInput {
  return {
    objects: snapshot.kinds().flatMap((kind) => [...snapshot.seen(kind)]),
    coverage: [...snapshot.coverage],
    server: snapshot.server,
    capturedAt: snapshot.capturedAt,
    source: snapshot.source,
    cost: snapshot.cost,
    notes: [...snapshot.notes],
  };
}

export const rebuilt = (snapshot: Snapshot, change: (input: SnapshotInput) => Partial<SnapshotInput>): Snapshot => {
  const input = inputOf(snapshot);
  return new Snapshot({ ...input, ...change(input) });
};

export const forbid = (snapshot: Snapshot, kind: string): Snapshot =>
  rebuilt(snapshot, ({ objects, coverage }) => ({
    objects: objects.filter((each) => kindKey(each.apiVersion, each.kind) !== kind),
    coverage: coverage.map((entry) => (entry.kind === kind ? { ...entry, state: 'forbidden' as const, count: 0, code: 403, message: `cannot list ${kind}` } : entry)),
  }));

/** 500 pods and events that have nothing to do with anything, in the same namespaces and in another. */
export function withNoise(snapshot: Snapshot): Snapshot {
  const namespaces = [...new Set(snapshot.kinds().flatMap((kind) => snapshot.seen(kind).map((each) => each.metadata.namespace ?? '')))].filter(Boolean);
  const noise: KubeObject[] = [];
  for (let i = 0; i < 250; i += 1) {
    const namespace = namespaces[i % (namespaces.length + 1)] ?? 'noise';
    const bystander = pod(`noise-${i}`, { metadata: { namespace, uid: `noise-${i}`, labels: { noise: String(i) } }, spec: { nodeName: 'noise-node' } });
    noise.push(bystander as KubeObject);
    noise.push(event(bystander as KubeObject, i % 2 ? 'Unhealthy' : 'FailedMount', 'Readiness probe failed: long ago', 30, { metadata: { name: `noise-${i}.1`, namespace, uid: `noise-event-${i}` } }) as KubeObject);
  }
  return rebuilt(snapshot, ({ objects }) => ({ objects: [...objects, ...noise] }));
}

/** A fixed shuffle: the same for every run. */
export function shuffled<T>(list: readonly T[]): T[] {
  let seed = 42;
  const next = (): number => ((seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31);
  return [...list].map((item) => [next(), item] as const).sort((a, b) => a[0] - b[0]).map(([, item]) => item);
}

/** Every path below spec, status and metadata, with list places collapsed: what a half-written object may lack. */
export function subtrees(value: unknown, prefix = ''): string[] {
  if (value === null || typeof value !== 'object') return [];
  const entries = Array.isArray(value) ? value.map((item) => ['*', item] as const) : Object.entries(value);
  return [...new Set(entries.flatMap(([key, item]) => [`${prefix}/${key}`, ...subtrees(item, `${prefix}/${key}`)]))];
}

export function without(value: unknown, path: string[]): unknown {
  if (value === null || typeof value !== 'object' || path.length === 0) return value;
  const [key, ...rest] = path as [string, ...string[]];
  if (Array.isArray(value)) return rest.length === 0 ? [] : value.map((item) => without(item, rest));
  const copy = { ...(value as Record<string, unknown>) };
  if (rest.length === 0) delete copy[key];
  else if (key in copy) copy[key] = without(copy[key], rest);
  return copy;
}

/** Every text field of an object with an escape sequence behind it. */
export function poisoned(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return /^(message|reason|title|says|image)$/.test(key) ? `${value}\u001b]0;x\u0007\u001b[31m\u202e` : value;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, key));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, poisoned(item, name)]));
}

