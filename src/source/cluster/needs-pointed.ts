import type { CustomResourceDefinition, Event, KubeObject } from '../../model/kinds.ts';
import { groupOf, kindKey, type Resource, resourceOfKind } from '../../model/resources.ts';
import type { Context } from './context.ts';
import { perList } from './per-list.ts';
import { isStageOne } from './stage.ts';
import { leavingOf, listOf, type Want } from './want.ts';

interface Pointed {
  apiVersion: string;
  kind: string;
  namespace: string;
  names: Set<string>;
}

const HOUR = 3_600_000;
const MOST_KINDS = 5;
const MOST_OBJECTS = 10;

/** What warnings are about, of kinds that no scope is read for, by kind and namespace. */
const complainedOf = perList((events: readonly Event[]): { pointed: Pointed; last: number }[] =>
  events.flatMap(({ type, involvedObject, series, lastTimestamp, eventTime }) => {
    const { apiVersion = '', kind = '', namespace = '', name = '' } = involvedObject ?? {};
    if (type !== 'Warning' || namespace === '' || name === '' || apiVersion === '' || isStageOne(kindKey(apiVersion, kind))) return [];
    const last = Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? '') || 0;
    return [{ pointed: { apiVersion, kind, namespace, names: new Set([name]) }, last }];
  }),
);

function pointedAt({ view, namespaces }: Context): Pointed[] {
  const found = new Map<string, Pointed>();
  for (const { pointed, last } of complainedOf(view.seen('Event'))) {
    const { apiVersion, kind, namespace, names } = pointed;
    if (view.now - last > HOUR || (namespaces.length > 0 && !namespaces.includes(namespace))) continue;
    const key = `${kindKey(apiVersion, kind)} ${namespace}`;
    const known = found.get(key);
    if (known) for (const name of names) known.names.add(name);
    else found.set(key, { ...pointed, names: new Set(names) });
  }
  return [...found.values()].slice(0, MOST_KINDS);
}

/**
 * Objects of kinds that no scope is read for, where something that was read points at one: what a warning is about, whole; and whatever of
 * its kind, or of a kind whose definition is being deleted, is marked deleted and still there, by its metadata. Nothing points, nothing is asked.
 */
export function pointed(context: Context): Want[] {
  const { view, namespaces } = context;
  const wants: Want[] = [];
  for (const { apiVersion, kind, namespace, names } of pointedAt(context)) {
    const resource = resourceFor(context, apiVersion, kind);
    if (!resource) continue;
    const part = resource.kind === 'Secret' || resource.kind === 'ConfigMap' ? { part: 'metadata' as const } : {};
    wants.push(...[...names].slice(0, MOST_OBJECTS).map((name) => ({ resource, namespace, name, ...part })), leavingOf(resource, namespace));
  }
  for (const crd of view.seen('CustomResourceDefinition')) {
    const resource = crd.metadata.deletionTimestamp ? resourceDefined(crd) : null;
    if (resource) wants.push(...(namespaces.length > 0 && resource.namespaced ? namespaces : [undefined]).map((namespace) => leavingOf(resource, namespace)));
  }
  // Definitions stand in no namespace: only who asks for everything asks for them.
  const definitions = leavingOf(listOf('CustomResourceDefinition').resource, undefined);
  if (namespaces.length === 0 && context.afford(definitions)) wants.push(definitions);
  return [...wants, ...bareOnes(context)];
}

/** What was read by its metadata alone and is on its way out: what its own status says of that comes with the rest of it. */
function bareOnes({ view, served, trouble }: Context): Want[] {
  const bare = trouble.deleting.filter(
    (object) => kindKey(object.apiVersion, object.kind).includes('.') && object['spec'] === undefined && object['status'] === undefined,
  );
  return bare.slice(0, MOST_OBJECTS).flatMap((object: KubeObject) => {
    const resource =
      served?.find((each) => each.kind === object.kind && each.group === groupOf(object.apiVersion))?.resource ??
      view
        .seen('CustomResourceDefinition')
        .map(resourceDefined)
        .find((each) => each?.kind === object.kind && each.group === groupOf(object.apiVersion));
    return resource ? [{ resource, ...(object.metadata.namespace ? { namespace: object.metadata.namespace } : {}), name: object.metadata.name }] : [];
  });
}

function resourceFor(context: Context, apiVersion: string, kind: string): Resource | null {
  if (!kindKey(apiVersion, kind).includes('.')) {
    const known = resourceOfKind(kind);
    return known?.namespaced && known.group === groupOf(apiVersion) ? known : null;
  }
  if (context.served === null) {
    context.discover();
    return null;
  }
  const found = context.served.find((each) => each.kind === kind && each.group === groupOf(apiVersion));
  return found?.namespaced ? found.resource : null;
}

function resourceDefined({ spec }: CustomResourceDefinition): Resource | null {
  const { group = '', names, scope, versions } = spec ?? {};
  const version = versions?.find(({ served }) => served)?.name;
  return names?.kind && names.plural && version ? { group, version, resource: names.plural, kind: names.kind, namespaced: scope !== 'Cluster' } : null;
}
