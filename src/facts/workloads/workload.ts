import type { CronJob, Job, KubeObject, Pod, ReplicaSet } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, type AddressedCondition, evidenceAt } from '../address.ts';
import { lazy } from '../lazy.ts';
import { refusalOf } from '../admission/refusal.ts';
import { duration, isoOf, timeOf } from '../time.ts';
import { lagOf, shareOf, specOf, statusOf } from './common.ts';
import { cronFacts, type CronFacts, cronSays } from './cron.ts';
import { emptyNodes, type SkippedNode, skippedNodes } from './daemon.ts';
import { type JobFacts, jobFacts } from './job.ts';
import { countsOf, deletedLatelyOf, failedLatelyOf, isYoung, movedAt, openMiscount, ownMiscount, podsOfWork, rungOf } from './ladder.ts';
import type { Miscount } from './miscount.ts';
import { keptSets } from './rollout-kept.ts';
import { deadlineOf, newestSet, podsOfRollout, progressedAt, progressOf, replicaSetsOf, revisionOf } from './rollout.ts';
import { claimsLeaving, type Ordinals, ordinalsOf, revisionLabel } from './stateful.ts';
import { plural } from '../words.ts';
import type { World } from '../world.ts';
import { isReady } from '../pods/phase.ts';

const NO_LIMIT = 2 ** 31 - 1;

export const WORKLOAD_KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'ReplicationController'] as const;

/** Something that makes pods, over all its kinds. Fields of other kinds are null, '', 0, false or []. */
export interface WorkFacts extends Addressed {
  at: Stage[];
  desired: number;
  have: number;
  ready: number;
  updated: number;
  available: number;
  /** Pods wanted and not available. */
  short: number;
  generation: number;
  observed: number;
  /** Seconds since the newest spec that its controller has not seen; 0 where it has; null where the time of the write is not known. */
  lag: number | null;
  paused: boolean;
  suspended: boolean;
  /** The progress deadline has passed, for the rollout of the present template. */
  deadline: boolean;
  progressing: AddressedCondition | null;
  failure: Text | null;
  young: boolean;
  /** Where it stands, in words; '' at its goal. */
  says: string;
  pods: Pod[];
  /** Pods that should exist and do not, by name (StatefulSet) or node (DaemonSet); empty for kinds whose pods have no names to expect. */
  missing: string[];
  /** Claims of those pods that are being deleted: they are made when these are gone. */
  leaving: KubeObject[];
  replicasets: ReplicaSet[];
  newest: ReplicaSet | null;
  /** Old ReplicaSets that nothing but a refused write keeps from being scaled down. */
  kept: ReplicaSet[];
  revision: string;
  /** Pods of older revisions, and how many of them are ready. */
  old: Pod[];
  oldReady: number;
  strategy: string;
  maxSurge: number;
  maxUnavailable: number;
  partition: number;
  currentRevision: string;
  updateRevision: string;
  broken: Pod | null;
  trap: boolean;
  /** Pods that failed in the last ten minutes, whatever replaced them. */
  failedLately: number;
  /** Pods of it that somebody else deleted within the hour, one after another, up to now; else 0. */
  deletedLately: number;
  job: JobFacts | null;
  cron: CronFacts | null;
  /** How its numbers differ from the pods that are there, where nobody can tell whether its controller lives; null where they fit. */
  miscount: Miscount | null;
  skipped: SkippedNode[];
  misscheduled: number;
  /** RFC 3339 of the last thing that moved; '' where nothing tells. */
  moved: string;
}

