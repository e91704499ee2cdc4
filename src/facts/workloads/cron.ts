import type { CronJob, Job } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { listOf } from '../lists.ts';
import { duration, isoOf, timeOf } from '../time.ts';
import { bornAt, specChangedAt } from './common.ts';
import { isFinished, jobFacts, jobsOf } from './job.ts';
import { dueTimes } from './schedule.ts';
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
}

/** The controller starts a Job within seconds; its own queue may add a minute. */
const PATIENCE = 100_000;

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
    return {
      schedule, missed, due: isoOf(times?.[0] ?? 0), last, parses: times !== null,
      window: cron.spec?.startingDeadlineSeconds ?? null, narrow: (cron.spec?.startingDeadlineSeconds ?? ROUND) < ROUND,
      blockedBy: missed > 0 && cron.spec?.concurrencyPolicy === 'Forbid' ? oldest : null,
      lastJob, lastFailed: lastJob !== null && jobFacts(world, lastJob).lost && !succeededSince(cron, lastJob), running,
      evidence: evidenceAt(cron, last ? '/status/lastScheduleTime' : '/spec/schedule', last ? `last started ${last}` : `schedule ${schedule}, never started`),
    };
  });
}

// A start is missed only once another is due after it: without spec.timeZone the controller's zone decides, which the API does not tell.
function missedTimes(world: World, cron: CronJob): number[] | null {
  // `@every 5m` counts from the controller's own start.
  if (cron.spec?.suspend || /^@every\b/.test(cron.spec?.schedule ?? '')) return [];
  const since = Math.max(timeOf(cron.status?.lastScheduleTime) ?? 0, bornAt(cron), specChangedAt(cron) ?? 0);
  const due = dueTimes(cron.spec?.schedule ?? '', cron.spec?.timeZone ?? null, since, world.now - PATIENCE, 100);
  if (due === null) return null;
  return due.length >= 2 ? due : [];
}

const succeededSince = (cron: CronJob, job: Job): boolean =>
  (timeOf(cron.status?.lastSuccessfulTime) ?? 0) >= (bornAt(job) || Number.POSITIVE_INFINITY);

/** `create` where starts are missed, `finish` where the last Job that ended has failed, else its goal. May raise Unknown. */
export function cronRung(world: World, cron: CronJob): Stage {
  if (cron.spec?.suspend) return 'goal';
  const missed = missedTimes(world, cron);
  if (missed === null || missed.length > 0) return 'create';
  const { lastScheduleTime, lastSuccessfulTime } = cron.status ?? {};
  // What its own status tells needs no Job.
  if (!lastScheduleTime || (timeOf(lastSuccessfulTime) ?? 0) >= (timeOf(lastScheduleTime) ?? Number.POSITIVE_INFINITY)) return 'goal';
  return cronFacts(world, cron).lastFailed ? 'finish' : 'goal';
}

/** How it goes, in words. */
export function cronSays(world: World, { missed, due, blockedBy, lastFailed, lastJob, running }: CronFacts): string {
  if (blockedBy) return `Job ${blockedBy.metadata.name} has run for ${duration((world.now - bornAt(blockedBy)) / 1000)}; ${missed} starts skipped (Forbid)`;
  if (missed > 0) return `${missed === 100 ? '100 or more' : missed} starts missed, the last due ${due}`;
  if (lastFailed && lastJob) return `Job ${lastJob.metadata.name}, the last that finished, failed`;
  return running.length > 0 ? `${running.length} running` : '';
}

/** Jobs that a CronJob has under way, from its own status. */
export const activeCount = (cron: CronJob): number => listOf(cron.status?.active).length;
