import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterNode, CLOSED_PORT, DEAD_REGISTRY, HOST_IP, IMAGE, PAUSE_IMAGE, paths, REGISTRY, REGISTRY_PORT } from '../layout.ts';
import type { Spec } from '../process.ts';
import { run } from '../run.ts';
import { writeCni } from '../cni.ts';

export const containerdName = (node: ClusterNode): string => `containerd@${node.name}`;
const at = (node: ClusterNode, ...path: string[]): string => join(node.dir, 'containerd', ...path);
export const criSocket = (node: ClusterNode): string => at(node, 'containerd.sock');
export const cniPlugins = (node: ClusterNode): string => join(node.dir, 'cni-bin');
export const cniConfig = (node: ClusterNode): string => join(node.dir, 'cni-net.d');

const config = (node: ClusterNode): string => `version = 2
root = "${at(node, 'root')}"
state = "${at(node, 'state')}"
oom_score = 0

[grpc]
address = "${criSocket(node)}"

[ttrpc]
address = "${criSocket(node)}.ttrpc"

[plugins."io.containerd.internal.v1.opt"]
path = "${at(node, 'opt')}"

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${PAUSE_IMAGE}"
# A kernel that grants no CAP_SYS_RESOURCE refuses a lower oom_score_adj, and runc then dies with an EOF on its pipe.
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${cniPlugins(node)}"
conf_dir = "${cniConfig(node)}"

[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "${at(node, 'registries')}"
`;

const CNI_PLUGINS = ['ptp', 'host-local', 'portmap', 'loopback'];

/** Registries by a name of their own, each at an address of the host, over plain HTTP. */
const registries: Readonly<Record<string, string>> = {
  [REGISTRY]: `http://${HOST_IP}:${REGISTRY_PORT}`,
  [DEAD_REGISTRY]: `http://${HOST_IP}:${CLOSED_PORT}`,
};

export function writeContainerdConfig(node: ClusterNode): void {
  for (const dir of ['root', 'state', 'opt']) mkdirSync(at(node, dir), { recursive: true });
  writeFileSync(at(node, 'config.toml'), config(node));
  for (const [name, server] of Object.entries(registries)) {
    mkdirSync(at(node, 'registries', name), { recursive: true });
    // `server` alone is not looked at by containerd 1.6.
    writeFileSync(at(node, 'registries', name, 'hosts.toml'), `server = "${server}"\n\n[host."${server}"]\ncapabilities = ["pull", "resolve"]\n`);
  }
  mkdirSync(cniPlugins(node), { recursive: true });
  for (const plugin of CNI_PLUGINS) symlinkSync(join('/usr/lib/cni', plugin), join(cniPlugins(node), plugin));
  writeCni(node);
}

const ctr = (node: ClusterNode, ...args: string[]) => run(['ctr', '--address', criSocket(node), '--namespace', 'k8s.io', ...args]);

export const containerd = (node: ClusterNode): Spec => ({
  name: containerdName(node),
  argv: ['/usr/bin/containerd', '--config', at(node, 'config.toml')],
  netns: node.netns,
  ready: () => ctr(node, 'version'),
});

export async function importImages(node: ClusterNode): Promise<void> {
  await ctr(node, 'images', 'import', paths.images);
  const names = (await ctr(node, 'images', 'ls', '-q')).stdout.split('\n');
  for (const name of [IMAGE, PAUSE_IMAGE]) if (!names.includes(name)) throw new Error(`${name} was not imported on ${node.name}`);
}

/** libcni keeps its results in one fixed place, under the network's name. */
export function removeCniCache(): void {
  for (const dir of ['/var/lib/cni/results', '/var/lib/cni/cache/results']) {
    if (!existsSync(dir)) continue;
    for (const file of readdirSync(dir)) if (file.startsWith('strata-')) rmSync(join(dir, file), { force: true });
  }
}
