import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfigPath } from '../kubeconfig.ts';
import { binary, type ClusterNode } from '../layout.ts';
import type { Spec } from '../process.ts';

export const kubeProxyName = (node: ClusterNode): string => `kube-proxy@${node.name}`;
const file = (node: ClusterNode): string => join(node.dir, 'kube-proxy', 'config.yaml');

export function writeKubeProxyConfig(node: ClusterNode): void {
  mkdirSync(join(node.dir, 'kube-proxy'), { recursive: true });
  const config = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    bindAddress: node.ip,
    hostnameOverride: node.name,
    clientConnection: { kubeconfig: kubeconfigPath('kube-proxy') },
    mode: 'iptables',
    // Zero leaves the kernel's own values: they cannot be raised from inside a network namespace.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    oomScoreAdj: 0,
  };
  writeFileSync(file(node), JSON.stringify(config));
}

export const kubeProxy = (node: ClusterNode): Spec => ({
  name: kubeProxyName(node),
  argv: [binary('kube-proxy'), `--config=${file(node)}`],
  netns: node.netns,
});
