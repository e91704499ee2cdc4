import type { Access } from '../model/access.ts';
import { UserError } from '../model/errors.ts';
import { type Scope, Snapshot, type SnapshotInput } from '../model/snapshot.ts';
import type { KubeFlags, Opened, SourceOptions } from './options.ts';
import { type TypedTarget, type TypeNames, parseTargets, resolveTarget, resolveType, typesIn } from './targets.ts';

export type { KubeFlags, Opened, SourceOptions } from './options.ts';
export { type LogReader, openLogs } from './bundles/logs.ts';
export { writeYaml } from './yaml.ts';
export { writeRecording } from './recording/write.ts';
export { resolveTarget, resolveType, typesIn } from './targets.ts';
export { type ManifestObject, readManifests } from './manifests.ts';
export { type Moment, readMoment } from './recording/moment.ts';
export { createTimeline, hasTimeline, isTimelineAlone, readTimeline, type Timeline, writeTimeline } from './recording/timeline.ts';

/**
 * Reads what the options name: dumps, a recording, or the cluster. A cluster that cannot be reached is a snapshot, too
 * (`server.reached` is false); UserError only for what the user has to put right first: a file, a kubeconfig, a type name.
 */
export async function openSource(options: SourceOptions): Promise<Opened> {
  const typed = parseTargets(options.targets ?? []);
  const { input, scope, types } = await read(options, typed);
  const snapshot = new Snapshot(input);
  const targets = typed.length > 0 ? targetsIn(options.targets ?? [], snapshot, scope.namespaces, types) : scope.targets;
  return { snapshot, scope: { ...scope, targets } };
}

export interface Followed {
  /** Everything as it is now; `still` where a recording is served that says so. `anew`: listed again, whatever a watch has told. `end`, by `performance.now()`: what has not come by then is not waited for. */
  next(anew?: boolean, end?: number): Promise<Opened & { still?: boolean }>;
  /** Waits for at least `least` ms and at most `most`; in between something that changes ends it. */
  idle?(least: number, most: number): Promise<void>;
  close(): void;
}

/** A cluster as `openSource` reads it, again and again over one connection; with `options.watch` kept up to date in between. */
export async function followSource(options: SourceOptions): Promise<Followed> {
  const typed = parseTargets(options.targets ?? []);
  const { followCluster } = await import('./cluster/follow.ts');
  const follower = await followCluster(options, typed);
  return {
    async next(anew, end) {
      const { input, namespaces, types, still } = await follower.next(anew, end);
      const snapshot = new Snapshot(input);
      const targets = targetsIn(options.targets ?? [], snapshot, namespaces, types);
      return { snapshot, still, scope: { namespaces, all: namespaces.length === 0, targets, ...(options.selector ? { selector: options.selector } : {}) } };
    },
    ...(options.watch ? { idle: (least: number, most: number) => follower.idle(least, most) } : {}),
    close: () => follower.close(),
  };
}

/** What whoever asks may read of that which a diagnosis reads. */
export async function readAccess(options: SourceOptions): Promise<Access> {
  const cluster = await import('./cluster/access.ts');
  return cluster.readAccess(options);
}

/** What targets as typed mean in a snapshot; those of a type that only a server could tell are left out while it does not answer. */
export function targetsIn(texts: readonly string[], snapshot: Snapshot, namespaces: readonly string[], types: readonly TypeNames[] = []): Scope['targets'] {
  const typed = parseTargets(texts);
  const others = [...types, ...typesIn(snapshot)];
  // Until the server has answered nobody knows what its own types are called.
  const told = snapshot.server.reached === false ? typed.filter(({ type }) => type === '' || resolveType(type, others)) : typed;
  return told.flatMap((target) => resolveTarget(target, snapshot, namespaces, others));
}

/** Whether there is a cluster to read at all: a kubeconfig, --server, or a pod's own service account. */
export async function isClusterConfigured(flags: KubeFlags = {}): Promise<boolean> {
  const kubeconfig = await import('./cluster/kubeconfig.ts');
  return kubeconfig.isClusterConfigured(flags);
}

// Bundles of other tools, archives, folders with a recording in them; null for plain dumps.
async function readForeign(from: readonly string[], namespaces: readonly string[]): Promise<{ input: SnapshotInput; scope?: Scope } | null> {
  if (from.every((path) => path === '-')) return null;
  const { readBundles } = await import('./bundles/index.ts');
  return readBundles(
    from.filter((path) => path !== '-'),
    from.length,
    namespaces,
  );
}

async function readDumps(from: readonly string[], stdin?: NodeJS.ReadableStream): Promise<SnapshotInput> {
  const { readFiles } = await import('./files.ts');
  return readFiles(from, stdin);
}

interface Reading {
  input: SnapshotInput;
  scope: Scope;
  /** Types known by discovery. */
  types: TypeNames[];
}

async function read(options: SourceOptions, typed: readonly TypedTarget[]): Promise<Reading> {
  const from = options.from ?? [];
  const narrowed = { targets: [], ...(options.selector ? { selector: options.selector } : {}) };
  if (from.length === 0) {
    const { readCluster } = await import('./cluster/index.ts');
    const { input, namespaces, types } = await readCluster(options, typed);
    return { input, types, scope: { namespaces, all: namespaces.length === 0, ...narrowed } };
  }
  options.onProgress?.(`reading ${from.join(', ')}`);
  // What reads a cluster carries no readers of files.
  const { isRecording, readRecording } = await import('./recording/read.ts');
  const namespaces = options.all ? [] : [...new Set(options.namespaces ?? [])];
  const scope: Scope = { namespaces, all: namespaces.length === 0, ...narrowed };
  const recordings = await Promise.all(from.map((path) => (path === '-' ? false : isRecording(path))));
  const found = recordings.includes(true) ? null : await readForeign(from, namespaces);
  if (!recordings.includes(true) && !found?.scope) return { input: found?.input ?? (await readDumps(from, options.stdin)), types: [], scope };
  if (recordings.includes(true) && from.length > 1) throw new UserError('A recording is read alone.', 'Give one --from.');
  const recorded = found?.scope ? { input: found.input, scope: found.scope } : await readRecording(from[0] as string);
  const asRecorded = !options.all && namespaces.length === 0;
  return {
    input: recorded.input,
    types: [],
    scope: asRecorded ? { ...recorded.scope, ...(options.selector ? { selector: options.selector } : {}) } : scope,
  };
}
