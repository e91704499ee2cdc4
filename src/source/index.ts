import { type Scope, Snapshot, type SnapshotInput } from '../model/snapshot.ts';
import { readFiles } from './files.ts';
import type { Opened, SourceOptions } from './options.ts';
import { type TypedTarget, type TypeNames, parseTarget, resolveTarget, typesIn } from './targets.ts';

export type { KubeFlags, Opened, SourceOptions } from './options.ts';
export { resolveTarget } from './targets.ts';

/**
 * Reads what the options name: dumps, a recording, or the cluster. A cluster that cannot be reached is a snapshot, too
 * (`server.reached` is false); UserError only for what the user has to put right first: a file, a kubeconfig, a type name.
 */
export async function openSource(options: SourceOptions): Promise<Opened> {
  const typed = (options.targets ?? []).map(parseTarget);
  const { input, namespaces, types } = await read(options, typed);
  const snapshot = new Snapshot(input);
  const scope: Scope = { namespaces, all: namespaces.length === 0, targets: [], ...(options.selector ? { selector: options.selector } : {}) };
  const others = [...types, ...typesIn(snapshot)];
  scope.targets = typed.flatMap((target) => resolveTarget(target, snapshot, namespaces, others));
  return { snapshot, scope };
}

interface Reading {
  input: SnapshotInput;
  /** Empty: all. */
  namespaces: string[];
  /** Types known by discovery. */
  types: TypeNames[];
}

async function read(options: SourceOptions, typed: readonly TypedTarget[]): Promise<Reading> {
  const from = options.from ?? [];
  if (from.length === 0) {
    const { readCluster } = await import('./cluster/index.ts');
    return readCluster(options, typed);
  }
  options.onProgress?.('reading the dump');
  return { input: await readFiles(from, options.stdin), namespaces: options.all ? [] : [...new Set(options.namespaces ?? [])], types: [] };
}
