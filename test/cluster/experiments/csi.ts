import { apply, get, type Obj, patch, remove, waitForObject } from '../api.ts';
import { component } from '../components.ts';
import { type Faults, setFaults } from '../csi/faults.ts';
import { CSI_DRIVERS, type CsiDriver } from '../csi/layout.ts';
import { attacherName, controllerName, nodePluginName, provisionerName } from '../parts/csi.ts';
import type { Expectation, Experiment, Root } from './experiment.ts';
import { container, deployment } from './objects.ts';
import { LIMIT, untilAvailable, untilEvent, untilPods } from './observe.ts';

type Which = keyof typeof CSI_DRIVERS;

/** Starts all processes of a driver that do not run yet; several experiments may ask for the same one. */
async function startDriver(which: CsiDriver): Promise<void> {
  const names = [controllerName(which), provisionerName(which), attacherName(which), ...which.nodes.map((node) => nodePluginName(which, node))];
  await apply({ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: which.name }, spec: { attachRequired: true } });
  await Promise.all(names.map((name) => component(name).start()));
}

/** A class of its own, whose volumes are one pool of the driver. */
const classOf = (pool: string, which: CsiDriver): Obj => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: pool },
  provisioner: which.name,
  parameters: { pool },
  volumeBindingMode: 'Immediate',
});

const claimOf = (ns: string, name = 'data'): Obj => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: ns, name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: ns },
});

interface User {
  name?: string;
  claim?: string;
  node?: string;
}

