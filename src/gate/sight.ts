import type { Coverage } from '../model/coverage.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { GateOptions } from './options.ts';

// What the source says of a list that only the API server's cache could give: it may be older than the rollout.
const STALE = /^read from the cache/;

/** Why this look saw nothing that counts, in words; '' where it saw. A refusal (403) is no blindness: it will not pass. */
export function blindness(snapshot: Snapshot, { targets, scope }: GateOptions): string {
  const { server } = snapshot;
  if (server.reached === false) return server.failures[0]?.message ?? server.connection.find((step) => !step.ok)?.message ?? 'the API server does not answer';
  const kinds = new Set(['Pod', ...(targets.length > 0 ? targets.map(({ kind }) => kind) : ['Deployment'])]);
  const lists = snapshot.coverage.filter(
    (entry) => kinds.has(entry.kind) && (entry.namespace === null || scope.all || scope.namespaces.includes(entry.namespace)),
  );
  const lost = lists.find(isLost);
  return lost ? `${lost.kind}: ${lost.message ?? 'could not be read'}` : '';
}

const isLost = ({ state, message, selector }: Coverage): boolean =>
  selector === undefined && (state === 'failed' || state === 'expired' || state === 'truncated' || STALE.test(message ?? ''));
