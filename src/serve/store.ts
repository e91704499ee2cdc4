import type { Coverage } from '../model/coverage.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { GapReason } from '../model/read.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ServedResource } from './resources.ts';
import type { FieldTerm } from './selectors.ts';
import { type Status, failure, notFound, notRecorded } from './status.ts';

export type Listing =
  | { state: 'list'; objects: readonly KubeObject[]; version: string /** Only a part was read: how the rest is refused. */; rest?: Status }
  | { state: 'refused'; status: Status };

/** Answers as the API server gave them when the recording was made; what nobody asked it is not known. */
export interface Store {
  list(resource: ServedResource, namespace: string | undefined, fields: readonly FieldTerm[]): Listing;
  get(resource: ServedResource, namespace: string | undefined, name: string): KubeObject | Status;
}

/** The lists and objects of a recording, refused where they were refused then. */
export function createStore(snapshot: Snapshot): Store {
  const sorted = new Map<string, readonly KubeObject[]>();
  const seen = (key: string, namespace: string | undefined): readonly KubeObject[] => {
    const place = `${key}\0${namespace ?? ''}`;
    let objects = sorted.get(place);
    // As etcd gives them: by namespace, then by name.
    if (!objects) sorted.set(place, (objects = [...snapshot.seen(key, namespace)].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))));
    return objects;
  };
  const entriesOf = (key: string): Coverage[] => snapshot.coverage.filter((entry) => entry.kind === key);

  return {
    list(resource, namespace, fields) {
      const { key } = resource;
      const place = resource.namespaced ? namespace : undefined;
      const objects = seen(key, place);
      const version = versionOf(entriesOf(key), objects);
      const gap = snapshot.gap(key, place);
      if (!gap) return { state: 'list', objects, version };
      const narrow = narrowed(entriesOf(key), place, fields);
      if (narrow)
        return narrow.state === 'complete' || narrow.state === 'not-served'
          ? { state: 'list', objects, version }
          : { state: 'refused', status: refusal(resource, place, narrow) };
      const [name] = fields.flatMap((term) => (term.field === 'metadata.name' && !term.not ? [term.value] : []));
      if (name !== undefined && snapshot.get(key, place, name).state === 'known') return { state: 'list', objects, version };
      const entry = failing(entriesOf(key), place, gap.reason);
      if (gap.reason === 'not-collected' || !entry) {
        const status = notRecorded(whole(resource, place), hint(resource, snapshot));
        // Of all namespaces some were read: they are given as the first page of a list whose next one nobody has.
        const some = resource.namespaced && place === undefined && fields.length === 0 ? listedIn(key, snapshot) : [];
        if (some.length > 0)
          return { state: 'list', objects: objects.filter(({ metadata }) => some.includes(metadata.namespace ?? '')), version, rest: status };
        // kubectl describe node gives up over its pods for any answer but a 403 (kubectl, describe/describe.go, NodeDescriber).
        return { state: 'refused', status: key === 'Pod' && fields.some((term) => term.field === 'spec.nodeName') ? { ...status, code: 403 } : status };
      }
      const status = refusal(resource, place, entry);
      return gap.reason === 'truncated' && objects.length > 0 ? { state: 'list', objects, version, rest: status } : { state: 'refused', status };
    },
    get(resource, namespace, name) {
      const place = resource.namespaced ? namespace : undefined;
      const read = snapshot.get(resource.key, place, name);
      if (read.state === 'known') return read.value;
      if (read.state === 'absent') return notFound(resource.group, resource.resource, name);
      const own = entriesOf(resource.key).find((each) => each.selector === `metadata.name=${name}` && (each.namespace ?? undefined) === place);
      if (own) return refusal(resource, place, own);
      // A list that was cut, or failed, says nothing of one object by itself.
      const list = read.why.reason === 'forbidden' ? failing(entriesOf(resource.key), place, 'forbidden') : undefined;
      if (list) return refusal(resource, place, list);
      return notRecorded(`${resource.resource} "${name}"${place ? ` in ${place}` : ''}`);
    },
  };
}

const orderOf = (object: KubeObject): string => `${object.metadata.namespace ?? ''}\0${object.metadata.name}`;

// A list that was read narrowed answers only a request that is narrowed at least as much.
function narrowed(entries: readonly Coverage[], place: string | undefined, fields: readonly FieldTerm[]): Coverage | undefined {
  return entries.find(
    (entry) =>
      entry.selector !== undefined &&
      (entry.namespace === null || entry.namespace === place) &&
      fields.some((term) => !term.not && `${term.field}=${term.value}` === entry.selector),
  );
}

function failing(entries: readonly Coverage[], place: string | undefined, reason: GapReason): Coverage | undefined {
  const lists = entries.filter((entry) => entry.state === reason && !entry.selector);
  return lists.find((entry) => (entry.namespace ?? undefined) === place) ?? lists.find((entry) => entry.namespace === null);
}

/** The server's own refusal, as recorded. A list that never got an answer is a timeout. */
function refusal({ group, resource }: ServedResource, place: string | undefined, { state, code, message }: Coverage): Status {
  const details = { ...(group === '' ? {} : { group }), kind: resource };
  const where = place ? ` in ${place}` : '';
  if (state === 'forbidden') return failure(403, 'Forbidden', message ?? `${resource}${where} were forbidden when the recording was made`, details);
  if (state === 'expired') return failure(410, 'Expired', message ?? 'the list expired while the recording was made', details);
  if (state === 'truncated')
    return failure(500, 'InternalError', `the recording holds only a part of ${resource}${where}${message ? `: ${message}` : ''}`, details);
  const answered = code !== undefined && code >= 400 && code !== 404 ? code : 504;
  return failure(answered, REASONS[answered] ?? 'InternalError', message ?? `${resource}${where} could not be read when the recording was made`, details);
}

// apimachinery, meta/v1/types.go
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const whole = ({ resource, namespaced }: ServedResource, place: string | undefined): string =>
  `the list of ${resource}${place ? ` in ${place}` : namespaced ? ' in all namespaces' : ''}`;

/** Namespaces of which the whole list was read. */
function listedIn(key: string, snapshot: Snapshot): string[] {
  const whole = snapshot.coverage.filter((entry) => entry.kind === key && entry.state === 'complete' && !entry.selector);
  return [...new Set(whole.flatMap(({ namespace }) => namespace ?? []))].sort();
}

function hint({ key, namespaced }: ServedResource, snapshot: Snapshot): string {
  const some = listedIn(key, snapshot);
  if (!namespaced || some.length === 0) return '';
  return `; it has ${some.slice(0, 5).join(', ')}${some.length > 5 ? ` and ${some.length - 5} more` : ''} (-n)`;
}

function versionOf(entries: readonly Coverage[], objects: readonly KubeObject[]): string {
  const listed = entries.flatMap((entry) => (entry.resourceVersion ? [Number(entry.resourceVersion)] : []));
  const own = objects.map((object) => Number(object.metadata.resourceVersion));
  const newest = (listed.length > 0 ? listed : own).filter(Number.isFinite).reduce((a, b) => Math.max(a, b), 0);
  return String(newest || 1);
}
