import { BlockList, isIP } from 'node:net';
import type { KubeObject, NetworkPolicy, Node, Pod } from '../../model/kinds.ts';
import { maybe } from '../../model/read.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { listOf, textsOf } from '../lists.ts';
import { matchesSelector } from '../selectors.ts';
import type { World } from '../world.ts';

/** A NetworkPolicy that selects a pod and by its own words lets nothing in from the pod's node. */
export interface Wall extends Addressed {
  object: KubeObject;
}

type Rule = NonNullable<NonNullable<NetworkPolicy['spec']>['ingress']>[number];
type Peer = NonNullable<Rule['from']>[number];

/** One without policyTypes is of ingress (networking/v1 NetworkPolicySpec). */
export function ingressOver(world: World, namespace: string, pods: readonly Pod[]): NetworkPolicy[] {
  return (maybe(world.snapshot.list('NetworkPolicy', namespace)) ?? []).filter(({ spec }) => {
    const types = listOf<string>(spec?.policyTypes);
    if (types.length > 0 && !types.includes('Ingress')) return false;
    // Without a selector it is that of all pods: the field may be left out where it would be empty (since 1.34).
    return pods.some((pod) => matchesSelector(spec?.podSelector ?? {}, textsOf(pod.metadata.labels)));
  });
}

/**
 * The policies over a pod, where not one of them lets its own node in to this port. Kubernetes says that a node's own traffic always
 * passes (networking/v1, IPBlock), and no object says whether the network plugin keeps to it: a possibility, no proof.
 */
export function wallsAround(world: World, pod: Pod, port: number, protocol: string): Wall[] {
  // What shares the network of its node is not the plugin's.
  if (pod.spec?.hostNetwork) return [];
  const policies = ingressOver(world, pod.metadata.namespace ?? '', [pod]);
  const addresses = policies.length > 0 ? addressesOf(world, pod) : null;
  const lets = (rule: Rule): boolean => meetsPort(rule, pod, port, protocol) && meetsNode(listOf(rule.from), addresses);
  if (policies.some(({ spec }) => listOf<Rule>(spec?.ingress).some(lets))) return [];
  return policies.map((policy) => {
    const rules = listOf(policy.spec?.ingress).length;
    const says =
      rules === 0 ? 'lets nothing in' : `of ${rules} ${rules === 1 ? 'rule' : 'rules'} for what comes in none names a node on port ${port}/${protocol}`;
    return { object: policy, evidence: evidenceAt(policy, '/spec', says, policy.metadata.creationTimestamp) };
  });
}

function meetsPort(rule: Rule, pod: Pod, port: number, protocol: string): boolean {
  const ports = listOf(rule?.ports);
  return (
    ports.length === 0 ||
    ports.some((each) => {
      if ((each?.protocol ?? 'TCP') !== protocol) return false;
      const named = each?.port as number | string | undefined;
      if (named === undefined || named === null) return true;
      if (typeof named === 'number') return port >= named && port <= (each?.endPort ?? named);
      return listOf(pod.spec?.containers).some(({ ports: own }) => listOf(own).some(({ name, containerPort }) => name === named && containerPort === port));
    })
  );
}

/** Peers by labels are pods; a node is met by its address, and by a rule that names nobody and so means all. */
function meetsNode(peers: readonly Peer[], addresses: readonly string[] | null): boolean {
  if (peers.length === 0) return true;
  return peers.some((peer) => {
    const ipBlock = peer?.ipBlock;
    if (!ipBlock) return false;
    // Of a node that was not read any range may be its own.
    if (!addresses) return true;
    return addresses.some((address) => within(ipBlock.cidr, address) && !listOf(ipBlock.except).some((cidr) => within(cidr, address)));
  });
}

/** Where a node asks its pods from: its own addresses, or the bridge in the range of its pods. Null where it was not read. */
function addressesOf(world: World, pod: Pod): string[] | null {
  const read = world.snapshot.get('Node', undefined, pod.spec?.nodeName ?? '');
  const node = maybe(read) as Node | null;
  if (!node) return null;
  const own = listOf(node.status?.addresses).flatMap(({ address }) => (address && isIP(address) ? [address] : []));
  const ranges = [...listOf<string>(node.spec?.podCIDRs), node.spec?.podCIDR ?? '']
    .flatMap((cidr) => cidr.split('/')[0] ?? [])
    .filter((address) => isIP(address));
  return [...new Set([...own, ...ranges, ...(pod.status?.hostIP && isIP(pod.status.hostIP) ? [pod.status.hostIP] : [])])];
}

function within(cidr: unknown, address: string): boolean {
  const [base = '', prefix = ''] = String(cidr ?? '').split('/');
  const family = isIP(base);
  if (family === 0 || family !== isIP(address) || !/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(base, Number(prefix), type);
  return list.check(address, type);
}
