/** Whose the end of a process is: its own, or that of the plugin or driver that others wait for. */
import { expect, test } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { type Patch, before, crashing, event, node, object, pod, snapshotOf, terminated, unready, waiting } from './build.ts';

const agent = (name: string, patch: Patch = {}) => pod(name, {
  metadata: { namespace: 'kube-system', ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'weave-net', uid: 'ds', controller: true }] },
  spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }], volumes: [{ name: 'cni', hostPath: { path: '/etc/cni/net.d' } }] },
  status: { conditions: unready(['agent']), containerStatuses: [crashing('agent', terminated('Error', 1))] },
  ...patch,
});

const web = pod('web-1', {
  metadata: { creationTimestamp: before(900) },
  status: {
    phase: 'Pending', podIP: undefined, startTime: before(900),
    conditions: [{ type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: before(890) }, { type: 'PodScheduled', status: 'True', lastTransitionTime: before(895) }],
    containerStatuses: [waiting('app', 'ContainerCreating')],
  },
});
const refused = event(web, 'FailedCreatePodSandBox',
  'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "ab": plugin type="weave-net" name="weave" failed (add): unable to allocate IP address: Post "http://127.0.0.1:6784/ip/ab": dial tcp 127.0.0.1:6784: connect: connection refused',
  20, { count: 20, firstTimestamp: before(880) });

const roots = (objects: Parameters<typeof snapshotOf>[0], namespaces: string[]) =>
  diagnose(snapshotOf(objects), { namespaces, all: false, targets: [] }, { rules: ruleSet(), strict: true }).findings
    .filter(({ role }) => role === 'root').map(({ layer, subjects, conclusion }) => [layer, subjects[0]?.name, conclusion.includes('belongs to the network plugin')]);

test('an agent that exits is the network plugin to the pods that wait for it, whoever asks', () => {
  const objects = [node('node-1'), agent('weave-a'), web, refused];
  expect(roots(objects, ['shop'])).toEqual([['cni', 'weave-a', true]]);
  expect(roots(objects, ['kube-system'])).toEqual([['cni', 'weave-a', true]]);
});

test('with nobody behind it, and on another node, it is a process that exits', () => {
  expect(roots([node('node-1'), agent('weave-a')], ['kube-system'])).toEqual([['application', 'weave-a', false]]);
  const far = agent('weave-a');
  far.spec = { ...far.spec, nodeName: 'node-2' } as typeof far.spec;
  expect(roots([node('node-1'), node('node-2'), far, web, refused], ['kube-system'])).toEqual([['application', 'weave-a', false]]);
});

test('who ends it otherwise keeps the word: the kubelet for its memory, the runtime for its image', () => {
  const killed = agent('weave-a', { status: { conditions: unready(['agent']), containerStatuses: [crashing('agent', terminated('OOMKilled', 137))] } });
  expect(roots([node('node-1'), killed, web, refused], ['shop'])).toEqual([['kubelet', 'weave-a', false]]);
});

test('a driver that exits is the storage driver to the claims that wait for it', () => {
  const driver = pod('disk-controller', {
    spec: { containers: [{ name: 'provisioner', image: 'registry.example/p:1', args: ['--driver-name=disk.example.com'] }] },
    status: { conditions: unready(['provisioner']), containerStatuses: [crashing('provisioner', terminated('Error', 1))] },
  });
  const claim = object('v1', 'PersistentVolumeClaim', 'data', { spec: { storageClassName: 'disk', volumeMode: 'Filesystem' }, status: { phase: 'Pending' } });
  const disk = object('storage.k8s.io/v1', 'StorageClass', 'disk', { provisioner: 'disk.example.com', volumeBindingMode: 'Immediate' });
  expect(roots([node('node-1'), driver, claim, disk], ['shop'])).toEqual([['csi', 'disk-controller', false]]);
});
