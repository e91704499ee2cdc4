import type { Node, Pod } from '../../model/kinds.ts';
import { attempt } from '../../model/read.ts';
import { groupBy } from '../lists.ts';
import { formatQuantity } from '../quantity.ts';
import { amountsOf, podRequests } from './resources.ts';
import { nodesFor } from './nodes.ts';
import { matchesNode, untolerated } from './placement.ts';
import type { World } from '../world.ts';
import { isReady } from '../pods/phase.ts';
import { daemonSetOf } from '../owners.ts';

/** Devices that a node has and does not offer: its capacity keeps them while they are unhealthy or their plugin is gone (`pkg/kubelet/cm/devicemanager`). */
export interface Withheld {
  node: Node;
  resource: string;
  has: number;
  offers: number;
  text: string;
}

const DEVICE_PLUGIN = /device-?plugin|gpu-plugin/;
/** Taints by which an agent keeps pods away until it runs: `node.cilium.io/agent-not-ready`, `ebs.csi.aws.com/agent-not-ready`. */
const STARTUP_TAINT = /\/agent-not-ready$/;
const COMMON = new Set([
  'node',
  'csi',
  'io',
  'com',
  'aws',
  'k8s',
  'kubernetes',
  'org',
  'net',
  'azure',
  'googleapis',
  'gpu',
  'device',
  'devices',
  'plugin',
  'daemonset',
]);

/** Words by which the name of an agent is known to be its: `nvidia` of `nvidia.com/gpu`, `cilium` of `node.cilium.io`. */
const wordsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2 && !COMMON.has(word));

/** Devices that would do for the pod if they were offered, on the nodes that its labels allow. Raises Unknown without the nodes. */
export function withheldFrom(world: World, pod: Pod): Withheld[] {
  const asked = Object.entries(podRequests(pod)).filter(([resource]) => resource.includes('/'));
  if (asked.length === 0) return [];
  return nodesFor(world, pod)
    .filter((node) => matchesNode(pod.spec, node))
    .flatMap((node) => {
      const capacity = amountsOf(node.status?.capacity);
      const allocatable = amountsOf(node.status?.allocatable);
      return asked.flatMap(([resource, amount]) => {
        const [has, offers] = [capacity[resource] ?? 0, allocatable[resource] ?? 0];
        if (has < amount || offers >= amount) return [];
        return [
          {
            node,
            resource,
            has,
            offers,
            text: `${node.metadata.name} has ${formatQuantity(resource, has)} ${resource} and offers ${formatQuantity(resource, offers)}`,
          },
        ];
      });
    });
}

/** A node, and which agent on it, by the name of its DaemonSet, would have to work for the pod to be placed there. */
interface Wait {
  node: string;
  matches(name: string): boolean;
}

const waitsForDevices = (world: World, pod: Pod): Wait[] =>
  (attempt(() => [...withheldFrom(world, pod), ...unannounced(world, pod)]) ?? []).map(({ node, resource }) => {
    const words = wordsOf(resource);
    // A node may have plugins of several vendors; another's says nothing of this resource.
    const isOfVendor = (name: string): boolean => words.some((word) => name.includes(word)) || wordsOf(name).length === 0;
    return { node: node.metadata.name, matches: (name) => DEVICE_PLUGIN.test(name) && isOfVendor(name) };
  });

/** A plugin that never came up has told the kubelet of nothing: its node has no such resource, or none of it (after a restart of the kubelet). */
const unannounced = (world: World, pod: Pod): { node: Node; resource: string }[] => {
  const asked = Object.keys(podRequests(pod)).filter((resource) => resource.includes('/'));
  return asked.flatMap((resource) =>
    nodesFor(world, pod)
      .filter((node) => matchesNode(pod.spec, node) && !amountsOf(node.status?.capacity)[resource])
      .map((node) => ({ node, resource })),
  );
};

function waitsForTaints(world: World, pod: Pod): Wait[] {
  return (attempt(() => nodesFor(world, pod)) ?? []).flatMap((node) => {
    const own = untolerated(pod.spec, node).filter(({ key }) => STARTUP_TAINT.test(key ?? ''));
    return own.map(({ key = '' }): Wait => {
      const words = wordsOf(key.split('/')[0] ?? '');
      return { node: node.metadata.name, matches: (name) => words.some((word) => name.includes(word)) };
    });
  });
}

/** Agents of nodes (DaemonSet pods) that are not ready and whose work is what the pod waits for: devices, or the removal of their own taint. */
export function agentsAtFault(world: World, pod: Pod): Pod[] {
  const waits = [...waitsForDevices(world, pod), ...waitsForTaints(world, pod)];
  if (waits.length === 0) return [];
  const agents = world.memo(world.snapshot, 'index:unreadyAgents', () =>
    groupBy(
      world.snapshot.seen('Pod').filter((each) => daemonSetOf(each) !== '' && !isReady(each)),
      (each) => each.spec?.nodeName ?? '',
    ),
  );
  return [...new Set(waits.flatMap(({ node, matches }) => (agents.get(node) ?? []).filter((each) => matches(daemonSetOf(each)))))];
}
