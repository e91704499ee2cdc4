import type { Subject } from '../../model/finding.ts';
import type { KubeObject, Pod } from '../../model/kinds.ts';
import { type Stage, STAGES } from '../../model/layer.ts';
import { maybe } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { type Aside, ASIDE_TYPE, asideOf } from './aside.ts';
import { type Box, BOX_TYPES, boxOf } from './box.ts';
import { wasDisrupted } from './endings.ts';
import type { Family } from '../family.ts';
import { EXPELLED_TYPE, type Expelled, expelledOf } from './expelled.ts';
import { type Gate, unmetGates } from './readiness-gates.ts';
import { heldOf, type HeldPod } from './held.ts';
import { lazy } from '../lazy.ts';
import { isJoining, isPlaced, kubeletReports, nodeOf, onSilentNode } from '../nodes.ts';
import { isMirror, kubeletNow } from '../skew.ts';
import { controllerSubject, topOwner } from '../owners.ts';
import { type Rung, rungsOf, sandboxCondition, isWell } from './ladder.ts';
import { endedBefore, failedSince } from './leftovers.ts';
import { isYoung, sinceOf } from './patience.ts';
import { type Resize, resizeOf } from './resize.ts';
import { isOverOwnLimit } from './own-limit.ts';
import { standingOf } from './stage.ts';
import { UNMARKED_TYPE, type Unmarked, unmarkedOf } from './unmarked.ts';
import { isUnheeded } from './unheeded.ts';
import { surplusOf } from '../workloads/job.ts';
import { isCurrentRevision } from '../workloads/revision.ts';
import { ageOf } from '../time.ts';
import type { World } from '../world.ts';

export interface PodFacts extends Addressed {
  at: Stage[];
  young: boolean;
  since: string;
  node: string;
  age: number;
  phase: string;
  reason: string;
  message: string;
  ip: string;
  hostNetwork: boolean;
  static: boolean;
  scheduler: string;
  ready: boolean;
  boxes: Box[];
  scheduled: AddressedCondition | null;
  sandbox: AddressedCondition | null;
  disruption: AddressedCondition | null;
  acknowledged: boolean;
  unheeded: boolean;
  placed: boolean;
  gates: Gate[];
  /** What runs is not called ready, though nothing says no. */
  unmarked: Unmarked | null;
  ended: Text | null;
  /** Pods of its controller that were ended for the same reason before it. */
  before: Pod[];
  /** RFC 3339, when it was ended, or the first of those. */
  endedSince: string;
  /** Evicted for a limit of its own spec, which the next pod has, too. */
  filled: boolean;
  owner: KubeObject | null;
  controller: Subject | null;
  current: boolean;
  kept: KubeObject | null;
  /** A person took it out of service by its name. */
  aside: Aside | null;
  held: HeldPod | null;
  terminating: boolean;
  grace: number;
  overdue: number;
  /** Its node has joined just now and is not ready yet. */
  joining: boolean;
  /** Resources asked for in place that it does not get. */
  resize: Resize | null;
  /** The taint of its node that lets it stay for a while only, though it was placed beside it. */
  expelled: Expelled | null;
  trusted: boolean;
  /** Its node was read, and its kubelet reports. */
  heard: boolean;
}

/** A pod that was sent away and got time to end fails by its containers' codes, and bears no reason but that of the disruption. */
const saidOf = (pod: Pod): { reason?: string | undefined; message?: string | undefined } =>
  pod.status?.reason || !wasDisrupted(pod) ? (pod.status ?? {}) : (conditionOf(pod, 'DisruptionTarget') ?? {});

/** What is said of a pod that was ended or refused as a whole, by its status or by condition DisruptionTarget. */
function endedOf(world: World, pod: Pod): Text | null {
  const { reason = '', message = '' } = saidOf(pod);
  if (reason === '' && (message === '' || pod.status?.phase !== 'Failed')) return null;
  for (const words of [message, `${reason}: ${message}`, reason]) {
    const text = words === '' ? null : world.classify('evictions', words);
    if (text && text.class !== 'unknown') return text;
  }
  return world.classify('evictions', message || reason);
}

function rungsIn(world: World, pod: Pod): readonly Rung[] {
  const { rungs } = standingOf(world, pod);
  return rungs.length > 0 ? rungs : rungsOf(pod, kubeletNow(world, pod));
}

