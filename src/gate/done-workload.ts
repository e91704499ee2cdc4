import { specOf, statusOf } from '../facts/workloads/common.ts';
import { workFacts } from '../facts/workloads/workload.ts';
import { plural, some } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject, Pod } from '../model/kinds.ts';
import { maybe } from '../model/read.ts';
import { isAvailable, revisionPods } from './revision-pods.ts';
import { lostNodes, servedBy } from './reach.ts';
import { podNames, type Standing, standing, told } from './standing.ts';
import { isReady } from '../facts/pods/phase.ts';

/**
 * Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController: the counts of their status *and* the pods behind
 * them. Counts alone are written late, by a controller, and of pods of any revision.
 */
export function workloadStanding(world: World, object: KubeObject, excused: ReadonlySet<string>): Standing {
  const { generation } = object.metadata;
  const { observedGeneration } = statusOf(object);
  const work = workFacts(world, object);
  const { desired } = work;
  if (generation !== undefined && (observedGeneration ?? 0) < generation)
    return standing('moving', `generation ${generation} is not observed yet (${observedGeneration ?? 'none'} is)`, { desired });
  const read = told(() => revisionPods(world, object));
  const counts = countsOpen(object, work);
  if (read.value === null) {
    const base = { desired, ready: work.ready, gap: read.gap };
    return counts === ''
      ? standing('unknown', `its status counts ${work.available} of ${desired} available; the pods behind it could not be read`, base)
      : standing('moving', counts, base);
  }
  const pods = read.value;
  const available = pods.current.filter((pod) => isAvailable(world, pod, object));
  const base = { desired, ready: available.length, revision: pods.revision, pods };
  if (specOf(object).paused && (pods.old.length > 0 || available.length < desired)) {
    return standing('waiting', 'paused: the template is not rolled out', {
      ...base,
      acts: `kubectl rollout resume ${object.kind.toLowerCase()}/${object.metadata.name}`,
    });
  }
  const byHand = byHandOnly(object, pods.old, available.length, desired);
  if (byHand)
    return standing('waiting', byHand, { ...base, acts: `deleting ${plural(pods.old.length, 'pod')} of the older revision: ${some(podNames(pods.old))}` });
  const kept = keptByPartition(object, desired);
  const wanted = desired - kept;
  const pardoned = object.kind === 'DaemonSet' ? onNodes([...pods.current, ...pods.old], excused).filter((pod) => !available.includes(pod)) : [];
  const front = pods.revision !== '' ? `revision ${pods.revision}: ` : '';
  const counted = `${front}${available.length} of ${wanted} ${pods.old.length > 0 || work.updated < desired ? 'new ' : ''}pods ${specOf(object).minReadySeconds ? 'available' : 'ready'}`;
  const left = Math.max(0, pods.old.length - kept - pardoned.length);
  const olds = left > 0 ? `, ${left} old ${left === 1 ? 'remains' : 'remain'}` : '';
  if (available.length + pardoned.length < wanted || left > 0)
    return standing('moving', `${counted}${olds}${missingWords(object, pods.current, wanted)}`, base);
  // The keepers of a partition must serve, too: they are part of what was asked for.
  const lame = pods.old.filter((pod) => !isReady(pod) && !pardoned.includes(pod));
  if (lame.length > 0) return standing('moving', `${counted}; ${some(podNames(lame))} of the older revision is not ready`, base);
  if (counts !== '' && pardoned.length === 0) return standing('moving', `${counted}; ${counts}`, base);
  const served = servedBy(world, object, pods.current);
  if (served.waits) return standing('moving', `${counted}; ${served.waits}`, base);
  const remarks = [
    ...(kept > 0 ? [`partition: ordinals below ${firstRolled(object)} keep their revision by design`] : []),
    ...(pardoned.length > 0 ? [`${plural(pardoned.length, 'pod')} on nodes that were not ready before (${some([...excused])}) left out`] : []),
    ...(desired === 0 ? ['scaled to zero: nothing runs'] : []),
    ...served.remarks,
  ];
  return standing('done', desired === 0 ? 'scaled to zero' : `${counted}${served.says}`, { ...base, remarks });
}

const rollsBy = (object: KubeObject): string => (specOf(object).strategy ?? specOf(object).updateStrategy)?.type ?? 'RollingUpdate';
const firstRolled = (object: KubeObject): number => (specOf(object).ordinals?.start ?? 0) + (specOf(object).updateStrategy?.rollingUpdate?.partition ?? 0);

/** Pods that a partition keeps at the older revision; 0 once both revisions are the same. */
function keptByPartition(object: KubeObject, desired: number): number {
  if (object.kind !== 'StatefulSet' || rollsBy(object) !== 'RollingUpdate') return 0;
  const { currentRevision, updateRevision } = statusOf(object);
  if (currentRevision === updateRevision) return 0;
  return Math.min(desired, specOf(object).updateStrategy?.rollingUpdate?.partition ?? 0);
}

/** OnDelete, with nothing left that the controller would do by itself; '' otherwise. */
function byHandOnly(object: KubeObject, old: readonly Pod[], available: number, desired: number): string {
  if (rollsBy(object) !== 'OnDelete' || old.length === 0) return '';
  return available + old.filter(isReady).length >= desired ? `OnDelete: ${plural(old.length, 'pod')} of ${desired} keep the older revision until deleted` : '';
}

const onNodes = (pods: readonly Pod[], nodes: ReadonlySet<string>): Pod[] => pods.filter((pod) => nodes.has(pod.spec?.nodeName ?? ''));

const missingWords = (object: KubeObject, current: readonly Pod[], wanted: number): string => {
  if (current.length < wanted) return `, ${current.length === 0 ? 'none' : `only ${current.length}`} of the new made yet`;
  return object.kind === 'StatefulSet' ? `, held at ${some(podNames(current.filter((pod) => !isReady(pod))).slice(0, 1))}` : '';
};

/** What its own status still counts as open; '' where it agrees. */
function countsOpen(object: KubeObject, { desired, have, updated, available, ready }: ReturnType<typeof workFacts>): string {
  const byHand = rollsBy(object) === 'OnDelete';
  const kept = keptByPartition(object, desired);
  const count = (n: number, of: number, word: string): string => `its status counts ${n} of ${of} ${word}`;
  if (object.kind !== 'ReplicaSet' && object.kind !== 'ReplicationController' && !byHand && updated < desired - kept)
    return count(updated, desired - kept, 'updated');
  if (available < desired) return count(available, desired, 'available');
  if (ready < desired) return count(ready, desired, 'ready');
  if (object.kind === 'Deployment' && have > updated) return `its status still counts ${plural(have - updated, 'old pod')}`;
  return '';
}

/** Nodes that were not Ready: a DaemonSet's pod there says nothing about its revision. */
export const excusedNodes = (world: World): string[] => lostNodes(maybe(world.snapshot.list('Node')) ?? []);
