import type { KubeObject } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { type EventRecord, eventEvidence, eventsOf } from '../events/events.ts';
import { lazy } from '../lazy.ts';
import { ageOf, isoOf, timeOf } from '../time.ts';
import { putBacksOf } from './put-back.ts';
import type { World } from '../world.ts';
import { writersOf } from './entries.ts';

/** One entry of managedFields with its address. */
export interface Hand extends Addressed {
  manager: string;
  operation: string;
  subresource: string;
  /** RFC 3339, '' where it has none. */
  time: string;
  paths: string[];
  text: string;
}

/** Two writers that put each other's number back, or one that never stops. */
export interface Fight extends Addressed {
  at: Stage[];
  /** `spec.replicas`, or `spec` where only the generation tells. */
  path: string;
  /** Managers that own the path now or wrote the spec of late. With plain updates the loser of the last round owns nothing. */
  managers: string[];
  /** Where another hand resizes a ReplicaSet under its Deployment: which, and to what; '' in any other fight. */
  under: string;
  /** Times the Deployment was scaled up, and down, in the window. */
  ups: number;
  downs: number;
  generation: number;
  /** Writes of the spec a minute, over its whole life. */
  perMinute: number;
  since: string;
  last: string;
  hands: Hand[];
}

/** The same thing told of one object again and again. */
export interface Storm extends Addressed {
  reason: string;
  source: string;
  count: number;
  perMinute: number;
  message: string;
  /** Who writes what about which object, and how fast. */
  says: string;
}

const WINDOW = 30 * 60_000;
const RECENT = 10 * 60_000;
const ROUNDS = 3;
// One write of the spec a minute for an hour and more is nobody's rollout.
const MANY = 60;
const BUSY = 1;

/** Who wrote the object, by the fields they own. */
export function handsOf(object: KubeObject): Hand[] {
  return writersOf(object).map((writer, index) => {
    const words = `${writer.manager} (${writer.operation}${writer.subresource ? ` of ${writer.subresource}` : ''})${writer.time ? ` at ${writer.time}` : ''}`;
    return {
      manager: writer.manager,
      operation: writer.operation,
      subresource: writer.subresource ?? '',
      time: writer.time ?? '',
      paths: writer.paths,
      text: words,
      evidence: evidenceAt(object, `/metadata/writers/${index}`, `managedFields: ${words}`, writer.time ?? null),
    };
  });
}

/** Asked of every object: most have been written a few times, if at all. A Deployment's size may be fought over by its events alone. */
export const isSeldomWritten = ({ kind, metadata }: KubeObject): boolean => kind !== 'Deployment' && (metadata.generation ?? 0) < MANY;

/** A fight over the object's spec that goes on now; null where there is none to be seen. */
export function fightOver(world: World, object: KubeObject): Fight | null {
  if (isSeldomWritten(object)) return null;
  return world.memo(object, 'fight', () => {
    const turns = object.kind === 'Deployment' ? turnsOf(world, object) : null;
    const { generation = 0, ownerReferences } = object.metadata;
    const age = (ageOf(world.now, object.metadata.creationTimestamp) ?? 0) / 60;
    const perMinute = age > 0 ? generation / age : 0;
    const often = generation >= MANY && perMinute >= BUSY;
    if (!turns && !often) return null;
    const writes = handsOf(object).filter((hand) => hand.subresource !== 'status' && hand.paths.some((path) => path === 'spec' || path.startsWith('spec.')));
    const recent = writes.filter((hand) => world.now - (timeOf(hand.time) ?? 0) < RECENT);
    if (!turns && recent.length === 0) return null;
    const path = turns ? 'spec.replicas' : 'spec';
    const near = turns ? writes.filter((hand) => hand.paths.includes('spec.replicas') || recent.includes(hand)) : recent;
    // Whoever wrote last owns the number, with the time of that write.
    const set = turns?.set ? world.snapshot.get('ReplicaSet', object.metadata.namespace, turns.set) : null;
    const below = set?.state === 'known' ? handsOf(set.value).filter((hand) => hand.paths.includes('spec.replicas')) : [];
    const hands = turns?.set ? below : near.filter((hand) => hand.manager !== 'kube-controller-manager' || hand.subresource === 'scale');
    // Its owner's controller writes what the owner is told: the fight is over the owner.
    if (hands.length === 0 && ownerReferences?.some(({ controller }) => controller)) return null;
    return lazy<Fight>({
      at: () => ['churn'],
      path: () => path,
      managers: () => [...new Set(hands.map((hand) => hand.manager))],
      under: () => turns?.under ?? '',
      ups: () => turns?.ups ?? 0,
      downs: () => turns?.downs ?? 0,
      generation: () => generation,
      perMinute: () => perMinute,
      since: () => turns?.since ?? '',
      last: () =>
        turns?.last ??
        hands
          .map((hand) => hand.time)
          .sort()
          .at(-1) ??
        '',
      hands: () => hands,
      evidence: () => turns?.evidence ?? evidenceAt(object, '/metadata/generation', `generation ${generation} after ${Math.round(age)} minutes`),
    });
  });
}

