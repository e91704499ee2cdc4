import type { Condition, KubeObject, Node, PersistentVolumeClaim, Pod, Service } from '../../model/kinds.ts';
import { perList } from './per-list.ts';
import type { View } from './session.ts';

/**
 * What does not look settled so far, from the objects' own status. It decides only what more is read, never what is said:
 * too much here costs a request, too little a "could not be told".
 */
export interface Trouble {
  /** Not ready and not finished. */
  pods: Pod[];
  unscheduled: Pod[];
  /** On a node, with no container ever started. */
  held: Pod[];
  workloads: KubeObject[];
  claims: PersistentVolumeClaim[];
  services: Service[];
  nodes: Node[];
  /** Due to be gone and still there. */
  deleting: KubeObject[];
  namespaces: KubeObject[];
  /** Something above is not empty (services apart, which may rightly be empty). */
  any: boolean;
  /** Whether one of the messages around it holds the words. */
  says(words: string): boolean;
  /** Every first group that the expression finds in those messages. */
  quoted(expression: RegExp): Set<string>;
}

const WORKLOADS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'ReplicationController', 'HorizontalPodAutoscaler'] as const;

interface Counts {
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  updatedReplicas?: number;
  observedGeneration?: number;
  desiredNumberScheduled?: number;
  numberAvailable?: number;
  updatedNumberScheduled?: number;
  active?: number;
  conditions?: Condition[];
}

/**
 * `asked`: the namespaces asked for; empty for all. What was read only to be counted, or because it shares a node or a kind with
 * what is wrong, has reasons of its own: it is nobody's trouble here, unless it is a node's agent.
 */
export function findTrouble(view: View, asked: readonly string[]): Trouble {
  const isOurs = (object: KubeObject | Pod): boolean => {
    const { namespace } = object.metadata;
    return asked.length === 0 || namespace === undefined || asked.includes(namespace) || view.isListed(object.kind, namespace) || isAgent(object);
  };
  const pods = unsettled(view.seen('Pod')).filter(isOurs);
  const owned = countByController(view.seen('Pod'));
  const workloads = WORKLOADS.flatMap((kind) => view.seen(kind as string).filter((object) => isShort(object, owned) && isOurs(object)));
  const claims = view.seen('PersistentVolumeClaim').filter((claim) => claim.status?.phase !== 'Bound');
  const nodes = view.seen('Node').filter((node) => conditionOf(node.status?.conditions, 'Ready')?.status !== 'True');
  const now = new Date(view.now).toISOString();
  const deleting = view
    .kinds()
    .filter((kind) => kind !== 'Event')
    .flatMap((kind) => leaving(view.seen(kind)).filter((object) => (object.metadata.deletionTimestamp ?? '') <= now && isOurs(object)));
  const namespaces = view.seen('Namespace').filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const any = pods.length + workloads.length + claims.length + nodes.length + deleting.length + namespaces.length > 0;
  const services = emptyServices(view);
  let texts: string[] | undefined;
  let whole: string | undefined;
  const all = (): string[] => (texts ??= any || services.length > 0 ? textsAround(view, pods, [...workloads, ...namespaces, ...claims]) : []);
  return {
    pods,
    workloads,
    claims,
    nodes,
    deleting,
    namespaces,
    services,
    any,
    unscheduled: pods.filter((pod) => !pod.spec?.nodeName),
    held: pods.filter((pod) => pod.spec?.nodeName && !hasStarted(pod)),
    says: (words) => (whole ??= all().join('\n')).includes(words),
    quoted: (expression) => new Set(all().flatMap((text) => [...text.matchAll(expression)].map((match) => match[1] ?? ''))),
  };
}

