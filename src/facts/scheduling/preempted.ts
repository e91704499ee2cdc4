import type { ObjectReference, Pod } from '../../model/kinds.ts';
import type { Addressed } from '../address.ts';
import { eventEvidence, eventsWith } from '../events/event-index.ts';
import { controllerRef } from '../owners.ts';
import { timeOf } from '../time.ts';
import type { World } from '../world.ts';

/** A pod of the same controller that had to leave its node for one of higher priority. */
export interface Preempted extends Addressed {
  /** In a sentence: `low-x had to leave node-2 for Pod high-y of higher priority.` */
  says: string;
}

/** The replacement is made at once, by clocks of several machines. */
const SKEW = 5_000;
/** What was long ago is not why there is no room now. */
const LATELY = 3_600_000;

const NODE = /^Preempted by .{0,120}? on node (\S+)$/;

/**
 * The newest preemption that this pod is the replacement for. The event is about a pod that is gone, so it is known by its name,
 * which begins with its controller's; whom it had to make room for is its `related` (pkg/scheduler/framework/preemption).
 */
export function preemptedOf(world: World, pod: Pod): Preempted | null {
  const owner = controllerRef(pod);
  const { namespace, uid, creationTimestamp } = pod.metadata;
  const born = timeOf(creationTimestamp) ?? 0;
  if (!owner) return null;
  const found = eventsWith(world, 'Preempted')
    .filter(
      ({ about, last }) =>
        about.kind === 'Pod' &&
        about.namespace === namespace &&
        about.uid !== uid &&
        (about.name ?? '').startsWith(`${owner.name}-`) &&
        last <= born + SKEW &&
        world.now - last < LATELY,
    )
    .sort((a, b) => b.last - a.last)[0];
  if (!found) return null;
  const by = (found.event as unknown as { related?: ObjectReference | null }).related;
  const taker = by?.name ? `Pod ${by.namespace && by.namespace !== namespace ? `${by.namespace}/` : ''}${by.name}` : 'a pod';
  return {
    says: `${found.about.name ?? ''} had to leave ${NODE.exec(found.message)?.[1] ?? 'its node'} for ${taker} of higher priority.`,
    evidence: eventEvidence(world, found),
  };
}
