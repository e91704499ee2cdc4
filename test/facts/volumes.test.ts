import { describe, expect, it } from 'vitest';
import { volumeFacts } from '../../src/facts/volumes/volumes.ts';
import { volumesIn } from '../../src/facts/volumes/volumes-events.ts';
import { Unknown } from '../../src/model/read.ts';
import { before, event, forbidden, node, object, type Patch, pod } from '../build.ts';
import { worldWith } from './texts.ts';

type Objects = Parameters<typeof worldWith>[0];

const stuck = (volumes: Patch[], name = 'web-1'): ReturnType<typeof pod> => pod(name, {
  metadata: { creationTimestamp: before(600) },
  spec: { volumes },
  status: {
    phase: 'Pending', podIP: undefined, containerStatuses: [{ name: 'app', state: { waiting: { reason: 'ContainerCreating' } } }],
    conditions: [{ type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: before(590) }, { type: 'PodScheduled', status: 'True', lastTransitionTime: before(595) }],
  },
});

const DATA = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
const bound = object('v1', 'PersistentVolumeClaim', 'data', { spec: { volumeName: 'pv-1' }, status: { phase: 'Bound' } });
const disk = object('v1', 'PersistentVolume', 'pv-1', { spec: { csi: { driver: 'disk.example.com', volumeHandle: 'h' } } });
const csiNode = (name: string, ...drivers: string[]): Objects[number] => object('storage.k8s.io/v1', 'CSINode', name, { spec: { drivers: drivers.map((each) => ({ name: each })) } });
const attachment = (name: string, on: string, status: Patch, patch: Patch = {}): Objects[number] => object('storage.k8s.io/v1', 'VolumeAttachment', name, {
  metadata: { creationTimestamp: before(500), ...patch }, spec: { attacher: 'disk.example.com', nodeName: on, source: { persistentVolumeName: 'pv-1' } }, status,
});

