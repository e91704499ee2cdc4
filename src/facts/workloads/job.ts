import type { Job, KubeObject, Pod } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { maybe, need } from '../../model/read.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt, isTrue } from '../address.ts';
import { isSuperseded } from '../pods/leftovers.ts';
import { type Helpers, helpersAmong, isHeldUp, runningIn } from '../pods/held.ts';
import { eventsOf } from '../events/event-index.ts';
import { listOf } from '../lists.ts';
import { controllerOf, controllerRef, ownedBy, ownedList } from '../owners.ts';
import type { Counts } from './common.ts';
import type { World } from '../world.ts';
import { isActive, isReady } from '../pods/phase.ts';
import { bornAt } from '../time.ts';

/** How far a Job has come. */
export interface JobFacts extends Addressed {
  done: boolean;
  /** Failed, or decided to fail (FailureTarget precedes Failed while pods are ended). */
  lost: boolean;
  failed: number;
  succeeded: number;
  active: number;
  /** Pods that may fail before the Job does; 6 where the spec does not say. */
  limit: number;
  /** Pods that failed beyond those the limit and the parallelism explain; 0 where the spec may have been another one. */
  excess: number;
  /** What the containers of its failed pods ended with, as far as pods are left. */
  codes: number[];
  /** Successes wanted. */
  completions: number;
  /** `BackoffLimitExceeded`, `DeadlineExceeded`, `PodFailurePolicy`, ...; '' while it has not failed. */
  reason: string;
  message: string;
  /** activeDeadlineSeconds, 0 without one. */
  deadline: number;
  /** Pods whose main work is done with code 0 and whose other containers keep running: a sidecar without restartPolicy Always in initContainers. */
  held: Pod[];
  /** Names of the containers that run in them. */
  holding: string[];
  /** By what each of those is known to be a helper beside the work: it was put in on the way (`injected`), is one that is known, or another is marked as the pod's own (`known`); '' where one of them may be a second worker. */
  helpers: Helpers;
  /** Indexes that have used up their tries while others are still at work: the Job will fail when those are done. '' where it may yet succeed. */
  lostIndexes: string;
  /** Another controller works on it (spec.managedBy); the built-in one ignores it. */
  managedBy: string;
}

// The second of each comes before the first, while the pods are being ended (pkg/controller/job, since 1.31).
const FAILED = ['Failed', 'FailureTarget'];
const COMPLETE = ['Complete', 'SuccessCriteriaMet'];

/** Done, or given up: its controller makes no more pods. */
export const isFinished = (job: Pick<KubeObject, 'metadata'>): boolean => [...FAILED, ...COMPLETE].some((type) => isTrue(job, type));

/**
 * Failures are counted whenever the Job is looked at, and at most `parallelism` pods are under way when the last allowed one is counted
 * (pkg/controller/job, syncJob): more were made by a controller that miscounts. A spec written since may have asked for more at once.
 */
function excessOf({ metadata, spec, status }: Job): number {
  if ((metadata.generation ?? 1) > 1 || spec?.manualSelector || spec?.backoffLimitPerIndex !== undefined) return 0;
  return Math.max(0, (status?.failed ?? 0) - (spec?.backoffLimit ?? 6) - (spec?.parallelism ?? 1));
}

/** The facts of a Job, made once a snapshot. */
export function jobFacts(world: World, job: Job): JobFacts {
  return world.memo(job, 'work:job', () => {
    const met = (types: readonly string[]): AddressedCondition | null => conditionOf(job, types.find((type) => isTrue(job, type)) ?? '');
    const failure = met(FAILED);
    const success = met(COMPLETE);
    const { status, spec } = job;
    const { failed = 0, succeeded = 0, active = 0 } = status ?? {};
    const held = success ? [] : heldPods(world, job);
    const holding = [...new Set(held.flatMap(runningIn))];
    const managedBy = spec?.managedBy && spec.managedBy !== 'kubernetes.io/job-controller' ? spec.managedBy : '';
    return {
      done: success !== null,
      lost: failure !== null && success === null,
      failed,
      succeeded,
      active,
      limit: spec?.backoffLimit ?? 6,
      excess: success || managedBy !== '' ? 0 : excessOf(job),
      codes: [...new Set((ownedBy(world, job.metadata.uid, 'Pod') as Pod[]).flatMap(codesOf))].sort((a, b) => a - b),
      completions: spec?.completions ?? (spec?.parallelism === undefined ? 1 : Math.min(1, spec.parallelism)),
      reason: failure?.reason ?? '',
      message: failure?.message ?? '',
      deadline: spec?.activeDeadlineSeconds ?? 0,
      held,
      holding,
      helpers: helpersAmong(held, holding, job.spec?.template?.spec),
      // A success policy may do without them (batch/v1, spec.successPolicy).
      lostIndexes: success || failure || spec?.successPolicy ? '' : (status?.failedIndexes ?? ''),
      managedBy,
      evidence: failure?.evidence ?? success?.evidence ?? evidenceAt(job, '/status', `${succeeded} succeeded, ${failed} failed, ${active} active`),
    };
  });
}

