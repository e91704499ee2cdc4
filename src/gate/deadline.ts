import { probeBudget } from '../facts/pods/probe.ts';
import { listOf } from '../facts/lists.ts';
import { duration } from '../facts/time.ts';
import { plural } from '../facts/words.ts';
import { specOf } from '../facts/workloads/common.ts';
import { workFacts } from '../facts/workloads/workload.ts';
import type { World } from '../facts/world.ts';
import type { Container, KubeObject, PodSpec } from '../model/kinds.ts';
import type { Standing } from './standing.ts';

export interface Deadline {
  seconds: number;
  /** The sum, as a person would write it down. */
  says: string;
}

/** For placing a pod, bringing its image and starting it: no field of any object says how long that may take. */
const START = 60;
/** Where no object sets a limit: the default progress deadline of a Deployment. */
const USUAL = 600;
/** Nothing moves by itself: long enough for a person, or another step of the pipeline, that was about to act. */
const BY_HAND = 60;

/** How long one target may take, from its own fields. */
export function deadlineFor(world: World, object: KubeObject, standing: Standing): Deadline {
  if (standing.acts) return { seconds: BY_HAND, says: `${duration(BY_HAND)} for somebody to act` };
  switch (object.kind) {
    case 'Deployment': {
      const limit = specOf(object).progressDeadlineSeconds ?? USUAL;
      const sum = rollout(object, wavesOf(world, object));
      return sum.seconds > limit ? sum : { seconds: limit, says: `${duration(limit)} progressDeadlineSeconds` };
    }
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
    case 'ReplicationController': {
      const sum = rollout(object, wavesOf(world, object));
      return sum.seconds > USUAL ? sum : { seconds: USUAL, says: `${duration(USUAL)}, its kind has none of its own` };
    }
    case 'Job': {
      const limit = (object['spec'] as { activeDeadlineSeconds?: number } | undefined)?.activeDeadlineSeconds;
      return limit
        ? { seconds: limit + START, says: `${duration(limit)} activeDeadlineSeconds + ${duration(START)} to start` }
        : { seconds: USUAL, says: `${duration(USUAL)}, it has no activeDeadlineSeconds` };
    }
    default:
      return { seconds: USUAL, says: `${duration(USUAL)}, its kind has none of its own` };
  }
}

interface Waves {
  count: number;
  word: string;
  /** An old pod has to end first. */
  ends: boolean;
}

function wavesOf(world: World, object: KubeObject): Waves {
  const { desired, maxSurge, maxUnavailable, strategy } = workFacts(world, object);
  const wanted = Math.max(1, desired);
  switch (object.kind) {
    // A rolling update replaces one ordinal after the other, whatever podManagementPolicy says of creating them.
    case 'StatefulSet':
      return { count: wanted, word: 'ordinal', ends: true };
    case 'Deployment':
      return strategy === 'Recreate'
        ? { count: 1, word: 'wave', ends: true }
        : { count: Math.ceil(wanted / Math.max(1, maxSurge + maxUnavailable)), word: 'wave', ends: false };
    case 'DaemonSet':
      return { count: Math.ceil(wanted / Math.max(1, maxSurge + maxUnavailable)), word: 'wave', ends: maxSurge === 0 };
    default:
      return { count: 1, word: 'wave', ends: false };
  }
}

function rollout(object: KubeObject, { count, word, ends }: Waves): Deadline {
  const pod = (object['spec'] as { template?: { spec?: PodSpec } } | undefined)?.template?.spec;
  const longest = (of: (container: Container) => number): number => Math.max(0, ...listOf(pod?.containers).map(of));
  const startup = longest((container) => probeBudget(container.startupProbe ?? null));
  const readiness = longest((container) => probeBudget(container.readinessProbe ?? null));
  const hold = specOf(object).minReadySeconds ?? 0;
  const grace = ends ? (pod?.terminationGracePeriodSeconds ?? 30) : 0;
  const parts: [number, string][] = [
    [START, 'start'],
    [startup, 'startup probe'],
    [readiness, 'readiness probe'],
    [hold, 'minReadySeconds'],
    [grace, 'ending the old pod'],
  ];
  const seconds = count * parts.reduce((sum, [each]) => sum + each, 0);
  return {
    seconds,
    says: `${plural(count, word)} x (${parts
      .filter(([each]) => each > 0)
      .map(([each, name]) => `${duration(each)} ${name}`)
      .join(' + ')})`,
  };
}
