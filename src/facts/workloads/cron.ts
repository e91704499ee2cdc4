import type { CronJob, Job, KubeObject } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { attempt } from '../../model/read.ts';
import { eventEvidence, type EventRecord } from '../events/event-index.ts';
import { currentEvents } from '../events/told.ts';
import { listOf } from '../lists.ts';
import { bornAt, duration, isoOf, timeOf } from '../time.ts';
import { specChangedAt } from './common.ts';
import { isFinished, jobFacts, jobsOf } from './job.ts';
import { dueTimes, neverDue } from './schedule.ts';
import { ownedBy } from '../owners.ts';
import type { World } from '../world.ts';

/** A CronJob's runs. */
export interface CronFacts extends Addressed {
  schedule: string;
  /** Times it was due since it last started, at most 100; 0 where the schedule is not understood. */
  missed: number;
  /** RFC 3339 of the newest of them; '' without. */
  due: string;
  /** RFC 3339 of status.lastScheduleTime; '' where it never ran. */
  last: string;
  /** False where the schedule does not parse: nothing will ever run. */
  parses: boolean;
  /** It names days that no month of it has. */
  never: boolean;
  /** Seconds that a start may be late; null without a limit (spec.startingDeadlineSeconds). */
  window: number | null;
  /** Less than the controller's own round: it comes too late for most starts, whatever else is well. */
  narrow: boolean;
  /** concurrencyPolicy Forbid and a run under way that has outlived a later start. */
  blockedBy: Job | null;
  /** The newest Job that finished; null where none has or none is kept. */
  lastJob: Job | null;
  lastFailed: boolean;
  running: Job[];
  /** Runs that its controller deleted since the last success, where no finished one is kept: replaced, or failed and not to be kept. */
  discarded: Addressed[];
  discards: number;
}

/** The controller starts a Job within seconds; its own queue may add a minute. */
const PATIENCE = 100_000;
const YOUNG = 60_000;

/** Seconds from one look of the controller at its CronJobs to the next (pkg/controller/cronjob; the API's documentation warns of less). */
const ROUND = 10;

/** Raises Unknown where Jobs could not be read. */
export function cronFacts(world: World, cron: CronJob): CronFacts {
  return world.memo(cron, 'work:cron', () => {
    const jobs = jobsOf(world, cron);
    const schedule = cron.spec?.schedule ?? '';
    const times = missedTimes(world, cron);
    const running = jobs.filter((job) => !isFinished(job) && !job.spec?.suspend);
    const lastJob = jobs.find((job) => isFinished(job)) ?? null;
    const missed = times?.length ?? 0;
    const oldest = running.at(-1) ?? null;
    const last = cron.status?.lastScheduleTime ?? '';
    const discarded = lastJob === null ? discardsOf(world, cron) : [];
    return {
      schedule,
      missed,
      due: isoOf(times?.[0] ?? 0),
      last,
      parses: times !== null,
      never: neverDue(schedule),
      window: cron.spec?.startingDeadlineSeconds ?? null,
      narrow: (cron.spec?.startingDeadlineSeconds ?? ROUND) < ROUND,
      blockedBy: missed > 0 && cron.spec?.concurrencyPolicy === 'Forbid' ? oldest : null,
      lastJob,
      lastFailed: lastJob !== null && jobFacts(world, lastJob).lost && !succeededSince(cron, lastJob),
      running,
      discards: discarded.reduce((sum, { count }) => sum + count, 0),
      discarded: discarded.slice(0, 1).map((record) => ({ evidence: eventEvidence(world, record) })),
      evidence: evidenceAt(cron, last ? '/status/lastScheduleTime' : '/spec/schedule', last ? `last started ${last}` : `schedule ${schedule}, never started`),
    };
  });
}

/** A success of before may be cleaned away a little after its time. */
const CLEANED = 60_000;

/** It deletes what is over beyond its limits, and under Replace what still runs; the time of the last success it keeps whether or not it keeps the Job. */
function discardsOf(world: World, cron: CronJob): EventRecord[] {
  const since = timeOf(cron.status?.lastSuccessfulTime) ?? 0;
  return (attempt(() => currentEvents(world, cron, ['SuccessfulDelete'])) ?? []).filter(({ first }) => first > since + CLEANED);
}

