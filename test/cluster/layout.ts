import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where everything of the test cluster lives. One cluster a machine: every name below is fixed, so that `down`
 * finds what a killed run left behind without being told anything.
 */
export const STATE = '/run/kubectl-strata';
export const KUBERNETES = 'v1.34.4';

/** One Go module and what `go build tool` makes of it: modules apart, because the sidecars want another Kubernetes than the one that runs. */
export interface GoBuild {
  title: string;
  module: string;
  /** The names of the files in `binaries()`. */
  tools: readonly string[];
  /** Files of a Go module that are wanted beside them: the name there, the module (one that `in` requires), the path in it. */
  files: readonly { name: string; in: string; module: string; path: string }[];
}

const goModule = (name: string): string => join(import.meta.dirname, name);

export const KUBERNETES_BUILD = {
  title: `Kubernetes ${KUBERNETES}`,
  module: goModule('go'),
  tools: ['kube-apiserver', 'kube-controller-manager', 'kube-proxy', 'kube-scheduler', 'kubectl', 'kubelet'],
  files: [],
} as const satisfies GoBuild;

export const CSI_BUILD = {
  title: 'the CSI sidecars',
  module: goModule('go-csi'),
  tools: ['csi-attacher', 'csi-provisioner'],
  files: [
    { name: 'csi.proto', in: goModule('go-csi'), module: 'github.com/container-storage-interface/spec', path: 'csi.proto' },
    { name: 'pluginregistration.proto', in: goModule('go'), module: 'k8s.io/kubelet', path: 'pkg/apis/pluginregistration/v1/api.proto' },
  ],
} as const satisfies GoBuild;

export const GO_BUILDS: readonly GoBuild[] = [KUBERNETES_BUILD, CSI_BUILD];

/** The folder of built binaries, keyed by what they are built from. Outside the repository, so that clones share it. */
export function binaries({ module }: GoBuild = KUBERNETES_BUILD): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(module, file)));
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'kubectl-strata', hash.digest('hex').slice(0, 16), 'bin');
}

export const binary = (name: (typeof KUBERNETES_BUILD.tools)[number]): string => join(binaries(), name);
export const sidecar = (name: (typeof CSI_BUILD.tools)[number]): string => join(binaries(CSI_BUILD), name);
export const proto = (name: (typeof CSI_BUILD.files)[number]['name']): string => join(binaries(CSI_BUILD), name);

/** The bridge, the node addresses and the two CIDRs are ranges set aside for documentation and benchmarks. */
export const BRIDGE = 'strata0';
export const HOST_IP = '198.51.100.1';
export const SERVICE_CIDR = '198.18.0.0/22';
export const CLUSTER_DNS_IP = '198.18.0.10';
export const API_PORT = 6443;
export const apiServer = `https://${HOST_IP}:${API_PORT}`;
export const REGISTRY_PORT = 5000;
export const WEBHOOK_PORT = 5443;
/** Nothing listens there: what an image reference on it must say is "connection refused". */
export const CLOSED_PORT = 5999;

export interface ClusterNode {
  name: string;
  ip: string;
  podCidr: string;
  podGateway: string;
  netns: string;
  /** The host's end of the veth pair; at most 15 characters. */
  link: string;
  cgroup: string;
  dir: string;
}

const clusterNode = (index: number): ClusterNode => ({
  name: `node-${index}`,
  ip: `198.51.100.${10 + index}`,
  podCidr: `198.18.${3 + index}.0/24`,
  podGateway: `198.18.${3 + index}.1`,
  netns: `strata-node-${index}`,
  link: `strata-n${index}`,
  cgroup: `/kubectl-strata/node-${index}`,
  dir: join(STATE, `node-${index}`),
});

export const NODES: readonly ClusterNode[] = [clusterNode(1), clusterNode(2)];

export function nodeByName(name: string): ClusterNode {
  const node = NODES.find((n) => n.name === name);
  if (!node) throw new Error(`no node ${name}; there are ${NODES.map((n) => n.name).join(', ')}`);
  return node;
}

export const IMAGE = 'images.strata.test/busybox:1.35';
export const PAUSE_IMAGE = 'images.strata.test/pause:3.9';
/** Served by the test registry: it answers, and knows no image. */
export const REGISTRY = 'registry.strata.test:5000';
/** Configured to the closed port. */
export const DEAD_REGISTRY = 'registry-down.strata.test:5000';

export const paths = {
  pki: join(STATE, 'pki'),
  tokens: join(STATE, 'pki', 'tokens.csv'),
  kubeconfigs: join(STATE, 'kubeconfig'),
  logs: join(STATE, 'logs'),
  pids: join(STATE, 'pids'),
  config: join(STATE, 'config'),
  audit: join(STATE, 'audit.log'),
  etcd: join(STATE, 'etcd'),
  images: join(STATE, 'images.tar'),
} as const;
