import { describe, expect, it } from 'vitest';
import { componentFacts } from '../../src/facts/control-plane/components.ts';
import { nodeFacts } from '../../src/facts/nodes.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { Unknown } from '../../src/model/read.ts';
import { before, controlledBy, forbidden, lease, node, object, type Patch, pod, worldOf } from '../build.ts';

const condition = (type: string, status: string, seconds = 600, message = ''): Patch => ({ type, status, reason: `${type}Is${status}`, message, lastTransitionTime: before(seconds) });
const withConditions = (...conditions: Patch[]) => node('node-1', { status: { conditions } });
const unheard = withConditions({ ...condition('Ready', 'True'), lastHeartbeatTime: before(200) });
const beat = (ago: number) => lease('kube-node-lease', 'node-1', ago);

describe('nodes', () => {
  const cases: [string, ReturnType<typeof node>, unknown[], Patch][] = [
    ['well', node('node-1'), [beat(4)], { at: 'goal', ready: 'True', text: null, since: '', lease: { age: 4, renewed: before(4) }, pressure: [] }],
    ['silent, and marked', withConditions(condition('Ready', 'Unknown', 60)), [beat(100)], { at: 'lost', since: before(60), young: false }],
    ['its Lease is old and its status new', node('node-1'), [beat(200)], { at: 'goal' }],
    ['silent, and nobody marks it', unheard, [beat(200)], { at: 'lost', since: before(200), ready: 'True' }],
    ['silent by its own clock, and left Ready by a controller-manager that runs', node('node-1'), [beat(200), lease('kube-system', 'kube-controller-manager', 3)], { at: 'goal' }],
    ['silent, and the controller-manager is, too', unheard, [beat(200), lease('kube-system', 'kube-controller-manager', 190), lease('kube-system', 'kube-scheduler', 3)], { at: 'lost' }],
    ['it says so itself', withConditions(condition('Ready', 'False', 60, 'container runtime is down')), [beat(4)], { at: 'notready', text: { message: 'container runtime is down' } }],
    ['not ready just now', withConditions(condition('Ready', 'False', 5)), [], { at: 'notready', young: true }],
    ['short of disk', withConditions(condition('Ready', 'True'), condition('DiskPressure', 'True', 90, 'kubelet has disk pressure')), [], { at: 'pressure', pressure: [{ type: 'DiskPressure' }], pressures: [{ message: 'kubelet has disk pressure' }], since: before(90) }],
    ['a condition nobody knows is not judged by its sign', withConditions(condition('Ready', 'True'), condition('Sunny', 'True')), [], { at: 'goal' }],
    ['cordoned is not broken', node('node-1', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable' }] } }), [], { at: 'goal', cordoned: true, taints: [{ key: 'node.kubernetes.io/unschedulable' }] }],
    ['without any condition', withConditions(), [], { at: 'goal', ready: '', lease: null }],
  ];
  it.each(cases)('%s', (_name, about, others, expected) => {
    expect(nodeFacts(worldOf([about, ...(others as KubeObject[])]), about)).toMatchObject(expected);
  });

  it('knows its pods and which of them serve the node', () => {
    const here = node('node-1');
    const agent = pod('agent', { metadata: controlledBy(object('apps/v1', 'DaemonSet', 'agent')) });
    const proxy = pod('kube-proxy-x', { metadata: { namespace: 'kube-system' } });
    const facts = nodeFacts(worldOf([here, agent, proxy, pod('web'), pod('away', { spec: { nodeName: 'node-2' } })]), here);
    expect(facts.pods.map((each) => each.metadata.name)).toEqual(['kube-proxy-x', 'agent', 'web']);
    expect(facts.agents.map((each) => each.metadata.name)).toEqual(['kube-proxy-x', 'agent']);
  });

  it('judges without its Lease where that may not be read, and says so when asked', () => {
    const here = node('node-1');
    const facts = nodeFacts(worldOf([here], { coverage: [forbidden('Lease')] }), here);
    expect(facts.at).toBe('goal');
    expect(() => facts.lease).toThrow(Unknown);
  });
});

describe('components', () => {
  const cases: [string, KubeObject[], Patch][] = [
    ['alive', [lease('kube-system', 'kube-scheduler', 3)], { stale: false, known: true, age: 3, holder: 'kube-scheduler_1' }],
    ['late, not dead', [lease('kube-system', 'kube-scheduler', 40)], { stale: false }],
    ['alive, on a machine whose clock is behind', [lease('kube-system', 'kube-scheduler', 300, { metadata: { writers: [{ manager: 'kube-scheduler', operation: 'Update', paths: ['spec.renewTime'], time: before(2) }] } })], { stale: false, age: 2 }],
    ['dead', [lease('kube-system', 'kube-scheduler', 60)], { stale: true, lease: { renewed: before(60), object: { kind: 'Lease' } }, evidence: { pointer: '/spec/renewTime', value: before(60) } }],
    ['a short Lease', [lease('kube-system', 'kube-scheduler', 12, { spec: { leaseDurationSeconds: 6 } })], { stale: true }],
    ['a short Lease between two renewals', [lease('kube-system', 'kube-scheduler', 9, { spec: { leaseDurationSeconds: 6 } })], { stale: false }],
    ['released and not taken again', [lease('kube-system', 'kube-scheduler', 30, { spec: { leaseDurationSeconds: 1, holderIdentity: '' } })], { stale: true, holder: '' }],
    ['a managed control plane', [], { stale: false, known: false, lease: null, age: 0 }],
    ['no time in it', [lease('kube-system', 'kube-scheduler', 0, { spec: { renewTime: null } })], { stale: false, known: false, lease: null }],
    ["clocks that differ: every Lease is as old", ['kube-scheduler', 'kube-controller-manager', 'a'].map((name) => lease('kube-system', name, 300)) as unknown as KubeObject[], { stale: false }],
  ] as unknown as [string, KubeObject[], Patch][];
  it.each(cases)('%s', (_name, objects, expected) => {
    expect(componentFacts(worldOf(objects), 'kube-scheduler')).toMatchObject(expected);
  });

  it('says nothing where Leases may not be read', () => {
    const facts = componentFacts(worldOf([], { coverage: [forbidden('Lease', 'kube-system')] }), 'kube-scheduler');
    expect(() => facts.stale).toThrow(Unknown);
    expect(facts.pods).toEqual([]);
  });

  it('finds its pods by label and by name', () => {
    const system = { namespace: 'kube-system' };
    const objects = [pod('kube-scheduler-a', { metadata: system }), pod('x', { metadata: { ...system, labels: { component: 'kube-scheduler' } } }), pod('coredns', { metadata: system })];
    expect(componentFacts(worldOf(objects), 'kube-scheduler').pods.map((each) => each.metadata.name)).toEqual(['kube-scheduler-a', 'x']);
  });
});
