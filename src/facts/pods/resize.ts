import type { KubeObject, Pod } from '../../model/kinds.ts';
import { type AddressedCondition, conditionOf } from '../address.ts';
import { timeOf } from '../time.ts';

/** Other resources were asked for in place, and the kubelet does not give them. */
export interface Resize extends AddressedCondition {
  /** `Infeasible`: this node will never grant it; `Error`: what it did to grant it failed, and it tries again. */
  reason: string;
}

/** It tries again by itself; what still fails after this many ms does so for a lasting reason. */
const TRIES = 300_000;

/**
 * Null while it is granted, waits for room (Deferred) or is being carried out. Conditions PodResizePending and
 * PodResizeInProgress stand on a pod only while there is something to say (KEP-1287, 1.33).
 */
export function resizeOf(pod: Pod, now: number): Resize | null {
  const object = pod as unknown as KubeObject;
  const pending = conditionOf(object, 'PodResizePending');
  if (pending?.status === 'True' && pending.reason === 'Infeasible') return pending;
  const running = conditionOf(object, 'PodResizeInProgress');
  return running?.status === 'True' && running.reason === 'Error' && now - (timeOf(running.since) ?? now) > TRIES ? running : null;
}
