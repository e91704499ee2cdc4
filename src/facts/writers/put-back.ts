import type { KubeObject } from '../../model/kinds.ts';
import type { Addressed } from '../address.ts';
import { type EventRecord, eventEvidence, eventsOf } from '../events/event-index.ts';
import { isoOf } from '../time.ts';
import type { World } from '../world.ts';

/** A ReplicaSet that somebody else gave another size, and that its Deployment gave its own back. */
export interface PutBack extends Addressed {
  set: string;
  /** What the other hand wrote, and what it was put back to. */
  from: number;
  to: number;
  times: number;
  first: number;
  last: number;
}

interface Turn {
  event: EventRecord;
  from: number;
  to: number;
}

const TURN = /^Scaled (?:up|down) replica set (\S+) (?:from (\d+) )?to (\d+)(?: from (\d+))?$/;

// A recorder lets 25 events of one object through, then one in five minutes (client-go, EventAggregator's spam filter): turns may be missing.
const KEPT = 20;
// Rollouts back and forth repeat themselves, too, but over two sets.
const SURE = 3;
const KEPT_FOR = 1_800_000;

/**
 * The Deployment tells of every size it gives (pkg/controller/deployment/sync.go, scaleReplicaSetAndRecordEvent). A size that it takes back and
 * never gave is somebody else's. managedFields do not tell of it: whoever wrote last owns the number.
 */
export function putBacksOf(world: World, deployment: KubeObject): PutBack[] {
  const sets = new Map<string, Turn[]>();
  for (const event of eventsOf(world, deployment)) {
    const [, set = '', before, to, after] = (event.reason === 'ScalingReplicaSet' && TURN.exec(event.message)) || [];
    const from = before ?? after;
    if (!set || to === undefined || from === undefined) continue;
    sets.set(set, [...(sets.get(set) ?? []), { event, from: Number(from), to: Number(to) }]);
  }
  const told = [...sets.values()].flat().reduce((sum, { event }) => sum + event.count, 0);
  return [...sets].flatMap(([set, turns]) =>
    turns
      .filter(
        ({ event, from, to }) =>
          from !== 0 &&
          from !== to &&
          !turns.some((other) => other.to === from) &&
          ((event.count >= SURE && sets.size === 1 && isDense(world, event)) || (told < KEPT && turns.some((other) => other.event.last < event.first))),
      )
      .map(({ event, from, to }) => ({ set, from, to, times: event.count, first: event.first, last: event.last, evidence: eventEvidence(world, event) })),
  );
}

/** Events are kept for an hour: between two turns that lie further apart the Deployment may have given that size, and its word is gone. */
const isDense = (world: World, { count, first, last }: EventRecord): boolean => world.now - last + (last - first) / (count - 1) < KEPT_FOR;

/** In words, for whoever reads how the ReplicaSet came to its size. */
export const putBackInWords = ({ from, to, times, last }: PutBack): string =>
  `set to ${from} by another hand and put back to ${to} by its Deployment${times > 1 ? `, ${times} times, last` : ''} at ${isoOf(last)}`;
