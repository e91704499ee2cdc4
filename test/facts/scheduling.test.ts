import { describe, expect, it } from 'vitest';
import { podRequests } from '../../src/facts/scheduling/resources.ts';
import { agentsAtFault } from '../../src/facts/scheduling/agents.ts';
import { readSchedulingMessage } from '../../src/facts/scheduling/message.ts';
import { schedFacts } from '../../src/facts/scheduling/scheduling.ts';
import type { Pod } from '../../src/model/kinds.ts';
import { Unknown } from '../../src/model/read.ts';
import { before, event, forbidden, merge, node, object, type Patch, pod } from '../build.ts';
import { tables, worldWith } from './texts.ts';

const PREEMPTION = 'preemption: 0/5 nodes are available: 3 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.';

const MESSAGES: [name: string, text: string, total: number, predicates: string[], adds: boolean][] = [
  ['counts and preemption', `0/5 nodes are available: 2 Insufficient memory, 3 node(s) had untolerated taint {dedicated: db}. ${PREEMPTION}`, 5, ['2 resources', '3 taint'], true],
  ['device plugin noise', `0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, ${PREEMPTION}`, 5, ['5 affinity'], true],
  ['"still not schedulable" noise', `0/5 nodes are available: 5 Insufficient cpu. still not schedulable, ${PREEMPTION}`, 5, ['5 resources'], true],
  ['one node lacks two resources', '0/2 nodes are available: 1 Insufficient cpu, 2 Insufficient memory.', 2, ['1 resources', '2 resources'], true],
  ['one node lacks a resource and is full', '0/3 nodes are available: 1 Too many pods, 1 node(s) were unschedulable, 2 Insufficient cpu.', 3, ['1 pods', '1 cordon', '2 resources'], true],
  ['counts that do not reach the total', '0/9 nodes are available: 3 Insufficient cpu, 2 node(s) were unschedulable.', 9, ['3 resources', '2 cordon'], false],
  ['counts beyond the total', '0/18 nodes are available: 18 Insufficient ephemeral-storage, 3 node(s) didn\'t match node selector.', 18, ['18 resources', '3 affinity'], false],
  ['a taint with a full stop and no value', '0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) had untolerated taint {node.kubernetes.io/unreachable: }. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling', 3, ['1 taint', '2 taint'], true],
  ['a comma inside the reason', "0/2 nodes are available: 2 node(s) had taint {a: b}, that the pod didn't tolerate.", 2, ['2 taint'], true],
  ['taints without names', '0/2 nodes are available: 2 node(s) had untolerated taint(s).', 2, ['2 taint'], true],
  ['over lines', '0/3 nodes are available:\n  1 Insufficient cpu,\n  2 node(s) were unschedulable.', 3, ['1 resources', '2 cordon'], true],
  ['about the pod as a whole', '0/2 nodes are available: persistentvolumeclaim "data" not found. not found', 2, ['2 claim'], true],
  ['unbound claims, old', 'pod has unbound immediate PersistentVolumeClaims (repeated 2 times)', 0, ['0 claim'], false],
  ['unbound claims', `0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. ${PREEMPTION}`, 5, ['5 claim'], true],
  ['before 1.9', 'No nodes are available that match all of the predicates: Insufficient cpu (1), PodToleratesNodeTaints (2).', 0, ['1 resources', '2 taint'], false],
  ['volumes', "0/6 nodes are available: 1 node(s) had no available volume zone, 2 node(s) exceed max volume count, 3 node(s) had volume node affinity conflict.", 6, ['1 volume-node', '2 volume-count', '3 volume-node'], true],
  ['neighbours', "0/4 nodes are available: 1 node(s) didn't match pod affinity rules, 1 node(s) didn't match pod anti-affinity rules, 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't satisfy existing pods anti-affinity rules.", 4, ['1 pod-affinity', '1 anti-affinity', '1 spread', '1 anti-affinity'], true],
  ['nothing', '', 0, [], false],
];

