import type { Node, Pod } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { listOf, textsOf } from '../lists.ts';
import { add, amountsOf, type Amounts, hostPortsOf, type HostPort, podRequests, portsClash, subtract } from './resources.ts';
import type { PredicateKind } from './message.ts';
import { neighbourCheck, type NeighbourRefusal } from './neighbours.ts';
import { cordoned, isCordonTaint, matchesNode, taintText, untolerated } from './placement.ts';
import { volumeNodeCheck } from '../volumes/pod-claims.ts';
import type { World } from '../world.ts';
import { isFinished } from '../pods/phase.ts';

/** One reason by which a node refuses the pod, found by our own evaluation. */
export interface Block {
  kind: PredicateKind;
  /** What stands against the pod there: `dedicated=db:NoSchedule`, `port 80/TCP is taken by web-1`. */
  says: string;
}

/** One node as the scheduler would judge it from what was read. */
export interface NodeFit {
  node: Node;
  /** In the scheduler's own order of plugins; it reports the first and stops. */
  blocks: Block[];
  /** Allocatable less the requests of the pods placed there. */
  free: Amounts;
  /** What the pod asks beyond `free`; empty where it has room. */
  short: Amounts;
}

interface Load {
  requested: Amounts;
  pods: Pod[];
  ports: { pod: Pod; port: HostPort }[];
}

/**
 * Every node judged for the pod: cordon, taints, affinity, ports, resources, volumes' node affinity, pod affinity.
 * Pods of one template share one evaluation. Raises Unknown where the nodes or the pods of all namespaces are not known.
 */
export function fitsOf(world: World, pod: Pod): readonly NodeFit[] {
  return world.memo(world.snapshot, `scheduling:fits:${signatureOf(world, pod)}`, () => {
    const nodes = need(world.snapshot.list('Node')) ?? [];
    const loads = loadsOf(world);
    const asked = podRequests(pod);
    const ports = hostPortsOf(pod);
    const neighbours = neighbourCheck(world, pod);
    const volumes = volumeNodeCheck(world, pod);
    return nodes.map((node) => fitOf(pod, node, { asked, ports, load: loads.get(node.metadata.name) ?? EMPTY, neighbours, volumes }));
  });
}

const EMPTY: Load = { requested: {}, pods: [], ports: [] };

interface Demand {
  asked: Amounts;
  ports: readonly HostPort[];
  load: Load;
  neighbours: (node: Node) => NeighbourRefusal | null;
  volumes: (node: Node) => string | null;
}

function fitOf(pod: Pod, node: Node, { asked, ports, load, neighbours, volumes }: Demand): NodeFit {
  const allocatable = amountsOf(node.status?.allocatable);
  const free = subtract(allocatable, load.requested);
  free['pods'] = (allocatable['pods'] ?? 0) - load.pods.length;
  const short = shortOf({ ...asked, pods: 1 }, free);
  const blocks: Block[] = [];
  const cordon = cordoned(pod.spec, node);
  if (cordon) blocks.push({ kind: 'cordon', says: 'cordoned' });
  for (const taint of untolerated(pod.spec, node)) {
    if (!(cordon && isCordonTaint(taint))) blocks.push({ kind: 'taint', says: taintText(taint) });
  }
  if (!matchesNode(pod.spec, node)) blocks.push({ kind: 'affinity', says: 'labels differ from the node selector or affinity' });
  for (const port of ports) {
    const holder = load.ports.find((taken) => portsClash(taken.port, port));
    if (holder) blocks.push({ kind: 'ports', says: `port ${port.port}/${port.protocol} is taken by ${holder.pod.metadata.name}` });
  }
  for (const resource of Object.keys(short)) blocks.push({ kind: resource === 'pods' ? 'pods' : 'resources', says: resource });
  const volume = volumes(node);
  if (volume !== null) blocks.push({ kind: 'volume-node', says: volume });
  // Whatever its skew: where a node lacks the label that is counted by, the pod may not go (podtopologyspread, filtering.go).
  const uncounted = listOf(pod.spec?.topologySpreadConstraints).find(
    ({ whenUnsatisfiable, topologyKey = '' }) => whenUnsatisfiable === 'DoNotSchedule' && textsOf(node.metadata.labels)[topologyKey] === undefined,
  );
  if (uncounted) blocks.push({ kind: 'spread', says: `it has no label ${uncounted.topologyKey}` });
  const neighbour = neighbours(node);
  if (neighbour) blocks.push({ kind: neighbour.kind, says: neighbour.says });
  return { node, blocks, free, short };
}

/** What is asked beyond what is free; a request of 0 is never short. */
export function shortOf(asked: Amounts, free: Amounts): Amounts {
  const short: Amounts = {};
  for (const [resource, value] of Object.entries(asked)) {
    const lack = value - (free[resource] ?? 0);
    if (value > 0 && lack > 1e-9) short[resource] = resource === 'cpu' ? Math.round(lack * 1000) / 1000 : lack;
  }
  return short;
}

/** What the pods placed on each node hold, by node name. Raises Unknown without the pods of all namespaces. */
export function loadsOf(world: World): ReadonlyMap<string, Load> {
  return world.memo(world.snapshot, 'scheduling:loads', () => {
    const loads = new Map<string, Load>();
    for (const pod of need(world.snapshot.list('Pod')) ?? []) {
      const name = pod.spec?.nodeName;
      // A terminating pod keeps what it asked for to its end.
      if (!name || isFinished(pod)) continue;
      let load = loads.get(name);
      if (!load) loads.set(name, (load = { requested: {}, pods: [], ports: [] }));
      add(load.requested, podRequests(pod));
      load.pods.push(pod);
      for (const port of hostPortsOf(pod)) load.ports.push({ pod, port });
    }
    return loads;
  });
}

/** Everything that placement depends on: 5000 replicas of one template are one evaluation. */
export const signatureOf = (world: World, pod: Pod): string => world.memo(pod, 'scheduling:signature', () => signature(pod));

function signature(pod: Pod): string {
  const spec = pod.spec ?? {};
  const claims = listOf(spec.volumes).filter((volume) => volume.persistentVolumeClaim || volume.ephemeral);
  const own = claims.some((volume) => volume.ephemeral) ? pod.metadata.name : '';
  return JSON.stringify([
    claims,
    own,
    pod.metadata.namespace,
    pod.metadata.labels,
    spec.nodeSelector,
    spec.affinity,
    spec.tolerations,
    spec.topologySpreadConstraints,
    spec.overhead,
    spec.resources,
    spec.hostNetwork,
    shapesOf(spec.containers),
    shapesOf(spec.initContainers),
  ]);
}

const shapesOf = (containers: NonNullable<Pod['spec']>['containers']): unknown[] =>
  listOf(containers).map(({ resources, ports, restartPolicy }) => [resources, ports, restartPolicy]);

/** Resources a pod asks, with the place it takes. */
export const askedOf = (pod: Pod): Amounts => ({ ...podRequests(pod), pods: 1 });
