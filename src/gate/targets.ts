import { controllerRef } from '../facts/owners.ts';
import { listOf, textsOf } from '../facts/lists.ts';
import type { World } from '../facts/world.ts';
import type { GateRef } from '../model/gate.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Scope, Snapshot } from '../model/snapshot.ts';

/** `orders/web`, `web` for what has no namespace: what the log calls a target; of a type of which there is none the kind. */
export const shortName = ({ kind, namespace, name }: Pick<GateRef, 'kind' | 'namespace' | 'name'>): string =>
  [namespace, name || kind.split('.')[0]].filter(Boolean).join('/');

/** Kinds that are at their goal by being there; kubectl apply has seen to that, and reading them may be forbidden for good reason. */
export const INERT = new Set([
  'ConfigMap',
  'Secret',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'NetworkPolicy',
  'LimitRange',
  'ResourceQuota',
  'PriorityClass',
  'StorageClass',
  'IngressClass',
  'RuntimeClass',
  'PodDisruptionBudget',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'Endpoints',
  'EndpointSlice',
  'Event',
  'Lease',
  'CSIDriver',
  'PersistentVolume',
]);

const ROLLED = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job'] as const;

/** Every workload in scope that nothing else controls: what a gate without names waits for. */
export function workloadsIn(snapshot: Snapshot, scope: Scope, matches: (object: KubeObject) => boolean): GateRef[] {
  return ROLLED.flatMap((kind) =>
    snapshot
      .seen(kind)
      .filter((object) => {
        const { namespace, deletionTimestamp } = object.metadata;
        return !deletionTimestamp && controllerRef(object) === null && (scope.all || scope.namespaces.includes(namespace ?? '')) && matches(object);
      })
      .map((object) => ({ kind, name: object.metadata.name, ...(object.metadata.namespace ? { namespace: object.metadata.namespace } : {}) })),
  );
}

/** The template's images, init containers included. */
export function imagesOf(object: KubeObject): string[] {
  const spec = object['spec'] as ({ template?: { spec?: PodSpec }; jobTemplate?: { spec?: { template?: { spec?: PodSpec } } } } & PodSpec) | undefined;
  const pod = spec?.template?.spec ?? spec?.jobTemplate?.spec?.template?.spec ?? (object.kind === 'Pod' ? spec : undefined);
  return [...listOf(pod?.initContainers), ...listOf(pod?.containers)].map((container) => container.image ?? '').filter(Boolean);
}

interface PodSpec {
  containers?: { image?: string }[];
  initContainers?: { image?: string }[];
}

/**
 * Whether an expected reference names this image: as typed, or without what everybody leaves out (`docker.io/library/`),
 * or, where it carries no registry, by its end: `api:2.9` is `registry.example/shop/api:2.9`.
 */
export function sameImage(expected: string, image: string): boolean {
  const bare = (text: string): string => text.replace(/^docker\.io\/(library\/)?/, '').replace(/^library\//, '');
  return bare(expected) === bare(image) || image.endsWith(`/${expected}`);
}

export const labelsOf = (object: KubeObject): Record<string, string> => textsOf(object.metadata.labels);

/** The object of a reference: present, proven absent, or not to be told. */
export function find(world: World, ref: GateRef): { object: KubeObject | null; known: boolean } {
  // A bare name that nothing has.
  if (ref.kind === '') return { object: null, known: true };
  const read = world.snapshot.get(ref.kind, ref.namespace, ref.name);
  return { object: read.state === 'known' ? read.value : null, known: read.state !== 'unknown' };
}
