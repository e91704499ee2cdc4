import { UserError } from '../model/errors.ts';
import { nearest } from '../model/near.ts';
import { EXIT } from '../model/report.ts';
import { RESOURCES, type Resource, kindKey } from '../model/resources.ts';
import type { Scope, Snapshot } from '../model/snapshot.ts';

/** A target as typed, taken apart: `web`, `deploy/web`, `deployments.apps/web`, `databases.v1.db.example.com/main`. */
export interface TypedTarget {
  text: string;
  /** Empty for a bare NAME. */
  type: string;
  name: string;
}

/** What a type may be called besides its kind; built from the built-in table, CRDs or discovery. */
export interface TypeNames {
  group: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  names: readonly string[];
}

/** Where a server tells what it serves (cluster/discovery.ts). */
const DISCOVERY = '/apis';

export type Target = Scope['targets'][number];

/** `NAME` or `TYPE/NAME` as typed. Raises UserError for anything else. */
export function parseTarget(text: string): TypedTarget {
  const parts = text.split('/');
  const [type = '', name = ''] = parts.length === 1 ? ['', parts[0]] : parts;
  if (parts.length > 2 || name === '' || (parts.length === 2 && type === '')) {
    throw new UserError(`"${text}" is not a target.`, 'Write NAME or TYPE/NAME, as in deployment/web.');
  }
  return { text, type, name };
}

/**
 * Targets as kubectl takes them: `TYPE/NAME ...`, `NAME ...`, or built-in types and then their names, `pods web-1 web-2`, `deploy,sts web`.
 * Types alone are all of them, and `all` alone everything, as without a target: none.
 */
export function parseTargets(texts: readonly string[]): TypedTarget[] {
  const [first = '', ...names] = texts;
  if (first === 'all' && names.length === 0) return [];
  const types = first.split(',');
  const apart = texts.every((text) => !text.includes('/')) && types.every((type) => resolveType(type) !== null);
  if (!apart) return texts.map(parseTarget);
  return names.length > 0 ? types.flatMap((type) => names.map((name) => parseTarget(`${type}/${name}`))) : types.map(parseTarget);
}

const BUILT_IN: readonly TypeNames[] = RESOURCES.map((resource) => namesOf(resource));

function namesOf({ group, kind, resource, namespaced, short }: Resource): TypeNames {
  return { group, kind, plural: resource, namespaced, names: [resource, kind.toLowerCase(), ...(short ?? [])] };
}

/**
 * The type a word names, as kubectl reads it: plural, singular, kind or short name, with `.group` or `.version.group` behind;
 * built-in kinds come before others, a whole group before its beginning. Null where nothing has that name.
 */
export function resolveType(type: string, others: readonly TypeNames[] = []): TypeNames | null {
  const word = type.toLowerCase();
  const dot = word.indexOf('.');
  const name = dot < 0 ? word : word.slice(0, dot);
  const rest = dot < 0 ? null : word.slice(dot + 1);
  const groups = rest === null ? null : [rest, rest.replace(/^v\d+(?:(?:alpha|beta)\d+)?\.?/, '')];
  const fits = (types: readonly TypeNames[]): TypeNames | undefined =>
    types.find((entry) => entry.names.includes(name) && (groups === null || groups.includes(entry.group))) ??
    types.find((entry) => entry.names.includes(name) && (groups?.some((group) => group !== '' && entry.group.startsWith(group)) ?? false));
  return fits(BUILT_IN) ?? fits(others) ?? null;
}

/** Nobody has the type; or nobody could tell, because what the server serves was not to be read. */
function noSuchType({ text, type, name }: TypedTarget, { server, source }: Snapshot, others: readonly TypeNames[]): UserError {
  const near = nearTypes(type, others).map((each) => `${each}/${name}`);
  const hint = `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}See kubectl api-resources for the types and their short names.`;
  const untold = server.failures.find(({ path }) => path === DISCOVERY);
  return untold
    ? new UserError(
        `"${type}" (in "${text}") is no built-in resource type, and what else this server serves could not be read: ${untold.message}.`,
        hint,
        EXIT.inconclusive,
      )
    : new UserError(
        source.kind === 'cluster' && server.reached && type.includes('.')
          ? unservedInWords(type, text, others)
          : `Nothing here has the resource type "${type}" (in "${text}").`,
        hint,
      );
}

/** Whoever names a group may be right about it, and the server not serve it: its definition or its APIService is gone. */
function unservedInWords(type: string, text: string, others: readonly TypeNames[]): string {
  const [name = '', ...rest] = type.toLowerCase().split('.');
  const group = rest.join('.').replace(/^v\d+(?:(?:alpha|beta)\d+)?\.?/, '');
  const served = [...BUILT_IN, ...others].some((entry) => entry.group === group);
  return served
    ? `This server serves the API group "${group}", and no resource type "${name}" in it (in "${text}").`
    : `This server does not serve the API group "${group}" (in "${text}"): no object of it can be read.`;
}

