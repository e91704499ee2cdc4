import type { PersistentVolumeClaim, Pod } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, maybe } from '../../model/read.ts';
import { conditionOf } from '../address.ts';
import { askedInVain } from './box-waits.ts';
import { clockStands } from '../clock.ts';
import { stateOf } from './containers.ts';
import { heardAt, isMirror, kubeletNow } from '../skew.ts';
import { topOwner } from '../owners.ts';
import type { Rung } from './ladder.ts';
import type { PodStanding } from './stage.ts';
import { probeBudget, probeSpec } from './probe.ts';
import { unmetGates } from './readiness-gates.ts';
import { timeOf } from '../time.ts';
import { claimFacts } from '../volumes/claims.ts';
import { selectedNodeOf } from '../volumes/claims-class.ts';
import { claimVolumesOf } from '../volumes/pod-claims.ts';
import type { World } from '../world.ts';

/** Seconds a rung may take before it counts as stuck. Rungs of one container depend on its probes and state as well. */
const PATIENCE: Partial<Record<Stage, number>> = { schedule: 30, volumes: 60, sandbox: 60, terminate: 30 };
const PULL = 300;
const INIT = 300;
/** Whatever is applied along with a pod is there by then; its wait for what does not exist has no end. */
const IN_VAIN = 60;
const FAILING = 30;
/** Who keeps a gate (a balancer that takes the pod up as a target) looks at it some times before it says yes. */
const GATED = 120;

const since = (pod: Pod, type: string, status: string): string => {
  const condition = conditionOf(pod, type);
  return condition?.status === status ? condition.since : '';
};

/** Nothing was so before it was made: a time of before that was written by a kubelet whose clock is behind. Only a mirror pod is younger than what it shows. */
export const sinceBorn = (pod: Pod, time: string): string => {
  const created = pod.metadata.creationTimestamp ?? '';
  return time !== '' && !isMirror(pod) && (timeOf(created) ?? 0) > (timeOf(time) ?? 0) ? created : time;
};

/** RFC 3339, since when the pod stands at its first rung; '' at its goal. */
export const sinceOf = (pod: Pod, at: readonly Stage[]): string => sinceBorn(pod, toldSince(pod, at));

function toldSince(pod: Pod, at: readonly Stage[]): string {
  const created = pod.metadata.creationTimestamp ?? '';
  switch (at[0]) {
    case undefined:
    case 'goal':
      return '';
    case 'schedule':
      return since(pod, 'PodScheduled', 'False') || created;
    case 'volumes':
    case 'sandbox':
      return since(pod, 'PodReadyToStartContainers', 'False') || since(pod, 'PodScheduled', 'True') || pod.status?.startTime || created;
    case 'terminate':
      return pod.metadata.deletionTimestamp ?? created;
    default:
      return since(pod, 'Ready', 'False') || since(pod, 'Ready', 'Unknown') || pod.status?.startTime || created;
  }
}

/** It is asked for by a rollout whose own progressDeadlineSeconds ran out while it was there: its author grants it no more than its probes do. */
function isOverdue(world: World, pod: Pod): boolean {
  const top = topOwner(world, pod);
  const progress = top ? conditionOf(top, 'Progressing') : null;
  if (!progress?.current || progress.status !== 'False' || progress.reason !== 'ProgressDeadlineExceeded') return false;
  const [born, ranOut] = [timeOf(pod.metadata.creationTimestamp), timeOf(progress.since)];
  return born !== null && ranOut !== null && born <= ranOut;
}

/** When the container came to its rung, in ms, and how many seconds it may stay there. Its kubelet wrote that by its own clock. */
function allowance(world: World, pod: Pod, rung: Rung): [from: number, seconds: number] {
  const [told, seconds] = toldAllowance(world, pod, rung);
  const from = pod.status?.startTime ? told + world.now - kubeletNow(world, pod) : told;
  return [isMirror(pod) ? from : Math.max(from, timeOf(pod.metadata.creationTimestamp) ?? 0), seconds];
}

