import { join } from 'node:path';
import { type ClusterNode, nodeByName, STATE } from '../layout.ts';
import { kubeletRoot } from '../parts/kubelet.ts';

/** A storage driver of the test cluster, and the nodes on which its node plugin runs. */
export interface CsiDriver {
  name: string;
  nodes: readonly ClusterNode[];
}

const both = ['node-1', 'node-2'];
const driver = (name: string, nodes: readonly string[]): CsiDriver => ({ name, nodes: nodes.map(nodeByName) });

/** `vault` runs whole; of `tape` the provisioner is stopped, of `reel` the attacher; `shelf` has one node only. */
export const CSI_DRIVERS = {
  vault: driver('vault.strata.test', both),
  tape: driver('tape.strata.test', ['node-1']),
  reel: driver('reel.strata.test', ['node-1']),
  shelf: driver('shelf.strata.test', ['node-1']),
} as const;

export const CSI_STATE = join(STATE, 'csi');
const at = ({ name }: CsiDriver, ...path: string[]): string => join(CSI_STATE, name, ...path);

/** The volumes themselves: a folder each, which both nodes reach, as they would reach a storage network. */
export const volumesOf = (which: CsiDriver): string => at(which, 'volumes');
export const controllerSocket = (which: CsiDriver): string => at(which, 'controller.sock');
export const nodeSocket = ({ name }: CsiDriver, node: ClusterNode): string => join(kubeletRoot(node), 'plugins', name, 'csi.sock');
/** The kubelet watches this folder: a socket that comes is asked for its name, and one that goes unregisters it. */
export const registrationSocket = ({ name }: CsiDriver, node: ClusterNode): string => join(kubeletRoot(node), 'plugins_registry', `${name}-reg.sock`);
/** What the driver is to refuse for volumes of one pool (`faults.ts`). */
export const faultsOf = (pool: string): string => join(CSI_STATE, 'faults', `${pool}.json`);