/** Types called nearly so, each in the form that was typed: by its short name, in the plural, with its group. */
function nearTypes(type: string, others: readonly TypeNames[]): string[] {
  const [word = '', ...group] = type.toLowerCase().split('.');
  const things = [...BUILT_IN, ...others].flatMap((entry) => entry.names.map((name) => ({ entry, name })));
  const near = nearest(word, things, ({ name }) => name);
  const once = near.filter(({ entry }, at) => near.findIndex((each) => each.entry === entry) === at);
  return once.map(({ entry, name }) => (group.length > 0 && entry.group ? `${name}.${entry.group}` : name));
}

/** The names of every kind that a snapshot holds beyond the built-in ones: from its CRDs, and by guess from its objects. */
export function typesIn(snapshot: Snapshot): TypeNames[] {
  const types: TypeNames[] = [];
  for (const crd of snapshot.seen('CustomResourceDefinition')) {
    const { group = '', scope, names } = crd.spec ?? {};
    if (!names?.kind || !names.plural) continue;
    types.push({
      group,
      kind: names.kind,
      plural: names.plural,
      namespaced: scope !== 'Cluster',
      names: [names.plural, names.kind.toLowerCase(), ...(names.singular ? [names.singular] : []), ...(names.shortNames ?? [])],
    });
  }
  for (const key of snapshot.kinds()) {
    const [first] = snapshot.seen(key);
    if (!first || BUILT_IN.some((entry) => entry.kind === key)) continue;
    const singular = first.kind.toLowerCase();
    const plural = guessPlural(singular);
    const group = first.apiVersion.includes('/') ? first.apiVersion.slice(0, first.apiVersion.indexOf('/')) : '';
    types.push({ group, kind: first.kind, plural, namespaced: first.metadata.namespace !== undefined, names: [plural, singular] });
  }
  return types;
}

// apimachinery, meta.UnsafeGuessKindToResource
const guessPlural = (singular: string): string =>
  singular.endsWith('s') ? `${singular}es` : singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;

// What a person means by a bare name comes first; what only follows from these comes when nothing else has the name.
const BY_NAME: readonly (readonly string[])[] = [
  [
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'CronJob',
    'Job',
    'ReplicationController',
    'Service',
    'Ingress',
    'HorizontalPodAutoscaler',
    'PersistentVolumeClaim',
  ],
  ['ReplicaSet', 'Pod', 'PodDisruptionBudget'],
  ['Node', 'Namespace', 'PersistentVolume', 'StorageClass', 'APIService'],
];
const NEVER_BY_NAME = new Set(['Event', 'Lease', 'Endpoints', 'EndpointSlice']);

/** The objects of a scope that a typed target means. A name that nothing has is kept (kind ''), so that the verdict can say so. */
export function resolveTarget(typed: TypedTarget, snapshot: Snapshot, namespaces: readonly string[], others: readonly TypeNames[] = []): Target[] {
  if (typed.type !== '') {
    const type = resolveType(typed.type, others);
    if (!type) throw noSuchType(typed, snapshot, others);
    return inNamespaces(kindOf(type), typed.name, type.namespaced, snapshot, namespaces);
  }
  const rest = snapshot.kinds().filter((kind) => !NEVER_BY_NAME.has(kind) && !BY_NAME.flat().includes(kind));
  for (const kinds of [...BY_NAME, rest]) {
    const found = kinds.flatMap((kind) => inNamespaces(kind, typed.name, undefined, snapshot, namespaces).filter((target) => exists(target, snapshot)));
    if (found.length > 0) return found;
  }
  // A type alone, as kubectl takes it: all of it. The name of an object comes first.
  const type = resolveType(typed.name, others);
  if (type && !NEVER_BY_NAME.has(type.kind)) {
    const kind = kindOf(type);
    const all = snapshot.seen(kind).filter(({ metadata: { namespace } }) => !namespace || namespaces.length === 0 || namespaces.includes(namespace));
    return all.length > 0
      ? all.flatMap(({ metadata: { name, namespace } }) => ({ kind, name, ...(namespace ? { namespace } : {}) }))
      : [{ kind, name: '', ...(type.namespaced && namespaces.length === 1 ? { namespace: namespaces[0] } : {}) }];
  }
  return [{ kind: '', name: typed.name, ...(namespaces.length === 1 ? { namespace: namespaces[0] } : {}) }];
}

const kindOf = ({ group, kind }: TypeNames): string => kindKey(group === '' ? 'v1' : `${group}/v1`, kind);

const exists = (target: Target, snapshot: Snapshot): boolean => snapshot.get(target.kind, target.namespace, target.name).state === 'known';

function inNamespaces(kind: string, name: string, namespaced: boolean | undefined, snapshot: Snapshot, namespaces: readonly string[]): Target[] {
  const found = snapshot
    .seen(kind)
    .filter(
      (object) => object.metadata.name === name && (!object.metadata.namespace || namespaces.length === 0 || namespaces.includes(object.metadata.namespace)),
    );
  if (found.length > 0) return found.map((object) => ({ kind, name, ...(object.metadata.namespace ? { namespace: object.metadata.namespace } : {}) }));
  if (namespaced === false) return [{ kind, name }];
  return namespaces.length > 0 ? namespaces.map((namespace) => ({ kind, name, namespace })) : [{ kind, name }];
}
