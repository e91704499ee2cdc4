import { describe, expect, test } from 'vitest';
import { worldWith } from '../facts/texts.ts';
import { standingOf } from '../../src/gate/done.ts';
import { object, type Patch } from '../build.ts';

const stands = (apiVersion: string, kind: string, fields: Patch): string => {
  const one = object(apiVersion, kind, 'web', fields);
  const { state, says } = standingOf(worldWith([one]), one, new Set());
  return `${state}: ${says}`;
};
const condition = (type: string, status: string, reason = 'Because', more: Patch = {}): Patch => ({ conditions: [{ type, status, reason, message: '', ...more }] });

describe('kinds that are judged by what their controller says', () => {
  const cases: [string, string, Patch, string][] = [
    ['policy/v1', 'PodDisruptionBudget', { metadata: { generation: 1 } }, 'moving: no controller has computed it yet'],
    ['policy/v1', 'PodDisruptionBudget', { metadata: { generation: 2 }, status: { observedGeneration: 1, disruptionsAllowed: 1 } }, 'moving: generation 2 is not observed yet (1 is)'],
    ['policy/v1', 'PodDisruptionBudget', { metadata: { generation: 1 }, status: { observedGeneration: 1, disruptionsAllowed: 0, ...condition('DisruptionAllowed', 'False', 'SyncFailed', { message: 'found no controllers for pod "web-1"' }) } }, 'moving: cannot be computed: found no controllers for pod "web-1"'],
    ['policy/v1', 'PodDisruptionBudget', { metadata: { generation: 1 }, status: { observedGeneration: 1, disruptionsAllowed: 0, ...condition('DisruptionAllowed', 'False', 'InsufficientPods') } }, 'done: computed: 0 disruptions allowed'],
    ['v1', 'ResourceQuota', { spec: { hard: { pods: '10', cpu: '4' } } }, 'moving: not taken up yet: cpu, pods'],
    ['v1', 'ResourceQuota', { spec: { hard: { pods: '20', cpu: '4' } }, status: { hard: { pods: '10', cpu: '4' }, used: {} } }, 'moving: not taken up yet: pods'],
    ['v1', 'ResourceQuota', { spec: { hard: { pods: '10' } }, status: { hard: { pods: '10' }, used: { pods: '3' } } }, 'done: 1 limit taken up'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', {}, 'moving: no condition ScalingActive yet'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', { status: condition('ScalingActive', 'False', 'FailedGetResourceMetric') }, 'moving: ScalingActive=False (FailedGetResourceMetric)'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', { status: condition('ScalingActive', 'False', 'ScalingDisabled') }, 'done: ScalingDisabled'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', { status: condition('ScalingActive', 'True') }, 'done: ScalingActive'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', { metadata: { generation: 2 }, status: { observedGeneration: 1, ...condition('ScalingActive', 'True') } }, 'moving: ScalingActive=True is of an older generation'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', { status: condition('NamesAccepted', 'False', 'ListKindConflict') }, 'failed: names not accepted: ListKindConflict'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', { status: condition('NamesAccepted', 'True') }, 'moving: no condition Established yet'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', { status: condition('Established', 'True') }, 'done: Established'],
    ['apiregistration.k8s.io/v1', 'APIService', { status: condition('Available', 'False', 'MissingEndpoints') }, 'moving: Available=False (MissingEndpoints)'],
    ['apiregistration.k8s.io/v1', 'APIService', { status: condition('Available', 'True') }, 'done: Available'],
    ['v1', 'Namespace', { status: { phase: 'Active' } }, 'done: exists'],
    ['v1', 'Namespace', { status: { phase: 'Terminating' } }, 'moving: is being deleted'],
    ['batch/v1', 'CronJob', {}, 'done: accepted'],
    ['batch/v1', 'CronJob', { spec: { suspend: true } }, 'done: suspended'],
    ['v1', 'Pod', { status: { phase: 'Succeeded' } }, 'done: has run to its end'],
    ['v1', 'Pod', { status: { phase: 'Failed', reason: 'Evicted' } }, 'failed: failed: Evicted'],
    ['v1', 'Pod', { status: { phase: 'Running', ...condition('Ready', 'False') } }, 'moving: Running, not ready'],
    ['v1', 'Pod', { status: { phase: 'Running', ...condition('Ready', 'True') } }, 'done: ready'],
    ['v1', 'Service', { spec: { type: 'ExternalName', externalName: 'db.example' } }, 'done: is another name for db.example'],
    ['networking.k8s.io/v1', 'NetworkPolicy', { metadata: { generation: 1 } }, 'done: exists'],
    ['flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', { metadata: { generation: 1 } }, 'done: exists'],
  ];
  test.each(cases)('%s %s %j', (apiVersion, kind, fields, outcome) => expect(stands(apiVersion, kind, fields)).toBe(outcome));
});