interface Turns {
  ups: number;
  downs: number;
  since: string;
  last: string;
  under?: string;
  set?: string;
  evidence: Fight['evidence'];
}

/**
 * `Scaled up replica set web-1 from 1 to 5` and down again, several times within the window. A rollout scales one set up and
 * another down; a fight does both to one. An autoscaler waits minutes between its turns.
 */
function turnsOf(world: World, deployment: KubeObject): Turns | null {
  const rounds = new Map<string, { up: EventRecord[]; down: EventRecord[] }>();
  for (const event of eventsOf(world, deployment)) {
    const match = event.reason === 'ScalingReplicaSet' ? /^Scaled (up|down) replica set (\S+)/.exec(event.message) : null;
    if (!match || world.now - event.last > WINDOW) continue;
    const set = rounds.get(match[2] ?? '') ?? { up: [], down: [] };
    rounds.set(match[2] ?? '', set);
    set[match[1] as 'up' | 'down'].push(event);
  }
  const count = (events: readonly EventRecord[]): number => events.reduce((sum, event) => sum + event.count, 0);
  for (const { up, down } of rounds.values()) {
    const [ups, downs] = [count(up), count(down)];
    if (Math.min(ups, downs) < ROUNDS) continue;
    const all = [...up, ...down].sort((a, b) => b.last - a.last);
    const newest = all[0] as EventRecord;
    const first = Math.min(...all.map((event) => event.first));
    const minutes = (newest.last - first) / 60_000;
    if (world.now - newest.last > RECENT || (ups + downs) / Math.max(1, minutes) < 0.2) continue;
    return { ups, downs, since: isoOf(first), last: isoOf(newest.last), evidence: eventEvidence(world, newest) };
  }
  return resized(world, deployment);
}

/** Only one half of such a fight is told: the Deployment's. */
function resized(world: World, deployment: KubeObject): Turns | null {
  const found = putBacksOf(world, deployment).find(
    ({ times, last, first }) => times >= ROUNDS && world.now - last < RECENT && times / Math.max(1, (last - first) / 60_000) >= 0.1,
  );
  if (!found) return null;
  const { set, from, to, times, first, last, evidence } = found;
  const [ups, downs] = from < to ? [times, 0] : [0, times];
  return {
    ups,
    downs,
    since: isoOf(first),
    last: isoOf(last),
    under: `ReplicaSet ${set} is set to ${from} and its Deployment puts it back to ${to}`,
    set,
    evidence,
  };
}

const STORM = 30;
const RATE = 6;

/** Events of one reason that climb fast; the loudest. A back-off repeats by design and is none. */
export function stormOf(world: World, object: KubeObject): Storm | null {
  const loud = eventsOf(world, object)
    .filter((event) => event.count >= STORM && world.now - event.last < RECENT && !/^BackOff$/.test(event.reason))
    .map((event) => ({ event, perMinute: event.count / Math.max(1, (event.last - event.first) / 60_000) }))
    .filter(({ perMinute }) => perMinute >= RATE)
    .sort((a, b) => b.perMinute - a.perMinute)[0];
  if (!loud) return null;
  const { event, perMinute } = loud;
  const { namespace, name } = object.metadata;
  const says = `${event.source || 'Somebody'} says ${event.reason} of ${[object.kind, namespace, name].filter(Boolean).join('/')} ${Math.round(perMinute)} times a minute`;
  return {
    reason: event.reason,
    source: event.source,
    count: event.count,
    perMinute,
    message: event.message,
    says,
    evidence: eventEvidence(world, event),
  };
}

/** The loudest of what was read, at most three. Noise by itself holds nothing back: only who is throttled asks for it. */
export function stormsIn(world: World): Storm[] {
  const uids = new Set(world.snapshot.seen('Event').map((event) => event.involvedObject?.uid ?? ''));
  const storms = [...uids].flatMap((uid) => world.snapshot.byUid(uid) ?? []).flatMap((object) => stormOf(world, object) ?? []);
  return storms.sort((a, b) => b.perMinute - a.perMinute || (a.says < b.says ? -1 : 1)).slice(0, 3);
}