/** The facts of a pod, made once a snapshot; each field when it is asked for, and some raise Unknown. */
export function podFacts(world: World, pod: Pod): PodFacts {
  return world.memo(pod, 'pod', () => {
    const { status, spec, metadata } = pod;
    const readiness = (): AddressedCondition | null => conditionOf(pod, 'Ready');
    const facts: PodFacts = lazy<PodFacts>({
      at: () => standingOf(world, pod).at,
      young: () => isYoung(world, pod, standingOf(world, pod)),
      since: () => sinceOf(pod, facts.at),
      node: () => spec?.nodeName ?? '',
      age: () => ageOf(world.now, metadata.creationTimestamp) ?? 0,
      phase: () => status?.phase ?? '',
      reason: () => status?.reason ?? '',
      message: () => status?.message ?? '',
      ip: () => status?.podIP ?? '',
      hostNetwork: () => spec?.hostNetwork === true,
      static: () => isMirror(pod),
      scheduler: () => spec?.schedulerName ?? 'default-scheduler',
      ready: () => readiness()?.status === 'True',
      boxes: () => rungsIn(world, pod).map((rung) => boxOf(world, pod, rung)),
      scheduled: () => conditionOf(pod, 'PodScheduled'),
      sandbox: () => sandboxCondition(pod),
      disruption: () => conditionOf(pod, 'DisruptionTarget'),
      acknowledged: () => Boolean(status?.startTime),
      unheeded: () => isUnheeded(world, pod),
      placed: () => isPlaced(pod),
      gates: () => unmetGates(pod),
      unmarked: () => unmarkedOf(world, pod, facts.boxes),
      ended: () => endedOf(world, pod),
      before: () => (facts.ended ? endedBefore(world, pod) : []),
      endedSince: () => facts.before.map((other) => failedSince(world, other))[0] ?? facts.disruption?.since ?? facts.since,
      filled: () => isOverOwnLimit(world, pod),
      owner: () => topOwner(world, pod),
      controller: () => controllerSubject(pod),
      current: () => isCurrentRevision(world, pod),
      kept: () => (facts.owner?.kind === 'StatefulSet' && !facts.current ? facts.owner : surplusOf(world, pod)),
      aside: () => asideOf(world, pod),
      held: () => heldOf(pod, world.now),
      terminating: () => Boolean(metadata.deletionTimestamp),
      grace: () => metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30,
      overdue: () => ageOf(world.now, metadata.deletionTimestamp) ?? 0,
      trusted: () => kubeletReports(world, pod),
      heard: () => facts.trusted && maybe(nodeOf(world, pod)) !== null,
      joining: () => isJoining(world, pod),
      resize: () => resizeOf(pod, kubeletNow(world, pod)),
      expelled: () => expelledOf(world, pod),
      evidence: () => {
        const ready = readiness();
        if (ready && ready.status !== 'True') return ready.evidence;
        return evidenceAt(pod, '/status/phase', `Pod ${metadata.name} is ${status?.phase ?? 'without status'}`);
      },
    });
    return facts;
  });
}