const TERM = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
const SPEC: Patch = { spec: {
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [TERM] }, podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...TERM, topologyKey: 'zone' }] } },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
} };

describe('the words of the scheduler in ours', () => {
  it.each([
    ["2 node(s) didn't match pod anti-affinity rules", '2 hold a pod it must not be beside (app=web)'],
    ["1 node(s) didn't satisfy existing pods anti-affinity rules", '1 holds a pod that forbids it beside itself'],
    ["2 node(s) didn't match pod affinity rules", '2 without the pod it must be beside (app=web in one zone)'],
    ["2 node(s) didn't match pod topology spread constraints", '2 would make its spread over zone too uneven'],
    ["2 node(s) didn't match pod topology spread constraints (missing required label)", '2 without label zone'],
    ["2 node(s) didn't match Pod's node affinity/selector", "2 do not match the pod's node affinity"],
    ['2 node(s) had volume node affinity conflict', '2 cannot reach its volume'],
    ['1 node(s) exceed max volume count', '1 has as many volumes attached as its storage driver allows'],
    ["2 node(s) didn't find available persistent volumes to bind", '2 without a free volume that fits the claim'],
    ['2 node(s) did not have enough free storage', '2 with too little free storage for the claim'],
    ['cannot allocate all claims', 'no free devices for its resource claims'],
    ['2 node(s) had a bad day', '2 had a bad day'],
  ])('%s', (said, ours) => {
    const waiting = pod('web-1', { ...SPEC, status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: `0/3 nodes are available: ${said}.` }] } });
    expect(schedFacts(worldWith([waiting]), waiting as unknown as Pod).summary).toBe(ours);
  });
});

describe('a claim for one pod at a time', () => {
  const VOLUMES = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
  const TEXT = '0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.';
  const summaryBeside = (...others: Pod[]): string => {
    const late = pending(TEXT, VOLUMES);
    return schedFacts(worldWith([late, ...others]), late).summary;
  };

  it.each<[string, Patch]>([
    ['that runs', { spec: VOLUMES }],
    ['that is on its way out: it holds the claim to its end', { metadata: { deletionTimestamp: before(5) }, spec: VOLUMES }],
  ])('is said to be held by the pod %s', (_, patch) => {
    expect(summaryBeside(pod('ledger-old', patch))).toContain('claim data is held by ledger-old (ReadWriteOncePod)');
  });

  it.each<[string, Patch]>([
    ['that has ended', { spec: VOLUMES, status: { phase: 'Succeeded' } }],
    ['that has no node yet', { spec: { ...VOLUMES, nodeName: null } }],
    ['of another namespace', { metadata: { namespace: 'elsewhere' }, spec: VOLUMES }],
  ])('is not said to be held by one %s', (_, patch) => {
    expect(summaryBeside(pod('ledger-old', patch))).toContain('the claim is held by another pod');
  });
});

describe('the words of the scheduler', () => {
  const world = worldWith([]);
  it.each(MESSAGES)('%s', (_name, text, total, predicates, adds) => {
    const read = readSchedulingMessage(world, text);
    expect({ total: read.total, predicates: read.predicates.map(({ n, kind }) => `${n} ${kind}`), adds: read.sum.is === 'whole' }).toEqual({ total, predicates, adds });
  });

  it('tells counts that leave nodes out from counts that take one twice, whoever asks', () => {
    const sum = (text: string) => readSchedulingMessage(world, text).sum;
    expect(sum('0/9 nodes are available: 3 Insufficient cpu, 2 node(s) were unschedulable.')).toEqual({ told: 5, is: 'short' });
    expect(sum("0/18 nodes are available: 18 Insufficient ephemeral-storage, 3 node(s) didn't match node selector.")).toEqual({ told: 21, is: 'over' });
    // One node lacks two resources: nothing is counted twice.
    expect(sum('0/2 nodes are available: 2 Insufficient cpu, 1 Insufficient memory.')).toEqual({ told: 3, is: 'whole' });
    expect(sum('pod has unbound immediate PersistentVolumeClaims')).toEqual({ told: 0, is: '' });
  });

  it('keeps what preemption answered apart from the predicates', () => {
    const read = readSchedulingMessage(world, `0/5 nodes are available: 5 Insufficient cpu. no new claims to deallocate, ${PREEMPTION}`);
    expect(read.preemption).toBe('3 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod');
  });

  it('knows the kind of every predicate the text table knows', () => {
    const about = /^(insufficient|too-many|resources-fit|taint|unschedulable|affinity|node-|ports|existing-|anti-|pod-affinity|spread|narrowed|claim-|no-volume|volume-|storage-|driver-|disk-|device-class|devices-)/;
    const rows = tables.find((table) => table.family === 'scheduling')?.rows.filter((row) => about.test(row.class)) ?? [];
    expect(rows.length).toBeGreaterThan(25);
    const lost = rows.filter((row) => readSchedulingMessage(world, row.example).predicates.every((each) => each.kind === 'other')).map((row) => row.class);
    expect(lost).toEqual([]);
  });
});

