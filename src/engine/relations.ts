/**
 * Who can give what: the one fixed table that decides which finding may be a cause of which.
 * A neighbour outside this table is never a cause, however loud (DESIGN section 4).
 */
import { conditionOf } from '../facts/address.ts';
import { groupBy, listOf } from '../facts/lists.ts';
import { isNetworkPlugin } from '../facts/network/plugins.ts';
import { daemonSetOf } from '../facts/owners.ts';
import { matchesLabels } from '../facts/selectors.ts';
import { claimVolumesOf } from '../facts/volumes/pod-claims.ts';
import { timeOf } from '../facts/time.ts';
import type { World } from '../facts/world.ts';
import type { CustomResourceDefinition, DaemonSet, KubeObject, Pod, PodSpec, Service } from '../model/kinds.ts';
import type { Capability } from '../model/layer.ts';
import type { Gap, Read } from '../model/read.ts';

/** Something an object should give. */
export interface Need {
  capability: Capability;
  object: KubeObject;
  /** What the object rests on in turn is none of this need's business. */
  final?: boolean;
}

/** What could not be read on the way is left in `gaps`: a cause may hide there. */
type Step = (world: World, object: KubeObject, gaps: Gap[]) => Need[];

/** By capability, then by the kind that is asked for it; '*' for any kind. */
const TABLE: Partial<Record<Capability, Record<string, Step>>> = {
  kubelet: { Pod: (world, pod, gaps) => nodeOf(world, pod, 'kubelet', gaps) },
  runtime: {
    Pod: (world, pod, gaps) => nodeOf(world, pod, 'runtime', gaps),
    // One container that hangs in the runtime makes its neighbours wait, if none of them is started meanwhile.
    Node: (world, node) =>
      podsOn(world, node)
        .filter((pod) => !isOutrun(pod, podsOn(world, node)))
        .map((object) => ({ capability: 'runtime', object, final: true })),
  },
  disk: { Pod: (world, pod, gaps) => nodeOf(world, pod, 'disk', gaps) },
  network: {
    Pod: (world, pod, gaps) => nodeOf(world, pod, 'network', gaps),
    Node: (world, node) => networkAgents(world, node),
  },
  bound: { Pod: (world, pod, gaps) => claimsOf(world, pod as Pod, gaps).map((object) => ({ capability: 'bound', object })) },
  endpoints: { Service: (world, service) => backersOf(world, service as Service).map((object) => ({ capability: 'ready', object })) },
  serves: { '*': (world, object, gaps) => servers(world, object, gaps) },
  ready: { '*': (world, object) => owned(world, object).map((child) => ({ capability: 'ready', object: child })) },
  gone: {
    Namespace: (world, namespace) => deletedIn(world, namespace.metadata.name).map((object) => ({ capability: 'gone', object })),
    CustomResourceDefinition: (world, crd) => deletedOf(world, crd as CustomResourceDefinition).map((object) => ({ capability: 'gone', object })),
  },
};

/** What `need` rests on in turn: an unready Service on its pods, a workload on the pods it owns. */
export function restsOn(world: World, need: Need, gaps: Gap[]): Need[] {
  if (need.final) return [];
  const steps = TABLE[need.capability];
  const step = steps?.[need.object.kind] ?? steps?.['*'];
  return step ? step(world, need.object, gaps) : [];
}

/** The object, or nothing; a read that failed leaves its gap. */
function found<T extends KubeObject>(read: Read<T>, gaps: Gap[]): T[] {
  if (read.state === 'unknown') gaps.push(read.why);
  return read.state === 'known' ? [read.value] : [];
}

const nodeOf = (world: World, pod: KubeObject, capability: Capability, gaps: Gap[]): Need[] => {
  const name = (pod as Pod).spec?.nodeName;
  return name ? found(world.snapshot.get('Node', undefined, name), gaps).map((object) => ({ capability, object })) : [];
};

const podsOn = (world: World, node: KubeObject): readonly Pod[] =>
  world.memo(world.snapshot, 'engine:podsOn', () => groupBy(world.snapshot.seen('Pod'), (pod) => pod.spec?.nodeName ?? '')).get(node.metadata.name) ?? [];

/** Others got a container started since this one has waited for its own. */
function isOutrun(pod: Pod, neighbours: readonly Pod[]): boolean {
  const ready = conditionOf(pod, 'ContainersReady') ?? conditionOf(pod, 'Ready');
  const since = ready?.status === 'False' ? timeOf(ready.since) : null;
  return (
    since !== null &&
    neighbours.some(
      (other) => other !== pod && listOf(other.status?.containerStatuses).some(({ state }) => (timeOf(state?.running?.startedAt) ?? 0) > since + SLOW),
    )
  );
}

