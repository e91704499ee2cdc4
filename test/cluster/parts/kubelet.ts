import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { get } from '../api.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import { binary, CLUSTER_DNS_IP, type ClusterNode, paths } from '../layout.ts';
import type { Spec } from '../process.ts';
import { run } from '../run.ts';
import { criSocket } from './containerd.ts';

export const kubeletName = (node: ClusterNode): string => `kubelet@${node.name}`;
const at = (node: ClusterNode, ...path: string[]): string => join(node.dir, 'kubelet', ...path);

/** What the kubelet measures as `nodefs`: a file system of the node's own, so that it can be filled and nobody else's disk counts. */
export const kubeletRoot = (node: ClusterNode): string => at(node, 'root');

export async function mountKubeletRoot(node: ClusterNode): Promise<void> {
  mkdirSync(kubeletRoot(node), { recursive: true });
  await run(['mount', '-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', kubeletRoot(node)]);
}

const resolvConf = join(paths.config, 'resolv.conf');

export function writeKubeletConfig(node: ClusterNode): void {
  for (const dir of [at(node), join(node.dir, 'pod-logs')]) mkdirSync(dir, { recursive: true });
  writeFileSync(resolvConf, '');
  const config = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    // The API server reaches it there for logs and exec.
    address: node.ip,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${criSocket(node)}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: node.cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    clusterDNS: [CLUSTER_DNS_IP],
    clusterDomain: 'cluster.local',
    resolvConf,
    enforceNodeAllocatable: ['pods'],
    evictionHard: { 'memory.available': '10Mi', 'nodefs.available': '50Mi', 'nodefs.inodesFree': '100', 'imagefs.available': '50Mi' },
    evictionPressureTransitionPeriod: '5s',
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    nodeStatusUpdateFrequency: '1s',
    nodeStatusReportFrequency: '10s',
    nodeLeaseDurationSeconds: 4,
    syncFrequency: '5s',
    serializeImagePulls: false,
    featureGates: { KubeletCrashLoopBackOffMax: true },
    crashLoopBackOff: { maxContainerRestartPeriod: '8s' },
    // Two kubelets on one log folder delete each other's logs.
    podLogsDir: join(node.dir, 'pod-logs'),
    volumePluginDir: at(node, 'volume-plugins'),
  };
  writeFileSync(at(node, 'config.yaml'), JSON.stringify(config));
}

export const kubelet = (node: ClusterNode): Spec => ({
  name: kubeletName(node),
  argv: [
    binary('kubelet'),
    `--config=${at(node, 'config.yaml')}`,
    `--kubeconfig=${kubeconfigPath(node.name)}`,
    `--hostname-override=${node.name}`,
    `--node-ip=${node.ip}`,
    `--root-dir=${kubeletRoot(node)}`,
    `--cert-dir=${at(node, 'pki')}`,
  ],
  netns: node.netns,
  ready: async (since) => {
    const lease = await get('coordination.k8s.io/v1', 'Lease', 'kube-node-lease', node.name);
    if (!(Date.parse(lease?.spec?.renewTime ?? '') > since)) throw new Error(`lease ${node.name} renewed ${lease?.spec?.renewTime ?? 'never'}`);
    const obj = await get('v1', 'Node', '', node.name);
    const condition = obj?.status?.conditions?.find((c: { type: string }) => c.type === 'Ready');
    if (condition?.status !== 'True') throw new Error(`node ${node.name}: ${condition?.message ?? 'not registered'}`);
  },
});