export const family: Family = {
  name: 'pod',
  doc: 'A pod by the rungs it stands at, container by container.',
  types: {
    Pod: {
      at: {
        type: 'list<string>',
        doc: 'every rung one of its containers stands at; `lost` where its kubelet is silent and it is not at its goal',
        oneOf: STAGES,
      },
      young: { type: 'bool', doc: 'not at its goal, but for less time than that rung may take' },
      since: { type: 'string', doc: "RFC 3339, since when it stands there; '' at its goal" },
      node: { type: 'string', doc: "node, '' before it is scheduled" },
      age: { type: 'double', doc: 'seconds since it was created' },
      phase: { type: 'string', doc: 'status.phase' },
      reason: { type: 'string', doc: "status.reason: Evicted, OutOfcpu, ... or ''" },
      message: { type: 'string', doc: "status.message or ''" },
      ip: { type: 'string', doc: "address or ''" },
      hostNetwork: { type: 'bool', doc: "on the host's network" },
      static: { type: 'bool', doc: 'mirror of a static pod: a file on its node, not this object, decides' },
      scheduler: { type: 'string', doc: 'spec.schedulerName' },
      ready: { type: 'bool', doc: 'condition Ready is True' },
      boxes: { type: 'list<Box>', doc: 'its containers in the order in which they start' },
      scheduled: { type: 'Condition?', doc: 'PodScheduled; null where no scheduler has looked at it' },
      sandbox: { type: 'Condition?', doc: 'PodReadyToStartContainers (PodHasNetwork before 1.28)' },
      disruption: { type: 'Condition?', doc: 'DisruptionTarget: evicted, preempted, deleted by taint or by the pod garbage collector' },
      acknowledged: { type: 'bool', doc: 'its kubelet has taken notice of it (status.startTime)' },
      unheeded: { type: 'bool', doc: 'a scheduler gave it to its node, and neither its status nor an event has a word of a kubelet' },
      placed: {
        type: 'bool',
        doc: 'a scheduler gave it to its node, or the kubelet there has taken it up; false for one that names its node by itself and stays unseen',
      },
      gates: { type: 'list<Gate>', doc: 'readiness gates that are not met' },
      unmarked: { type: 'Unmarked?', doc: 'what runs is not called ready for minutes, though no probe and no gate says no, and its node is Ready' },
      ended: { type: 'Text?', doc: 'status.reason and message by table evictions, where the pod was ended or refused as a whole' },
      before: {
        type: 'list<object>',
        doc: 'where it was ended as a whole: pods of its controller that were, for the same reason, one after another before it',
      },
      endedSince: { type: 'string', doc: 'RFC 3339, when it was ended as a whole, or the first of those' },
      filled: { type: 'bool', doc: 'evicted for a limit of its own spec (emptyDir, ephemeral-storage), which the next pod has, too' },
      owner: { type: 'object?', doc: 'highest controller by UID that was read' },
      controller: { type: 'Subject?', doc: 'its direct controller, read or not' },
      current: { type: 'bool', doc: 'of the newest revision of its workload; true where it has none' },
      kept: {
        type: 'object?',
        doc: 'the StatefulSet whose newest revision is another one, or the Job that has failed more often than it may: the pod should not be there',
      },
      aside: { type: 'Aside?', doc: 'a mark on what it belongs to names it: a person took it out of service, and its operator keeps its process stopped' },
      held: { type: 'HeldPod?', doc: 'a pod of nobody, meant to end, whose work is done and that another container keeps running' },
      terminating: { type: 'bool', doc: 'is being deleted' },
      grace: { type: 'double', doc: 'seconds of its grace period' },
      overdue: { type: 'double', doc: 'seconds past its grace period, 0 for none' },
      joining: { type: 'bool', doc: 'its node has joined the cluster just now and is not ready yet' },
      resize: {
        type: 'Condition?',
        doc: 'PodResizePending=Infeasible or a lasting PodResizeInProgress=Error: resources asked for in place that it does not get',
      },
      expelled: {
        type: 'Expelled?',
        doc: 'the NoExecute taint of its node that it tolerates for a while only, though it was placed beside it, or others of its kind were evicted for it',
      },
      heard: { type: 'bool', doc: 'its node was read, and its kubelet reports' },
      trusted: { type: 'bool', doc: 'false where its kubelet is silent or its node gone: its status is from the past' },
      evidence: { type: 'Evidence', doc: 'condition Ready, or the phase' },
    },
    Aside: ASIDE_TYPE,
    Expelled: EXPELLED_TYPE,
    Unmarked: UNMARKED_TYPE,
    HeldPod: {
      done: { type: 'list<string>', doc: 'containers that have ended with code 0' },
      holding: { type: 'list<string>', doc: 'those that run' },
      helpers: { type: 'string', doc: "`known` where those are helpers by name, image or mark; '' where one may be a second worker", oneOf: ['known', ''] },
      evidence: { type: 'Evidence', doc: 'the statuses' },
    },
    Gate: {
      name: { type: 'string', doc: 'condition type' },
      status: { type: 'string', doc: "False, Unknown or '' where nobody has set it" },
      reason: { type: 'string', doc: "reason or ''" },
      message: { type: 'string', doc: "message or ''" },
      evidence: { type: 'Evidence', doc: 'the condition, or the gate in the spec' },
    },
    ...BOX_TYPES,
  },
  variables: [
    {
      name: 'pod',
      kinds: ['Pod'],
      type: 'Pod',
      doc: 'The pod itself.',
      of: (world, object) => podFacts(world, object as Pod),
      isWell: (world, object) =>
        isWell(object as Pod, kubeletNow(world, object as Pod)) && !onSilentNode(world, object as Pod) && !expelledOf(world, object as Pod),
    },
  ],
};
