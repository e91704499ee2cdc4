import type { Node, Pod, Taint } from '../model/kinds.ts';
import type { Stage } from '../model/layer.ts';
import { absent, attempt, known, maybe, need, type Read } from '../model/read.ts';
import type { Text } from '../model/text.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from './address.ts';
import { type Heartbeat, heartbeatClock, heartbeatOf } from './clock.ts';
import { componentFacts } from './control-plane/components.ts';
import type { Family } from './family.ts';
import { lazy } from './lazy.ts';
import { listOf } from './lists.ts';
import { daemonSetOf } from './owners.ts';
import { isMirror, lagOf, podsOn } from './skew.ts';
import { ageOf, isWithin } from './time.ts';
import type { World } from './world.ts';

export interface NodeFacts extends Addressed {
  at: Stage;
  young: boolean;
  /** It has joined just now, and what it is not ready for is still being brought to it. */
  joining: boolean;
  /** It was set aside before, and is not ready for so short a time that it may be starting again. */
  maintained: boolean;
  ready: 'True' | 'False' | 'Unknown' | '';
  condition: AddressedCondition | null;
  text: Text | null;
  pressure: AddressedCondition[];
  pressures: Text[];
  lease: Heartbeat | null;
  cordoned: boolean;
  taints: Taint[];
  age: number;
  pods: readonly Pod[];
  agents: readonly Pod[];
  since: string;
}

// True is bad for these (kubelet; the cloud's route controller; node-problem-detector's permanent ones and its health checks). Others are
// not judged by sign; its counts of restarts (FrequentKubeletRestart and the like) stay True long after, and hold nothing back.
const PRESSURE = [
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
  'KernelDeadlock',
  'ReadonlyFilesystem',
  'ContainerRuntimeUnhealthy',
  'KubeletUnhealthy',
];

// pkg/kubelet/kubelet.go: a Lease of 40 s, renewed every 10 s; the node controller waits 40 to 50 s before it calls a node Unknown.
const LEASE_LIMIT = 90;
const LEASES = 'kube-node-lease';

const YOUNG = 30;
/** A machine that joins waits for its network plugin's agent, whose image is not there yet. */
const JOINING = 120;
/** A machine that was drained and starts again reports before its network and its runtime do. */
const RESTART = 300;

function leaseOf(world: World, name: string): Read<Heartbeat> {
  const read = world.snapshot.get('Lease', LEASES, name);
  if (read.state !== 'known') return read;
  const heartbeat = heartbeatOf(world, read.value);
  return heartbeat ? known(heartbeat) : absent;
}

/**
 * The node controller counts from when it saw the Lease change, by its own clock (monitorNodeHealth, node_lifecycle_controller.go): while
 * it runs, a Lease that looks old on a node it leaves Ready was renewed by a machine whose clock is behind. With the controller-manager
 * gone nobody marks a silent node, and the Lease tells all the same.
 */
const isWatched = (world: World, ready: AddressedCondition | null): boolean => {
  if (ready?.status !== 'True') return false;
  const watcher = componentFacts(world, 'kube-controller-manager');
  return attempt(() => watcher.known && !watcher.stale) === true;
};

const postsOf = ({ status }: Node) => listOf(status?.conditions).flatMap(({ type, lastHeartbeatTime }) => (type === 'Ready' ? [lastHeartbeatTime] : []));

/** Its status was posted of late: a kubelet that may not renew its Lease (a webhook refuses it) is not silent. An old post tells nothing, one in five minutes is enough. */
const hasPosted = (world: World, node: Node): boolean => postsOf(node).some((time) => (ageOf(heartbeatClock(world), time) ?? LEASE_LIMIT) < LEASE_LIMIT);

function stageOf(world: World, node: Node, pressure: readonly AddressedCondition[]): Stage {
  const ready = conditionOf(node, 'Ready');
  const lease = maybe(leaseOf(world, node.metadata.name));
  if (
    ready?.status === 'Unknown' ||
    (lease !== null && lease.age - lagOf(world, node.metadata.name) > LEASE_LIMIT && !isWatched(world, ready) && !hasPosted(world, node))
  )
    return 'lost';
  if (ready?.status === 'False') return 'notready';
  return pressure.length > 0 ? 'pressure' : 'goal';
}

