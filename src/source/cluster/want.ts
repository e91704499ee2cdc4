import { RESOURCES, type Resource, kindKey } from '../../model/resources.ts';

/** One thing to read: a list of a resource, a narrowed list, or one object by name. */
export interface Want {
  resource: Resource;
  /** Absent: all namespaces, or cluster scope. */
  namespace?: string | undefined;
  /** One object. */
  name?: string | undefined;
  /** Field selector of a narrowed list. */
  fields?: string | undefined;
  /** `metadata`: without content (PartialObjectMetadata). `keys`: whole, but values are emptied as they come in. */
  part?: 'metadata' | 'keys' | undefined;
  /**
   * Served from the API server's watch cache (`resourceVersion=0`): for small reference kinds that hardly change, where a
   * moment's staleness is harmless. Such a list is never paged: the cache ignores `limit` (apiserver, storage/cacher).
   */
  cached?: boolean | undefined;
  /** Of the answers only what is marked deleted is kept: no proof that there is no other. */
  leaving?: boolean | undefined;
  /** Stops after so many objects; the list then counts as truncated. */
  most?: number | undefined;
}

const byKind = new Map(RESOURCES.map((resource) => [resource.kind, resource]));

/** The built-in resource of a kind; a name that the table does not know is a bug. */
export function builtIn(kind: string): Resource {
  const resource = byKind.get(kind);
  if (!resource) throw new Error(`no built-in resource of kind ${kind}`);
  return resource;
}

const REFERENCE = new Set([
  'StorageClass',
  'CSIDriver',
  'CSINode',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'APIService',
  'PriorityClass',
  'IngressClass',
  'RuntimeClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'DeviceClass',
]);

export const listOf = (kind: string, namespace?: string, more: Partial<Want> = {}): Want => ({
  resource: builtIn(kind),
  ...(namespace ? { namespace } : {}),
  ...(REFERENCE.has(kind) ? { cached: true } : {}),
  ...more,
});

export const one = (kind: string, namespace: string | undefined, name: string, part?: Want['part']): Want => ({
  resource: builtIn(kind),
  ...(namespace ? { namespace } : {}),
  name,
  ...(part ? { part } : {}),
});

/** Whatever of a resource is on its way out, by metadata alone. */
export const leavingOf = (resource: Resource, namespace: string | undefined): Want => ({
  resource,
  ...(namespace ? { namespace } : {}),
  part: 'metadata',
  leaving: true,
});

export const versionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`);
export const keyOfKind = (resource: Resource): string => kindKey(versionOf(resource), resource.kind);

/** What the coverage says about how a list was narrowed. */
export const selectorOf = (want: Want): string | undefined => (want.leaving ? LEAVING : want.name === undefined ? want.fields : `metadata.name=${want.name}`);

/** No field selector of any server: the reader itself leaves out the rest. */
const LEAVING = 'metadata.deletionTimestamp';

/** Two wants with one key are the same reading. */
export const keyOf = (want: Want): string =>
  `${keyOfKind(want.resource)} ${want.namespace ?? ''} ${selectorOf(want) ?? ''}${want.part === 'keys' ? ' keys' : ''}`;

export function pathOf({ resource, namespace, name }: Want): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const space = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${space}/${resource.resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
