import type { Pod } from '../../model/kinds.ts';
import { Unknown } from '../../model/read.ts';
import { conditionOf } from '../address.ts';
import { eventsOf } from '../events/event-index.ts';
import { listOf } from '../lists.ts';
import { isMirror } from '../skew.ts';
import type { World } from '../world.ts';

/** Binding sets this one condition (pkg/registry/core/pod/storage); all others are written by a kubelet, or by who keeps a gate. */
const KUBELETS = ['Initialized', 'Ready', 'ContainersReady', 'PodReadyToStartContainers', 'PodHasNetwork'];

/**
 * Given to its node by a scheduler, and no word of a kubelet since: the first thing one does with a pod is to write its status
 * (pkg/kubelet/kubelet.go, SyncPod). A mirror pod is a kubelet's own. Raises Unknown where the status is bare and no events were read.
 */
export function isUnheeded(world: World, pod: Pod): boolean {
  const { startTime, hostIP, podIP, reason, containerStatuses, initContainerStatuses } = pod.status ?? {};
  if (!pod.spec?.nodeName || conditionOf(pod, 'PodScheduled')?.status !== 'True') return false;
  if (startTime || hostIP || podIP || reason || listOf(containerStatuses).length > 0 || listOf(initContainerStatuses).length > 0) return false;
  if (isMirror(pod) || KUBELETS.some((type) => conditionOf(pod, type) !== null)) return false;
  const gap = world.snapshot.gap('Event', pod.metadata.namespace);
  if (gap) throw new Unknown(gap);
  return !eventsOf(world, pod).some(({ source }) => source === 'kubelet');
}
