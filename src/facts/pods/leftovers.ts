import type { CronJob, Job, KubeObject, Pod } from '../../model/kinds.ts';
import type { Certainty } from '../../model/layer.ts';
import { maybe } from '../../model/read.ts';
import { isTrue } from '../address.ts';
import { listOf, textsOf } from '../lists.ts';
import { failedAt, hasPassed, isDisrupted, newestOf, wasTriedAgain } from './attempts.ts';
import { controllerOf, controllerRef, ownedBy } from '../owners.ts';
import { isoOf, timeOf } from '../time.ts';
import type { World } from '../world.ts';
import { fillsAgain, isOverOwnLimit } from './own-limit.ts';
import { isActive, isReady } from './phase.ts';

/** A Job whose CronJob has had a success since, or is suspended and so wants no runs, is history, whatever became of it. */
export function isSuperseded(world: World, job: Job): boolean {
  const owner = maybe(controllerOf(world, job)) as CronJob | null;
  if (owner?.kind !== 'CronJob') return false;
  const success = timeOf(owner.status?.lastSuccessfulTime);
  return (owner.spec?.suspend === true && isTrue(job, 'Failed')) || (success !== null && success >= (timeOf(job.metadata.creationTimestamp) ?? 0));
}

const indexOfPod = (pod: Pod): string => textsOf(pod.metadata.annotations)['batch.kubernetes.io/job-completion-index'] ?? '';

/** Of a Job under way only the newest failure speaks, and only while no retry is on its way, or where retries fail too. */
function mattersToJob(world: World, job: Job | null, pod: Pod): boolean {
  if (job && (isTrue(job, 'Complete') || isTrue(job, 'SuccessCriteriaMet') || job.spec?.suspend === true || isSuperseded(world, job))) return false;
  const attempts = siblingsOf(world, pod).filter((other) => indexOfPod(other) === indexOfPod(pod));
  const failed = attempts.filter((other) => other.status?.phase === 'Failed');
  if (newestOf(world, failed, pod) !== pod || attempts.some((other) => other.status?.phase === 'Succeeded')) return false;
  if (job !== null && isTrue(job, 'Failed')) return true;
  if (hasPassed(world, attempts, failed)) return false;
  return failed.filter((other) => !isDisrupted(other)).length > 1 || !attempts.some(isActive);
}

const siblingsOf = (world: World, pod: Pod): Pod[] => ownedBy(world, controllerRef(pod)?.uid, 'Pod') as Pod[];

const RECENT = 600_000;
const HOUR = 3_600_000;

const ONE_BLOW = 60_000;

/**
 * Pods of one set that failed one after another with the same words, the last just now: the next one will, too. One eviction takes
 * what is there at that moment, and what comes while its cause lasts; more pods than the set wants, over minutes, were not taken by one.
 */
function isChurn(world: World, pod: Pod, failed: readonly Pod[], wanted: number): boolean {
  const { reason, message } = pod.status ?? {};
  if (!reason || world.now - failedAt(world, pod) > RECENT) return false;
  const alike = failed.filter((other) => other.status?.reason === reason && other.status.message === message && world.now - failedAt(world, other) < HOUR);
  const first = alike.reduce((earliest, other) => Math.min(earliest, failedAt(world, other)), failedAt(world, pod));
  const recent = alike.filter((other) => world.now - failedAt(world, other) < RECENT);
  const span = failedAt(world, pod) - first;
  return alike.length >= 3 && (span > RECENT / 2 || (span > ONE_BLOW && recent.length > Math.max(2, wanted)));
}

/**
 * Pods of its controller that were ended with the same reason before it, one after another and none long after the next: the first is when
 * it began. Words may differ by what was measured.
 */
export function endedBefore(world: World, pod: Pod): Pod[] {
  const reason = pod.status?.reason ?? '';
  const isAlike = (other: Pod): boolean => other !== pod && other.status?.phase === 'Failed' && other.status.reason === reason;
  const before: Pod[] = [];
  let next = failedAt(world, pod);
  const earlier = siblingsOf(world, pod).filter((other) => isAlike(other) && failedAt(world, other) <= next);
  for (const other of earlier.sort((a, b) => failedAt(world, b) - failedAt(world, a))) {
    if (next - failedAt(world, other) > RECENT) break;
    before.unshift(other);
    next = failedAt(world, other);
  }
  return reason === '' ? [] : before;
}

/** When the pod failed, RFC 3339. */
export const failedSince = (world: World, pod: Pod): string => isoOf(failedAt(world, pod));

