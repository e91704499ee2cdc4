import type { Evidence } from '../../model/finding.ts';
import type { KubeObject } from '../../model/kinds.ts';
import { attempt, maybe } from '../../model/read.ts';
import { type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { shapeOf, type Told, told } from '../events/events.ts';
import { controllerOf, ownedBy } from '../owners.ts';
import { timeOf } from '../time.ts';
import type { World } from '../world.ts';
import { isUnobserved, specOf, statusOf, type WorkSpec, type WorkStatus } from '../workloads/common.ts';
import { startedLast } from '../workloads/cron.ts';
import { isFinished } from '../workloads/job.ts';

/** Where a refusal is quoted. */
export interface Quote {
  source: 'condition' | 'event' | 'status';
  reason: string;
  message: string;
  count: number;
  first: string;
  last: string;
  /** Only an event tells of it, and the next try is long over. */
  quiet: boolean;
  evidence: Evidence;
}

/** Kinds whose controllers create other objects and tell of refusals by events or conditions. */
export const CREATORS = ['Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'] as const;
const OTHER_REASONS: Record<string, readonly string[]> = {
  Pod: ['FailedBinding', 'FailedResourceClaimCreation'],
  Service: ['FailedToUpdateEndpointSlices', 'FailedToListPods', 'FailedToUpdateEndpoint', 'FailedToCreateEndpoint'],
  Endpoints: ['FailedToUpdateEndpoint', 'FailedToCreateEndpoint'],
};
export const QUOTED_KINDS = [...CREATORS, ...Object.keys(OTHER_REASONS)];

const WRITES = ['FailedCreate', 'FailedUpdate', 'ReplicaSetCreateError'];

/**
 * The refusal an object is held back by now, as its controller quotes it; null where none is.
 * A condition that says so counts; an event counts while what it failed to make is still missing and nothing succeeded since.
 * Raises Unknown where something is missing, no condition tells why, and events could not be read.
 */
export function quoteOf(world: World, object: KubeObject): Quote | null {
  if (object.kind === 'Deployment') return quoteOfDeployment(world, object);
  if (object.kind === 'ReplicaSet') return quoteOfCreator(world, object) ?? quoteForReplicaSet(world, object);
  if ((CREATORS as readonly string[]).includes(object.kind)) return quoteOfCreator(world, object);
  const reasons = OTHER_REASONS[object.kind];
  if (!reasons) return null;
  if (object.kind === 'Pod' && (object['status'] as { phase?: string } | undefined)?.phase !== 'Pending') return null;
  const said = attempt(() => told(world, object, reasons));
  return said ? fromEvent(said) : null;
}

/** The Deployment controller copies the ReplicaFailure of its ReplicaSets (deployment/util): where the two differ, the copy is the older. */
function quoteOfDeployment(world: World, deployment: KubeObject): Quote | null {
  const quote = quoteOfCreator(world, deployment);
  if (quote?.source !== 'condition' || quote.reason === 'ReplicaSetCreateError') return quote;
  const own = setsOf(world, deployment)
    .map((set) => attempt(() => quoteOfCreator(world, set)))
    .filter((each) => each?.source === 'condition');
  return own.length === 1 && own[0] && own[0].message !== quote.message ? own[0] : quote;
}

/** What its Deployment says of the one ReplicaSet that is short counts for it where it tells nothing itself. */
function quoteForReplicaSet(world: World, set: KubeObject): Quote | null {
  const deployment = deploymentOf(world, set);
  if (!deployment || !isShort(set)) return null;
  const short = setsOf(world, deployment).filter(isShort);
  return short.length === 1 ? quoteOfCreator(world, deployment) : null;
}

const setsOf = (world: World, deployment: KubeObject): readonly KubeObject[] => ownedBy(world, deployment.metadata.uid, 'ReplicaSet');

function deploymentOf(world: World, set: KubeObject): KubeObject | null {
  const owner = maybe(controllerOf(world, set));
  return owner?.kind === 'Deployment' ? owner : null;
}

/** These say by a condition that a create failed; for the others the event is all there is. */
const CONDITIONED = ['Deployment', 'ReplicaSet', 'ReplicationController'];

function quoteOfCreator(world: World, object: KubeObject): Quote | null {
  const surplus = hasSurplus(object);
  const short = isShort(object);
  if (!surplus && !short) return null;
  const condition = failureCondition(object);
  // A controller reports a failed deletion by the same condition; it matters only while there is something to delete.
  if (condition && (condition.reason === 'FailedDelete' ? surplus : short)) return fromCondition(world, object, condition);
  const reasons = [...(short ? WRITES : []), ...(surplus ? ['FailedDelete'] : [])];
  const optional = CONDITIONED.includes(object.kind) || object.kind === 'CronJob';
  const said = optional ? attempt(() => told(world, object, reasons)) : told(world, object, reasons);
  if (!said) return null;
  return object.kind === 'CronJob' && startedLast(world, object) >= (timeOf(said.last) ?? 0) ? null : fromEvent(said);
}

function failureCondition(object: KubeObject): AddressedCondition | null {
  const failure = conditionOf(object, 'ReplicaFailure');
  if (failure?.status === 'True') return failure;
  const progressing = conditionOf(object, 'Progressing');
  return progressing?.status === 'False' && progressing.reason === 'ReplicaSetCreateError' ? progressing : null;
}

/** Fewer children than there should be, by the object's own count. */
function isShort(object: KubeObject): boolean {
  const status = statusOf(object);
  const spec = specOf(object);
  const wanted = spec.replicas ?? 1;
  switch (object.kind) {
    // Before its new ReplicaSet is there it counts the old one's pods as updated.
    case 'Deployment':
      return isUnobserved(object) || Math.min(status.replicas ?? 0, status.updatedReplicas ?? 0) < wanted;
    case 'StatefulSet':
      return Math.min(status.replicas ?? 0, status.updatedReplicas ?? status.replicas ?? 0) < wanted;
    case 'DaemonSet': {
      const made = status.currentNumberScheduled ?? 0;
      return Math.min(made, status.updatedNumberScheduled ?? made) < (status.desiredNumberScheduled ?? 0);
    }
    case 'Job':
      return !isFinished(object) && spec.suspend !== true && (status.active ?? 0) < jobWants(spec, status);
    case 'CronJob':
      return spec.suspend !== true;
    default:
      return (status.replicas ?? 0) < wanted;
  }
}

function jobWants(spec: WorkSpec, status: WorkStatus): number {
  const parallelism = spec.parallelism ?? 1;
  // Without completions any success ends the Job (a work queue), and no more pods are started.
  if (spec.completions === undefined || spec.completions === null) return (status.succeeded ?? 0) > 0 ? 0 : parallelism;
  return Math.min(parallelism, spec.completions - (status.succeeded ?? 0));
}

function hasSurplus(object: KubeObject): boolean {
  const status = statusOf(object);
  const wanted = specOf(object).replicas ?? 1;
  if (object.kind === 'DaemonSet') return (status.currentNumberScheduled ?? 0) > (status.updatedNumberScheduled ?? status.currentNumberScheduled ?? 0);
  if (object.kind === 'Job' || object.kind === 'CronJob') return false;
  return (status.replicas ?? 0) > wanted || (object.kind === 'StatefulSet' && (status.updatedReplicas ?? status.replicas ?? 0) < (status.replicas ?? 0));
}

const fromEvent = (said: Told): Quote => ({
  source: 'event',
  reason: said.reason,
  message: said.message,
  count: said.count,
  first: said.first,
  last: said.last,
  quiet: said.quiet,
  evidence: said.evidence,
});

/**
 * The condition keeps its words and its time; the events only add how often. A Deployment's are told of its ReplicaSets.
 * A refusal of another kind comes into the events alone: the condition is left as the first one wrote it (replica_set_utils, SetCondition).
 */
function fromCondition(world: World, object: KubeObject, condition: AddressedCondition): Quote {
  const reasons = [condition.reason || 'FailedCreate', ...WRITES];
  const tellers = object.kind === 'Deployment' ? [...setsOf(world, object), object] : [object];
  const said = newest(tellers.map((teller) => ({ teller, said: attempt(() => told(world, teller, reasons)) })));
  if (said && (timeOf(said.said.last) ?? 0) > (timeOf(condition.since) ?? 0) && isOther(condition.message, said.said.message, said.teller))
    return { ...fromEvent(said.said), quiet: false };
  return {
    source: 'condition',
    reason: condition.reason,
    message: condition.message,
    evidence: condition.evidence,
    count: said?.said.count ?? 1,
    first: condition.since,
    last: said?.said.last ?? condition.since,
    quiet: false,
  };
}

interface Teller {
  teller: KubeObject;
  said: Told;
}

const newest = (all: readonly { teller: KubeObject; said: Told | null }[]): Teller | undefined =>
  all
    .filter((each): each is Teller => each.said !== null)
    .reduce<Teller | undefined>((last, each) => (last && (timeOf(last.said.last) ?? 0) >= (timeOf(each.said.last) ?? 0) ? last : each), undefined);

/** Names, numbers and the recorder's own first words apart; an event is cut off at 1 kB. */
const isOther = (condition: string, event: string, teller: KubeObject): boolean => {
  const words = (message: string): string => shapeOf(message.replace(/^Error creating: /, ''), teller.metadata.name).slice(0, 400);
  return words(condition) !== words(event);
};

/** What the status of an object quotes: a message in a condition, or one of the fields that operators use for their errors. */
export function quoteInStatus(object: KubeObject, pointer: string, message: string, time: string, words: string): Quote {
  return {
    source: 'status',
    reason: '',
    message,
    count: 1,
    first: time,
    last: time,
    quiet: false,
    evidence: evidenceAt(object, pointer, words, time || null),
  };
}
