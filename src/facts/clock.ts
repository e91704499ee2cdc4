import { timeOf } from './time.ts';
import type { World } from './world.ts';

/** With this many Leases, all of them stale at once means that two clocks differ, not that everything died. */
const QUORUM = 3;
const FRESH = 30_000;

/**
 * The clock to judge heartbeats by, in ms. Leases are renewed every 2 to 10 s by machines whose clock is not the reader's:
 * where every one of several Leases looks old, the newest of them is taken for now.
 */
export function heartbeatClock(world: World): number {
  return world.memo(world.snapshot, 'clock:heartbeats', () => {
    const renewed = world.snapshot.seen('Lease').map((lease) => timeOf(lease.spec?.renewTime)).filter((time) => time !== null);
    const newest = renewed.reduce((best, time) => Math.max(best, time), 0);
    return renewed.length >= QUORUM && world.now - newest > FRESH ? newest : world.now;
  });
}
