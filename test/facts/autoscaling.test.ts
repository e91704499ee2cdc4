import { describe, expect, it } from 'vitest';
import { hpaFacts } from '../../src/facts/workloads/autoscaling.ts';
import { pdbFacts } from '../../src/facts/workloads/autoscaling-budgets.ts';
import { fightOver, handsOf, stormOf } from '../../src/facts/writers/writers.ts';
import { Unknown } from '../../src/model/read.ts';
import type { Coverage } from '../../src/model/coverage.ts';
import type { HorizontalPodAutoscaler, KubeObject, PodDisruptionBudget } from '../../src/model/kinds.ts';
import { before, controlledBy, deployment, event, forbidden, node, object, pod, type Patch, unready } from '../build.ts';
import { worldWith } from './texts.ts';

const condition = (type: string, status: string, reason: string, message = '', ago = 900): Patch => ({ type, status, reason, message, lastTransitionTime: before(ago) });

describe('a HorizontalPodAutoscaler', () => {
  const hpa = (conditions: Patch[], patch: Patch = {}): HorizontalPodAutoscaler => object('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 5,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
    },
    status: { currentReplicas: 2, desiredReplicas: 2, conditions }, ...patch,
  }) as unknown as HorizontalPodAutoscaler;
  const of = (target: HorizontalPodAutoscaler, objects: KubeObject[] = [], coverage: Coverage[] = []) => hpaFacts(worldWith([target, ...objects], { coverage }), target);
  const able = condition('AbleToScale', 'True', 'ReadyForNewScale');
  const noApi = 'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)';

  const cases: [string, Patch[], string, Patch][] = [
    ['works', [able, condition('ScalingActive', 'True', 'ValidMetricFound')], 'goal', { failing: null }],
    ['at its maximum', [able, condition('ScalingActive', 'True', 'ValidMetricFound'), condition('ScalingLimited', 'True', 'TooManyReplicas')], 'goal', { atMaximum: true }],
    ['at its floor', [able, condition('ScalingLimited', 'True', 'TooFewReplicas')], 'goal', { atMaximum: false }],
    ['scaled to zero by hand', [able, condition('ScalingActive', 'False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero')], 'goal', {}],
    ['no metrics API', [able, condition('ScalingActive', 'False', 'FailedGetResourceMetric', noApi)], 'condition', { metricsGroup: 'metrics.k8s.io', apiservice: null, text: { class: 'metrics-api-missing' }, young: false }],
    ['an external metric', [able, condition('ScalingActive', 'False', 'FailedGetExternalMetric', 'x')], 'condition', { metricsGroup: 'external.metrics.k8s.io' }],
    ['just so', [able, condition('ScalingActive', 'False', 'FailedGetResourceMetric', noApi, 30)], 'condition', { young: true }],
    ['no target', [condition('AbleToScale', 'False', 'FailedGetScale', "the HPA controller was unable to get the target's current scale: deployments.apps \"web\" not found")], 'condition', { target: null, failing: { type: 'AbleToScale' } }],
    ['without conditions, as autoscaling/v1 is served', [], 'goal', {}],
  ];
  it.each(cases)('%s', (_name, conditions, at, fields) => {
    const facts = of(hpa(conditions));
    expect(facts.at).toEqual([at]);
    expect(facts).toMatchObject(fields);
  });

  it('never looked at', () => {
    expect(of(hpa([], { status: {} })).at).toEqual(['observe']);
  });

  it('names the containers without a request, and who else sets the replicas', () => {
    const target = deployment('web', {
      metadata: { writers: [{ manager: 'gitops', operation: 'Apply', paths: ['spec.replicas'], time: before(60) }, { manager: 'kube-controller-manager', operation: 'Update', subresource: 'scale', paths: ['spec.replicas'] }] },
      spec: { template: { spec: { containers: [{ name: 'app', resources: { requests: { cpu: '1' } } }, { name: 'proxy' }] } } },
    });
    expect(of(hpa([able]), [target])).toMatchObject({ withoutRequest: ['proxy (cpu)'], overwriters: ['gitops'] });
  });

  it('does not say that an API is missing where APIServices were not read', () => {
    const facts = of(hpa([able, condition('ScalingActive', 'False', 'FailedGetResourceMetric', noApi)]), [], [forbidden('APIService')]);
    expect(() => facts.apiservice).toThrow(Unknown);
  });
});

