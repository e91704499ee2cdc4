import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { get } from '../api.ts';
import { CSI_DRIVERS, type CsiDriver, controllerSocket } from '../csi/layout.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import { type ClusterNode, sidecar } from '../layout.ts';
import { nodeRuns } from '../node-typescript.ts';
import { CSI_DRIVER, type Spec } from '../process.ts';

const script = join(import.meta.dirname, '..', CSI_DRIVER);

export const controllerName = ({ name }: CsiDriver): string => `csi-controller.${name}`;
export const provisionerName = ({ name }: CsiDriver): string => `csi-provisioner.${name}`;
export const attacherName = ({ name }: CsiDriver): string => `csi-attacher.${name}`;
export const nodePluginName = ({ name }: CsiDriver, node: ClusterNode): string => `csi-node.${name}@${node.name}`;

const controllerPlugin = (which: CsiDriver): Spec => ({
  name: controllerName(which),
  argv: nodeRuns(script).concat(which.name),
  ready: async () => {
    if (!existsSync(controllerSocket(which))) throw new Error('no socket');
  },
});

const nodePlugin = (which: CsiDriver, node: ClusterNode): Spec => ({
  name: nodePluginName(which, node),
  argv: nodeRuns(script).concat(which.name, node.name),
  ready: async () => {
    const drivers: { name: string }[] = (await get('storage.k8s.io/v1', 'CSINode', '', node.name))?.spec?.drivers ?? [];
    if (!drivers.some(({ name }) => name === which.name)) throw new Error(`CSINode ${node.name} has ${drivers.map(({ name }) => name).join(', ') || 'no driver'}`);
  },
});

/** Under these names the sidecars elect a leader (cmd/csi-provisioner, cmd/csi-attacher; csi-lib-utils `sanitizeName`). */
const LOCK = { 'csi-provisioner': '', 'csi-attacher': 'external-attacher-leader-' };

const sidecarSpec = (program: keyof typeof LOCK, which: CsiDriver, flags: readonly string[]): Spec => ({
  name: `${program}.${which.name}`,
  argv: [
    sidecar(program),
    `--kubeconfig=${kubeconfigPath('admin')}`,
    `--csi-address=${controllerSocket(which)}`,
    '--leader-election',
    '--leader-election-namespace=kube-system',
    '--retry-interval-start=1s',
    '--retry-interval-max=4s',
    ...flags,
  ],
  ready: async (since) => {
    const name = `${LOCK[program]}${which.name}`.replaceAll(/[^a-zA-Z0-9-]/g, '-');
    const lease = await get('coordination.k8s.io/v1', 'Lease', 'kube-system', name);
    const renewed = Date.parse(lease?.spec?.renewTime ?? '');
    if (!(renewed > since)) throw new Error(`lease ${name} renewed ${lease?.spec?.renewTime ?? 'never'}`);
  },
});

const driverSpecs = (which: CsiDriver): Spec[] => [
  controllerPlugin(which),
  sidecarSpec('csi-provisioner', which, ['--feature-gates=Topology=false']),
  sidecarSpec('csi-attacher', which, ['--reconcile-sync=10s']),
  ...which.nodes.map((node) => nodePlugin(which, node)),
];

/** Not started with the cluster: an experiment starts what it needs. */
export const csiDrivers = (): Spec[] => Object.values(CSI_DRIVERS).flatMap(driverSpecs);
