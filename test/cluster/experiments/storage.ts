import { apply, get, type Obj, remove, waitForObject } from '../api.ts';
import type { Experiment, Expectation, Root } from './experiment.ts';
import { container, deployment } from './objects.ts';
import { LIMIT, untilEvent, untilPods } from './observe.ts';

/** Nobody on this cluster calls itself so. */
const DRIVER = 'disk.strata.test';
const NODE = 'node-1';

const claim = (ns: string, spec: Obj): Obj => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: ns, name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

const user = (ns: string, volume: Obj = { persistentVolumeClaim: { claimName: 'data' } }, pod: Obj = {}): Obj =>
  deployment(ns, 'ledger', {
    pod: { containers: [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })], volumes: [{ name: 'data', ...volume }], ...pod },
  });

/** Longer than a claim may take to be bound. */
const untilLate = (ns: string): Promise<Obj> =>
  waitForObject('v1', 'PersistentVolumeClaim', ns, 'data', (obj) => obj?.status?.phase === 'Pending' && Date.now() - Date.parse(obj.metadata.creationTimestamp) > 95_000, LIMIT);

const root = (wanted: Root): Expectation => ({ verdict: 'failed', roots: [wanted] });

interface Storage {
  id: string;
  title: string;
  /** Objects without a namespace: they are named after it. */
  common?: readonly Obj[];
  objects: (ns: string) => readonly Obj[];
  until: (ns: string) => Promise<unknown>;
  expect: Expectation;
}

function storage({ id, title, common = [], objects, until, expect }: Storage): Experiment {
  const ns = id.toLowerCase();
  return {
    id,
    covers: ['E16', 'K14', 'K37', 'K64'],
    title,
    namespace: ns,
    fixture: ns,
    arrange: async () => {
      await apply([...common, ...objects(ns)]);
    },
    until: async () => {
      await until(ns);
    },
    expect,
    restore: async () => {
      for (const { apiVersion, kind, metadata } of common) {
        if (await get(apiVersion, kind, '', metadata.name)) await remove(apiVersion, kind, '', metadata.name);
      }
    },
  };
}

const classOf = (name: string, volumeBindingMode = 'Immediate'): Obj => ({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner: DRIVER, volumeBindingMode });

const noProvisioner = storage({
  id: 'E16-provisioner',
  title: 'The provisioner that a StorageClass names does not run',
  common: [classOf('e16-fast')],
  objects: (ns) => [claim(ns, { storageClassName: 'e16-fast' }), user(ns)],
  until: async (ns) => {
    await untilEvent(ns, 'PersistentVolumeClaim', 'ExternalProvisioning');
    await untilLate(ns);
  },
  expect: {
    ...root({ layer: 'csi', kind: 'PersistentVolumeClaim', name: /^data$/, says: [/disk\.strata\.test/], certainty: 'likely' }),
    effects: [{ kind: 'Pod', name: /^ledger-/ }],
  },
});

/** The pod has no condition and no event: the scheduler has written its node on the claim, and waits. */
const chosen = storage({
  id: 'E16-first-consumer',
  title: 'The scheduler has chosen a node for a claim that waited for its first consumer, and nobody makes the volume',
  common: [classOf('e16-late', 'WaitForFirstConsumer')],
  objects: (ns) => [claim(ns, { storageClassName: 'e16-late' }), user(ns)],
  until: async (ns) => {
    await waitForObject('v1', 'PersistentVolumeClaim', ns, 'data', (obj) => Boolean(obj?.metadata.annotations?.['volume.kubernetes.io/selected-node']), LIMIT);
    await untilLate(ns);
  },
  expect: {
    ...root({ layer: 'csi', kind: 'PersistentVolumeClaim', name: /^data$/, says: [/disk\.strata\.test/], certainty: 'likely' }),
    effects: [{ kind: 'Pod', name: /^ledger-/ }],
  },
});

const noClass = storage({
  id: 'E16-class',
  title: 'The StorageClass of a claim does not exist',
  objects: (ns) => [claim(ns, { storageClassName: 'fats' }), user(ns)],
  until: async (ns) => {
    await untilEvent(ns, 'PersistentVolumeClaim', 'ProvisioningFailed', /"fats" not found/);
    await untilLate(ns);
  },
  expect: {
    ...root({ layer: 'controller', kind: 'PersistentVolumeClaim', name: /^data$/, says: [/fats/] }),
    effects: [{ kind: 'Pod', name: /^ledger-/ }],
  },
});

/** One driver, which needs no attaching and takes volumes in a pod's own spec too. */
const driver = (name: string, attachRequired: boolean): Obj => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name },
  spec: { attachRequired, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
});

const volume = (ns: string, name: string, driverName: string): Obj => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: '',
    claimRef: { namespace: ns, name: 'data' },
    csi: { driver: driverName, volumeHandle: name },
  },
});

const onNode = { nodeSelector: { 'kubernetes.io/hostname': NODE } };

const noDriver = storage({
  id: 'E16-driver',
  title: 'The driver of a bound volume is not registered on the node',
  common: [driver('mount.disk.strata.test', false), volume('e16-driver', 'e16-driver-1', 'mount.disk.strata.test')],
  objects: (ns) => [claim(ns, { storageClassName: '', volumeName: 'e16-driver-1' }), user(ns, undefined, onNode)],
  until: (ns) => untilEvent(ns, 'Pod', 'FailedMount', /not found in the list of registered CSI drivers/),
  expect: root({ layer: 'csi', kind: 'Pod', name: /^ledger-/, says: [/mount\.disk\.strata\.test/, /node-1/] }),
});