const asks = (requests: Patch, more: Patch = {}): Patch => ({ name: 'app', image: 'a', resources: { requests }, ...more });

const REQUESTS: [name: string, spec: Patch, asked: Record<string, number>][] = [
  ['containers add up', { containers: [asks({ cpu: '100m', memory: '64Mi' }), asks({ cpu: '0.2' })] }, { cpu: 0.3, memory: 64 * 2 ** 20 }],
  ['the largest init container counts alone', { containers: [asks({ cpu: '100m' })], initContainers: [asks({ cpu: '2' }), asks({ cpu: '500m' })] }, { cpu: 2 }],
  ['sidecars run beside what follows them', { containers: [asks({ cpu: '1' })], initContainers: [asks({ cpu: '200m' }, { restartPolicy: 'Always' }), asks({ cpu: '2' })] }, { cpu: 2.2 }],
  ['an init container before the sidecar does not pay for it', { containers: [asks({ cpu: '1' })], initContainers: [asks({ cpu: '1100m' }), asks({ cpu: '200m' }, { restartPolicy: 'Always' })] }, { cpu: 1.2 }],
  ['overhead is added', { containers: [asks({ cpu: '1' })], overhead: { cpu: '250m', memory: '120Mi' } }, { cpu: 1.25, memory: 120 * 2 ** 20 }],
  ['a limit without a request is one', { containers: [{ name: 'app', resources: { limits: { cpu: '1', 'example.com/gpu': '2' }, requests: { cpu: '500m' } } }] }, { cpu: 0.5, 'example.com/gpu': 2 }],
  ['pod-level requests replace the sum', { containers: [asks({ cpu: '3', 'example.com/gpu': '1' })], resources: { requests: { cpu: '2' } } }, { cpu: 2, 'example.com/gpu': 1 }],
  ['parts of a milli-core round up', { containers: [asks({ cpu: '0.0001' })] }, { cpu: 0.001 }],
];

describe('what a pod asks', () => {
  it.each(REQUESTS)('%s', (_name, spec, asked) => {
    expect(podRequests(pod('web', { spec }))).toEqual(asked);
  });

  it('counts a container under resize with the larger of wish and possession', () => {
    const resized = pod('web', { spec: { containers: [asks({ cpu: '500m' })] }, status: { containerStatuses: [{ name: 'app', resources: { requests: { cpu: '1' } } }] } });
    expect(podRequests(resized)).toEqual({ cpu: 1 });
  });
});

const pending = (message: string, spec: Patch = {}, name = 'late'): Pod => pod(name, {
  spec: { nodeName: undefined, containers: [asks({ cpu: '1' })], ...spec },
  status: {
    phase: 'Pending', startTime: undefined, podIP: undefined, containerStatuses: undefined,
    conditions: message === '' ? [] : [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: before(600) }],
  },
});
const taken = (on: string, cpu: string, more: Patch = {}): Pod => pod(`on-${on}`, { metadata: { namespace: 'other' }, spec: { nodeName: on, containers: [asks({ cpu })] }, ...more });
const tainted = (name: string, key: string, value = ''): ReturnType<typeof node> => node(name, { spec: { taints: [{ key, value, effect: 'NoSchedule' }] } });

