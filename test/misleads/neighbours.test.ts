/** What is wrong next door is a cause only where it takes away what is missing. */
import { describe, expect, test } from 'vitest';
import { type Patch, before, controlledBy, crashing, deployment, event, lease, node, object, pod, replicaSet, service, terminated, unready, waiting } from '../build.ts';
import { type Any, judge, layers, lostNode, roots, told } from './judge.ts';

const web = deployment('web', { status: { readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 } });
const rs = replicaSet('web-1', web, { status: { readyReplicas: 0, availableReplicas: 0 } });
const sick = (patch: Patch): Any => pod('web-1-a', { metadata: controlledBy(rs), ...patch, status: { conditions: unready(), ...(patch['status'] as Patch) } });
const exits = (more: Patch = {}): Any => sick({ ...more, status: { containerStatuses: [crashing('app', terminated('Error', 1))], ...(more['status'] as Patch) } });

/** On its node, and nothing of it has begun. */
const HELD: Patch = {
  phase: 'Pending',
  podIP: null,
  conditions: [
    { type: 'PodScheduled', status: 'True', lastTransitionTime: before(900) },
    { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: before(900) },
  ],
  containerStatuses: [waiting('app', 'ContainerCreating')],
};

describe('a lost node', () => {
  const lost = lostNode('node-2', before(900));
  const heartbeat = lease('kube-node-lease', 'node-2', 900);

  test('beside an exit code is not its cause', () => {
    expect(told(judge([web, rs, exits(), node('node-1'), lost, heartbeat]))).toEqual(['application Pod/web-1-a']);
  });

  test('under the pod is, and what its containers said before is not trusted', () => {
    const report = judge([web, rs, exits({ spec: { nodeName: 'node-2' } }), node('node-1'), lost, heartbeat]);
    expect(layers(report)).toEqual(['kubelet']);
    expect(roots(report)[0]?.subjects).toMatchObject([{ kind: 'Node', name: 'node-2' }]);
  });
});