const noInlineDriver = storage({
  id: 'E16-inline',
  title: 'The driver of a volume in the pod itself is not registered on the node',
  common: [driver('inline.disk.strata.test', false)],
  objects: (ns) => [user(ns, { csi: { driver: 'inline.disk.strata.test' } }, onNode)],
  until: (ns) => untilEvent(ns, 'Pod', 'FailedMount', /inline\.disk\.strata\.test/),
  expect: root({ layer: 'csi', kind: 'Pod', name: /^ledger-/, says: [/inline\.disk\.strata\.test/, /node-1/] }),
});

/** The attach-detach controller has made a VolumeAttachment and gives its attacher two minutes. */
const noAttacher = storage({
  id: 'E16-attacher',
  title: 'A volume has to be attached, and no attacher of its driver runs',
  common: [driver('attach.disk.strata.test', true), volume('e16-attacher', 'e16-attacher-1', 'attach.disk.strata.test')],
  objects: (ns) => [claim(ns, { storageClassName: '', volumeName: 'e16-attacher-1' }), user(ns, undefined, onNode)],
  until: async (ns) => {
    await untilPods(ns, 'pending on its node', ([pod]) => pod?.status.phase === 'Pending' && pod.spec.nodeName === NODE);
    await waitForObject('v1', 'PersistentVolumeClaim', ns, 'data', (obj) => obj?.status?.phase === 'Bound', LIMIT);
    await untilEvent(ns, 'Pod', 'FailedAttachVolume', /external-attacher/, 180_000);
  },
  expect: root({ layer: 'csi', kind: 'Pod', name: /^ledger-/, says: [/attach\.disk\.strata\.test/] }),
});

const pinned = (name: string, app: string): Obj => {
  const { spec, ...rest } = user('e16-two-nodes', undefined, { nodeSelector: { 'kubernetes.io/hostname': name } });
  spec.selector.matchLabels.app = app;
  spec.template.metadata.labels.app = app;
  return { ...rest, metadata: { namespace: 'e16-two-nodes', name: app }, spec };
};

const { csi: _csi, ...bare } = volume('e16-two-nodes', 'e16-two-nodes-1', DRIVER).spec;

/** An iSCSI volume needs no driver to count as attached (pkg/volume/iscsi: Attach does nothing); its mount fails for want of iscsiadm. */
const twoNodes = storage({
  id: 'E16-two-nodes',
  title: 'A ReadWriteOnce volume is wanted by pods on two nodes',
  common: [{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'e16-two-nodes-1' }, spec: { ...bare, iscsi: { targetPortal: '198.51.100.1', iqn: 'iqn.2001-04.test.strata:disk', lun: 0 } } }],
  objects: (ns) => [claim(ns, { storageClassName: '', volumeName: 'e16-two-nodes-1' }), pinned('node-1', 'ledger')],
  until: async (ns) => {
    await untilEvent(ns, 'Pod', 'FailedMount', /executable file not found/);
    await apply(pinned('node-2', 'audit'));
    await untilEvent(ns, 'Pod', 'FailedAttachVolume', /Multi-Attach/);
  },
  expect: {
    verdict: 'failed',
    roots: [
      { layer: 'csi', kind: 'Pod', name: /^audit-/, says: [/e16-two-nodes-1/, /ledger-/] },
      { layer: 'csi', kind: 'Pod', name: /^ledger-/, says: [/executable file not found/] },
    ],
  },
});

const onDisk = (ns: string, accessModes: readonly string[]): Obj => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: ns },
  spec: { capacity: { storage: '1Gi' }, accessModes, persistentVolumeReclaimPolicy: 'Retain', storageClassName: ns, hostPath: { path: `/tmp/${ns}` } },
});

/** Volumes made by hand carry a class that no StorageClass object has, and are bound by it all the same. */
const misfit = storage({
  id: 'E16-misfit',
  title: 'The only volume of a class made by hand does not offer the access mode that the claim asks for',
  common: [onDisk('e16-misfit', ['ReadWriteOnce'])],
  objects: (ns) => [claim(ns, { storageClassName: 'e16-misfit', accessModes: ['ReadWriteMany'] }), user(ns)],
  until: untilLate,
  expect: {
    ...root({ layer: 'controller', kind: 'PersistentVolumeClaim', name: /^data$/, says: [/e16-misfit \(access mode ReadWriteMany not offered\)/] }),
    effects: [{ kind: 'Pod', name: /^ledger-/ }],
  },
});

const alone = (replicas: number): Obj => {
  const { spec, ...rest } = user('e16-one-pod');
  return { ...rest, spec: { ...spec, replicas } };
};

const onePod = storage({
  id: 'E16-one-pod',
  title: 'A second pod wants a claim that one pod at a time may use',
  common: [onDisk('e16-one-pod', ['ReadWriteOncePod'])],
  objects: (ns) => [claim(ns, { storageClassName: 'e16-one-pod', accessModes: ['ReadWriteOncePod'] }), alone(1)],
  until: async (ns) => {
    await untilPods(ns, 'the first runs', ([pod]) => pod?.status.phase === 'Running');
    await apply(alone(2));
    await untilEvent(ns, 'Pod', 'FailedScheduling', /ReadWriteOncePod access mode already in-use/);
  },
  expect: root({ layer: 'scheduler', kind: 'Pod', name: /^ledger-/, says: [/held by ledger-/] }),
});

export const storages: readonly Experiment[] = [noProvisioner, chosen, noClass, noDriver, noInlineDriver, noAttacher, twoNodes, misfit, onePod];
