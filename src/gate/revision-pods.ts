import { isCurrentRevision } from '../facts/workloads/revision.ts';
import { ownedList } from '../facts/owners.ts';
import { specOf, statusOf } from '../facts/workloads/common.ts';
import { newestSet, podsOfRollout, revisionOf } from '../facts/workloads/rollout.ts';
import { revisionLabel } from '../facts/workloads/stateful.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject, Pod } from '../model/kinds.ts';
import { need } from '../model/read.ts';
import { isReady, readySince } from '../facts/pods/phase.ts';

/** Pods of a workload by controller UID: of the revision that is being rolled out, and of older ones. */
export interface RevisionPods {
  /** `13` for a Deployment, `web-6c9` for a StatefulSet; '' where the kind has none. */
  revision: string;
  /** Not being deleted. */
  current: Pod[];
  old: Pod[];
  /** Of any revision, on their way out. */
  leaving: Pod[];
}

/** Raises Unknown where pods or ReplicaSets could not be read. */
export function revisionPods(world: World, object: KubeObject): RevisionPods {
  const { current, old, revision } = sides(world, object);
  const stays = (pod: Pod): boolean => !pod.metadata.deletionTimestamp;
  return { revision, current: current.filter(stays), old: old.filter(stays), leaving: [...current, ...old].filter((pod) => !stays(pod)) };
}

function sides(world: World, object: KubeObject): { current: Pod[]; old: Pod[]; revision: string } {
  if (object.kind === 'Pod') return { current: [object as Pod], old: [], revision: '' };
  const pods = (): Pod[] => (need(ownedList(world, object, 'Pod')) ?? []) as Pod[];
  switch (object.kind) {
    case 'Deployment': {
      pods();
      const newest = newestSet(world, object);
      return { ...podsOfRollout(world, object), revision: newest ? revisionOf(newest) : '' };
    }
    case 'StatefulSet': {
      const { updateRevision = '' } = statusOf(object);
      const isCurrent = (pod: Pod): boolean => updateRevision === '' || revisionLabel(pod) === '' || revisionLabel(pod) === updateRevision;
      return { current: pods().filter(isCurrent), old: pods().filter((pod) => !isCurrent(pod)), revision: updateRevision };
    }
    case 'DaemonSet': {
      const isCurrent = (pod: Pod): boolean => isCurrentRevision(world, pod);
      return { current: pods().filter(isCurrent), old: pods().filter((pod) => !isCurrent(pod)), revision: '' };
    }
    default:
      return { current: pods(), old: [], revision: '' };
  }
}

/** Ready, and for as long as its workload asks (spec.minReadySeconds). */
export function isAvailable(world: World, pod: Pod, object: KubeObject): boolean {
  if (!isReady(pod)) return false;
  const since = readySince(pod);
  return since === null || world.now - since >= (specOf(object).minReadySeconds ?? 0) * 1000;
}