/** The facts of a node, made once a snapshot. */
export function nodeFacts(world: World, node: Node): NodeFacts {
  return world.memo(node, 'node', () => {
    const { name, creationTimestamp } = node.metadata;
    const ready = conditionOf(node, 'Ready');
    const pressure = PRESSURE.map((type) => conditionOf(node, type)).filter((found) => found?.status === 'True') as AddressedCondition[];
    const classify = (condition: AddressedCondition): Text => world.classify('nodes', condition.message || condition.reason || condition.type);
    const facts: NodeFacts = lazy<NodeFacts>({
      at: () => stageOf(world, node, pressure),
      young: () => facts.at !== 'goal' && facts.at !== 'lost' && (isWithin(world.now, facts.since, YOUNG) || facts.joining || facts.maintained),
      joining: () => facts.at === 'notready' && facts.age < JOINING,
      maintained: () => facts.at === 'notready' && facts.cordoned && isWithin(world.now, facts.since, RESTART),
      ready: () => (ready?.status ?? '') as NodeFacts['ready'],
      condition: () => ready,
      text: () => (ready && ready.status !== 'True' ? classify(ready) : null),
      pressure: () => pressure,
      pressures: () => pressure.map(classify),
      lease: () => need(leaseOf(world, name)),
      cordoned: () => node.spec?.unschedulable === true,
      // Rules name the fields; in a damaged dump they may be missing.
      taints: () =>
        listOf(node.spec?.taints).map((taint) => ({
          ...taint,
          key: taint.key ?? '',
          value: taint.value ?? '',
          effect: taint.effect ?? '',
        })),
      age: () => ageOf(world.now, creationTimestamp) ?? 0,
      pods: () => podsOn(world, name),
      agents: () => podsOn(world, name).filter((pod) => pod.metadata.namespace === 'kube-system' || daemonSetOf(pod) !== ''),
      since: () => {
        if (facts.at === 'pressure') return pressure[0]?.since ?? '';
        if (facts.at === 'lost' && ready?.status !== 'Unknown') return maybe(leaseOf(world, name))?.renewed ?? '';
        return facts.at === 'goal' ? '' : (ready?.since ?? '');
      },
      evidence: () => ready?.evidence ?? evidenceAt(node, '', `Node ${name}`),
    });
    return facts;
  });
}

/** The node a pod was given to; absent where it has none or the node is gone. */
export function nodeOf(world: World, pod: Pod): Read<Node> {
  const name = pod.spec?.nodeName;
  return name ? world.snapshot.get('Node', undefined, name) : absent;
}

/**
 * Given to its node by a scheduler, or taken up by a kubelet: binding sets the condition (pkg/registry/core/pod/storage), a kubelet the time.
 * A pod that names its node by itself has neither before a kubelet sees it.
 */
export function isPlaced(pod: Pod): boolean {
  const { startTime, phase = 'Pending' } = pod.status ?? {};
  if (startTime || phase !== 'Pending' || isMirror(pod)) return true;
  return conditionOf(pod, 'PodScheduled') !== null;
}

/**
 * Whether what a pod says of itself is of the present: its kubelet reports. False on a node that is lost or proven gone;
 * a node that could not be read is given the benefit of the doubt.
 */
export function kubeletReports(world: World, pod: Pod): boolean {
  if (!pod.spec?.nodeName) return true;
  const node = nodeOf(world, pod);
  if (node.state === 'unknown') return true;
  if (node.state === 'known') return nodeFacts(world, node.value).at !== 'lost';
  // A list read before the pods may lack a node that has just joined. One that was never placed has none to wait for.
  return isPlaced(pod) && isWithin(world.now, pod.metadata.creationTimestamp, YOUNG);
}

/** Its node is there and silent: what it says of itself, Ready included, is from before. The node controller unreadies it within a minute, while that runs. */
export function onSilentNode(world: World, pod: Pod): boolean {
  const node = maybe(nodeOf(world, pod));
  return node !== null && nodeFacts(world, node).at === 'lost';
}

/** Whether the node of a pod has joined just now: that its network is not there yet is no failure. */
export function isJoining(world: World, pod: Pod): boolean {
  const node = maybe(nodeOf(world, pod));
  return node !== null && nodeFacts(world, node).joining;
}

export const family: Family = {
  name: 'nodes',
  doc: 'What a node says of itself, when it last said anything, and who runs on it.',
  types: {
    Node: {
      at: { type: 'string', doc: 'rung: lost (kubelet silent), notready (it says so itself), pressure, goal', oneOf: ['lost', 'notready', 'pressure', 'goal'] },
      young: { type: 'bool', doc: 'not at its goal for less than half a minute' },
      maintained: { type: 'bool', doc: 'it was cordoned before, and not ready for so short a time that it may be starting again' },
      joining: { type: 'bool', doc: 'not ready, and in the cluster for less than two minutes: its network plugin is still on its way' },
      ready: { type: 'string', doc: 'status of condition Ready', oneOf: ['True', 'False', 'Unknown', ''] },
      condition: { type: 'Condition?', doc: 'condition Ready' },
      text: { type: 'Text?', doc: 'message of Ready by table nodes, where it is not True' },
      pressure: {
        type: 'list<Condition>',
        doc: 'conditions that are True and should not be: MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable, ...',
      },
      pressures: { type: 'list<Text>', doc: 'their messages by table nodes' },
      lease: { type: 'Lease?', doc: 'heartbeat; null where there is none' },
      cordoned: { type: 'bool', doc: 'spec.unschedulable' },
      taints: { type: 'list<dyn>', doc: 'spec.taints' },
      age: { type: 'double', doc: 'seconds since it joined' },
      pods: { type: 'list<object>', doc: 'pods given to it, from what was read' },
      agents: { type: 'list<object>', doc: 'of those, pods of kube-system and of DaemonSets' },
      since: { type: 'string', doc: "RFC 3339, since when it stands there; '' at its goal" },
      evidence: { type: 'Evidence', doc: 'condition Ready, or the node' },
    },
  },
  variables: [{ name: 'node', kinds: ['Node'], type: 'Node', doc: 'The node itself.', of: (world, object) => nodeFacts(world, object as Node) }],
};
