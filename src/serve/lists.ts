import type { KubeObject } from '../model/kinds.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { outward, partial } from './outward.ts';
import { offsetIn, tokenFor } from './paging.ts';
import { type ServedResource, versionOf } from './resources.ts';
import { BadSelector, type FieldTerm, fieldMatcher, fieldTerms, labelMatcher } from './selectors.ts';
import { type Status, failure } from './status.ts';
import type { Store } from './store.ts';
import { columnsOf, tableOf } from './tables/index.ts';

/** The form an answer is wanted in, out of the Accept header. */
export interface Form {
  as: 'objects' | 'table' | 'metadata';
  apiVersion: string;
}

/** What was asked for: of which resource, in which form, with which parameters, out of which recording. */
export interface Asked {
  resource: ServedResource;
  form: Form;
  query: URLSearchParams;
  snapshot: Snapshot;
}

/** `application/json;as=Table;v=v1;g=meta.k8s.io, ...`: the first that is known here. */
export function formOf(accept: string): Form {
  for (const part of accept.slice(0, 2000).split(',')) {
    const as = /;\s*as=(\w+)/.exec(part)?.[1];
    const version = /;\s*v=(v1(?:beta1)?)\b/.exec(part)?.[1] ?? 'v1';
    if (as === 'Table') return { as: 'table', apiVersion: `meta.k8s.io/${version}` };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return { as: 'metadata', apiVersion: `meta.k8s.io/${version}` };
    if (as === undefined && /json|\*\/\*/.test(part)) return { as: 'objects', apiVersion: '' };
  }
  return { as: 'objects', apiVersion: '' };
}

export interface Selected {
  objects: KubeObject[];
  version: string;
  rest?: Status;
  /** Names the request, for its continue tokens. */
  name: string;
}

/** The objects a list or watch is about, or the refusal. */
export function select(store: Store, resource: ServedResource, namespace: string | undefined, query: URLSearchParams): Selected | Status {
  const fields = query.get('fieldSelector') ?? '';
  const labels = query.get('labelSelector') ?? '';
  try {
    const terms = fieldTerms(fields);
    const [byField, byLabel] = [fieldMatcher(terms, resource.key), labelMatcher(labels)];
    const listing = store.list(resource, namespace, narrowing(terms, resource, namespace));
    if (listing.state === 'refused') return listing.status;
    const objects = listing.objects.filter((object) => byField(object) && byLabel(object));
    return {
      objects,
      version: listing.version,
      name: [resource.key, namespace ?? '', fields, labels].join('\0'),
      ...(listing.rest ? { rest: listing.rest } : {}),
    };
  } catch (error) {
    if (error instanceof BadSelector) return failure(400, 'BadRequest', error.message);
    throw error;
  }
}

const narrowing = (terms: readonly FieldTerm[], resource: ServedResource, namespace: string | undefined): FieldTerm[] =>
  resource.namespaced && namespace === undefined ? terms.filter((term) => term.field !== 'metadata.name') : [...terms];

/** One page of a list in the form that is wanted. */
export function listBody({ objects, version, name, rest }: Selected, asked: Asked): object {
  const { query } = asked;
  const token = query.get('continue') ?? '';
  const offset = token === '' ? 0 : offsetIn(token, name);
  if (offset === null) return failure(410, 'Expired', 'the continue token was not given by this recording for this list');
  if (rest && token !== '' && offset >= objects.length) return rest;
  const limit = Number(query.get('limit') ?? 0);
  if (!Number.isSafeInteger(limit) || limit < 0) return failure(400, 'BadRequest', 'limit must be a number from 0');
  // The watch cache ignores the limit (apiserver, storage/cacher).
  const end = limit === 0 || (query.get('resourceVersion') === '0' && token === '') ? objects.length : Math.min(objects.length, offset + limit);
  const left = objects.length - end;
  const selective = query.has('labelSelector') || query.has('fieldSelector');
  // What was read in part goes on to a page that is refused, as it was then: a part must not look like all.
  const goesOn = left > 0 || rest !== undefined;
  const metadata = {
    resourceVersion: version,
    ...(goesOn ? { continue: tokenFor(name, end) } : {}),
    ...(left > 0 && !selective ? { remainingItemCount: left } : {}),
  };
  return bodyOf(objects.slice(offset, end), metadata, asked);
}

function bodyOf(objects: readonly KubeObject[], metadata: object, asked: Asked): object {
  const { resource, form } = asked;
  if (form.as === 'table') return table(objects, metadata, asked);
  if (form.as === 'metadata')
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: form.apiVersion,
      metadata,
      items: objects.map((object) => ({ ...partial(object), apiVersion: form.apiVersion })),
    };
  // Items of a built-in list carry neither kind nor apiVersion; those of a custom one do (apiextensions serves them as they are).
  const custom = !(resource.key === resource.kind);
  return {
    kind: `${resource.kind}List`,
    apiVersion: versionOf(resource),
    metadata,
    items: objects.map((object) => (custom ? outward(object) : untyped(outward(object), resource))),
  };
}

// An object of another version than the list's must say so itself.
function untyped(object: KubeObject, resource: ServedResource): object {
  if (object.apiVersion !== versionOf(resource)) return object;
  const { kind: _, apiVersion: __, ...rest } = object;
  return rest;
}

/** One object in the form that is wanted. */
export function objectBody(object: KubeObject, asked: Asked): object {
  const { form } = asked;
  if (form.as === 'table') return table([object], { resourceVersion: object.metadata.resourceVersion ?? '' }, asked);
  return form.as === 'metadata' ? { ...partial(object), apiVersion: form.apiVersion } : outward(object);
}

/** Objects as kubectl's columns. A watch heads only its first row. */
export function table(objects: readonly KubeObject[], metadata: object, { resource, form, query, snapshot }: Asked, { headers = true } = {}): object {
  const crd = snapshot.seen('CustomResourceDefinition').find((each) => each.metadata.name === `${resource.resource}.${resource.group}`);
  return tableOf(objects, columnsOf(resource.key, resource.version, crd), {
    apiVersion: form.apiVersion,
    include: query.get('includeObject') ?? 'Metadata',
    now: snapshot.now,
    metadata,
    headers,
  });
}
