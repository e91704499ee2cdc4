import type { KubeObject, Pod } from '../../model/kinds.ts';
import { groupOf } from '../../model/resources.ts';
import { customFacts } from '../custom/custom.ts';
import { controllerRef, ownedBy } from '../owners.ts';
import { listOf } from '../lists.ts';
import type { World } from '../world.ts';

/**
 * What failed of those that set the gates of a pod: objects of the gate's API group that belong to the pod's controller, as
 * Kueue's Workload does to a Job whose pods wait at kueue.x-k8s.io/topology.
 */
export function gatekeepersOf(world: World, pod: Pod): KubeObject[] {
  const groups = new Set(listOf(pod.spec?.schedulingGates).map(({ name = '' }) => name.split('/')[0] ?? ''));
  if (groups.size === 0) return [];
  return ownedBy(world, controllerRef(pod)?.uid).filter((each) => groups.has(groupOf(each.apiVersion)) && customFacts(world, each)?.at.includes('condition'));
}