// A start that was under way when the other one began to hang (pkg/kubelet, runtimeRequestTimeout).
const SLOW = 120_000;

const claimsOf = (world: World, pod: Pod, gaps: Gap[]): KubeObject[] =>
  claimVolumesOf(pod).flatMap(({ claim }) => found(world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, claim), gaps));

/** Everything that names this object among its owners, whether as its controller or not. */
function owned(world: World, owner: KubeObject): readonly KubeObject[] {
  const index = world.memo(world.snapshot, 'engine:owned', () => {
    const children = new Map<string, KubeObject[]>();
    for (const kind of world.snapshot.kinds()) {
      for (const object of world.snapshot.seen(kind)) {
        for (const reference of object.metadata.ownerReferences ?? []) {
          if (!reference.uid) continue;
          const list = children.get(reference.uid);
          if (list) list.push(object);
          else children.set(reference.uid, [object]);
        }
      }
    }
    return children;
  });
  return index.get(owner.metadata.uid ?? '') ?? [];
}

/** Pods a Service selects, and workloads whose pods it would select if they had any. */
function backersOf(world: World, service: Service): KubeObject[] {
  const selector = service.spec?.selector;
  if (!selector || Object.keys(selector).length === 0) return [];
  const namespace = service.metadata.namespace ?? '';
  const pods = world.snapshot.seen('Pod', namespace).filter((pod) => matchesLabels(selector, pod.metadata.labels));
  const workloads = ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Deployment'].flatMap((kind) =>
    world.snapshot.seen(kind, namespace).filter((workload) => {
      const template = (workload as { spec?: { template?: { metadata?: { labels?: Record<string, string> } } } }).spec?.template;
      return matchesLabels(selector, template?.metadata?.labels);
    }),
  );
  return [...pods, ...workloads];
}

/** A controller serves while it or its pods run; an APIService or webhook while its Service has endpoints. */
function servers(world: World, object: KubeObject, gaps: Gap[]): Need[] {
  if (object.kind === 'Service') return [{ capability: 'endpoints', object }];
  const spec = object['spec'] as { service?: { name?: string; namespace?: string } } | undefined;
  const named = spec?.service?.name ? found(world.snapshot.get('Service', spec.service.namespace, spec.service.name), gaps) : [];
  if (named[0]) return [{ capability: 'endpoints', object: named[0] }];
  return [{ capability: 'ready', object }];
}

/** Told by what it mounts, the directories from which the runtime reads CNI configuration and binaries, or by its image. */
const isNetworkAgent = (name: string, spec: PodSpec | undefined): boolean =>
  (spec?.volumes ?? []).some((volume) => /\/cni(\/|$)/.test(volume?.hostPath?.path ?? '')) || isNetworkPlugin(name, spec);

/** The network plugin's agents on a node; where one has no pod there, the DaemonSet that should have made it. */
function networkAgents(world: World, node: KubeObject): Need[] {
  const { pods, sets } = world.memo(world.snapshot, 'engine:networkAgents', () => {
    const isAgent = (pod: Pod): boolean => daemonSetOf(pod) !== '' && isNetworkAgent(daemonSetOf(pod), pod.spec);
    return {
      pods: groupBy(world.snapshot.seen('Pod').filter(isAgent), (pod) => pod.spec?.nodeName ?? ''),
      sets: world.snapshot.seen('DaemonSet').filter((set: DaemonSet) => isNetworkAgent(set.metadata.name, set.spec?.template?.spec)),
    };
  });
  const here = pods.get(node.metadata.name) ?? [];
  const owners = new Set(here.flatMap((pod) => (pod.metadata.ownerReferences ?? []).map((reference) => reference?.uid)));
  return [
    ...here.map((object): Need => ({ capability: 'ready', object })),
    ...sets.filter((set) => !owners.has(set.metadata.uid)).map((object): Need => ({ capability: 'ready', object, final: true })),
  ];
}

/** Instances of a custom kind that are being deleted. */
function deletedOf(world: World, crd: CustomResourceDefinition): KubeObject[] {
  const { group, names } = crd.spec ?? {};
  return world.snapshot.seen(`${names?.kind}.${group}`).filter((object) => object.metadata.deletionTimestamp);
}

function deletedIn(world: World, namespace: string): KubeObject[] {
  return world.snapshot.kinds().flatMap((kind) => world.snapshot.seen(kind, namespace).filter((object) => object.metadata.deletionTimestamp));
}