function missedTimes(world: World, cron: CronJob): number[] | null {
  // `@every 5m` counts from the controller's own start.
  if (cron.spec?.suspend || /^@every\b/.test(cron.spec?.schedule ?? '')) return [];
  const since = Math.max(timeOf(cron.status?.lastScheduleTime) ?? 0, bornAt(cron), specChangedAt(cron) ?? 0);
  const due = dueTimes(cron.spec?.schedule ?? '', cron.spec?.timeZone ?? null, since, world.now - PATIENCE, 100);
  if (due === null) return null;
  return due.length >= (isZoneKnown(cron) ? 1 : 2) ? due : [];
}

/**
 * Without spec.timeZone the controller's own zone decides, which the API does not tell: a start is missed then only once another is
 * due after it. Unless it last started when it was due in UTC: lastScheduleTime is the time by the schedule, not that of the start.
 */
function isZoneKnown(cron: CronJob): boolean {
  const changed = specChangedAt(cron);
  if (changed === null) return false;
  const last = timeOf(cron.status?.lastScheduleTime);
  if (cron.spec?.timeZone) return true;
  return last !== null && last >= changed && dueTimes(cron.spec?.schedule ?? '', null, last - 1, last, 1)?.[0] === last;
}

/** When it last started a Job, by its own status or by the Jobs that are there, in ms; 0 for never. */
export const startedLast = (world: World, cron: KubeObject): number =>
  Math.max(timeOf((cron as CronJob).status?.lastScheduleTime) ?? 0, ...ownedBy(world, cron.metadata.uid, 'Job').map(bornAt));

/** Since when the API server has refused the Job that is due now, in ms; null where nothing tells of it. Its controller tries again and again. */
function refusedSince(world: World, cron: CronJob): number | null {
  const refused = currentEvents(world, cron, ['FailedCreate']).filter(({ last }) => last > startedLast(world, cron));
  return refused.length > 0 ? Math.min(...refused.map(({ first }) => first)) : null;
}

/** A refusal of this moment may be over at the next try. */
export function isCronYoung(world: World, cron: CronJob): boolean {
  const since = refusedSince(world, cron);
  return since !== null && missedTimes(world, cron)?.length === 0 && world.now - since < YOUNG;
}

const succeededSince = (cron: CronJob, job: Job): boolean => (timeOf(cron.status?.lastSuccessfulTime) ?? 0) >= (bornAt(job) || Number.POSITIVE_INFINITY);

/** `create` where starts are missed, refused, or never due, `finish` where the last Job that ended has failed, else its goal. May raise Unknown. */
export function cronRung(world: World, cron: CronJob): Stage {
  if (cron.spec?.suspend) return 'goal';
  const missed = missedTimes(world, cron);
  if (missed === null || missed.length > 0 || neverDue(cron.spec?.schedule ?? '') || refusedSince(world, cron) !== null) return 'create';
  const { lastScheduleTime, lastSuccessfulTime } = cron.status ?? {};
  // What its own status tells needs no Job.
  if (!lastScheduleTime || (timeOf(lastSuccessfulTime) ?? 0) >= (timeOf(lastScheduleTime) ?? Number.POSITIVE_INFINITY)) return 'goal';
  const { lastFailed, discards } = cronFacts(world, cron);
  return lastFailed || discards > 1 ? 'finish' : 'goal';
}

/** How it goes, in words. */
export function cronSays(world: World, { missed, due, never, schedule, blockedBy, lastFailed, lastJob, discards, running }: CronFacts): string {
  if (blockedBy) return `Job ${blockedBy.metadata.name} has run for ${duration((world.now - bornAt(blockedBy)) / 1000)}; ${missed} starts skipped (Forbid)`;
  if (missed > 0) return `${missed === 100 ? '100 or more' : missed} starts missed, the last due ${due}`;
  if (never) return `"${schedule}" names a day that no month has`;
  if (lastFailed && lastJob) return `Job ${lastJob.metadata.name}, the last that finished, failed`;
  if (discards > 1) return `${discards} runs were deleted, and none has succeeded since`;
  return running.length > 0 ? `${running.length} running` : '';
}

/** Jobs that a CronJob has under way, from its own status. */
export const activeCount = (cron: CronJob): number => listOf(cron.status?.active).length;
