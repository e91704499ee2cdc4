import type { KubeObject } from '../../model/kinds.ts';
import { timeOf } from '../time.ts';
import { currentEvents, combine, type Told } from '../events/told.ts';
import type { EventRecord } from '../events/event-index.ts';
import type { World } from '../world.ts';

// A controller that fails is asked again after minutes at most (controller-runtime backs off up to 16m40s).
const RECENT = 1000_000;

const SLOWEST = 1800_000;

/** Who looks only every half hour complains as seldom: twice its own pace is recent, too (Zalando's resync_period, Flux's intervals). */
function isRecent(world: World, { first, last, count }: EventRecord): boolean {
  const pace = count > 2 ? (last - first) / (count - 1) : 0;
  return world.now - last < Math.max(RECENT, 2 * Math.min(pace, SLOWEST));
}

/** What a controller complains of now, newest first, each sentence once. */
export function complaintsOf(world: World, object: KubeObject): Told[] {
  const events = currentEvents(world, object, []).filter((record) => record.type === 'Warning' && isRecent(world, record));
  const sentences = new Map(events.toReversed().map((record) => [record.message, record]));
  return [...sentences.values()].toReversed().map((record) => combine(world, object, record, events));
}

/** What a controller complains of now, by its newest warning of the object; null where none is recent. */
export function complaintOf(world: World, object: KubeObject): Told | null {
  const events = currentEvents(world, object, []).filter((record) => record.type === 'Warning');
  const newest = events[0];
  return newest && isRecent(world, newest) ? combine(world, object, newest, events) : null;
}

const AGAIN = 3;
const LASTS = 300_000;

/** The same, told again and again for minutes and by nothing well since: all that is known of an object whose status does not judge. */
export function lastingComplaintOf(world: World, object: KubeObject): Told | null {
  const newest = currentEvents(world, object, [])[0];
  const told = newest?.type === 'Warning' ? complaintOf(world, object) : null;
  return told && told.count >= AGAIN && world.now - (timeOf(told.first) ?? world.now) > LASTS ? told : null;
}

/** The newest event of an object, of whatever type; null where there is none. */
export function wordOf(world: World, object: KubeObject): Told | null {
  const events = currentEvents(world, object, []);
  return events[0] ? combine(world, object, events[0], events) : null;
}
