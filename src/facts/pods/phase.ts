import type { Pod } from '../../model/kinds.ts';
import { isTrue, plainCondition } from '../address.ts';
import { timeOf } from '../time.ts';

/** Succeeded or Failed: nothing in it runs again, it serves nobody and holds no room (endpointslice util, ShouldPodBeInEndpoints). */
export const isFinished = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

/** What controllers count: neither finished nor on its way out (pkg/controller, IsPodActive). */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !pod.metadata.deletionTimestamp;

/** By its own condition, which a kubelet that is gone no longer keeps. */
export const isReady = (pod: Pod): boolean => isTrue(pod, 'Ready');

/** When a pod became Ready, in ms; null where it is not, or does not say when. */
export function readySince(pod: Pod): number | null {
  const ready = plainCondition(pod, 'Ready');
  return ready?.status === 'True' ? timeOf(ready.lastTransitionTime ?? ready.lastUpdateTime) : null;
}