const PLACES: [name: string, late: Pod, objects: Parameters<typeof worldWith>[0], want: Patch][] = [
  ['arithmetic of the best node', pending('0/2 nodes are available: 2 Insufficient cpu.'), [node('a'), node('b'), taken('a', '3900m'), taken('b', '3200m')], {
    summary: '2 lack cpu', admits: '200m cpu less asked, or that much freed on b', agrees: true, best: 'b: 4 cpu - 3200m requested = 800m free, 1 asked',
  }],
  ['a node that could never hold it is not the best', pending('0/2 nodes are available: 2 Insufficient memory.', { containers: [asks({ memory: '20Gi' })] }), [
    node('a', { status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } } }), node('b', { status: { allocatable: { cpu: '4', memory: '32Gi', pods: '110' } } }),
    pod('on-b', { metadata: { namespace: 'other' }, spec: { nodeName: 'b', containers: [asks({ memory: '30Gi' })] } })], {
    summary: '2 lack memory', admits: '18Gi memory less asked, or that much freed on b', agrees: true, best: 'b: 32Gi memory - 30Gi requested = 2Gi free, 20Gi asked',
  }],
  ['finished pods hold no room', pending('0/1 nodes are available: 1 Insufficient cpu.'), [node('a'), taken('a', '4', { status: { phase: 'Succeeded' } })], {
    fits: ['a'], admits: '', agrees: false, best: null,
  }],
  ['a label that no node has', pending("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.", { nodeSelector: { disktype: 'ssd' } }), [node('a', { metadata: { labels: { disktype: 'hdd' } } }), node('b')], {
    summary: '2 without disktype=ssd', admits: 'disktype=ssd on a, b', agrees: true, best: null,
  }],
  ['an unnamed taint is named by the nodes', pending('0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).'), [node('a'), taken('a', '3500m'), tainted('b', 'dedicated', 'db')], {
    summary: '1 lacks cpu, 1 has taint dedicated=db:NoSchedule', admits: '500m cpu less asked, or that much freed on a; or a toleration for dedicated=db:NoSchedule (b)', agrees: true,
  }],
  ['a cordon and its taint are one change', pending('0/1 nodes are available: 1 node(s) were unschedulable.'), [node('a', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } })], {
    summary: '1 cordoned', admits: 'uncordon a', agrees: true,
  }],
  ['two obstacles on one node are no single change', pending('0/1 nodes are available: 1 node(s) were unschedulable.', { nodeSelector: { zone: 'x' } }), [node('a', { spec: { unschedulable: true } })], { admits: '', agrees: true }],
  ['a node in trouble is not tolerated but cured', pending('0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.'), [merge(tainted('a', 'node.kubernetes.io/not-ready'), { status: { conditions: [{ type: 'Ready', status: 'False' }] } })], {
    summary: '1 has taint node.kubernetes.io/not-ready', admits: 'a well again (taint node.kubernetes.io/not-ready:NoSchedule)', lacks: 'room',
  }],
  ['a lost node with a taint of its own is no place to tolerate', pending('0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: db}.'), [node('a', { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, { key: 'dedicated', value: 'db', effect: 'NoSchedule' }] } })], { lacks: '', admits: '' }],
  ['a lost node that is cordoned too is no way out', pending('0/1 nodes are available: 1 node(s) were unschedulable.'), [node('a', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] } })], { lacks: '', admits: '' }],
  ['a host port that is taken', pending("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.", { containers: [{ name: 'app', ports: [{ hostPort: 80, containerPort: 8080 }] }] }), [node('a'), taken('a', '1', { spec: { nodeName: 'a', hostNetwork: true, containers: [{ name: 'x', ports: [{ containerPort: 80 }] }] } })], {
    summary: '1 without free port 80/TCP', admits: 'port 80/TCP given up by on-a (a)', agrees: true,
  }],
  ['one replica a node', pending("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.", {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' }] } },
  }), [node('a', { metadata: { labels: { 'kubernetes.io/hostname': 'a' } } }), pod('web-1', { metadata: { labels: { app: 'web' } }, spec: { nodeName: 'a' } })], {
    admits: 'a if it were not that web-1 is there and the pod must not share its kubernetes.io/hostname', agrees: true,
  }],
  ['a volume that lives elsewhere', pending("0/1 nodes are available: 1 node(s) had volume node affinity conflict.", { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }), [
    node('a', { metadata: { labels: { zone: 'x' } } }),
    object('v1', 'PersistentVolumeClaim', 'data', { spec: { volumeName: 'pv' }, status: { phase: 'Bound' } }),
    object('v1', 'PersistentVolume', 'pv', { spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['y'] }] }] } } } }),
  ], { admits: 'a if it were not that volume pv lives on zone=y', agrees: true, claims: [] }],
  ['a claim that does not exist', pending('0/1 nodes are available: persistentvolumeclaim "data" not found.', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }), [node('a')], {
    summary: 'claim data is absent', admits: '', claims: ['data absent'],
  }],
  ['a pod of a DaemonSet wants its own node only', pending("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].", {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }] } } },
  }), [node('a'), node('b'), taken('a', '3500m')], { admits: '500m cpu less asked, or that much freed on a' }],
];

