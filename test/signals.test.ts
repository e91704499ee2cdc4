/** States without a sentence of their own (tools/knowledge.yaml, signals): each alone, and what an engineer is told of it. */
import { describe, expect, test } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { before, controlledBy, deployment, lease, merge, node, object, type Patch, pod, replicaSet } from './build.ts';
import { type Any, judge, lostNode, roots } from './misleads/judge.ts';

/** `layer rule on KIND/NAME, certainty: heading`, once a root. */
const told = (report: Report): string[] => roots(report).map(({ layer, rule, subjects, certainty, title }) => `${layer} ${rule} on ${subjects.map(({ kind, name }) => `${kind}/${name}`).join(' ')}, ${certainty}: ${title}`);
const conclusion = (report: Report): string => roots(report)[0]?.conclusion ?? '';

const condition = (type: string, status: string, ago: number, more: Patch = {}): Patch => ({ type, status, lastTransitionTime: before(ago), ...more });
const leader = (name: string, ago = 3): Any => lease('kube-system', name, ago);
const leaders = [leader('kube-controller-manager'), leader('kube-scheduler')];
/** A node that reports, and whoever watches it. */
const alive = [node('node-1'), lease('kube-node-lease', 'node-1', 4), ...leaders];

/** Deployment web, short of its one pod or not. */
function web(isShort: boolean, ...patches: Patch[]): Any[] {
  const status = { readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1, conditions: [
    condition('Available', 'False', 900, { reason: 'MinimumReplicasUnavailable' }),
    condition('Progressing', 'True', 3600, { reason: 'ReplicaSetUpdated', lastUpdateTime: before(900) })] };
  const owner = deployment('web', isShort ? { status } : {});
  const set = replicaSet('web-1', owner, isShort ? { status: { readyReplicas: 0, availableReplicas: 0 } } : {});
  return [owner, set, ...patches.map((patch, index) => pod(`web-1-${'abc'[index]}`, merge<Patch>({ metadata: controlledBy(set) }, patch)))];
}

const unscheduled = (message: string): Any[] => web(true, {
  metadata: { creationTimestamp: before(900) }, spec: { nodeName: undefined },
  status: { phase: 'Pending', startTime: undefined, podIP: undefined, containerStatuses: undefined, conditions: [condition('PodScheduled', 'False', 900, { reason: 'Unschedulable', message })] },
});
const noNode = (reason: string): Any[] => unscheduled(`0/1 nodes are available: 1 node(s) ${reason}. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`);
const taintedBy = (key: string, more: Patch = {}, effect = 'NoSchedule'): Any[] => [
  node('node-1', merge<Patch>({ spec: { taints: [{ key, effect, timeAdded: before(900) }] } }, more)), lease('kube-node-lease', 'node-1', 4), ...leaders, ...noNode(`had untolerated taint {${key}: }`)];
const says = (...conditions: Patch[]): Patch => ({ status: { conditions: conditions.map((each) => ({ lastHeartbeatTime: before(20), ...each })) } });

/** Given to its node a quarter of an hour ago, and nothing of it was started. */
const bare = (spec: Patch = {}): Patch => ({
  metadata: { creationTimestamp: before(900) }, spec,
  status: {
    phase: 'Pending', podIP: undefined, startTime: before(899),
    containerStatuses: [{ name: 'app', image: 'registry.example/app:1', imageID: '', ready: false, restartCount: 0, started: false, state: { waiting: { reason: 'ContainerCreating' } }, lastState: {} }],
    conditions: [condition('PodReadyToStartContainers', 'False', 899), condition('Initialized', 'True', 899), condition('Ready', 'False', 899), condition('ContainersReady', 'False', 899), condition('PodScheduled', 'True', 900)],
  },
});