const heldPods = (world: World, job: Job): Pod[] => (ownedBy(world, job.metadata.uid, 'Pod') as Pod[]).filter((pod) => isHeldUp(pod, world.now));

const codesOf = ({ status }: Pod): number[] =>
  (status?.phase === 'Failed' ? listOf(status.containerStatuses) : []).flatMap(({ state }) => state?.terminated?.exitCode ?? []).filter((code) => code !== 0);

/** The Job of a pod, where it has failed more often than it may: it should have made no such pod. */
export function surplusOf(world: World, pod: Pod): Job | null {
  const owner = controllerRef(pod)?.kind === 'Job' ? (maybe(controllerOf(world, pod)) as Job | null) : null;
  return owner && jobFacts(world, owner).excess > 0 ? owner : null;
}

/** The pods a Job has and wants now, not over its life. */
export function jobCounts(job: Job, { completions, succeeded, active }: JobFacts): Counts {
  const parallel = job.spec?.parallelism ?? 1;
  // Without completions the pods share one queue of work: after the first success no more are made.
  const queue = job.spec?.completions === undefined || job.spec.completions === null;
  const open = queue ? (succeeded > 0 ? active : parallel) : Math.max(0, completions - succeeded);
  const desired = job.spec?.suspend ? 0 : Math.min(parallel, open);
  return { desired, have: active, ready: job.status?.ready ?? active, updated: active, available: job.status?.ready ?? active };
}

/**
 * A Job that does its work is where it should be; it is short where its pods are missing, or have failed before it is
 * done. Of the Jobs of one CronJob only the newest that finished speaks.
 */
export function jobRung(world: World, job: Job): Stage {
  const facts = jobFacts(world, job);
  if (facts.done || job.spec?.suspend || isTrue(job, 'Suspended')) return 'goal';
  if (facts.lost) return isHistory(world, job) ? 'goal' : 'finish';
  if (facts.managedBy !== '') return isUnmanaged(world, job) ? 'observe' : 'goal';
  if (facts.failed > 0 || facts.held.length > 0) return 'finish';
  const { desired, have, ready } = jobCounts(job, facts);
  // A dump may have lost it: its pods speak for themselves.
  if (job.status === undefined && ownedBy(world, job.metadata.uid, 'Pod').length > 0) return 'goal';
  if (have < desired) return isUntaken(world, job) ? 'observe' : 'create';
  return ready < have ? 'finish' : 'goal';
}

/** Its controller notes when it starts a Job in its first turn, refused or not (pkg/controller/job, syncJob), and tells of what is refused. */
const isUntaken = (world: World, job: Job): boolean =>
  job.status !== undefined &&
  !job.status.startTime &&
  (job.status.active ?? 0) === 0 &&
  eventsOf(world, job).length === 0 &&
  ownedBy(world, job.metadata.uid, 'Pod').length === 0;

/** Whoever is to manage it writes its status, wherever the pods run; nothing of that has come (batch/v1, spec.managedBy). */
const isUnmanaged = (world: World, job: Job): boolean => isUntaken(world, job) && listOf(job.status?.conditions).length === 0;

/** A failed Job after which its CronJob has succeeded, or has finished another. */
export function isHistory(world: World, job: Job): boolean {
  if (isSuperseded(world, job)) return true;
  const ref = controllerRef(job);
  if (ref?.kind !== 'CronJob') return false;
  return (ownedBy(world, ref.uid, 'Job') as Job[]).some((other) => bornAt(other) > bornAt(job) && isFinished(other));
}

/** Jobs of a CronJob, newest first. Raises Unknown where Jobs could not be read. */
export const jobsOf = (world: World, cron: KubeObject): Job[] =>
  [...((need(ownedList(world, cron, 'Job')) ?? []) as Job[])].sort((a, b) => bornAt(b) - bornAt(a));

/** Failing pods of a Job are retried on their own clock; it is young while no pod that runs now is in trouble. */
export const activePods = (world: World, job: Job): Pod[] =>
  (ownedBy(world, job.metadata.uid, 'Pod') as Pod[]).filter(isActive).sort((a, b) => Number(isReady(a)) - Number(isReady(b)));
