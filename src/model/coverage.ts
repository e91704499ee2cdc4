import type { GapReason } from './read.ts';

/** What is known of one list: complete, or why not. `not-served`: the API has no such resource (404), so it is proven empty. */
export type CoverageState = 'complete' | 'not-served' | GapReason;

export interface Coverage {
  /** kindKey: `Pod`, `Database.db.example.com`. */
  kind: string;
  /** The namespace listed; null for a list over all namespaces or of a cluster-scoped kind. */
  namespace: string | null;
  state: CoverageState;
  /** Objects read. */
  count: number;
  resourceVersion?: string | undefined;
  /** Field selector or single-object read (`metadata.name=x`), where the list was narrowed. */
  selector?: string | undefined;
  /** HTTP status and the server's words, where it refused. */
  code?: number | undefined;
  message?: string | undefined;
  /** RFC 3339. */
  readAt?: string | undefined;
}

/** Whether the API has no such resource at all: every list of the kind was answered by that. */
export function isUnserved(coverage: readonly Coverage[], kind: string): boolean {
  const entries = coverage.filter((entry) => entry.kind === kind);
  return entries.length > 0 && entries.every(({ state }) => state === 'not-served');
}

/** The namespaces asked about of which no list of pods is there while one of others is (`held`): the recording is of something else. */
export function unheld(coverage: readonly Coverage[], namespaces: readonly string[]): { asked: string[]; held: string[] } {
  const pods = coverage.filter(({ kind, state }) => kind === 'Pod' && state !== 'not-collected');
  const held = [...new Set(pods.flatMap(({ namespace, selector }) => (namespace && selector === undefined ? [namespace] : [])))].sort();
  const all = pods.some(({ namespace, selector }) => namespace === null && selector === undefined);
  return { asked: all || held.length === 0 ? [] : namespaces.filter((namespace) => !held.includes(namespace)), held };
}