describe('leaders', () => {
  test('an old Lease of the controller-manager while pods are missing', () => {
    const [owner, set] = web(true);
    const short = merge(set as Any, { status: { replicas: 0, fullyLabeledReplicas: 0 } });
    expect(told(judge([node('node-1'), lease('kube-node-lease', 'node-1', 4), leader('kube-scheduler'), leader('kube-controller-manager', 900), owner as Any, short])))
      .toEqual(['controller controller-manager-down on Lease/kube-controller-manager, proven: Nothing is reconciled: the Lease of kube-controller-manager was last renewed 15m ago']);
    // It holds nothing back while nothing is missing.
    expect(judge([node('node-1'), lease('kube-node-lease', 'node-1', 4), leader('kube-scheduler'), leader('kube-controller-manager', 900), ...web(false, {})]).verdict).toBe('healthy');
  });

  test('an old Lease of the scheduler while a pod waits that no scheduler has looked at', () => {
    const pending = web(true, { metadata: { creationTimestamp: before(600) }, spec: { nodeName: undefined }, status: { phase: 'Pending', startTime: undefined, podIP: undefined, conditions: undefined, containerStatuses: undefined } });
    expect(told(judge([node('node-1'), leader('kube-controller-manager'), leader('kube-scheduler', 900), ...pending])))
      .toEqual(['scheduler scheduler-down on Lease/kube-scheduler, proven: Nobody schedules: the Lease of kube-scheduler was last renewed 15m ago']);
  });
});

describe('pods', () => {
  test('PodReadyToStartContainers=False and not one event: no layer is claimed for it', () => {
    expect(told(judge([...alive, ...web(true, bare())]))).toEqual(['cri sandbox-unexplained on Pod/web-1-a, undetermined: Pod web-1-a has no sandbox on node-1, and nothing known says why']);
  });

  const leaving = pod('web-1', { metadata: { deletionTimestamp: before(600), deletionGracePeriodSeconds: 30 } });
  test('deleted, past its grace, without finalizers, on a node that reports: its kubelet is not through', () => {
    const report = judge([...alive, leaving]);
    expect(told(report)).toEqual(['kubelet pod-finalizer on Pod/web-1, likely: Pod web-1 is still terminating 10m after its grace period']);
    expect(judge([...alive, pod('web-1', { metadata: { deletionTimestamp: before(-10), deletionGracePeriodSeconds: 30 } })]).verdict).toBe('progressing');
  });

  test('deleted, and its node is silent or gone: nobody is there to end it', () => {
    expect(told(judge([lostNode('node-1', before(900)), ...leaders, leaving]))).toEqual(['kubelet node-lost on Node/node-1, proven: Node node-1 stopped reporting 15m ago']);
    expect(told(judge([node('node-2'), ...leaders, leaving]))).toEqual(['kubelet pod-on-lost-node on Pod/web-1, proven: Node node-1 is gone, and pods are still given to it']);
  });
});

