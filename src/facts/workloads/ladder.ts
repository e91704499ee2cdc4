import type { CronJob, Job, KubeObject, Pod } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt } from '../../model/read.ts';
import { conditionOf } from '../address.ts';
import { eventsOf } from '../events/event-index.ts';
import { ownedBy } from '../owners.ts';
import { podFacts } from '../pods/pod.ts';
import { activeCount, cronRung, isCronYoung } from './cron.ts';
import { type Counts, failedLately, isUnobserved, lagOf, specChangedAt, specOf, statusOf } from './common.ts';
import { activePods, jobCounts, jobFacts, jobRung } from './job.ts';
import { isUnattended, type Miscount, miscountOf, uncountedEnds } from './miscount.ts';
import { deletedByOthers } from './deleted.ts';
import { deadlineOf, podsOfRollout, progressedAt, progressOf, replicaSetsOf } from './rollout.ts';
import { keptSets } from './rollout-kept.ts';
import { claimsLeaving, isOrdered } from './stateful.ts';
import { bornAt, timeOf } from '../time.ts';
import type { World } from '../world.ts';
import { isReady, readySince } from '../pods/phase.ts';

/** Counts as the object's own status has them. */
export function countsOf(world: World, object: KubeObject): Counts {
  const status = statusOf(object);
  const { replicas = 0, readyReplicas: ready = 0 } = status;
  const wanted = specOf(object).replicas ?? 1;
  switch (object.kind) {
    case 'Job':
      return jobCounts(object as Job, jobFacts(world, object as Job));
    case 'CronJob':
      return { desired: 0, have: activeCount(object as CronJob), ready: 0, updated: 0, available: 0 };
    case 'DaemonSet':
      return {
        desired: status.desiredNumberScheduled ?? 0,
        have: status.currentNumberScheduled ?? 0,
        ready: status.numberReady ?? 0,
        updated: status.updatedNumberScheduled ?? 0,
        available: status.numberAvailable ?? 0,
      };
    // Before 1.22 a StatefulSet did not count availability; a count of 0 is left out elsewhere.
    case 'StatefulSet':
      return { desired: wanted, have: replicas, ready, updated: status.updatedReplicas ?? 0, available: status.availableReplicas ?? ready };
    case 'Deployment':
      return { desired: wanted, have: replicas, ready, updated: status.updatedReplicas ?? 0, available: status.availableReplicas ?? 0 };
    default:
      return {
        desired: wanted,
        have: replicas,
        ready,
        updated: replicas,
        available: status.availableReplicas ?? (specOf(object).minReadySeconds ? 0 : ready),
      };
  }
}

/** The first rung a workload has not passed, from its own status; joins are made only for those with failed pods. */
export function rungOf(world: World, object: KubeObject): Stage {
  // What is being deleted owes nothing more; its deletion is judged by itself.
  if (object.metadata.deletionTimestamp) return 'goal';
  if (object.kind === 'CronJob') return cronRung(world, object as CronJob);
  if (object.kind === 'Job') {
    const rung = jobRung(world, object as Job);
    return rung !== 'observe' && jobCounts(object as Job, jobFacts(world, object as Job)).have > 0 && openMiscount(world, object) ? 'observe' : rung;
  }
  if (isUnobserved(object)) return isRefusedUnobserved(world, object) ? 'create' : 'observe';
  const counts = countsOf(world, object);
  const rung = keepsSurplus(world, object, counts) ? 'create' : rungByCounts(object, counts);
  if (rung !== 'goal') return rung;
  return churns(world, object) ? 'churn' : openMiscount(world, object) ? 'observe' : 'goal';
}

/** Numbers that do not fit the pods, where nobody can tell whether their controller lives: who counts so is not at its goal by them. */
export function openMiscount(world: World, object: KubeObject): Miscount | null {
  if (
    object.metadata.deletionTimestamp ||
    (object.kind !== 'Job' && isUnobserved(object)) ||
    world.snapshot.gap('Pod', object.metadata.namespace ?? '') !== null
  )
    return null;
  return world.memo(object, 'work:miscount', () => {
    if (!isUnattended(world)) return null;
    if (object.kind === 'Job') return uncountedEnds(world, object);
    const pods = attempt(() => podsOfWork(world, object));
    return pods && miscountOf(world, object, countsOf(world, object), pods);
  });
}

/**
 * A Deployment's controller that may not make the new ReplicaSet tells so and stops there, before it notes the generation
 * (pkg/controller/deployment/sync.go, getNewReplicaSet). The condition keeps its first time, so a later spec is seen by the event alone.
 */
function isRefusedUnobserved(world: World, object: KubeObject): boolean {
  const reason = 'ReplicaSetCreateError';
  if (object.kind !== 'Deployment' || conditionOf(object, 'Progressing')?.reason !== reason) return false;
  const changed = specChangedAt(object) ?? 0;
  return (progressedAt(object) ?? 0) >= changed || eventsOf(world, object).some((record) => record.reason === reason && record.last >= changed);
}

