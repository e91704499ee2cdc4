import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterNode } from '../layout.ts';
import { attempt, run } from '../run.ts';
import { type CsiDriver, nodeSocket, volumesOf } from './layout.ts';
import { type Handlers, type Message, Refusal } from './serve.ts';

export const identity = ({ name }: CsiDriver): Handlers => ({
  GetPluginInfo: () => ({ name, vendor_version: '1' }),
  GetPluginCapabilities: () => ({ capabilities: [{ service: { type: 'CONTROLLER_SERVICE' } }] }),
  Probe: () => ({ ready: { value: true } }),
});

const rpcs = (types: readonly string[]): Message => ({ capabilities: types.map((type) => ({ rpc: { type } })) });

/** Makes folders and says that they are attached, to one node at a time. */
export function controller(which: CsiDriver): Handlers {
  const folder = (id: string): string => join(volumesOf(which), id);
  /** Beside the volume, and not in it: the node that has it. */
  const holder = (id: string): string => `${folder(id)}.node`;
  const found = (id: string): string => {
    if (!existsSync(folder(id))) throw new Refusal('NOT_FOUND', `volume ${id} does not exist`);
    return folder(id);
  };
  return {
    ControllerGetCapabilities: () => rpcs(['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME']),
    CreateVolume: ({ name, parameters, capacity_range }) => {
      const id = `${parameters.pool ?? 'main'}.${name}`;
      mkdirSync(folder(id), { recursive: true });
      return { volume: { volume_id: id, capacity_bytes: capacity_range?.required_bytes ?? '0', volume_context: {} } };
    },
    DeleteVolume: ({ volume_id }) => {
      rmSync(folder(volume_id), { recursive: true, force: true });
      return {};
    },
    ControllerPublishVolume: ({ volume_id, node_id }) => {
      found(volume_id);
      const node = existsSync(holder(volume_id)) ? readFileSync(holder(volume_id), 'utf8') : node_id;
      if (node !== node_id) throw new Refusal('FAILED_PRECONDITION', `volume ${volume_id} is exported to node ${node}`);
      writeFileSync(holder(volume_id), node_id);
      return { publish_context: { exportedTo: node_id } };
    },
    ControllerUnpublishVolume: ({ volume_id }) => {
      rmSync(holder(volume_id), { force: true });
      return {};
    },
    ValidateVolumeCapabilities: ({ volume_id, volume_capabilities }) => {
      found(volume_id);
      return { confirmed: { volume_capabilities } };
    },
  };
}

const isMounted = async (at: string): Promise<boolean> => (await attempt('mountpoint', '-q', at)).code === 0;

async function bind(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  if (!(await isMounted(to))) await run(['mount', '--bind', from, to]);
}

/** The kubelet wants the target itself gone after NodeUnpublishVolume. */
async function unbind(at: string): Promise<void> {
  if (await isMounted(at)) await run(['umount', at]);
  if (existsSync(at)) rmdirSync(at);
}

/** Mounts the volume's folder where the kubelet wants it: first for the node, then for the pod. */
export const nodePlugin = (which: CsiDriver, node: ClusterNode): Handlers => ({
  NodeGetCapabilities: () => rpcs(['STAGE_UNSTAGE_VOLUME']),
  NodeGetInfo: () => ({ node_id: node.name }),
  NodeStageVolume: async ({ volume_id, staging_target_path }) => {
    await bind(join(volumesOf(which), volume_id), staging_target_path);
    return {};
  },
  NodeUnstageVolume: async ({ staging_target_path }) => {
    if (await isMounted(staging_target_path)) await run(['umount', staging_target_path]);
    return {};
  },
  NodePublishVolume: async ({ staging_target_path, target_path }) => {
    await bind(staging_target_path, target_path);
    return {};
  },
  NodeUnpublishVolume: async ({ target_path }) => {
    await unbind(target_path);
    return {};
  },
});

/** What the kubelet asks behind the registration socket. */
export const registration = (which: CsiDriver, node: ClusterNode): Handlers => ({
  GetInfo: () => ({ type: 'CSIPlugin', name: which.name, endpoint: nodeSocket(which, node), supported_versions: ['1.0.0'] }),
  NotifyRegistrationStatus: ({ plugin_registered, error }) => {
    process.stdout.write(plugin_registered ? 'registered\n' : `not registered: ${error}\n`);
    return {};
  },
});