describe('taints', () => {
  test('not-ready: the node that says so is the cause, whatever it says', () => {
    const notReady = says(condition('Ready', 'False', 900, { reason: 'KubeletNotReady', message: 'container runtime is down' }));
    expect(told(judge(taintedBy('node.kubernetes.io/not-ready', notReady)))).toEqual(['cri node-not-ready on Node/node-1, proven: Node node-1 is not ready: the container runtime of the node does not answer kubelet']);
  });

  test('not-ready that was left on a node that is well: it is the taint that is to go', () => {
    const report = judge(taintedBy('node.kubernetes.io/not-ready'));
    expect(told(report)).toEqual(['scheduler unschedulable on Pod/web-1-a, proven: No node fits: 1 has taint node.kubernetes.io/not-ready']);
    expect(conclusion(report)).toContain('taint node.kubernetes.io/not-ready:NoSchedule off node-1, which is well again by now: kube-controller-manager takes it off');
  });

  test('unreachable: the node is lost, and the scheduler merely says so', () => {
    expect(told(judge([lostNode('node-1', before(900)), ...leaders, ...noNode('had untolerated taint {node.kubernetes.io/unreachable: }')]))).toEqual(['kubelet node-lost on Node/node-1, proven: Node node-1 stopped reporting 15m ago']);
  });

  test.each([['memory-pressure', 'MemoryPressure'], ['disk-pressure', 'DiskPressure'], ['pid-pressure', 'PIDPressure']])('%s: the node is short of it', (taint, type) => {
    const short = says(condition('Ready', 'True', 3500, { reason: 'KubeletReady' }), condition(type, 'True', 900, { reason: `KubeletHas${type}`, message: `kubelet has ${type}` }));
    expect(told(judge(taintedBy(`node.kubernetes.io/${taint}`, short)))).toEqual([`kubelet node-pressure on Node/node-1, proven: Node node-1 reports ${type}`]);
  });

  test('unschedulable: somebody set the node aside, which breaks nothing', () => {
    const cordoned = node('node-1', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: before(900) }] } });
    const report = judge([cordoned, lease('kube-node-lease', 'node-1', 4), ...leaders, ...noNode('were unschedulable')]);
    expect(told(report)).toEqual(['scheduler unschedulable on Pod/web-1-a, proven: No node fits: 1 cordoned']);
    expect(conclusion(report)).toContain('uncordon node-1');
  });

  test('out-of-service: a person says that the machine is off, and takes it back', () => {
    const off = merge(lostNode('node-1', before(900)), { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }] } });
    expect(told(judge([off, ...leaders, ...web(true, {})]))).toEqual(['kubelet node-lost on Node/node-1, proven: Node node-1 stopped reporting 15m ago']);
    // Left behind on a node that is back: no pod is to tolerate it.
    const report = judge(taintedBy('node.kubernetes.io/out-of-service', {}, 'NoExecute'));
    expect(conclusion(report)).toContain('taken off node-1 by whoever set it');
    expect(conclusion(report)).not.toContain('a toleration for');
  });

  test('shutdown: the cloud says that the machine is off', () => {
    const off = merge(lostNode('node-1', before(900)), { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' }] } });
    expect(told(judge([off, ...leaders, ...web(true, {})]))).toEqual(['kubelet node-lost on Node/node-1, proven: Node node-1 stopped reporting 15m ago, and the cloud says that its machine is shut down']);
  });

  test('agent-not-ready: the agent lifts it, and no pod is to tolerate it', () => {
    const report = judge(taintedBy('node.cilium.io/agent-not-ready', {}, 'NoExecute'));
    expect(conclusion(report)).toContain('the agent that takes taint node.cilium.io/agent-not-ready:NoExecute off, working on node-1');
    // An agent that is there and crashes is what the pod waits for.
    const agents = object('apps/v1', 'DaemonSet', 'cilium', { metadata: { namespace: 'kube-system' }, spec: { selector: { matchLabels: { 'k8s-app': 'cilium' } }, template: { metadata: { labels: { 'k8s-app': 'cilium' } } } }, status: { desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 0 } });
    const agent = pod('cilium-x', {
      metadata: { namespace: 'kube-system', labels: { 'k8s-app': 'cilium' }, ...controlledBy(agents) },
      status: {
        conditions: [condition('Ready', 'False', 900), condition('ContainersReady', 'False', 900), condition('PodScheduled', 'True', 3500)],
        containerStatuses: [{ name: 'app', image: 'cilium', imageID: 'x', ready: false, started: false, restartCount: 7, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 1, reason: 'Error', startedAt: before(70), finishedAt: before(60) } } }],
      },
    });
    expect(roots(judge([...taintedBy('node.cilium.io/agent-not-ready', {}, 'NoExecute'), agents, agent])).map(({ rule, subjects }) => `${rule} ${subjects.map(({ name }) => name).join()}`)).toEqual(['container-exits cilium-x']);
  });
});

