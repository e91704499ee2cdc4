import type { Coverage } from '../../model/coverage.ts';
import { READINGS } from '../../model/reads.ts';
import type { Report } from '../../model/report.ts';

const ALWAYS = [...new Set(READINGS.filter(({ when }) => when === 'always').map(({ kind }) => kind))];
/** Of a dump nobody expects routes and the cluster around it. */
const EXPECTED = ALWAYS.filter((kind) => !['Gateway', 'HTTPRoute', 'Node', 'Namespace'].includes(kind));

/** Asked for, and not given, or not whole. */
export const isRefused = ({ state }: Coverage): boolean => state === 'forbidden' || state === 'failed' || state === 'truncated' || state === 'expired';

/**
 * Kinds that a healthy verdict says nothing of: what every diagnosis reads and this one could not; of a dump what is not in it.
 * In the order in which they are read.
 */
export function unreadKinds({ coverage, source, scope }: Pick<Report, 'coverage' | 'source' | 'scope'>): string[] {
  const known = new Set(coverage.filter((entry) => !isRefused(entry) && entry.state !== 'not-collected').map(({ kind }) => kind));
  const refused = new Set(coverage.filter((entry) => isRefused(entry) && !isElsewhere({ coverage, scope }, entry)).map(({ kind }) => kind));
  return ALWAYS.filter((kind) => refused.has(kind) || (source.kind === 'files' && EXPECTED.includes(kind) && !known.has(kind)));
}

/** A list over all namespaces that was refused to somebody who may read the kind in those that were asked about. */
export const isElsewhere = ({ coverage, scope }: Pick<Report, 'coverage' | 'scope'>, { kind, namespace }: Coverage): boolean =>
  namespace === null &&
  scope.namespaces.length > 0 &&
  scope.namespaces.every((asked) =>
    coverage.some((other) => other.kind === kind && other.namespace === asked && other.selector === undefined && other.state === 'complete'),
  );
