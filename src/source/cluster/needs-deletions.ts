import type { KubeObject } from '../../model/kinds.ts';
import { type Context, spacesOf } from './context.ts';
import type { View } from './session.ts';
import { conditionOf } from './trouble.ts';
import { type Want, builtIn, listOf, one } from './want.ts';

const MOST_SPACES = 4;
const MOST_PODS = 2_000;

/** What is due to be gone and is not: what is left of a namespace, who holds the finalizers, what is attached. */
export function deletions(context: Context): Want[] {
  const { view, trouble } = context;
  const wants: Want[] = [];
  if (trouble.namespaces.length > 0) wants.push(listOf('APIService'));
  for (const space of trouble.namespaces) wants.push(...contentOf(space, context));
  const held = [...trouble.deleting, ...trouble.namespaces].filter(
    (object) => (object.metadata.finalizers ?? []).some(isForeign) || remaining(object, 'NamespaceFinalizersRemaining') !== '',
  );
  if (held.length > 0)
    wants.push(
      listOf('Deployment', undefined, { most: MOST_PODS }),
      listOf('StatefulSet', undefined, { most: MOST_PODS }),
      listOf('DaemonSet', undefined, { most: MOST_PODS }),
      ...CALLED.map((kind) => listOf(kind)),
      ...operators(held, view),
    );
  if (trouble.deleting.some((object) => object.kind.startsWith('PersistentVolume')))
    wants.push(listOf('VolumeAttachment'), listOf('PersistentVolume', undefined, { most: MOST_PODS }));
  return wants;
}

// Who may write the resource, and whose webhooks it calls, tells who its controller is.
const CALLED = ['ClusterRole', 'ClusterRoleBinding', 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;

// Kubernetes' own are taken off by its own controllers; all others by somebody who must be found.
const isForeign = (finalizer: string): boolean => finalizer.includes('/') && !/(?:^|\.)(?:kubernetes|k8s)\.io\//.test(finalizer);

function remaining(space: KubeObject, type: string): string {
  const { conditions } = (space['status'] ?? {}) as { conditions?: { type?: string; status?: string; message?: string }[] };
  const condition = conditionOf(conditions, type);
  return condition?.status === 'True' ? (condition.message ?? '') : '';
}

// "Some resources are remaining: pods. has 1 resource instances, widgets.example.com has 2 resource instances"
// (kube-controller-manager, namespace/deletion/status_condition_utils.go): resource, dot, group, which is empty for core.
function contentOf(space: KubeObject, context: Context): Want[] {
  const wants: Want[] = [];
  for (const [, name = ''] of remaining(space, 'NamespaceContentRemaining').matchAll(/([a-z0-9-]+\.[a-z0-9.-]*) has \d+ resource instances/g)) {
    const resource = name.slice(0, name.indexOf('.'));
    const group = name.slice(name.indexOf('.') + 1);
    const known = KNOWN.find((each) => each.resource === resource && each.group === group);
    if (known) {
      wants.push({
        resource: known,
        namespace: space.metadata.name,
        ...(known.kind === 'Secret' || known.kind === 'ConfigMap' ? { part: 'metadata' as const } : {}),
      });
      continue;
    }
    if (context.served === null) {
      context.discover();
      continue;
    }
    const found = context.served.find((each) => each.plural === resource && each.group === group);
    if (found) wants.push({ resource: found.resource, namespace: space.metadata.name }, one('CustomResourceDefinition', undefined, `${resource}.${group}`));
  }
  return wants;
}

const KNOWN = [
  'Pod',
  'Service',
  'ConfigMap',
  'Secret',
  'PersistentVolumeClaim',
  'ServiceAccount',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'Ingress',
  'NetworkPolicy',
  'Lease',
  'Event',
].map(builtIn);

// A manager that wrote a finalizer is often named like the Deployment that runs it.
function operators(held: readonly KubeObject[], view: View): Want[] {
  const words = new Set(
    held
      .flatMap((object) => [
        ...(object.metadata.writers ?? []).filter((writer) => writer.paths.includes('metadata.finalizers')).map((writer) => writer.manager),
        ...(object.metadata.finalizers ?? []).filter(isForeign).map((finalizer) => finalizer.split('/')[0]?.split('.')[0] ?? ''),
      ])
      .filter((word) => word.length > 2),
  );
  const theirs = [...view.seen('Deployment'), ...view.seen('StatefulSet')].filter((object) => [...words].some((word) => object.metadata.name.includes(word)));
  return spacesOf(theirs as unknown as KubeObject[])
    .slice(0, MOST_SPACES)
    .flatMap((namespace) => [listOf('Pod', namespace), listOf('Event', namespace)]);
}