describe('a full or pressed node', () => {
  const pressed = node('node-1', {
    status: {
      conditions: [
        {
          type: 'DiskPressure',
          status: 'True',
          reason: 'KubeletHasDiskPressure',
          message: 'kubelet has disk pressure',
          lastTransitionTime: before(900),
          lastHeartbeatTime: before(20),
        },
        { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: before(3500), lastHeartbeatTime: before(20) },
      ],
    },
  });

  test('is not why a process exits', () => {
    expect(told(judge([web, rs, exits(), pressed]))).toEqual(['application Pod/web-1-a']);
  });

  test('is why a pod was evicted from it', () => {
    const evicted = sick({ status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage. ', conditions: [], containerStatuses: [] } });
    expect(layers(judge([web, rs, evicted, pressed]))).toEqual(['kubelet']);
  });
});

describe('a storage agent that crashes', () => {
  const agents = object('apps/v1', 'DaemonSet', 'csi-agent', {
    metadata: { namespace: 'storage', generation: 1 }, spec: { selector: { matchLabels: { app: 'csi-agent' } }, template: { metadata: { labels: { app: 'csi-agent' } } } },
    status: { observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 0, numberAvailable: 0, updatedNumberScheduled: 1 },
  });
  const agent = pod('csi-agent-x', {
    metadata: { namespace: 'storage', labels: { app: 'csi-agent' }, ...controlledBy(agents) },
    spec: { containers: [{ name: 'driver', image: 'driver:1' }] },
    status: { conditions: unready(['driver']), containerStatuses: [crashing('driver', terminated('Error', 2))] },
  });

  test('beside a pod without volumes is not its cause', () => {
    expect(told(judge([web, rs, exits(), node('node-1'), agents, agent]))).toEqual(['application Pod/web-1-a']);
  });

  test('is what a pod waits for whose volume comes by its driver', () => {
    const held = sick({
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
      status: HELD,
    });
    const claim = object('v1', 'PersistentVolumeClaim', 'data', {
      spec: { volumeName: 'pv-1', storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Bound' },
    });
    const volume = object('v1', 'PersistentVolume', 'pv-1', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        claimRef: { namespace: 'shop', name: 'data', uid: claim.metadata.uid },
        csi: { driver: 'csi.example', volumeHandle: 'v1' },
        storageClassName: 'fast',
      },
      status: { phase: 'Bound' },
    });
    const drivers = object('storage.k8s.io/v1', 'CSINode', 'node-1', { spec: { drivers: [] } });
    const said = event(held as never, 'FailedMount', 'MountVolume.MountDevice failed for volume "pv-1" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name csi.example not found in the list of registered CSI drivers', 20, { count: 9 });
    expect(layers(judge([web, rs, held, said, claim, volume, drivers, node('node-1'), agents, agent])).filter((layer) => layer === 'application' || layer === 'csi')).not.toEqual([]);
    expect(told(judge([web, rs, held, said, claim, volume, drivers, node('node-1')]))).toEqual(['csi Pod/web-1-a']);
  });

  test('is not waited for by a pod that waits for a ConfigMap', () => {
    const held = sick({
      spec: { volumes: [{ name: 'c', configMap: { name: 'settings' } }] },
      status: HELD,
    });
    const said = event(held as never, 'FailedMount', 'MountVolume.SetUp failed for volume "c" : configmap "settings" not found', 20, { count: 9 });
    expect(layers(judge([web, rs, held, said, node('node-1'), agents, agent]))).toEqual(['kubelet']);
  });
});

describe('a node without network', () => {
  const mute = node('node-2', { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized', lastTransitionTime: before(900), lastHeartbeatTime: before(20) }] } });
  const noImage = (name: string): Any => sick({ spec: { nodeName: name }, status: { phase: 'Pending', containerStatuses: [waiting('app', 'ImagePullBackOff', 'Back-off pulling image "registry.example/app:1": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/app:1": failed to resolve reference "registry.example/app:1": registry.example/app:1: not found')] } });

  test('beside an image that does not exist is not its cause', () => {
    expect(told(judge([web, rs, noImage('node-1'), node('node-1'), mute]))).toEqual(['cri Pod/web-1-a']);
  });

  test('under a pod that gets no sandbox is', () => {
    const stuck = sick({
      spec: { nodeName: 'node-2' },
      status: HELD,
    });
    expect(layers(judge([web, rs, stuck, node('node-1'), mute]))).toEqual(['cni']);
  });
});

describe('a webhook', () => {
  const refusal = 'Internal error occurred: failed calling webhook "check.guard.example": failed to call webhook: Post "https://guard.shop.svc:443/check?timeout=5s": no endpoints available for service "guard"';
  const hook = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'guard', {
    webhooks: [
      {
        name: 'check.guard.example',
        failurePolicy: 'Fail',
        clientConfig: { service: { name: 'guard', namespace: 'shop', port: 443 } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
    ],
  });
  const guard = deployment('guard', {
    status: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 },
  });
  const failing = (owner: typeof web, name: string): Any =>
    replicaSet(name, owner, {
      status: {
        replicas: 0,
        fullyLabeledReplicas: 0,
        readyReplicas: 0,
        availableReplicas: 0,
        conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: refusal, lastTransitionTime: before(900) }],
      },
    });
  const around = [
    hook,
    service('guard', { spec: { selector: { app: 'guard' }, ports: [{ name: 'https', port: 443, targetPort: 8443, protocol: 'TCP' }] } }),
    object('discovery.k8s.io/v1', 'EndpointSlice', 'guard-x', {
      metadata: { labels: { 'kubernetes.io/service-name': 'guard' } },
      addressType: 'IPv4',
      endpoints: [],
      ports: [{ name: 'https', port: 8443 }],
    }),
    node('node-1'),
  ];
  const short = deployment('web', {
    status: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 },
  });

  test('that guards its own back end is one ring, and its root the webhook', () => {
    const report = judge([...around, guard, failing(guard, 'guard-1'), short, failing(short, 'web-1')]);
    expect(layers(report)).toEqual(['admission']);
    expect(roots(report)).toHaveLength(1);
    expect(roots(report)[0]?.deadlock).toEqual(['ReplicaSet/shop/guard-1', 'ValidatingWebhookConfiguration/guard', 'Service/shop/guard']);
    expect(roots(report)[0]?.next.at(-1)).toMatch(/namespaceSelector/);
    expect(report.verdict).toBe('failed');
  });

  test('whose back end crashes by itself is no ring: the crash is the root', () => {
    const crash = deployment('guard', { status: { readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 } });
    const set = replicaSet('guard-1', crash, { status: { readyReplicas: 0, availableReplicas: 0 } });
    const broken = pod('guard-1-a', { metadata: { ...controlledBy(set), labels: { app: 'guard' } }, status: { conditions: unready(), containerStatuses: [crashing('app', terminated('Error', 1))] } });
    const report = judge([...around, crash, set, broken, short, failing(short, 'web-1')]);
    expect(told(report)).toEqual(['application Pod/guard-1-a']);
    expect(roots(report)[0]?.deadlock).toBeUndefined();
  });
});