type Case = [name: string, volumes: Patch[], others: (web: ReturnType<typeof stuck>) => Objects, want: string[]];
const CASES: Case[] = [
  ['an absent ConfigMap, named by the event', [{ name: 'cfg', configMap: { name: 'settings' } }, { name: 'tmp', emptyDir: {} }],
    (web) => [event(web, 'FailedMount', 'MountVolume.SetUp failed for volume "cfg" : configmap "settings" not found')], ['cfg object configmap-missing']],
  ['an absent ConfigMap, its event expired', [{ name: 'cfg', configMap: { name: 'settings' } }], () => [], ['cfg object ']],
  ['an absent ConfigMap that is optional', [{ name: 'cfg', configMap: { name: 'settings', optional: true } }], () => [], []],
  ['an absent Secret inside a projection', [{ name: 'all', projected: { sources: [{ configMap: { name: 'settings' } }, { secret: { name: 'keys' } }] } }],
    () => [object('v1', 'ConfigMap', 'settings')], ['all object ']],
  ['a missing key', [{ name: 'cfg', configMap: { name: 'settings', items: [{ key: 'a' }] } }],
    (web) => [object('v1', 'ConfigMap', 'settings'), event(web, 'FailedMount', 'MountVolume.SetUp failed for volume "cfg" : references non-existent config key: a')], ['cfg mount key-missing']],
  ['a claim that does not exist', [DATA], () => [], ['data claim ']],
  ['a claim that is not bound', [DATA], () => [object('v1', 'PersistentVolumeClaim', 'data', { status: { phase: 'Pending' } })], ['data unbound ']],
  ['a volume that two pods want on two nodes', [DATA],
    (web) => [bound, disk, csiNode('node-1', 'disk.example.com'), attachment('va-2', 'node-2', { attached: true }), event(web, 'FailedAttachVolume', 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) web-0', 30, { source: { component: 'attachdetach-controller' } })],
    ['data elsewhere multi-attach-used']],
  ['an attachment that failed, its event expired', [DATA],
    () => [bound, disk, csiNode('node-1', 'disk.example.com'), attachment('va-1', 'node-1', { attached: false, attachError: { message: 'rpc error: code = Internal desc = no such disk', time: before(60) } })],
    ['data attach driver']],
  ['an attachment nobody takes up', [DATA], () => [bound, disk, csiNode('node-1', 'disk.example.com'), attachment('va-1', 'node-1', { attached: false })], ['data attacher ']],
  ['an attachment nobody takes up, of a driver that is not on the node', [DATA], () => [bound, disk, csiNode('node-1'), attachment('va-1', 'node-1', { attached: false })], ['data attacher ']],
  ['an attachment that was taken up, and no more', [DATA], () => [bound, disk, csiNode('node-1', 'disk.example.com'), attachment('va-1', 'node-1', { attached: false }, { finalizers: ['external-attacher/disk-example-com'] })], ['data attach ']],
  ['an attachment that its attacher cannot even try', [DATA], () => [bound, disk, csiNode('node-1'), attachment('va-1', 'node-1', { attached: false, attachError: { message: 'CSINode node-1 does not contain driver disk.example.com', time: before(60) } })], ['data driver driver-not-registered']],
  ['an attachment just asked for', [DATA], () => [bound, disk, csiNode('node-1', 'disk.example.com'), attachment('va-1', 'node-1', { attached: false }, { creationTimestamp: before(10) })], []],
  ['a driver that is not registered on the node', [DATA], () => [bound, disk, csiNode('node-1'), attachment('va-1', 'node-1', { attached: true })], ['data driver ']],
  ['the sentence before the echo', [DATA], (web) => [bound, disk, csiNode('node-1', 'disk.example.com'),
    event(web, 'FailedMount', 'MountVolume.MountDevice failed for volume "pv-1" : rpc error: code = DeadlineExceeded desc = context deadline exceeded', 90),
    event(web, 'FailedMount', 'MountVolume.MountDevice failed for volume "pv-1" : rpc error: code = Aborted desc = An operation with the given Volume ID h already exists', 30)], ['data mount driver-timeout']],
  ['a failed attachment before the mount that waits for it', [DATA], (web) => [bound, disk, csiNode('node-1', 'disk.example.com'),
    event(web, 'FailedAttachVolume', 'AttachVolume.Attach failed for volume "pv-1" : rpc error: code = ResourceExhausted desc = max number of volumes attached', 60),
    event(web, 'FailedMount', 'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data kube-api-access-x]: timed out waiting for the condition', 20)], ['data attach attach-limit']],
  ['an umbrella alone', [DATA, { name: 'share', nfs: { server: 's', path: '/' } }], (web) => [bound, disk, csiNode('node-1', 'disk.example.com'),
    event(web, 'FailedMount', 'Unable to attach or mount volumes: unmounted volumes=[share], unattached volumes=[data share]: timed out waiting for the condition')], ['share mount waiting']],
  ['a complaint that stopped while others went on', [{ name: 'cfg', configMap: { name: 'settings' } }, { name: 'token', projected: { sources: [] } }], (web) => [
    event(web, 'FailedMount', 'MountVolume.SetUp failed for volume "token" : failed to sync configmap cache: timed out waiting for the condition', 500),
    event(web, 'FailedMount', 'MountVolume.SetUp failed for volume "cfg" : configmap "settings" not found', 10, { count: 9, firstTimestamp: before(500) })], ['cfg object configmap-missing']],
  ['an attachment that succeeded in the end', [DATA], (web) => [bound, disk, csiNode('node-1', 'disk.example.com'), attachment('va-1', 'node-1', { attached: true }),
    event(web, 'FailedAttachVolume', 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) web-0', 120),
    event(web, 'SuccessfulAttachVolume', 'AttachVolume.Attach succeeded for volume "pv-1"', 30)], []],
];

describe('the volumes that hold a pod', () => {
  it.each(CASES)('%s', (_name, volumes, others, want) => {
    const web = stuck(volumes);
    const world = worldWith([web, node('node-1'), ...others(web)]);
    expect(volumeFacts(world, web).map((each) => `${each.name} ${each.step} ${each.text?.class ?? ''}`)).toEqual(want);
  });

  it('takes nothing for absent that could not be read', () => {
    const web = stuck([{ name: 'cfg', configMap: { name: 'settings' } }, DATA]);
    expect(volumeFacts(worldWith([web], { coverage: [forbidden('ConfigMap'), forbidden('PersistentVolumeClaim'), forbidden('Event')] }), web)).toEqual([]);
  });

  it('gives a text that names the PersistentVolume to the only claim, where claims may not be read', () => {
    const web = stuck([DATA, { name: 'tmp', emptyDir: {} }]);
    const said = event(web, 'FailedMount', 'MountVolume.SetUp failed for volume "pv-1" : mount failed: exit status 32');
    const [fact] = volumeFacts(worldWith([web, said], { coverage: [forbidden('PersistentVolumeClaim')] }), web);
    expect([fact?.name, fact?.step]).toEqual(['data', 'mount']);
  });

  it('names who holds the volume, and raises where that cannot be known', () => {
    const web = stuck([DATA]);
    const holder = pod('web-0', { spec: { nodeName: 'node-2', volumes: [DATA] } });
    const finished = pod('job-1', { spec: { nodeName: 'node-3', volumes: [DATA] }, status: { phase: 'Succeeded' } });
    const said = event(web, 'FailedAttachVolume', 'Multi-Attach error for volume "pv-1" Volume is already exclusively attached to one node and can\'t be attached to another');
    const objects = [web, holder, finished, bound, disk, attachment('va-2', 'node-2', { attached: true, detachError: { message: 'busy' } }), said];
    const [fact] = volumeFacts(worldWith(objects), web);
    expect([fact?.step, fact?.holders.map((each) => each.metadata.name), fact?.attachments.map((each) => `${each.node} ${each.detachError}`)])
      .toEqual(['elsewhere', ['web-0'], ['node-2 busy']]);
    const [blind] = volumeFacts(worldWith(objects, { coverage: [forbidden('VolumeAttachment'), forbidden('CSINode')] }), web);
    expect(blind?.step).toBe('attach');
    expect(() => blind?.attachments).toThrow(Unknown);
    expect(() => blind?.registered).toThrow(Unknown);
  });
});

it.each([
  ['MountVolume.SetUp failed for volume "a" : x', ['a']],
  ['Unable to attach or mount volumes: unmounted volumes=[a b], unattached volumes=[c]: timed out', ['a', 'b']],
  ['Unable to attach or mount volumes: unmounted volumes=[a, b], failed to process volumes=[]', ['a', 'b']],
  ['Unable to attach or mount volumes: unmounted volumes=[kube-api-access-x data], unattached volumes=[], failed to process volumes=[data]: error processing PVC', ['data']],
  ['Unable to mount volumes for pod "p": timeout expired waiting for volumes to attach or mount for pod. list of unmounted volumes=[a]. list of unattached volumes=[a b]', ['a']],
  ['volume a has volumeMode Block, but is specified in volumeMounts', ['a']],
  ['something else', []],
])('volumes named in: %s', (message, names) => expect(volumesIn(message)).toEqual(names));
