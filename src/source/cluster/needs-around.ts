import type { KubeObject } from '../../model/kinds.ts';
import { type Context, spacesOf } from './needs.ts';
import { conditionOf } from './trouble.ts';
import { type Want, builtIn, listOf, one } from './want.ts';
import type { View } from './session.ts';

const MOST_SPACES = 4;
const MOST_PODS = 2_000;

/** Refused writes: the webhooks, policies and limits that the refusals name. */
export function webhooks({ trouble, namespaces }: Context): Want[] {
  if (!trouble.any) return [];
  const wants: Want[] = [];
  if (trouble.says('webhook')) wants.push(listOf('ValidatingWebhookConfiguration'), listOf('MutatingWebhookConfiguration'));
  if (trouble.says('ValidatingAdmissionPolicy')) wants.push(listOf('ValidatingAdmissionPolicy'), listOf('ValidatingAdmissionPolicyBinding'));
  const spaces = namespaces.length > 0 ? namespaces : [undefined];
  // LimitRanger's refusals and defaults; ServiceAccount's.
  if (trouble.says('usage per ') || trouble.says('LimitRange') || trouble.says('exceeded quota') || trouble.says('failed quota')) wants.push(...spaces.map((space) => listOf('LimitRange', space)));
  if (trouble.says('serviceaccount') || trouble.says('service account')) wants.push(...spaces.map((space) => listOf('ServiceAccount', space)));
  if (trouble.says('PriorityClass')) wants.push(listOf('PriorityClass'));
  return wants;
}

interface ServiceRef {
  namespace: string;
  name: string;
}

/**
 * What stands behind the webhooks that refusals name and behind APIServices that are not available: their namespace's
 * Services, endpoints, pods and what makes the pods, because the cause may be there, and the ring may close there.
 */
export function backEnds({ view, trouble }: Context): Want[] {
  const named = trouble.quoted(/webhook "([^"]+)"/g);
  const refs: ServiceRef[] = [];
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const) {
    for (const config of view.seen(kind)) {
      for (const hook of config.webhooks ?? []) {
        const { service } = hook.clientConfig ?? {};
        if (service?.namespace && service.name && named.has(hook.name ?? '')) refs.push({ namespace: service.namespace, name: service.name });
      }
    }
  }
  for (const api of view.seen('APIService')) {
    const { service } = api.spec ?? {};
    if (service?.namespace && service.name && conditionOf(api.status?.conditions, 'Available')?.status !== 'True') refs.push({ namespace: service.namespace, name: service.name });
  }
  for (const crd of view.seen('CustomResourceDefinition')) {
    const service = (crd.spec?.conversion?.webhook?.clientConfig?.service ?? {}) as { namespace?: string; name?: string };
    if (service.namespace && service.name) refs.push({ namespace: service.namespace, name: service.name });
  }
  const spaces = [...new Set(refs.map((ref) => ref.namespace))].sort().slice(0, MOST_SPACES);
  return spaces.flatMap((namespace) => [one('Namespace', undefined, namespace), ...['Service', 'EndpointSlice', 'Pod', 'Deployment', 'ReplicaSet', 'Event'].map((kind) => listOf(kind, namespace))]);
}

/** Names that do not resolve, Services without endpoints, Ingresses without an address. */
export function names({ view, trouble }: Context): Want[] {
  const wants: Want[] = [];
  const dns = trouble.any && ['no such host', 'server misbehaving', 'lookup ', 'Temporary failure in name resolution', 'EAI_AGAIN', ':53'].some((words) => trouble.says(words));
  if (dns) wants.push(...['Service', 'EndpointSlice', 'Pod', 'Deployment'].map((kind) => listOf(kind, 'kube-system')));
  const unready = trouble.pods.filter((pod) => pod.status?.phase === 'Running');
  for (const namespace of spacesOf([...trouble.services, ...unready]).slice(0, MOST_SPACES)) wants.push(listOf('NetworkPolicy', namespace));
  if (view.seen('Ingress').some((ingress) => !ingress.status?.loadBalancer?.ingress?.length)) wants.push(listOf('IngressClass'));
  return wants;
}

/** Metrics that do not come: they are an aggregated API. */
export function metrics({ view }: Context): Want[] {
  const blind = view.seen('HorizontalPodAutoscaler').some(({ status }) => {
    const condition = conditionOf(status?.conditions, 'ScalingActive');
    return condition?.status === 'False' && condition.reason !== 'ScalingDisabled';
  });
  return blind ? [listOf('APIService')] : [];
}

/** What is due to be gone and is not: what is left of a namespace, who holds the finalizers, what is attached. */
export function deletions(context: Context): Want[] {
  const { view, trouble } = context;
  const wants: Want[] = [];
  if (trouble.namespaces.length > 0) wants.push(listOf('APIService'));
  for (const space of trouble.namespaces) wants.push(...contentOf(space, context));
  const held = [...trouble.deleting, ...trouble.namespaces].filter((object) => (object.metadata.finalizers ?? []).some(isForeign) || remaining(object, 'NamespaceFinalizersRemaining') !== '');
  if (held.length > 0) wants.push(listOf('Deployment', undefined, { most: MOST_PODS }), listOf('StatefulSet', undefined, { most: MOST_PODS }), ...operators(held, view));
  if (trouble.deleting.some((object) => object.kind.startsWith('PersistentVolume'))) wants.push(listOf('VolumeAttachment'), listOf('PersistentVolume', undefined, { most: MOST_PODS }));
  return wants;
}

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
      wants.push({ resource: known, namespace: space.metadata.name, ...(known.kind === 'Secret' || known.kind === 'ConfigMap' ? { part: 'metadata' as const } : {}) });
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

const KNOWN = ['Pod', 'Service', 'ConfigMap', 'Secret', 'PersistentVolumeClaim', 'ServiceAccount', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Ingress', 'NetworkPolicy', 'Lease', 'Event'].map(builtIn);

// A manager that wrote a finalizer is often named like the Deployment that runs it.
function operators(held: readonly KubeObject[], view: View): Want[] {
  const words = new Set(held.flatMap((object) => [
    ...(object.metadata.writers ?? []).filter((writer) => writer.paths.includes('metadata.finalizers')).map((writer) => writer.manager),
    ...(object.metadata.finalizers ?? []).filter(isForeign).map((finalizer) => finalizer.split('/')[0]?.split('.')[0] ?? ''),
  ]).filter((word) => word.length > 2));
  const theirs = [...view.seen('Deployment'), ...view.seen('StatefulSet')].filter((object) => [...words].some((word) => object.metadata.name.includes(word)));
  return spacesOf(theirs as unknown as KubeObject[]).slice(0, MOST_SPACES).flatMap((namespace) => [listOf('Pod', namespace), listOf('Event', namespace)]);
}
