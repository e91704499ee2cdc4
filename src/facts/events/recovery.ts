import type { KubeObject, Pod } from '../../model/kinds.ts';
import { maybe } from '../../model/read.ts';
import { conditionOf } from '../address.ts';
import type { EventRecord } from './event-index.ts';
import { listOf } from '../lists.ts';
import { timeOf } from '../time.ts';
import type { World } from '../world.ts';

// A pod leaves rungs one by one, so each kind of complaint ends with the rung it is about.
const RUNG: Record<string, readonly string[]> = {
  PodScheduled: ['FailedScheduling', 'Preempted', 'NotTriggerScaleUp', 'TriggeredScaleUp', 'FailedBinding', 'WaitingForGates'],
  PodReadyToStartContainers: [
    'FailedMount',
    'FailedAttachVolume',
    'FailedMapVolume',
    'VolumePermissionChangeInProgress',
    'FailedCreatePodSandBox',
    'FailedPodSandBoxStatus',
    'FailedCreatePodContainer',
    'NetworkNotReady',
    'SandboxChanged',
    'FailedPrepareDynamicResources',
    'VolumeConditionAbnormal',
  ],
};

/** A Bound claim is past provisioning; a resize of it may still fail. */
const BINDING = new Set(['ProvisioningFailed', 'FailedBinding', 'ExternalProvisioning', 'WaitForFirstConsumer', 'WaitForPodScheduled', 'Provisioning']);

const startedAt = (pod: Pod): number | null => {
  const all = [...listOf(pod.status?.initContainerStatuses), ...listOf(pod.status?.containerStatuses)];
  const times = all
    .flatMap((status) => [
      timeOf(status?.state?.running?.startedAt),
      timeOf(status?.state?.terminated?.startedAt),
      timeOf(status?.lastState?.terminated?.startedAt),
    ])
    .filter((time) => time !== null);
  return times.length > 0 ? Math.min(...times) : null;
};

/** Complaints about making or starting one container; a later start of that container ends them. */
const STARTING = new Set(['Failed', 'BackOff', 'InspectFailed', 'ErrImageNeverPull', 'FailedPostStartHook']);

/** When the container that an event is about was last started, in ms; null where it never was. */
function lastStart(pod: Pod, fieldPath: string): number | null {
  const name = /\{(.+)\}$/.exec(fieldPath)?.[1];
  const status = [...listOf(pod.status?.initContainerStatuses), ...listOf(pod.status?.containerStatuses)].find((each) => each.name === name);
  const { state, lastState } = status ?? {};
  return timeOf(state?.running?.startedAt) ?? timeOf(state?.terminated?.startedAt) ?? timeOf(lastState?.terminated?.startedAt);
}

const sinceTrue = (object: KubeObject, type: string): number | null => {
  const condition = conditionOf(object, type);
  return condition?.status === 'True' ? (timeOf(condition.since) ?? null) : null;
};

/**
 * When the object got over what this event tells of, in ms; an older event is history. Null where it did not, or cannot say.
 * Conditions carry whole seconds, so an event of the same second still counts.
 */
export function recoveredAt(object: KubeObject, reason: string): number | null {
  if (object.kind === 'Pod') {
    for (const [type, reasons] of Object.entries(RUNG)) {
      if (!reasons.includes(reason)) continue;
      const passed = sinceTrue(object, type);
      if (passed !== null) return passed;
      // Clusters before 1.28 have no such condition: a container that ran proves sandbox and volumes.
      return type === 'PodReadyToStartContainers' && !conditionOf(object, type) ? startedAt(object as Pod) : null;
    }
  }
  if (object.kind === 'PersistentVolumeClaim') {
    const phase = (object['status'] as { phase?: string } | undefined)?.phase;
    return phase === 'Bound' && BINDING.has(reason) ? Number.POSITIVE_INFINITY : null;
  }
  if (object.kind === 'HorizontalPodAutoscaler') return sinceTrue(object, reason.startsWith('FailedGetScale') ? 'AbleToScale' : 'ScalingActive');
  if (['Pod', 'Node'].includes(object.kind)) return sinceTrue(object, 'Ready');
  return sinceTrue(object, 'Ready') ?? sinceTrue(object, 'Available');
}

/** Reasons by which the object itself tells that it got over it: controllers that create pods have no condition for that. */
const SUCCESS: Record<string, readonly string[]> = {
  FailedCreate: ['SuccessfulCreate'],
  FailedDelete: ['SuccessfulDelete'],
  FailedAttachVolume: ['SuccessfulAttachVolume'],
  SyncLoadBalancerFailed: ['EnsuredLoadBalancer'],
  FailedBuildModel: ['SuccessfullyReconciled'],
  FailedDeployModel: ['SuccessfullyReconciled'],
  AllocationFailed: ['IPAllocated'],
};

/** The kubelet says both from one check (pkg/kubelet/kubelet.go runtimeState.networkErrors): a node that is Ready since has its network. */
function networkBackAt(world: World, object: KubeObject, reason: string): number | null {
  const name = reason === 'NetworkNotReady' && object.kind === 'Pod' ? (object as Pod).spec?.nodeName : undefined;
  const node = name ? maybe(world.snapshot.get('Node', undefined, name)) : null;
  return node ? sinceTrue(node, 'Ready') : null;
}

/** Whether the event still describes the object. `events` are all of the object's, newest first. */
export function isCurrent(world: World, object: KubeObject, record: EventRecord, events: readonly EventRecord[]): boolean {
  const recovered = recoveredAt(object, record.reason) ?? networkBackAt(world, object, record.reason);
  if (recovered !== null && record.last < recovered) return false;
  if (object.kind === 'Pod' && record.fieldPath !== '' && STARTING.has(record.reason)) {
    const started = lastStart(object as Pod, record.fieldPath);
    if (started !== null && record.last < started) return false;
  }
  const success = SUCCESS[record.reason];
  return !success || !events.some((other) => success.includes(other.reason) && other.last > record.last);
}
