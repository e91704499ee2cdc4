import { existsSync, readdirSync } from 'node:fs';
import { BRIDGE, type ClusterNode, HOST_IP, NODES, SERVICE_CIDR } from './layout.ts';
import { attempt, run, runAll } from './run.ts';

const inside = (node: ClusterNode): string => `nsenter --net=/run/netns/${node.netns} --`;

async function addNode(node: ClusterNode): Promise<void> {
  await runAll([
    `ip netns add ${node.netns}`,
    `ip link add ${node.link} type veth peer name eth0 netns ${node.netns}`,
    `ip link set ${node.link} master ${BRIDGE} up`,
    `${inside(node)} sysctl -q -w net.ipv6.conf.all.disable_ipv6=1 net.ipv4.ip_forward=1`,
    `${inside(node)} ip link set lo up`,
    `${inside(node)} ip addr add ${node.ip}/24 dev eth0`,
    `${inside(node)} ip link set eth0 up`,
    // kube-proxy rewrites a Service address on the way out, but the kernel wants a route for it first. There is no default route.
    `${inside(node)} ip route add ${SERVICE_CIDR} via ${HOST_IP}`,
    ...NODES.filter((other) => other !== node).map((other) => `${inside(node)} ip route add ${other.podCidr} via ${other.ip}`),
    `ip route add ${node.podCidr} via ${node.ip} dev ${BRIDGE}`,
  ]);
}

/** One bridge on the host, one network namespace a node, everything between them routed. */
export async function networkUp(): Promise<void> {
  await runAll([`ip link add ${BRIDGE} type bridge`, `ip addr add ${HOST_IP}/24 dev ${BRIDGE}`, `ip link set ${BRIDGE} up`]);
  for (const node of NODES) await addNode(node);
}

export async function networkDown(): Promise<void> {
  for (const node of NODES) {
    await attempt('ip', 'link', 'del', node.link);
    if (existsSync(`/run/netns/${node.netns}`)) await attempt('ip', 'netns', 'del', node.netns);
  }
  await attempt('ip', 'link', 'del', BRIDGE);
}

/** What is left of a cluster's network: nothing, after `networkDown`. */
export async function networkLeft(): Promise<string[]> {
  const links = JSON.parse((await run(['ip', '-j', 'link'])).stdout) as { ifname: string }[];
  const names = new Set([BRIDGE, ...NODES.map((node) => node.link)]);
  const netns = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  return [
    ...links.filter((link) => names.has(link.ifname)).map((link) => `link ${link.ifname}`),
    ...netns.filter((name) => NODES.some((node) => node.netns === name)).map((name) => `netns ${name}`),
  ];
}
