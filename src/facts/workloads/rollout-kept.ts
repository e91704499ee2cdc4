import type { Deployment, KubeObject, ReplicaSet } from '../../model/kinds.ts';
import { specOf } from './common.ts';
import { newestSet, progressOf, replicaSetsOf } from './rollout.ts';
import type { World } from '../world.ts';

/**
 * Old ReplicaSets that the controller has every reason to scale down and has not until the deadline passed: all new pods that were asked for
 * are available, and with one pod less there would still be enough. A refused scaling leaves neither a condition nor an event
 * (pkg/controller/deployment/sync.go, scaleReplicaSet).
 */
export function keptSets(world: World, object: KubeObject): ReplicaSet[] {
  const deployment = object as Deployment;
  const { spec } = deployment;
  const progress = progressOf(world, deployment);
  if (progress?.reason !== 'ProgressDeadlineExceeded' || specOf(deployment).paused === true || spec?.strategy?.type === 'Recreate') return [];
  const newest = newestSet(world, deployment);
  const asked = newest?.spec?.replicas ?? 0;
  if (!newest || asked === 0 || (newest.status?.availableReplicas ?? 0) < asked) return [];
  const sets = replicaSetsOf(world, deployment);
  const available = sets.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
  // Without maxUnavailable as many as are wanted have to stay; that is the strictest it can be.
  return available > (spec?.replicas ?? 1) ? sets.filter((set) => set !== newest && (set.spec?.replicas ?? 0) > 0) : [];
}
