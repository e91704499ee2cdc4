import type { KubeObject } from '../../model/kinds.ts';
import { eventsOf } from '../events/event-index.ts';
import { ownedBy } from '../owners.ts';
import type { World } from '../world.ts';
import { bornAt } from '../time.ts';

const HOUR = 3_600_000;
const RECENT = 600_000;

/**
 * Pods that a controller made within the hour, that are gone, and that it did not delete itself: by its own events, which tell of each it makes
 * and each it deletes (pkg/controller, RealPodControl). A drain takes a wave of them at once; here one goes after the other up to now. Else 0.
 */
export function deletedByOthers(world: World, maker: KubeObject, desired: number): number {
  const events = eventsOf(world, maker).filter(({ last }) => world.now - last < HOUR);
  const made = events.filter(({ reason }) => reason === 'SuccessfulCreate');
  const first = Math.min(...made.map((record) => record.first));
  const newest = Math.max(...made.map((record) => record.last));
  if (made.length === 0 || world.now - newest > RECENT || newest - first < 2 * RECENT) return 0;
  const sum = (records: readonly { count: number }[]): number => records.reduce((total, { count }) => total + count, 0);
  const kept = ownedBy(world, maker.metadata.uid, 'Pod').filter((pod) => bornAt(pod) >= first - 1000).length;
  const gone = sum(made) - sum(events.filter(({ reason }) => reason === 'SuccessfulDelete')) - kept;
  return gone > Math.max(3, 2 * desired) ? gone : 0;
}
