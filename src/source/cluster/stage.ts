import { resourceOfKind } from '../../model/resources.ts';
import { type TypedTarget, resolveType } from '../targets.ts';
import type { Served } from './discovery.ts';
import { type Want, keyOfKind, listOf, one } from './want.ts';

/** What every namespace is read for: what runs, what makes it run, what it is reached by and stores to, and what was said. */
const NAMESPACED = [
  'Pod',
  'Event',
  'ReplicaSet',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'Service',
  'EndpointSlice',
  'Ingress',
  'PersistentVolumeClaim',
  'ResourceQuota',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
] as const;

/** Whether every scope is read for this kind. */
export const isStageOne = (kind: string): boolean => ['Node', 'Namespace', 'APIService', ...NAMESPACED].includes(kind);

/** Stage 1: one list a kind, the largest first. Nodes belong to it, because no pod can be judged without its node. */
export function firstStage(namespaces: readonly string[]): Want[] {
  if (namespaces.length === 0) return [...NAMESPACED.map((kind) => listOf(kind)), listOf('Node'), listOf('Namespace'), listOf('APIService')];
  return [
    ...NAMESPACED.flatMap((kind) => namespaces.map((namespace) => listOf(kind, namespace))),
    listOf('Node'),
    ...namespaces.map((namespace) => one('Namespace', undefined, namespace)),
  ];
}

/** One consistent read, as small as can be: what lists from a cache cannot tell is whether storage still answers. */
export const consistentPath = ([first]: readonly string[]): string => `/api/v1${first ? `/namespaces/${encodeURIComponent(first)}` : ''}/pods?limit=1`;

/** What targets need beyond stage 1: their own kind, and the pods of a node that was asked about. */
export function targetWants(typed: readonly TypedTarget[], namespaces: readonly string[], served: readonly Served[]): Want[] {
  return typed.flatMap(({ type, name }) => {
    if (type === '') return ofType(name, namespaces);
    const found = resolveType(type, served);
    if (!found) return [];
    const resource = served.find((each) => each.kind === found.kind && each.group === found.group)?.resource ?? resourceOfKind(found.kind);
    if (!resource) return [];
    const part = resource.kind === 'Secret' || resource.kind === 'ConfigMap' ? { part: 'metadata' as const } : {};
    if (resource.namespaced)
      return (namespaces.length > 0 ? namespaces : [undefined]).map((namespace) => ({ resource, ...(namespace ? { namespace } : {}), ...part }));
    if (resource.kind === 'Node') return [listOf('Pod', undefined, { fields: `spec.nodeName=${name}` })];
    // A cluster-scoped object alone: its list may be large (CRDs), and nothing is compared with its neighbours.
    return [{ resource, name, ...part }];
  });
}

/** What was named of a kind whose list did not come: whoever may not list may still get it by its name. */
export function namedWants(typed: readonly TypedTarget[], namespaces: readonly string[], served: readonly Served[], missed: (kind: string) => boolean): Want[] {
  return typed.flatMap(({ type, name }) => {
    const found = type === '' ? null : resolveType(type, served);
    const resource = found && (served.find((each) => each.kind === found.kind && each.group === found.group)?.resource ?? resourceOfKind(found.kind));
    if (!resource || !missed(keyOfKind(resource))) return [];
    const part = resource.kind === 'Secret' || resource.kind === 'ConfigMap' ? { part: 'metadata' as const } : {};
    if (!resource.namespaced) return [{ resource, name, ...part }];
    return namespaces.map((namespace) => ({ resource, namespace, name, ...part }));
  });
}

/** The definitions of the custom resources that are named: by its CRD a kind may say when a resource of it is done. */
export function definitionWants(typed: readonly TypedTarget[], served: readonly Served[]): Want[] {
  const found = typed.flatMap(({ type }) => (type === '' ? [] : (resolveType(type, served) ?? [])));
  return found
    .filter(({ group, kind }) => group !== '' && resourceOfKind(kind)?.group !== group)
    .map(({ plural, group }) => one('CustomResourceDefinition', undefined, `${plural}.${group}`));
}

/** All of a built-in type that is named without a name, where stage 1 does not read it. */
function ofType(word: string, namespaces: readonly string[]): Want[] {
  const type = resolveType(word);
  const resource = type && resourceOfKind(type.kind);
  if (!resource || ['Node', 'Namespace', ...NAMESPACED].includes(resource.kind)) return [];
  const part = resource.kind === 'Secret' || resource.kind === 'ConfigMap' ? { part: 'metadata' as const } : {};
  return resource.namespaced && namespaces.length > 0 ? namespaces.map((namespace) => ({ resource, namespace, ...part })) : [{ resource, ...part }];
}