function toldAllowance(world: World, pod: Pod, { slot, at, run }: Rung): [from: number, seconds: number] {
  const beyondProbes = (): number => (isOverdue(world, pod) ? 0 : FAILING);
  const born = timeOf(pod.status?.startTime) ?? timeOf(pod.metadata.creationTimestamp) ?? 0;
  const up = timeOf(slot.status?.state?.running?.startedAt);
  const tried = Boolean(slot.status?.state?.waiting?.message) || run !== null;
  if (tried) return [born, FAILING];
  switch (at) {
    case 'startup':
      return [up ?? born, probeBudget(probeSpec(slot.spec, 'startup')) + beyondProbes()];
    case 'ready': {
      const unready = timeOf(since(pod, 'ContainersReady', 'False')) ?? 0;
      return [Math.max(up ?? born, unready), probeBudget(probeSpec(slot.spec, 'readiness')) + beyondProbes()];
    }
    case 'init':
      return [up ?? born, (attempt(() => askedInVain(world, pod, slot.spec)) ?? []).length > 0 ? IN_VAIN : INIT];
    case 'image':
      return [timeOf(since(pod, 'PodReadyToStartContainers', 'True')) ?? born, PULL];
    // A hook has the time that it takes, and until then the container counts as not created.
    case 'start':
      return [born, stateOf(slot.status) !== 'waiting' ? FAILING : slot.spec.lifecycle?.postStart ? INIT : (PATIENCE.sandbox ?? 0)];
    default:
      return [born, stateOf(slot.status) === 'waiting' ? (PATIENCE.sandbox ?? 0) : FAILING];
  }
}

/** Short of its goal, but not for longer than the rung may take. A container that fails again and again is never young. */
export function isYoung(world: World, pod: Pod, { at, rungs }: PodStanding): boolean {
  if (at.includes('goal') || at.includes('finish') || at.includes('lost')) return false;
  const younger = (from: number | null, seconds: number): boolean => from !== null && world.now - from < seconds * 1000;
  const whole = PATIENCE[at[0] ?? 'goal'];
  if (at[0] === 'schedule' && clockStands(world) && conditionOf(pod, 'PodScheduled')?.reason === 'Unschedulable') return false;
  if (at[0] === 'schedule' && claimsAreYoung(world, pod)) return true;
  const heard = heardAt(world, pod.spec?.nodeName ?? '', timeOf(sinceOf(pod, at)));
  const from = at[0] === 'schedule' ? timeOf(pod.metadata.creationTimestamp) : at[0] === 'terminate' ? timeOf(sinceOf(pod, at)) : heard;
  if (whole !== undefined) return younger(from, whole) || (at.includes('sandbox') && younger(networkSince(world, pod), whole));
  const short = rungs.filter((rung) => rung.at !== 'goal' && !rung.waits);
  if (short.length === 0 && unmetGates(pod).length > 0)
    return younger(heardAt(world, pod.spec?.nodeName ?? '', timeOf(since(pod, 'ContainersReady', 'True'))), GATED);
  if (short.length === 0) return younger(heard, FAILING);
  return short.every((rung) => isYoungRung(world, pod, rung));
}

/** No sandbox is made on a node that is not ready for want of a network; null where the node says nothing. */
const networkSince = (world: World, pod: Pod): number | null => {
  const node = maybe(world.snapshot.get('Node', undefined, pod.spec?.nodeName ?? ''));
  const ready = node ? conditionOf(node, 'Ready') : null;
  return ready?.status === 'True' ? heardAt(world, pod.spec?.nodeName ?? '', timeOf(ready.since)) : null;
};

/** What kube-scheduler says of claims that are bound before it looks at any node (pkg/scheduler/framework/plugins/volumebinding). */
const UNBOUND = 'unbound immediate PersistentVolumeClaims';

/** It waits for volumes alone, and each of them is still on its way. */
function claimsAreYoung(world: World, pod: Pod): boolean {
  const claims = claimVolumesOf(pod).flatMap(({ claim }) => maybe(world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, claim)) ?? []);
  const pending = claims.filter(({ status }) => status?.phase === 'Pending');
  const message = conditionOf(pod, 'PodScheduled')?.message ?? '';
  const waits = message === '' ? pending.some((claim) => selectedNodeOf(claim) !== '') : message.includes(UNBOUND);
  // One that waits for its first consumer is not on its way, nor is one that was refused.
  const isComing = (claim: PersistentVolumeClaim): boolean => {
    const facts = claimFacts(world, claim);
    return facts.young && attempt(() => facts.waits) !== true && attempt(() => facts.failing) !== true;
  };
  return waits && pending.length > 0 && pending.every(isComing);
}

/** Whether one container is short of its goal for less time than its rung may take. */
export function isYoungRung(world: World, pod: Pod, rung: Rung): boolean {
  const [from, seconds] = allowance(world, pod, rung);
  return rung.at !== 'goal' && world.now - from < seconds * 1000;
}