describe('a PodDisruptionBudget', () => {
  const pdb = (status: Patch, name = 'web'): PodDisruptionBudget => object('policy/v1', 'PodDisruptionBudget', name, {
    spec: { selector: { matchLabels: { app: 'web' } } }, status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, ...status },
  }) as unknown as PodDisruptionBudget;
  const of = (target: PodDisruptionBudget, objects: KubeObject[]) => pdbFacts(worldWith([target, ...objects]), target);
  const web = (patch: Patch = {}) => pod('web-1', { metadata: { labels: { app: 'web' }, ...(patch['metadata'] as Patch | undefined) }, ...(patch['status'] ? { status: patch['status'] } : {}) });
  const cordoned = node('node-1', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: before(1800) }] } });

  const cases: [string, Patch, KubeObject[], string, Patch][] = [
    ['allows nothing while nobody asks', {}, [web(), node('node-1')], 'goal', { never: true, evictors: [] }],
    ['blocks a drain', {}, [web(), cordoned], 'condition', { young: false, evictors: [{ node: 'node-1', by: 'a drain or cordon' }] }],
    ['is all that is left on a node that nobody knows since when is cordoned', {}, [web(), node('node-1', { spec: { unschedulable: true } })], 'goal', { evictors: [], shut: [{ node: 'node-1' }] }],
    ['blocks an autoscaler', {}, [web(), node('node-1', { spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] } })], 'condition', { evictors: [{ by: 'cluster-autoscaler' }] }],
    ['blocks for a moment', {}, [web(), node('node-1', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', timeAdded: before(20) }] } })], 'condition', { young: true }],
    ['allows one', { disruptionsAllowed: 1 }, [web(), cordoned], 'goal', {}],
    ['sick pods use it up', { currentHealthy: 0 }, [web({ status: { conditions: unready() } }), cordoned], 'condition', { sick: [{ metadata: { name: 'web-1' } }] }],
    ['a drain leaves DaemonSet pods', {}, [web({ metadata: controlledBy(object('apps/v1', 'DaemonSet', 'agent')) }), cordoned], 'goal', {}],
    ['covers nothing', { expectedPods: 0 }, [cordoned], 'goal', {}],
    ['cannot be computed', { conditions: [condition('DisruptionAllowed', 'False', 'SyncFailed', 'found no controllers for pod')] }, [web()], 'condition', { failing: true, young: false }],
  ];
  it.each(cases)('%s', (_name, status, objects, at, fields) => {
    const facts = of(pdb(status), objects);
    expect(facts.at).toEqual([at]);
    expect(facts).toMatchObject(fields);
  });

  it('names another budget over the same pods', () => {
    expect(of(pdb({}), [web(), pdb({}, 'other') as unknown as KubeObject]).overlaps.map((each) => each.metadata.name)).toEqual(['other']);
  });
});

describe('writers', () => {
  const scaled = (target: KubeObject, way: 'up' | 'down', count: number, set = 'web-1', ago = 30): KubeObject =>
    event(target, 'ScalingReplicaSet', `Scaled ${way} replica set ${set} from 1 to 5`, ago, { count, firstTimestamp: before(600) }) as unknown as KubeObject;
  const web = (patch: Patch = {}): KubeObject => deployment('web', { metadata: { generation: 40, writers: [
    { manager: 'cart-bot', operation: 'Update', paths: ['spec.replicas'], time: before(20) },
    { manager: 'gitops', operation: 'Apply', paths: ['spec.template', 'spec.replicas'], time: before(40) },
    { manager: 'kube-controller-manager', operation: 'Update', subresource: 'status', paths: ['status'], time: before(10) },
  ], ...patch } });
  const cases: [string, (target: KubeObject) => KubeObject[], boolean][] = [
    ['up and down in turns', (target) => [scaled(target, 'up', 6), scaled(target, 'down', 5)], true],
    ['a rollout scales two sets', (target) => [scaled(target, 'up', 3, 'web-2'), scaled(target, 'down', 3, 'web-1')], false],
    ['once up, once down', (target) => [scaled(target, 'up', 1), scaled(target, 'down', 1)], false],
    ['long over', (target) => [scaled(target, 'up', 6, 'web-1', 1500), scaled(target, 'down', 5, 'web-1', 1500)], false],
    ['quiet', () => [], false],
  ];
  it.each(cases)('%s', (_name, events, expected) => {
    const target = web();
    const fight = fightOver(worldWith([target, ...events(target)]), target);
    expect(fight !== null).toBe(expected);
    if (fight) expect(fight).toMatchObject({ path: 'spec.replicas', managers: ['cart-bot', 'gitops'], ups: 6, downs: 5, at: ['churn'] });
  });

  it('sees a spec that is rewritten without end', () => {
    const runner = (generation: number, time: string): KubeObject => object('ci.example/v1', 'Runner', 'r', { metadata: { generation, writers: [{ manager: 'runner-manager', operation: 'Update', paths: ['spec.token'], time }] } });
    const busy = runner(5000, before(20));
    expect(fightOver(worldWith([busy]), busy)).toMatchObject({ path: 'spec', managers: ['runner-manager'], generation: 5000 });
    for (const calm of [runner(5000, before(7200)), runner(30, before(20))]) expect(fightOver(worldWith([calm]), calm)).toBeNull();
  });

  it('sees events that climb fast, but not a back-off', () => {
    const target = web();
    const told = (reason: string, count: number) => event(target, reason, 'again', 10, { count, firstTimestamp: before(310) }) as unknown as KubeObject;
    expect(stormOf(worldWith([target, told('ReconcileError', 400)]), target)).toMatchObject({ reason: 'ReconcileError', count: 400 });
    for (const calm of [told('ReconcileError', 5), told('BackOff', 400)]) expect(stormOf(worldWith([target, calm]), target)).toBeNull();
  });

  it('gives managedFields an address', () => {
    expect(handsOf(web())[1]).toMatchObject({ manager: 'gitops', evidence: { pointer: '/metadata/writers/1' } });
  });
});
