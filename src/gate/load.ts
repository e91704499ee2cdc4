import type { GateLoad } from '../model/gate.ts';
import type { Cost } from '../model/snapshot.ts';
import type { CostAt, GateState } from './state.ts';

/** What was spent up to a look, for the next one. */
export function countCost(before: GateState['cost'], { requests, bytes }: Cost, at: number): GateState['cost'] {
  const cost: CostAt = { at, requests, bytes };
  return { first: before?.first ?? cost, before: cost };
}

/** What it has cost until now. The last look lists everything once more, so what a minute costs is told of the looks before it. */
export function loadOf(spent: GateState['cost'], { requests, bytes, watch }: Cost): GateLoad | undefined {
  if (requests === 0) return undefined;
  const { first, before } = spent ?? { first: { at: 0, requests, bytes }, before: { at: 0, requests, bytes } };
  const between = { requests: before.requests - first.requests, bytes: before.bytes - first.bytes };
  const minutes = (before.at - first.at) / 60_000;
  const each = (count: number): number => (minutes > 0 ? Math.round(count / minutes) : 0);
  return {
    requests,
    bytes,
    first: { requests: first.requests, bytes: first.bytes },
    between,
    perMinute: { requests: each(between.requests), bytes: each(between.bytes) },
    watches: watch?.open ?? 0,
  };
}