describe('what a problem detector says of a machine', () => {
  const ill = (type: string): Any[] => [node('node-1', says(condition('Ready', 'True', 3500, { reason: 'KubeletReady' }), condition(type, 'True', 900, { reason: 'Found', message: `${type} was found` }))), lease('kube-node-lease', 'node-1', 4), ...leaders];
  test.each(['KernelDeadlock', 'ReadonlyFilesystem', 'ContainerRuntimeUnhealthy', 'KubeletUnhealthy'])('%s is why pods hang there, and no failure of those that run', (type) => {
    expect(told(judge([...ill(type), ...web(true, bare())]))).toEqual([`kubelet node-pressure on Node/node-1, proven: Node node-1 reports ${type}`]);
    expect(judge([...ill(type), ...web(false, {})]).verdict).toBe('healthy');
  });

  test.each(['FrequentKubeletRestart', 'FrequentContainerdRestart'])('%s is history for long, and decides nothing', (type) => {
    expect(told(judge([...ill(type), ...web(true, bare())]))).toEqual(['cri sandbox-unexplained on Pod/web-1-a, undetermined: Pod web-1-a has no sandbox on node-1, and nothing known says why']);
    expect(judge([...ill(type), ...web(false, {})]).verdict).toBe('healthy');
  });
});

describe('volumes', () => {
  const DRIVER = 'disk.csi.example.com';
  const of = (kind: string, name: string, patch: Patch): Any => object('storage.k8s.io/v1', kind, name, patch);
  const storage = of('StorageClass', 'fast', { provisioner: DRIVER, volumeBindingMode: 'Immediate', reclaimPolicy: 'Delete' });
  const claim = (patch: Patch): Any => object('v1', 'PersistentVolumeClaim', 'data', merge<Patch>({ metadata: { creationTimestamp: before(900) }, spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' } }, patch));
  const bound = [claim({ spec: { volumeName: 'pv-1' }, status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } } }),
    object('v1', 'PersistentVolume', 'pv-1', { spec: { csi: { driver: DRIVER, volumeHandle: 'v1' }, claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: 'persistentvolumeclaim-data' }, capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'fast' }, status: { phase: 'Bound' } })];
  const mounting = web(true, bare({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }], containers: [{ name: 'app', image: 'registry.example/app:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] }));

  test('Pending at once and no provisioner has said a word: nobody answers to its name', () => {
    const pending = claim({ metadata: { annotations: { 'volume.kubernetes.io/storage-provisioner': DRIVER } }, status: { phase: 'Pending' } });
    expect(told(judge([...alive, storage, pending]))).toEqual([`csi provisioner-not-running on PersistentVolumeClaim/data, likely: Claim data waits for provisioner ${DRIVER}, which does not run`]);
  });

  test('a driver that is not in CSINode is not registered on that node', () => {
    expect(told(judge([...alive, storage, ...bound, of('CSINode', 'node-1', { spec: { drivers: [] } }), of('CSIDriver', DRIVER, { spec: { attachRequired: true } }), ...mounting])))
      .toEqual([`csi driver-not-on-node on Pod/web-1-a, proven: CSI driver ${DRIVER} is not registered on node-1`]);
  });

  test('attachRequired: false: no VolumeAttachment is ever made, and none is missed', () => {
    const volumes = (attachRequired: boolean): Any[] => [storage, ...bound, of('CSINode', 'node-1', { spec: { drivers: [{ name: DRIVER, nodeID: 'n1' }] } }), of('CSIDriver', DRIVER, { spec: { attachRequired } })];
    const silent = [node('node-1'), lease('kube-node-lease', 'node-1', 4), leader('kube-scheduler'), leader('kube-controller-manager', 1200)];
    expect(told(judge([...silent, ...volumes(false), ...mounting])).join()).not.toMatch(/attach/);
    // Where one is needed, and who asks for it is silent, that is the cause.
    expect(told(judge([...silent, ...volumes(true), ...mounting])).join()).toMatch(/controller-manager/);
  });
});