export const conditionOf = (conditions: Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

const isAgent = (object: KubeObject | Pod): boolean =>
  object.kind === 'Pod' && (object.metadata.ownerReferences ?? []).some((owner) => owner.kind === 'DaemonSet');

// Failed pods are history that their own status tells in full.
function isSettled(pod: Pod): boolean {
  const { status, metadata } = pod;
  if (metadata.deletionTimestamp) return false;
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' || conditionOf(status?.conditions as Condition[] | undefined, 'Ready')?.status === 'True';
}

function hasStarted({ status }: Pod): boolean {
  const boxes = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return boxes.some((box) => box.state?.running || box.state?.terminated || box.lastState?.terminated);
}

const unsettled = perList((pods: readonly Pod[]) => pods.filter((pod) => !isSettled(pod)));
const leaving = perList((objects: readonly KubeObject[]) => objects.filter((object) => object.metadata.deletionTimestamp !== undefined));

const countByController = perList((pods: readonly Pod[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { metadata, status } of pods) {
    if (metadata.deletionTimestamp || status?.phase === 'Failed' || status?.phase === 'Succeeded') continue;
    for (const owner of metadata.ownerReferences ?? []) if (owner.controller && owner.uid) counts.set(owner.uid, (counts.get(owner.uid) ?? 0) + 1);
  }
  return counts;
});

// By its own numbers, and by the pods there really are: with a dead controller-manager the numbers stay as they were.
function isShort(object: KubeObject, owned: ReadonlyMap<string, number>): boolean {
  const spec = (object['spec'] ?? {}) as { replicas?: number; suspend?: boolean; paused?: boolean };
  const status = (object['status'] ?? {}) as Counts;
  const { generation, uid = '' } = object.metadata;
  if (generation !== undefined && status.observedGeneration !== undefined && status.observedGeneration < generation) return true;
  // A refused deletion leaves too many.
  if (conditionOf(status.conditions, 'ReplicaFailure')?.status === 'True') return true;
  const wanted = spec.replicas ?? 1;
  const pods = owned.get(uid) ?? 0;
  switch (object.kind) {
    case 'Deployment':
      return (status.availableReplicas ?? 0) < wanted || (status.updatedReplicas ?? 0) < wanted;
    case 'StatefulSet':
      return (status.readyReplicas ?? 0) < wanted || pods < wanted || (status.replicas ?? 0) > wanted;
    case 'ReplicaSet':
    case 'ReplicationController':
      return (wanted > 0 && ((status.availableReplicas ?? 0) < wanted || pods < wanted)) || pods > (status.replicas ?? 0);
    case 'DaemonSet': {
      const desired = status.desiredNumberScheduled ?? 0;
      return (status.numberAvailable ?? 0) < desired || (status.updatedNumberScheduled ?? 0) < desired || pods < desired;
    }
    case 'Job':
      return !spec.suspend && !['Complete', 'Failed'].some((type) => conditionOf(status.conditions, type)?.status === 'True') && pods === 0;
    default:
      return ['AbleToScale', 'ScalingActive'].some((type) => {
        const condition = conditionOf(status.conditions, type);
        return condition?.status === 'False' && condition.reason !== 'ScalingDisabled';
      });
  }
}

function emptyServices(view: View): Service[] {
  const served = new Set<string>();
  for (const slice of view.seen('EndpointSlice')) {
    // A nil ready condition means ready (discovery/v1 EndpointConditions).
    if (slice.endpoints?.some((endpoint) => endpoint.conditions?.ready !== false) && slice.ports)
      served.add(`${slice.metadata.namespace ?? ''}/${slice.metadata.labels?.['kubernetes.io/service-name'] ?? ''}`);
  }
  return view
    .seen('Service')
    .filter(
      ({ spec, metadata }) =>
        spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0 && !served.has(`${metadata.namespace ?? ''}/${metadata.name}`),
    );
}

function textsAround(view: View, pods: readonly Pod[], objects: readonly { [field: string]: unknown }[]): string[] {
  const texts = new Set<string>();
  const add = (text: string | undefined): void => void (text && texts.add(text));
  for (const event of view.seen('Event')) if (event.type !== 'Normal') add(event.message);
  for (const object of objects) for (const condition of (object['status'] as Counts | undefined)?.conditions ?? []) add(condition.message);
  for (const { status } of pods) {
    for (const condition of status?.conditions ?? []) add(condition.message);
    for (const box of [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]) {
      add(box.state?.waiting?.message);
      add(box.state?.terminated?.message);
      add(box.lastState?.terminated?.message);
    }
  }
  return [...texts];
}