/** Writes to its volume, so that it runs only where the volume really is there. */
const userOf = (ns: string, { name = 'ledger', claim = 'data', node }: User = {}): Obj =>
  deployment(ns, name, {
    spec: { strategy: { type: 'Recreate' } },
    pod: {
      ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
      containers: [
        container({ command: ['sh', '-c', 'trap "exit 0" TERM; date >> /data/log; while :; do sleep 1; done'], volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
    },
  });

const bound = (ns: string, claim = 'data'): Promise<Obj> =>
  waitForObject('v1', 'PersistentVolumeClaim', ns, claim, (obj) => obj?.status?.phase === 'Bound', LIMIT);

/** The pod's containers really wait for a volume on a node. */
const waiting = (ns: string): Promise<Obj[]> => untilPods(ns, 'not started on its node', ([pod]) => pod?.status.phase === 'Pending' && pod.spec.nodeName !== undefined);

/** Seconds for which a pod without a node is not yet said to wait. */
const A_POD_IS_YOUNG = 65;

interface Csi {
  id: string;
  title: string;
  driver?: Which;
  faults?: Faults;
  /** Beside the driver and the class; the claim and its user where nothing is said. */
  arrange?: (ns: string) => Promise<unknown>;
  until: (ns: string) => Promise<unknown>;
  lasts?: number;
  expect: Expectation;
  restore?: (ns: string) => Promise<unknown>;
  fixture?: true;
}

const covers = ['E16', 'K14', 'K37'];
const PARTS = ['external-provisioner v6.3.0', 'external-attacher v4.12.0', 'the storage driver of `test/cluster/csi/`'];

function csi({ id, title, driver = 'vault', faults = {}, arrange, until, lasts, expect, restore, fixture }: Csi): Experiment {
  const ns = id.toLowerCase();
  const which = CSI_DRIVERS[driver];
  return {
    id,
    covers,
    title,
    namespace: ns,
    ...(fixture ? { fixture: ns, parts: PARTS } : {}),
    arrange: async () => {
      setFaults(ns, faults);
      await startDriver(which);
      await apply(classOf(ns, which));
      await (arrange ? arrange(ns) : apply([claimOf(ns), userOf(ns)]));
    },
    until: async () => {
      await until(ns);
    },
    ...(lasts === undefined ? {} : { lasts }),
    expect,
    restore: async () => {
      setFaults(ns);
      await restore?.(ns);
      if (await get('storage.k8s.io/v1', 'StorageClass', '', ns)) await remove('storage.k8s.io/v1', 'StorageClass', '', ns);
    },
  };
}

const failed = (wanted: Root, effects: Expectation['effects'] = []): Expectation => ({ verdict: 'failed', roots: [wanted], effects });
const claimRoot = (...says: RegExp[]): Root => ({ layer: 'csi', kind: 'PersistentVolumeClaim', name: /^data$/, says });
const podRoot = (...says: RegExp[]): Root => ({ layer: 'csi', kind: 'Pod', name: /^ledger-/, says });
const LEDGER = [{ kind: 'Pod', name: /^ledger-/ }];

const whole = csi({
  id: 'E16-csi',
  title: 'A volume that is made, attached and mounted',
  until: (ns) => untilAvailable(ns, 'ledger'),
  expect: { verdict: 'healthy', roots: [] },
});

const full = csi({
  id: 'E16-csi-full',
  title: 'The driver has no room for a volume',
  faults: { CreateVolume: { code: 'RESOURCE_EXHAUSTED', message: 'pool bronze has 512 MiB free, 1 GiB asked for' } },
  until: (ns) => untilEvent(ns, 'PersistentVolumeClaim', 'ProvisioningFailed', /bronze/),
  lasts: A_POD_IS_YOUNG,
  expect: failed(claimRoot(/bronze/), LEDGER),
});

const infeasible = csi({
  id: 'E16-csi-infeasible',
  title: 'The driver does not take what the class asks for',
  faults: { CreateVolume: { code: 'INVALID_ARGUMENT', message: 'tier "silver" is none of gold, bronze' } },
  until: (ns) => untilEvent(ns, 'PersistentVolumeClaim', 'ProvisioningFailed', /silver/),
  lasts: A_POD_IS_YOUNG,
  expect: failed(claimRoot(/silver/), LEDGER),
});

const createHangs = csi({
  id: 'E16-csi-create-hangs',
  title: 'The driver takes a claim and never answers',
  faults: { CreateVolume: { hang: true } },
  until: async (ns) => {
    const busy = await untilEvent(ns, 'PersistentVolumeClaim', 'ProvisioningFailed', /already exists/);
    await waitForObject('v1', 'Event', ns, busy.metadata.name, (obj) => obj?.count > 2 && Date.now() - Date.parse(obj.firstTimestamp) > 95_000, LIMIT);
  },
  expect: failed(claimRoot(/still works on an earlier call/), LEDGER),
});

const attachRefused = csi({
  id: 'E16-csi-attach',
  title: 'The driver does not attach a volume',
  faults: { ControllerPublishVolume: { code: 'INTERNAL', message: 'export group of the host holds 64 of 64 volumes' } },
  until: async (ns) => {
    await bound(ns);
    await untilEvent(ns, 'Pod', 'FailedAttachVolume', /64 of 64/);
    await waiting(ns);
  },
  expect: failed(podRoot(/64 of 64/)),
});

const stageRefused = csi({
  id: 'E16-csi-stage',
  title: 'The driver does not prepare a volume on the node',
  faults: { NodeStageVolume: { code: 'INTERNAL', message: 'multipath map of the volume has no usable path' } },
  until: async (ns) => {
    await bound(ns);
    await untilEvent(ns, 'Pod', 'FailedMount', /no usable path/);
  },
  expect: failed(podRoot(/no usable path/)),
});

const publishRefused = csi({
  id: 'E16-csi-publish',
  title: 'The driver does not give a volume to the pod',
  faults: { NodePublishVolume: { code: 'FAILED_PRECONDITION', message: 'volume is not encrypted with the key of this namespace' } },
  until: async (ns) => {
    await bound(ns);
    await untilEvent(ns, 'Pod', 'FailedMount', /not encrypted/);
  },
  expect: failed(podRoot(/not encrypted/)),
});

/** The kubelet gives a driver two minutes (pkg/volume/csi/csi_plugin.go, csiTimeout). */
const stageHangs = csi({
  id: 'E16-csi-stage-hangs',
  title: 'The driver never answers the kubelet',
  faults: { NodeStageVolume: { hang: true } },
  until: async (ns) => {
    await bound(ns);
    await untilEvent(ns, 'Pod', 'FailedMount', /already exists/, 180_000);
  },
  expect: failed(podRoot(/has not finished with volume/)),
});

/** One volume is made before it is stopped, and one is asked for after. */
const noProvisioner = csi({
  id: 'E16-csi-provisioner',
  title: 'The provisioner of a driver has stopped',
  driver: 'tape',
  fixture: true,
  arrange: async (ns) => {
    await apply([claimOf(ns, 'before'), userOf(ns, { name: 'first', claim: 'before', node: 'node-1' })]);
    await untilAvailable(ns, 'first');
    await component(provisionerName(CSI_DRIVERS.tape)).kill();
    await apply([claimOf(ns), userOf(ns)]);
  },
  until: async (ns) => {
    await untilEvent(ns, 'PersistentVolumeClaim', 'ExternalProvisioning');
    await waitForObject('v1', 'PersistentVolumeClaim', ns, 'data', (obj) => obj?.status?.phase === 'Pending' && Date.now() - Date.parse(obj.metadata.creationTimestamp) > 95_000, LIMIT);
  },
  expect: failed({ ...claimRoot(/tape\.strata\.test/), certainty: 'proven' }, LEDGER),
  restore: () => component(provisionerName(CSI_DRIVERS.tape)).start(),
});

const noAttacher = csi({
  id: 'E16-csi-attacher',
  title: 'The attacher of a driver has stopped',
  driver: 'reel',
  fixture: true,
  arrange: async (ns) => {
    await apply([claimOf(ns), claimOf(ns, 'before'), userOf(ns, { name: 'first', claim: 'before', node: 'node-1' })]);
    await untilAvailable(ns, 'first');
    await bound(ns);
    await component(attacherName(CSI_DRIVERS.reel)).kill();
    await apply(userOf(ns, { node: 'node-1' }));
  },
  until: async (ns) => {
    await untilPods(ns, 'not started on its node', ([pod]) => pod?.status.phase === 'Pending' && pod.spec.nodeName === 'node-1', 'ledger');
    await untilEvent(ns, 'Pod', 'FailedAttachVolume', /external-attacher/, 180_000);
  },
  expect: failed({ ...podRoot(/attacher of driver reel\.strata\.test does not run/), certainty: 'proven' }),
  restore: () => component(attacherName(CSI_DRIVERS.reel)).start(),
});

const notOnNode = csi({
  id: 'E16-csi-node',
  title: 'The driver is registered on another node only',
  driver: 'shelf',
  fixture: true,
  arrange: (ns) => apply([claimOf(ns), userOf(ns, { node: 'node-2' })]),
  until: async (ns) => {
    await bound(ns);
    await untilEvent(ns, 'Pod', 'FailedAttachVolume', /CSINode/);
  },
  expect: failed(podRoot(/shelf\.strata\.test/, /node-2/)),
});

const detachRefused = csi({
  id: 'E16-csi-detach',
  title: 'A volume cannot be taken off the node that a pod has left',
  fixture: true,
  faults: { ControllerUnpublishVolume: { code: 'INTERNAL', message: 'host still holds a reservation on the volume' } },
  arrange: async (ns) => {
    await apply([claimOf(ns), userOf(ns, { node: 'node-1' })]);
    await untilAvailable(ns, 'ledger');
    await patch('apps/v1', 'Deployment', ns, 'ledger', { spec: { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'node-2' } } } } });
  },
  until: async (ns) => {
    await untilEvent(ns, 'Pod', 'FailedAttachVolume', /exported to node/);
    await untilPods(ns, 'only the one on node-2', (all) => all.length === 1 && all[0]?.spec.nodeName === 'node-2');
  },
  expect: failed(podRoot(/cannot be taken off node-1/, /reservation/)),
});

export const csiVolumes: readonly Experiment[] = [
  whole, full, infeasible, createHangs, attachRefused, stageRefused, publishRefused, stageHangs, noProvisioner, noAttacher, notOnNode, detachRefused,
];
