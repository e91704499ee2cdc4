import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterNode } from './layout.ts';
import { cniConfig, cniPlugins } from './parts/containerd.ts';

const file = (node: ClusterNode): string => join(cniConfig(node), '10-strata.conflist');

/** Everything is routed (`ptp`), so there is no bridge on the node and no hairpin trouble with kube-proxy. */
function network(node: ClusterNode, extra: readonly object[] = []): object {
  return {
    cniVersion: '0.4.0',
    name: `strata-${node.name}`,
    plugins: [
      {
        type: 'ptp',
        ipMasq: false,
        ipam: {
          type: 'host-local',
          dataDir: join(node.dir, 'cni-ipam'),
          ranges: [[{ subnet: node.podCidr }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      ...extra,
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

/** The working configuration. Written in place: containerd 1.6 does not notice one that is moved back. */
export function writeCni(node: ClusterNode): void {
  mkdirSync(cniConfig(node), { recursive: true });
  writeFileSync(file(node), JSON.stringify(network(node)));
}

/** The node is left without any network configuration. */
export function removeCni(node: ClusterNode): void {
  rmSync(file(node), { force: true });
}

/** The configuration names one plugin more, which refuses every ADD with `message` as a CNI error (code 100 and up are the plugin's own). */
export function breakCni(node: ClusterNode, plugin: string, message: string): void {
  const error = JSON.stringify({ cniVersion: '0.4.0', code: 110, msg: message });
  const script = `#!/bin/sh
case "$CNI_COMMAND" in
VERSION) echo '{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}' ;;
ADD) echo '${error.replaceAll("'", "'\\''")}'; exit 1 ;;
esac
`;
  writeFileSync(join(cniPlugins(node), plugin), script);
  chmodSync(join(cniPlugins(node), plugin), 0o755);
  writeFileSync(file(node), JSON.stringify(network(node, [{ type: plugin }])));
}