/** Set controllers look away from a failed pod and make another. It speaks while there are too few others, or while they fail one after another. */
function mattersToSet(world: World, owner: KubeObject | null, pod: Pod): boolean {
  const siblings = siblingsOf(world, pod);
  const desired = (owner?.['spec'] as { replicas?: number } | undefined)?.replicas;
  const active = siblings.filter(isActive);
  const here = owner?.kind === 'DaemonSet' ? active.filter((other) => other.spec?.nodeName === pod.spec?.nodeName) : active;
  const ready = here.filter(isReady).length;
  const wanted = owner?.kind === 'DaemonSet' ? 1 : (desired ?? 1);
  const failed = siblings.filter((other) => other.status?.phase === 'Failed');
  if (newestOf(world, failed, pod) !== pod) return false;
  if (ready >= wanted) return isChurn(world, pod, failed, wanted) || fillsAgain(world, pod, failed, here, (other) => failedAt(world, other));
  const recent = failed.filter((other) => world.now - failedAt(world, other) < RECENT);
  return here.length < wanted || recent.length >= 3;
}

/** Whether the owner of a custom kind says that it is done with this. */
const isDone = (owner: KubeObject): boolean => {
  const phase = (owner['status'] as { phase?: unknown } | undefined)?.phase;
  // Argo's Workflow is Completed when it is over, whatever came of it.
  if (phase === 'Failed' || phase === 'Error') return false;
  return isTrue(owner, 'Succeeded') || isTrue(owner, 'Complete') || isTrue(owner, 'Completed') || phase === 'Succeeded' || phase === 'Completed';
};

/** Of an owner of another make: it counts replicas as sets do, or says that it is done, or that all is well with what it has. */
function mattersToOther(world: World, owner: KubeObject, pod: Pod): boolean {
  if (isDone(owner)) return false;
  if (typeof (owner['spec'] as { replicas?: unknown } | undefined)?.replicas === 'number') return mattersToSet(world, owner, pod);
  return !isTrue(owner, 'Ready') || !siblingsOf(world, pod).some((other) => isActive(other) && isReady(other));
}

/** A person sat at its terminal (`kubectl debug`, `kubectl run -it`): a shell ends with the code of the last thing typed, or by control-C. */
const isSession = ({ spec, status }: Pod): boolean => {
  const asked = new Set(
    listOf(spec?.containers)
      .filter(({ stdin, tty }) => stdin && tty)
      .map(({ name }) => name),
  );
  const failed = listOf(status?.containerStatuses).filter(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  return spec?.restartPolicy === 'Never' && failed.length > 0 && failed.every(({ name, state }) => asked.has(name) && state?.terminated?.reason === 'Error');
};

/** Whether a Failed pod still says something: not one whose owner is complete or has replaced it. */
export function failureMatters(world: World, pod: Pod): boolean {
  const ref = controllerRef(pod);
  if (wasTriedAgain(world, pod)) return false;
  if (!ref) return !isSession(pod);
  const read = controllerOf(world, pod);
  // Its owner is gone, and the garbage collector is about to follow.
  if (read.state === 'absent') return false;
  const owner = maybe(read);
  switch (ref.kind) {
    case 'Job':
      return mattersToJob(world, owner as Job | null, pod);
    case 'ReplicaSet':
    case 'ReplicationController':
    case 'DaemonSet':
      return mattersToSet(world, owner, pod);
    default:
      return !owner || mattersToOther(world, owner, pod);
  }
}

/** It was replaced, and only by what it was ended for is its end to be expected of the next one: its limit was reached once so far. */
export function recursOnce(world: World, pod: Pod): boolean {
  if (pod.status?.phase !== 'Failed' || !isOverOwnLimit(world, pod)) return false;
  const siblings = siblingsOf(world, pod);
  return siblings.some((other) => isActive(other) && isReady(other)) && siblings.filter((other) => isOverOwnLimit(world, other)).length === 1;
}

/**
 * How sure one may be that a Failed pod holds anything back: where its owner was not read, nobody knows whether another attempt has
 * succeeded since; and what ended once may not end so again. Null where that is known, or where it does not matter.
 */
export function doubtOf(world: World, pod: Pod): Exclude<Certainty, 'proven'> | null {
  const ref = controllerRef(pod);
  if (recursOnce(world, pod)) return 'likely';
  if (pod.status?.phase !== 'Failed' || !ref || controllerOf(world, pod).state !== 'unknown') return null;
  const failed = siblingsOf(world, pod).filter((other) => other.status?.phase === 'Failed');
  // One after another, up to now: whoever makes them still makes them.
  if (failed.length > 1 && world.now - failedAt(world, pod) < RECENT) return null;
  return world.now - failedAt(world, pod) < HOUR ? 'likely' : 'undetermined';
}