describe('a pod without a node', () => {
  it.each(PLACES)('%s', (_name, late, objects, want) => {
    const sched = schedFacts(worldWith([late, ...objects]), late);
    const seen: Patch = {};
    for (const key of Object.keys(want)) {
      const value = sched[key as keyof typeof sched];
      seen[key] = key === 'best' ? (sched.best?.text ?? null) : key === 'claims' ? sched.claims.map((claim) => `${claim.name} ${claim.state}`) : value;
    }
    expect(seen).toEqual(want);
  });

  it('does no arithmetic without the pods of all namespaces, and still reads the text', () => {
    const late = pending('0/2 nodes are available: 2 Insufficient cpu.');
    const sched = schedFacts(worldWith([late, node('a')], { coverage: [{ kind: 'Pod', namespace: 'shop', state: 'complete', count: 1 }] }), late);
    expect(sched.summary).toBe('2 lack cpu');
    expect(() => sched.best).toThrow(Unknown);
    expect(() => sched.admits).toThrow(Unknown);
    expect(() => sched.lacks).not.toThrow();
  });

  it('still knows what the nodes alone can tell', () => {
    const own = { coverage: [{ kind: 'Pod', namespace: 'shop', state: 'complete' as const, count: 1 }] };
    const large = pending('0/2 nodes are available: 2 Insufficient cpu.', { containers: [asks({ cpu: '500' })] });
    expect(schedFacts(worldWith([large, node('a'), node('b', { status: { allocatable: { cpu: '16', pods: '110' } } })], own), large).best?.text).toBe('b: 16 cpu in all, 500 asked');
    const late = pending('0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.');
    const objects = [late, tainted('a', 'node.kubernetes.io/unreachable'), node('b', { spec: { unschedulable: true } })];
    const sched = schedFacts(worldWith(objects, own), late);
    expect([sched.summary, sched.lacks, sched.lost.map((each) => each.metadata.name)]).toEqual(['1 has taint node.kubernetes.io/unreachable:NoSchedule, 1 cordoned', 'room', ['a']]);
    const known = schedFacts(worldWith([large, node('a'), node('b', { status: { allocatable: { cpu: '16', pods: '110' } } })]), large);
    expect(known).toMatchObject({ says: 'No node is large enough: 500 cpu asked, the largest has 16', admits: '', best: { text: 'b: 16 cpu in all, 500 asked' } });
    expect(known.why).toContain('Nothing that is freed makes room');
    const picky = pending("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.", { nodeSelector: { disk: 'ssd' } });
    expect(schedFacts(worldWith([picky, node('a')]), picky)).toMatchObject({ says: 'No node fits: 1 without disk=ssd', why: 'The scheduler has looked at every node.' });
  });

  it('believes the scheduler about a claim that may not be read', () => {
    const late = pending('0/1 nodes are available: persistentvolumeclaim "data" not found.', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }, { name: 'e', persistentVolumeClaim: { claimName: 'other' } }] });
    expect(schedFacts(worldWith([late], { coverage: [forbidden('PersistentVolumeClaim')] }), late).claims.map((each) => `${each.name} ${each.state}`)).toEqual(['data absent']);
  });

  it('takes the condition before the event, and the event where there is no condition', () => {
    const said = (late: Pod): ReturnType<typeof event> => event(late, 'FailedScheduling', '0/9 nodes are available: 9 Insufficient memory.');
    const told = pending('0/2 nodes are available: 2 Insufficient cpu.');
    const untold = pending('');
    expect(schedFacts(worldWith([told, said(told)]), told).total).toBe(2);
    expect(schedFacts(worldWith([untold, said(untold)]), untold).total).toBe(9);
    expect(schedFacts(worldWith([untold]), untold).silent).toBe(true);
    expect(() => schedFacts(worldWith([untold], { coverage: [forbidden('Event')] }), untold).silent).toThrow(Unknown);
  });

  it('tells a gate from a refusal, and an autoscaler from the scheduler', () => {
    const gated = pending('', { schedulingGates: [{ name: 'example.com/queue' }] });
    gated.status = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'Scheduling is blocked due to non-empty scheduling gates' }] };
    const sched = schedFacts(worldWith([gated]), gated);
    expect([sched.message, sched.gates.map((gate) => gate.name), sched.silent]).toEqual(['', ['example.com/queue'], false]);
    const late = pending('0/1 nodes are available: 1 Insufficient cpu.');
    const answer = event(late, 'NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max node group size reached", 20, { source: { component: 'cluster-autoscaler' } });
    expect(schedFacts(worldWith([late, answer]), late).autoscaler).toContain('max node group size reached');
  });

  it.each([
    ['a node was asked for a minute ago', 'TriggeredScaleUp', 60, true],
    ['a node was asked for an hour ago, and has not come', 'TriggeredScaleUp', 3600, false],
    ['the autoscaler declined', 'NotTriggerScaleUp', 60, false],
  ])('knows whether room is coming: %s', (_name, reason, ago, coming) => {
    const late = pending('0/1 nodes are available: 1 Insufficient cpu.');
    const answer = event(late, reason, 'pod triggered scale-up: [{pool-a 2->3 (max: 10)}]', ago, { source: { component: 'cluster-autoscaler' } });
    expect(schedFacts(worldWith([late, answer]), late).coming).toBe(coming);
  });

  const CPU = '0/1 nodes are available: 1 Insufficient cpu.';
  const LABEL = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
  const scaler = (reason: string, message: string, ago = 20) => (about: Pod) => [event(about, reason, message, ago, { source: { component: 'cluster-autoscaler' } })];
  const says = (reason: string, message: string, ago: number) => (about: Pod) => [event(about, reason, message, ago, { metadata: { name: `${reason}-${ago}` }, source: { component: 'karpenter' } })];
  const karpenter = (message: string, ago = 20) => says('FailedScheduling', message, ago);
  const nominated = (ago: number) => says('Nominated', 'Pod should schedule on: nodeclaim/default-x7k2p', ago);
  const machine = (ago: number) => object('karpenter.sh/v1', 'NodeClaim', 'default-x7k2p', { status: { conditions: [{ type: 'Launched', status: 'True', lastTransitionTime: before(ago) }, { type: 'Registered', status: 'Unknown', lastTransitionTime: before(ago) }] } });
  const TAINTED = 'Failed to schedule pod, incompatible with nodepool "gpu", daemonset overhead={"cpu":"180m","pods":"4"}, did not tolerate nvidia.com/gpu=true:NoSchedule';
  const LARGE = 'Failed to schedule pod, incompatible with nodepool "default", daemonset overhead={"cpu":"180m","pods":"4"}, no instance type satisfied resources {"cpu":"900","pods":"5"} and requirements kubernetes.io/arch In [amd64] (no instance type has enough resources)';
  const LIMITS = 'Failed to schedule pod, all available instance types exceed limits for nodepool: "default"';
  it.each([
    ['room may be made', CPU, () => [], 'capacity'],
    ['the autoscaler declined', CPU, scaler('NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max node group size reached"), 'corroborated'],
    ['it declined an hour ago', CPU, scaler('NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max node group size reached", 3600), 'capacity'],
    ['it tries again', CPU, scaler('NotTriggerScaleUp', "pod didn't trigger scale-up: 1 in backoff after failed scale-up"), 'capacity'],
    ['no node pool takes it', CPU, karpenter(TAINTED), 'corroborated'],
    ['no machine is large enough', CPU, karpenter(LARGE), 'corroborated'],
    ['the node pool is at its limits', CPU, karpenter(LIMITS), 'corroborated'],
    ['no machine is for sale now', CPU, karpenter('Failed to schedule pod, incompatible with nodepool "default", daemonset overhead={"cpu":"180m"}, no instance type satisfied resources {"cpu":"2"} and requirements kubernetes.io/arch In [amd64] (no instance type has the required offering)'), 'capacity'],
    ['its zone is taken by a spread', CPU, karpenter('Failed to schedule pod, incompatible with nodepool "default", daemonset overhead={"cpu":"180m"}, unsatisfiable topology constraint for topology spread, key=topology.kubernetes.io/zone'), 'capacity'],
    ['Karpenter said so an hour ago', CPU, karpenter(TAINTED, 3600), 'capacity'],
    ['Karpenter has thought better of it', CPU, (about: Pod) => [...karpenter(TAINTED, 60)(about), ...nominated(20)(about)], 'waiting'],
    ['its machine did not come, and no other is left', CPU, (about: Pod) => [...nominated(300)(about), ...karpenter(LIMITS, 20)(about)], 'corroborated'],
    ['its machine was launched a minute ago', CPU, (about: Pod) => [...nominated(20)(about), machine(60)], 'waiting'],
    ['its machine was launched long ago and never joined', CPU, (about: Pod) => [...nominated(20)(about), machine(780)], 'capacity'],
    ['a node comes', LABEL, scaler('TriggeredScaleUp', 'pod triggered scale-up: [{pool-a 2->3 (max: 10)}]'), 'waiting'],
    ['no node has the label', LABEL, () => [], 'corroborated'],
    ['a taint set on purpose', '0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: db}.', () => [], 'corroborated'],
    ['a node that is not ready', '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.', () => [], 'capacity'],
    ['one lacks the label, the other room', "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector.", () => [], 'capacity'],
  ])('knows what more room would help: %s', (_name, message, events, permanence) => {
    const late = pending(message);
    expect(schedFacts(worldWith([late, ...events(late)]), late).permanence).toBe(permanence);
  });
});

describe('the agent of a node that keeps devices back', () => {
  const gpu = node('node-1', { status: { capacity: { 'nvidia.com/gpu': '4' }, allocatable: { 'nvidia.com/gpu': '0' } } });
  const wants = pod('train', { spec: { nodeName: undefined, containers: [{ name: 'app', image: 'x:1', resources: { requests: { 'nvidia.com/gpu': '1' }, limits: { 'nvidia.com/gpu': '1' } } }] } });
  const agent = (name: string): Pod => pod(`${name}-x1`, {
    metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: 'd', controller: true }] },
    spec: { nodeName: 'node-1' }, status: { conditions: [{ type: 'Ready', status: 'False' }] },
  });
  it.each([['nvidia-device-plugin', 1], ['gpu-device-plugin', 1], ['sriov-device-plugin', 0], ['amd-gpu-device-plugin', 0]] as const)('%s', (name, count) => {
    expect(agentsAtFault(worldWith([gpu, wants, agent(name)]), wants)).toHaveLength(count);
  });
});
