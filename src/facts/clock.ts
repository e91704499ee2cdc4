import type { Condition, KubeObject, Lease } from '../model/kinds.ts';
import { type Addressed, evidenceAt, pointerTo } from './address.ts';
import type { FieldDoc } from './family.ts';
import { listOf } from './lists.ts';
import { ageOf, timeOf } from './time.ts';
import { ago } from './words.ts';
import type { World } from './world.ts';

/** With this many Leases, all of them stale at once means that two clocks differ, not that everything died. */
const QUORUM = 3;
const FRESH = 30_000;
/** The kinds of a dump are read one after the other: what was written while it was taken says nothing of Leases read before. */
const GATHERED = 1_800_000;

/**
 * The clock to judge heartbeats by, in ms. Leases are renewed every 2 to 10 s by machines whose clock is not the reader's:
 * where every one of several Leases looks old, the newest of them is taken for now, or whatever was written after it.
 */
export function heartbeatClock(world: World): number {
  return world.memo(world.snapshot, 'clock:heartbeats', () => {
    const renewed = world.snapshot
      .seen('Lease')
      .map((lease) => timeOf(renewalOf(lease).time))
      .filter((time) => time !== null);
    const newest = renewed.reduce((best, time) => Math.max(best, time), 0);
    if (renewed.length < QUORUM || world.now - newest <= FRESH) return world.now;
    const written = newestWrite(world);
    return written - newest > (world.snapshot.source.kind === 'files' ? GATHERED : 0) ? Math.min(world.now, written) : newest;
  });
}

/** The newest time, in ms, that anything read bears of a write: its making, a change of state, an event; 0 where nothing does. */
export function newestWrite(world: World): number {
  return world.memo(world.snapshot, 'clock:writes', () => {
    let newest = 0;
    const see = (time: string | null | undefined): void => {
      newest = Math.max(newest, timeOf(time) ?? 0);
    };
    for (const kind of world.snapshot.kinds()) for (const object of world.snapshot.seen(kind)) for (const time of writesOf(object)) see(time);
    return newest;
  });
}

function writesOf(object: KubeObject): (string | null | undefined)[] {
  const { status, lastTimestamp, eventTime } = object as unknown as { status?: { conditions?: Condition[] }; lastTimestamp?: string; eventTime?: string };
  return [
    object.metadata.creationTimestamp,
    lastTimestamp,
    eventTime,
    ...listOf(object.metadata.writers).map((writer) => writer.time),
    ...listOf(status?.conditions).flatMap((condition) => [condition.lastTransitionTime, (condition as { lastHeartbeatTime?: string }).lastHeartbeatTime]),
  ];
}

/**
 * The clock of a dump is the newest time in it. Where that is a change of state and no heartbeat or event is as new, the dump may
 * have been taken at any time after: nothing in it can be called young.
 */
export function clockStands(world: World): boolean {
  return world.memo(world.snapshot, 'clock:stands', () => {
    const { snapshot, now } = world;
    if (snapshot.source.kind !== 'files') return false;
    const beats = [
      ...snapshot.seen('Lease').map((lease) => timeOf(lease.spec?.renewTime)),
      ...snapshot.seen('Node').flatMap((node) => listOf(node.status?.conditions).map((condition) => timeOf(condition.lastHeartbeatTime))),
      ...[...snapshot.seen('Event'), ...snapshot.seen('Event.events.k8s.io')].flatMap((event) => {
        const { lastTimestamp, eventTime, deprecatedLastTimestamp, series } = event as unknown as Record<string, string | undefined> & {
          series?: { lastObservedTime?: string };
        };
        return [lastTimestamp, eventTime, deprecatedLastTimestamp, series?.lastObservedTime].map(timeOf);
      }),
    ];
    return !beats.some((time) => time !== null && now - time < 1000);
  });
}

/** A Lease as the sign of life of whoever holds it. */
export interface Heartbeat extends Addressed {
  object: KubeObject;
  renewed: string;
  /** Seconds since the last renewal. */
  age: number;
  holder: string;
  /** Seconds for which it is granted. */
  duration: number;
}

const DURATION = 15;

/**
 * When a Lease was last renewed, and where that stands. Its holder writes renewTime by a clock of its own, which may be minutes behind;
 * the API server notes each write in managedFields by its own (structured-merge-diff keeps whole seconds). The later of the two counts.
 */
export function renewalOf(lease: Lease): { time: string | null; pointer: string } {
  const own = { time: lease.spec?.renewTime ?? null, pointer: '/spec/renewTime' };
  return listOf(lease.metadata.writers).reduce((best, { time, paths }, index) => {
    const noted = (paths ?? []).includes('spec.renewTime') ? timeOf(time) : null;
    return best.time && noted !== null && noted - (timeOf(best.time) ?? noted) > SKEW
      ? { time: time ?? null, pointer: pointerTo('metadata', 'writers', index, 'time') }
      : best;
  }, own);
}

/** Below this the two tell of one moment, and the finer one is shown. */
const SKEW = 2000;

/** Null where it was never renewed. */
export function heartbeatOf(world: World, lease: Lease): Heartbeat | null {
  const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {};
  const { time: renewed, pointer } = renewalOf(lease);
  const age = ageOf(heartbeatClock(world), renewed);
  if (age === null || !renewed) return null;
  const text = `Lease ${lease.metadata.name} last renewed ${ago(world.now, renewed)}`;
  return {
    object: lease,
    renewed,
    age,
    holder: holderIdentity ?? '',
    duration: leaseDurationSeconds ?? DURATION,
    evidence: evidenceAt(lease, pointer, text, renewed),
  };
}

export const HEARTBEAT_TYPE: Record<string, FieldDoc> = {
  object: { type: 'object', doc: 'the Lease' },
  renewed: { type: 'string', doc: 'RFC 3339 of the last renewal' },
  age: { type: 'double', doc: 'seconds since then' },
  holder: { type: 'string', doc: "who held it last; '' where it was released" },
  duration: { type: 'double', doc: 'seconds for which it is granted' },
  evidence: { type: 'Evidence', doc: 'time of renewal' },
};
