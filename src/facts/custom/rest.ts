/** When what a custom resource says of itself is no trouble: a person holds it at rest, or it is a run that is over. */
import type { KubeObject } from '../../model/kinds.ts';
import { maybe } from '../../model/read.ts';
import { kindKey } from '../../model/resources.ts';
import { type AddressedCondition, conditionOf } from '../address.ts';
import { listOf, textsOf } from '../lists.ts';
import { controllerOf, controllerRef } from '../owners.ts';
import { timeOf } from '../time.ts';
import type { World } from '../world.ts';
import { BAD_PHASE, BLANK, GOOD_PHASE, PAUSED, PAUSED_BY, RESTING, UNDECIDED } from './conditions.ts';

interface Spec {
  /** Crossplane: a revision that another has taken over from. */
  desiredState?: unknown;
  paused?: unknown;
  suspend?: unknown;
  suspended?: unknown;
  /** KubeVirt. */
  running?: unknown;
  runStrategy?: unknown;
  /** Kueue. */
  stopPolicy?: unknown;
}

/** What is known of it where this is asked. */
interface Said {
  phase: string;
  message: string;
  failing: AddressedCondition | null;
}

// `cluster.x-k8s.io/paused` counts by being there.
const isHeldByAnnotation = ({ metadata }: KubeObject): boolean =>
  Object.entries(textsOf(metadata.annotations)).some(([key, value]) => PAUSED_BY.test(key) && value !== 'false');

/** By its spec, by an annotation, or by what its controller says of it. */
export function isAtRest(object: KubeObject, { phase, message, failing }: Said): boolean {
  const spec = (object['spec'] ?? {}) as Spec;
  // Argo Rollouts stopped by itself, as its judgement is neither good nor bad.
  const undecided = UNDECIDED.test(message);
  const conditions = listOf((object['status'] as { conditions?: { type?: string; status?: string }[] } | undefined)?.conditions);
  return (
    spec.paused === true ||
    spec.desiredState === 'Inactive' ||
    spec.suspend === true ||
    spec.suspended === true ||
    spec.running === false ||
    spec.runStrategy === 'Halted' ||
    (typeof spec.stopPolicy === 'string' && spec.stopPolicy.startsWith('Hold')) ||
    (PAUSED.test(phase) && !undecided) ||
    PAUSED.test(failing?.reason ?? '') ||
    (conditions.some(({ type = '', status }) => status === 'True' && RESTING.test(type)) && !undecided) ||
    isHeldByAnnotation(object) ||
    // Longhorn's BackupTarget is there from the start, with an empty URL.
    (BLANK.test(message) && Object.values(spec).includes(''))
  );
}

const ENDS = ['completionTime', 'completionTimestamp', 'completedAt', 'finishedAt', 'terminationTime', 'endTime', 'stoppedAt'] as const;

/** When a run was over, in ms; 0 for what has no end, or has not come to it. */
function endOf(object: KubeObject): number {
  const status = (object['status'] ?? {}) as Record<string, unknown>;
  return Math.max(0, ...ENDS.map((field) => timeOf(typeof status[field] === 'string' ? status[field] : undefined) ?? 0));
}

const OVER = 24 * 3_600_000;

/** A run that ended a day ago or more holds nothing back, nor does one that another of its kind and origin has bettered since. */
function isOver(world: World, object: KubeObject): boolean {
  const ended = endOf(object);
  return ended > 0 && (world.now - ended > OVER || isBettered(world, object, ended));
}

/** cert-manager: when a request was given up. Its Certificate goes on and makes another. */
const givenUpAt = (object: KubeObject): number => timeOf((object['status'] as { failureTime?: string } | undefined)?.failureTime) ?? 0;

function isBettered(world: World, object: KubeObject, ended: number): boolean {
  const origin = originOf(object);
  return (
    origin !== '' &&
    world.snapshot
      .seen(kindKey(object.apiVersion, object.kind), object.metadata.namespace)
      .some((other) => other !== object && wellSince(other) > ended && originOf(other) === origin)
  );
}

/** When it came to a good end, in ms, or became ready; 0 where it did not. */
function wellSince(object: KubeObject): number {
  const ready = conditionOf(object, 'Ready');
  if (ready?.status === 'True') return timeOf(ready.since) ?? 0;
  return endedWell(object) ? endOf(object) : 0;
}

const hasName = (value: unknown): boolean => typeof (value as { name?: unknown } | null)?.name === 'string';

/** Whose run it is: its controller, or what its spec takes its steps from, or is made of. */
function originOf({ metadata, spec }: KubeObject & { spec?: unknown }): string {
  const owner = controllerRef({ metadata })?.uid;
  const references = Object.entries((spec ?? {}) as Record<string, unknown>).filter(
    ([key, value]) => value !== null && typeof value === 'object' && (key.endsWith('Ref') || hasName(value)),
  );
  return owner ?? (references.length > 0 ? JSON.stringify(references) : '');
}

const endedWell = (object: KubeObject): boolean => {
  const phase = (object['status'] as { phase?: unknown } | undefined)?.phase;
  return conditionOf(object, 'Succeeded')?.status === 'True' || (typeof phase === 'string' && GOOD_PHASE.test(phase));
};

const GENERATIONS = 4;

/**
 * What a custom owner made, at whatever remove, and has been well without: cert-manager's challenge of a certificate that was issued since,
 * or of a request that a later one has bettered.
 */
function isOutlived(world: World, object: KubeObject, failed: number): boolean {
  let owner = maybe(controllerOf(world, object));
  for (let i = 0; i < GENERATIONS && owner && kindKey(owner.apiVersion, owner.kind).includes('.'); i += 1) {
    const ready = conditionOf(owner, 'Ready');
    if (ready?.status === 'True' && ready.current && (timeOf(ready.since) ?? 0) > failed) return true;
    if (isGivenUp(world, owner)) return true;
    owner = maybe(controllerOf(world, owner));
  }
  return false;
}

/** Given up for another that went well. */
const isGivenUp = (world: World, object: KubeObject): boolean => {
  const at = givenUpAt(object);
  return at > 0 && isBettered(world, object, at);
};

/** Whether its failure is a matter of the past. */
export function isHistory(world: World, object: KubeObject, { phase, failing }: Said): boolean {
  if ((failing === null && !BAD_PHASE.test(phase)) || object.metadata.deletionTimestamp) return false;
  const failed = timeOf(failing?.since ?? object.metadata.creationTimestamp) ?? Infinity;
  return isOver(world, object) || isGivenUp(world, object) || isOutlived(world, object, failed);
}