/** More pods than it should have, and its controller tells that it may not delete them. Those with a condition tell by that alone. */
function keepsSurplus(world: World, object: KubeObject, { desired, have }: Counts): boolean {
  if (have <= desired) return false;
  const reason = 'FailedDelete';
  if (object.kind !== 'StatefulSet') {
    const failure = conditionOf(object, 'ReplicaFailure');
    return failure?.status === 'True' && failure.reason === reason;
  }
  return eventsOf(world, object).some((record) => record.reason === reason && record.last >= (specChangedAt(object) ?? 0));
}

function rungByCounts(object: KubeObject, { desired, have, ready, updated, available }: Counts): Stage {
  const spec = specOf(object);
  // The API server always writes this count; a dump that was stripped of it does not tell whether pods are wanted.
  if (object.kind === 'DaemonSet' && statusOf(object).desiredNumberScheduled === undefined) return 'available';
  if (desired === 0) return 'goal';
  switch (object.kind) {
    case 'Deployment': {
      if (spec.paused) return available < desired ? (have < desired ? 'create' : 'available') : 'goal';
      const refused = conditionOf(object, 'ReplicaFailure')?.status === 'True' || conditionOf(object, 'Progressing')?.reason === 'ReplicaSetCreateError';
      if (have < desired || (refused && updated < desired)) return 'create';
      return updated < desired || have > updated || available < desired ? 'available' : 'goal';
    }
    case 'StatefulSet': {
      // Under OrderedReady the next pod is made only when the ones before it are ready: what is missing waits, nobody refused it.
      if (have < desired) return isOrdered(object) && ready < have ? 'available' : 'create';
      return ready < desired || available < desired || rolloutOpen(object, desired, updated) ? 'available' : 'goal';
    }
    case 'DaemonSet': {
      if (have < desired) return 'create';
      const rolls = (spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
      return ready < desired || available < desired || (rolls && updated < desired) ? 'available' : 'goal';
    }
    default:
      return have < desired ? 'create' : ready < desired || available < desired ? 'available' : 'goal';
  }
}

/** A rolling update that has not reached every pod down to the partition. OnDelete waits for a person, not for the controller. */
function rolloutOpen(object: KubeObject, desired: number, updated: number): boolean {
  const { updateStrategy } = specOf(object);
  const { currentRevision, updateRevision } = statusOf(object);
  if ((updateStrategy?.type ?? 'RollingUpdate') !== 'RollingUpdate' || !updateRevision || currentRevision === updateRevision) return false;
  return updated < desired - Math.min(desired, updateStrategy?.rollingUpdate?.partition ?? 0);
}

/** Full by count, but its pods fail, or are deleted, one after another and are replaced: evictions, admission refusals on a node. */
function churns(world: World, object: KubeObject): boolean {
  const { desired } = countsOf(world, object);
  return failedLatelyOf(world, object) > Math.max(2, desired) || deletedLatelyOf(world, object) > 0;
}

/** Pods of it that somebody else keeps deleting: more than a wave, over a while, up to now; else 0. */
export function deletedLatelyOf(world: World, object: KubeObject): number {
  const makers = object.kind === 'Deployment' ? ownedBy(world, object.metadata.uid, 'ReplicaSet') : [object];
  return makers.reduce((sum, maker) => sum + deletedByOthers(world, maker, countsOf(world, maker).desired), 0);
}

export const failedLatelyOf = (world: World, object: KubeObject): number =>
  failedLately(world, object.kind === 'Deployment' ? ownedBy(world, object.metadata.uid, 'ReplicaSet').map((set) => set.metadata.uid) : [object.metadata.uid]);

/** Pods it has now, of the present revision first. May raise Unknown. */
export function podsOfWork(world: World, object: KubeObject): Pod[] {
  if (object.kind === 'Deployment') {
    const { current, old } = podsOfRollout(world, object);
    return [...current, ...old];
  }
  if (object.kind === 'Job') return activePods(world, object as Job);
  return ownedBy(world, object.metadata.uid, 'Pod') as Pod[];
}

const OBSERVE = 30;
const CREATE = 60;
/** The default progress deadline of a Deployment; other kinds have none and get the same. */
const MOVING = 600;

/** Whether it is short and may still be on its way. */
export function isYoung(world: World, object: KubeObject, at: Stage): boolean {
  const seconds = (ms: number | null): number => (ms === null ? Number.POSITIVE_INFINITY : (world.now - ms) / 1000);
  switch (at) {
    case 'observe': {
      if (openMiscount(world, object)) return hasJustMoved(world, object);
      const lag = lagOf(world, object);
      return lag !== null && lag < OBSERVE;
    }
    case 'create':
      if (
        object.kind === 'StatefulSet' &&
        (attempt(() => claimsLeaving(world, object)) ?? []).some(({ metadata }) => seconds(timeOf(metadata.deletionTimestamp)) < CREATE)
      )
        return true;
      return object.kind === 'CronJob' ? isCronYoung(world, object as CronJob) : seconds(movedAt(world, object)) < CREATE;
    case 'available':
      return object.kind === 'Deployment' ? rolloutIsYoung(world, object, seconds) : podsAreYoung(world, object) && seconds(movedAt(world, object)) < MOVING;
    case 'finish':
      return object.kind === 'Job' && jobIsYoung(world, object);
    default:
      return false;
  }
}

/** The same where its ReplicaSets do not tell it already. */
export const ownMiscount = (world: World, object: KubeObject): Miscount | null =>
  object.kind === 'Deployment' && ownedBy(world, object.metadata.uid, 'ReplicaSet').some((set) => openMiscount(world, set))
    ? null
    : openMiscount(world, object);

/** Something of it was made, deleted or told of within the minute. */
function hasJustMoved(world: World, object: KubeObject): boolean {
  const tellers = [object, ...(object.kind === 'Deployment' ? ownedBy(world, object.metadata.uid, 'ReplicaSet') : [])];
  const times = [movedAt(world, object) ?? 0, ...tellers.flatMap((teller) => eventsOf(world, teller).map(({ last }) => last))];
  return times.some((time) => world.now - time < CREATE * 1000);
}

function rolloutIsYoung(world: World, object: KubeObject, seconds: (ms: number | null) => number): boolean {
  const progress = attempt(() => progressOf(world, object));
  // The last new pod may have become available only now: its controller has to hear of it.
  const late = progress?.reason === 'ProgressDeadlineExceeded' && progress.status === 'False';
  if (late)
    return (attempt(() => keptSets(world, object)) ?? []).length > 0 && seconds(movedAt(world, object)) < (specOf(object).minReadySeconds ?? 0) + CREATE;
  const rolling = progress?.status === 'True' && progress.reason !== 'NewReplicaSetAvailable';
  if (rolling) return seconds(progressedAt(object)) < deadlineOf(object);
  return podsAreYoung(world, object) && seconds(movedAt(world, object)) < MOVING;
}

/** Every pod that counts against it is itself still on its way. Where the pods are not known, nothing is young. */
function podsAreYoung(world: World, object: KubeObject): boolean {
  return (
    attempt(() => {
      const all = podsOfWork(world, object);
      const counts = (pod: Pod): boolean => !pod.metadata.deletionTimestamp && pod.status?.phase !== 'Failed';
      let unready = 0;
      for (const pod of all) {
        if (!counts(pod) || isReady(pod)) continue;
        if (!podFacts(world, pod).young) return false;
        unready += 1;
      }
      if (unready > 0) return true;
      // The next pod is made when the one before it is gone; it has its grace period for that.
      if (all.some((pod) => (timeOf(pod.metadata.deletionTimestamp) ?? 0) > world.now)) return true;
      // All are ready: they count as available after minReadySeconds, and the controller has to hear of it.
      const wait = (specOf(object).minReadySeconds ?? 0) + CREATE;
      const newest = Math.max(...all.filter(counts).map((pod) => readySince(pod) ?? 0), movedAt(world, object) ?? 0);
      return (world.now - newest) / 1000 < wait;
    }) ?? false
  );
}

function jobIsYoung(world: World, object: KubeObject): boolean {
  const job = object as Job;
  const { lost, held } = jobFacts(world, job);
  return (
    !lost &&
    held.length === 0 &&
    activePods(world, job).every((pod) => podFacts(world, pod).at.every((stage) => stage === 'goal') || podFacts(world, pod).young)
  );
}

/** The last thing that moved: its spec, a pod or ReplicaSet made, a pod that became ready or had to leave, progress seen by its controller. */
export function movedAt(world: World, object: KubeObject): number | null {
  // A Job moves with every pod that ends, too.
  const pods = object.kind === 'Job' ? (ownedBy(world, object.metadata.uid, 'Pod') as Pod[]) : (attempt(() => podsOfWork(world, object)) ?? []);
  const turned = (pod: Pod): number | null => (object.kind === 'Job' ? timeOf(conditionOf(pod, 'Ready')?.since) : readySince(pod));
  const sets = object.kind === 'Deployment' ? (attempt(() => replicaSetsOf(world, object)) ?? []) : [];
  const started = object.kind === 'Job' ? timeOf((object as Job).status?.startTime) : null;
  const progress = object.kind === 'Deployment' && conditionOf(object, 'Progressing')?.status === 'True' ? progressedAt(object) : null;
  // deletionTimestamp is the end of the grace period.
  const leaving = (pod: Pod): number | null => (pod.metadata.deletionTimestamp ? Math.min(world.now, timeOf(pod.metadata.deletionTimestamp) ?? 0) : null);
  const times = [
    bornAt(object),
    specChangedAt(object),
    started,
    progress,
    ...sets.map(bornAt),
    ...pods.flatMap((pod) => [bornAt(pod), turned(pod), leaving(pod)]),
  ];
  const newest = times.reduce<number>((best, time) => Math.max(best, time ?? 0), 0);
  return newest > 0 ? newest : null;
}