/** The facts of a controller of pods, made once a snapshot; fields raise Unknown where its pods or ReplicaSets were not read. */
export function workFacts(world: World, object: KubeObject): WorkFacts {
  return world.memo(object, 'work', () => {
    const spec = specOf(object);
    const status = statusOf(object);
    const { kind } = object;
    const is = (...kinds: string[]): boolean => kinds.includes(kind);
    const ordinals = (): Ordinals => ordinalsOf(world, object);
    const counts = () => countsOf(world, object);
    const strategy = spec.strategy ?? spec.updateStrategy;
    const rolling = is('Deployment', 'DaemonSet') && (strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
    const facts: WorkFacts = lazy<WorkFacts>({
      at: () => [rungOf(world, object)],
      desired: () => counts().desired,
      have: () => counts().have,
      ready: () => counts().ready,
      updated: () => counts().updated,
      available: () => counts().available,
      short: () => Math.max(0, facts.desired - Math.min(facts.available, is('Deployment') && !spec.paused ? facts.updated : facts.available)),
      generation: () => object.metadata.generation ?? 0,
      observed: () => status.observedGeneration ?? 0,
      lag: () => (is('Job', 'CronJob') ? 0 : lagOf(world, object)),
      paused: () => spec.paused === true,
      suspended: () => spec.suspend === true,
      deadline: () => facts.progressing?.status === 'False' && facts.progressing.reason === 'ProgressDeadlineExceeded',
      progressing: () => (is('Deployment') ? progressOf(world, object) : null),
      failure: () => refusalOf(world, object) ?? (facts.newest ? refusalOf(world, facts.newest) : null),
      young: () => isYoung(world, object, facts.at[0] ?? 'goal'),
      says: () => saysOf(world, object, facts),
      pods: () => podsOfWork(world, object),
      missing: () => (is('StatefulSet') ? ordinals().missing : is('DaemonSet') ? emptyNodes(world, object) : []),
      leaving: () => (is('StatefulSet') ? claimsLeaving(world, object) : []),
      replicasets: () => (is('Deployment') ? replicaSetsOf(world, object) : []),
      newest: () => (is('Deployment') ? newestSet(world, object) : null),
      kept: () => (is('Deployment') ? keptSets(world, object) : []),
      revision: () => (is('Deployment', 'ReplicaSet') ? revisionOf(object) : (status.updateRevision ?? '')),
      old: () => (is('Deployment') ? podsOfRollout(world, object).old : is('StatefulSet') ? ordinals().outdated : []),
      oldReady: () => facts.old.filter(isReady).length,
      strategy: () => strategy?.type ?? (is('Deployment', 'StatefulSet', 'DaemonSet') ? 'RollingUpdate' : ''),
      maxSurge: () => (rolling ? shareOf(strategy?.rollingUpdate?.maxSurge ?? (is('DaemonSet') ? 0 : undefined), facts.desired, true) : 0),
      maxUnavailable: () => (rolling ? shareOf(strategy?.rollingUpdate?.maxUnavailable ?? (is('DaemonSet') ? 1 : undefined), facts.desired, false) : 0),
      partition: () => (is('StatefulSet') ? (spec.updateStrategy?.rollingUpdate?.partition ?? 0) : 0),
      currentRevision: () => status.currentRevision ?? '',
      updateRevision: () => status.updateRevision ?? '',
      broken: () => (is('StatefulSet') ? ordinals().broken : null),
      trap: () => is('StatefulSet') && ordinals().trap,
      failedLately: () => failedLatelyOf(world, object),
      deletedLately: () => deletedLatelyOf(world, object),
      job: () => (is('Job') ? jobFacts(world, object as Job) : null),
      cron: () => (is('CronJob') ? cronFacts(world, object as CronJob) : null),
      miscount: () => ownMiscount(world, object),
      skipped: () => (is('DaemonSet') ? skippedNodes(world, object) : []),
      misscheduled: () => status.numberMisscheduled ?? 0,
      moved: () => {
        const at = movedAt(world, object);
        return isoOf(at ?? 0);
      },
      evidence: () => statusEvidence(object, facts),
    });
    return facts;
  });
}

function statusEvidence(object: KubeObject, facts: WorkFacts) {
  if (facts.job) return facts.job.evidence;
  if (facts.cron) return facts.cron.evidence;
  const { desired, have, ready, updated, available } = facts;
  return evidenceAt(object, '/status', `${desired} wanted; ${have} exist, ${updated} of the present revision, ${ready} ready, ${available} available`);
}

function saysOf(world: World, object: KubeObject, facts: WorkFacts): string {
  const { desired, have, ready, updated, available, lag } = facts;
  switch (facts.at[0]) {
    case 'observe':
      return (
        openMiscount(world, object)?.says ?? `generation ${facts.generation} is not observed (${facts.observed})${lag === null ? '' : ` for ${duration(lag)}`}`
      );
    case 'create':
      return facts.cron ? cronSays(world, facts.cron) : `${have} of ${desired} pods exist${endingSays(world, object)}`;
    case 'available':
      return availability(world, object, facts);
    case 'churn':
      if (facts.deletedLately > 0) return `${facts.deletedLately} pods deleted within the hour and replaced`;
      return `${facts.failedLately} pods failed within ten minutes while ${ready} of ${desired} are ready`;
    case 'finish': {
      if (facts.cron) return cronSays(world, facts.cron);
      const { job } = facts;
      if (!job) return '';
      if (job.lost) return `failed: ${job.reason || 'no reason given'}`;
      if (job.held.length > 0) return `${plural(job.held.length, 'pod')} kept running by a sidecar after the work was done`;
      // Counted for each index, the limit of the whole is as large as a number can be (batch/v1, backoffLimitPerIndex).
      return `${job.failed} ${job.limit >= NO_LIMIT ? 'failed' : `of ${job.limit} allowed failures`}, ${job.active} active, ${job.succeeded} of ${job.completions} done`;
    }
    default:
      if (facts.suspended) return 'suspended';
      if (facts.paused) return 'paused';
      if (object.kind === 'StatefulSet' && facts.strategy === 'OnDelete') {
        const waiting = attempt(() => ordinalsOf(world, object).outdated.length) ?? 0;
        return waiting > 0 ? `${plural(waiting, 'pod')} keep an older revision until deleted (OnDelete)` : '';
      }
      return desired === 0 && available === 0 && updated === 0 && object.kind !== 'CronJob' && object.kind !== 'Job' ? 'scaled to zero' : '';
  }
}

/** The pods whose end the next one waits for: a StatefulSet makes it under the same name, a Deployment that recreates when none is left. */
function endingSays(world: World, object: KubeObject): string {
  const ending = (attempt(() => podsOfWork(world, object)) ?? []).filter(({ metadata }) => (timeOf(metadata.deletionTimestamp) ?? 0) > world.now);
  const [first, ...others] = [...ending].sort((a, b) => (timeOf(b.metadata.deletionTimestamp) ?? 0) - (timeOf(a.metadata.deletionTimestamp) ?? 0));
  if (!first) return '';
  const { name, deletionTimestamp, deletionGracePeriodSeconds: grace } = first.metadata;
  const left = duration(((timeOf(deletionTimestamp) ?? 0) - world.now) / 1000);
  // preStop runs within the grace period, and SIGTERM comes after it (pkg/kubelet/kuberuntime, killContainer).
  const hook = first.spec?.containers?.some(({ lifecycle }) => lifecycle?.preStop) ? ', its preStop hook first' : '';
  return `; ${name}${others.length > 0 ? ` and ${others.length} more` : ''} may take ${left} more to end${grace === undefined ? '' : ` (grace ${duration(grace)}${hook})`}`;
}

function availability(world: World, object: KubeObject, facts: WorkFacts): string {
  const { desired, have, ready, updated, available } = facts;
  if (object.kind !== 'Deployment' && object.kind !== 'StatefulSet') return `${ready} of ${desired} ready`;
  if (object.kind === 'StatefulSet') {
    const broken = attempt(() => facts.broken);
    const which = broken ? `, held at ${broken.metadata.name}${attempt(() => facts.trap) ? ` of revision ${revisionLabel(broken)}` : ''}` : '';
    return `${ready} of ${desired} ready${updated < desired && facts.currentRevision !== facts.updateRevision ? `, ${updated} updated` : ''}${which}${endingSays(world, object)}`;
  }
  const left = have - updated;
  const rolling = updated < desired || left > 0;
  const progressed = progressedAt(object);
  const used = rolling && progressed !== null ? `, ${duration((world.now - progressed) / 1000)} of ${duration(deadlineOf(object))} used` : '';
  const fresh = attempt(() => facts.newest)?.status?.availableReplicas ?? Math.max(0, available - Math.max(0, left));
  return rolling
    ? `revision ${facts.revision}, ${updated} of ${desired} new pods made, ${fresh} available, ${Math.max(0, left)} old remain${facts.deadline ? ', progress deadline exceeded' : used}`
    : `${available} of ${desired} available`;
}
