import type { Coverage, CoverageState } from '../../model/coverage.ts';
import type { KubeObject } from '../../model/kinds.ts';
import type { Failure } from '../../model/server.ts';
import { type Door, admit } from '../door.ts';
import { hasWriters } from '../trim.ts';
import { createPages } from './pages.ts';
import type { Answer, GetOptions, Transport } from './transport.ts';
import { localNow } from './skew.ts';
import { type Want, keyOfKind, pathOf, selectorOf, versionOf } from './want.ts';

export interface Listed {
  objects: KubeObject[];
  coverage: Coverage;
  /** Where the server, or the way to it, failed; a 404 is an answer. */
  failure?: Failure;
  /** When the last part of it was answered, ms; NaN where nothing was. */
  at: number;
}

/** Told when consistent reads turn out not to work (etcd without quorum): running ones are given up and read from the cache instead. */
export interface Consistency {
  signal: AbortSignal;
  /** Longest silence of what is then read from the cache in ms; kinds that are not cached (Events) hang there, too. */
  patience: number;
}

const PAGE = 500;
const MOST_PAGES = 2_000;
export const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
export const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
export const FROM_CACHE = 'read from the cache of the API server: it cannot read consistently';

interface Page {
  items?: (KubeObject | null)[] | null;
  metadata?: { continue?: string; resourceVersion?: string };
}

/** Reads what is wanted; every way to fail ends in the coverage, never in an exception. */
export async function read(want: Want, transport: Transport, door: Door, consistency: Consistency): Promise<Listed> {
  if (want.name !== undefined) return readOne(want, transport, door, consistency);
  if (want.cached) return readPages(want, transport, door, true);
  const first = consistency.signal.aborted ? null : await readPages(want, transport, door, false, { signal: consistency.signal });
  if (first && !isUnserved(first)) return first;
  const cached = await readPages(want, transport, door, true, { silence: consistency.patience });
  if (cached.coverage.state !== 'complete') return first && !consistency.signal.aborted ? first : cached;
  return { ...cached, coverage: { ...cached.coverage, message: FROM_CACHE } };
}

// No answer in time, or one that says that storage is gone: what the watch cache still serves (apiserver, storage/cacher).
const isUnserved = ({ coverage, objects }: Listed): boolean =>
  coverage.state === 'failed' && objects.length === 0 && (coverage.code === undefined || coverage.code >= 500);

async function readPages(want: Want, transport: Transport, door: Door, cached: boolean, more: GetOptions = {}): Promise<Listed> {
  const objects: KubeObject[] = [];
  const options: GetOptions = {
    ...more,
    ...(want.part === 'metadata' ? { accept: PARTIAL_LIST } : {}),
    lean: !hasWriters(want.resource.kind),
    take: (raw) => admitted(want, raw, door),
  };
  const query = new URLSearchParams(cached ? { resourceVersion: '0' } : { limit: String(PAGE) });
  if (want.fields) query.set('fieldSelector', want.fields);
  const pages = createPages(transport, `${pathOf(want)}?${query.toString()}`, options, () => want.most === undefined || objects.length + PAGE < want.most);
  let version: string | undefined;
  let token = '';
  let restarts = 0;
  let read = 0;
  let at = NaN;
  for (;;) {
    const answer = await pages.page(token);
    const page = answer.body as Page | undefined;
    if (answer.code === 410) {
      // etcd has compacted the list's version away. The body carries a token that goes on at the newest version
      // (apiserver, storage/etcd3 handleCompactedErrorForPaging); without one it starts over, once.
      const fresh = page?.metadata?.continue;
      if (fresh && restarts < 5) token = fresh;
      else if (restarts < 1) {
        objects.length = 0;
        token = '';
        version = undefined;
      } else return ended(want, objects, answer, version, at);
      restarts++;
      continue;
    }
    if (answer.code !== 200 || page === null || typeof page !== 'object' || !('items' in page)) return ended(want, objects, answer, version, at);
    at = localNow();
    version ??= page.metadata?.resourceVersion;
    for (const object of Array.isArray(page.items) ? page.items : []) if (object) objects.push(object);
    const next = page.metadata?.continue ?? '';
    if (next !== '' && (next === token || ++read >= MOST_PAGES))
      return ended(want, objects, { ...answer, message: 'the pages of the list do not end' }, version, at);
    token = next;
    if (token === '') return { objects, at, coverage: coverageOf(want, 'complete', objects.length, version, at) };
    if (want.most !== undefined && objects.length >= want.most) {
      return { objects, at, coverage: { ...coverageOf(want, 'truncated', objects.length, version, at), message: `stopped after ${objects.length} objects` } };
    }
  }
}

function ended(want: Want, objects: KubeObject[], answer: Answer, version: string | undefined, at: number): Listed {
  const state: CoverageState = objects.length > 0 ? 'truncated' : stateOf(answer, want);
  const coverage: Coverage = {
    ...coverageOf(want, state, objects.length, version, localNow()),
    ...(answer.code === null ? {} : { code: answer.code }),
    message: wordsOf(answer),
  };
  const failure = failureOf(pathOf(want), answer, state);
  return { objects, coverage, at, ...(failure ? { failure } : {}) };
}

/** A want that was not even asked for, because an earlier answer says how it would end. */
export function unread(want: Want, answer: Answer): Listed {
  const { failure: _, ...listed } = ended(want, [], answer, undefined, NaN);
  const { readAt: __, ...coverage } = listed.coverage;
  return { ...listed, coverage };
}

async function readOne(want: Want, transport: Transport, door: Door, { signal, patience }: Consistency): Promise<Listed> {
  const item = { apiVersion: versionOf(want.resource), kind: want.resource.kind };
  const get = (query: string, options: GetOptions): Promise<Answer> =>
    transport.get(pathOf(want) + query, { ...options, ...(want.part === 'metadata' ? { accept: PARTIAL } : {}) });
  let answer: Answer | null = signal.aborted ? null : await get('', { signal });
  if (answer === null || (answer.code === null && signal.aborted)) answer = await get('?resourceVersion=0', { silence: patience });
  const at = answer.code === null ? NaN : localNow();
  if (answer.code === 200) {
    const object = admit(want.part === 'metadata' ? bare(answer.body, item) : answer.body, door, item);
    return object
      ? { objects: [object], at, coverage: coverageOf(want, 'complete', 1, undefined, at) }
      : ended(want, [], { ...answer, message: 'the answer is no object' }, undefined, at);
  }
  if (isAbsent(answer)) return { objects: [], at, coverage: { ...coverageOf(want, 'complete', 0, undefined, at), code: 404, message: answer.message } };
  return ended(want, [], answer, undefined, at);
}

/** An object as a list or a watch sends it; null where it is none, or none that is wanted. */
export const admitted = (want: Want, raw: unknown, door: Door): KubeObject | null => {
  const item = { apiVersion: versionOf(want.resource), kind: want.resource.kind };
  if (want.leaving && !(raw as Partial<KubeObject> | null)?.metadata?.deletionTimestamp) return null;
  return admit(want.part === 'metadata' ? bare(raw, item) : raw, door, item);
};

// The partial form says PartialObjectMetadata where the object's own kind stood; a server that does not know it sends all.
function bare(raw: unknown, item: { apiVersion: string; kind: string }): unknown {
  if (raw === null || typeof raw !== 'object') return raw;
  const fields = raw as Record<string, unknown>;
  return fields['kind'] === 'PartialObjectMetadata' ? { ...fields, ...item } : raw;
}

const isStatus = (body: unknown): boolean => body !== null && typeof body === 'object' && (body as { kind?: unknown }).kind === 'Status';
// Of a group that is not installed the server says this in plain text (apiserver, handlers/responsewriters; net/http NotFound).
const isNotFoundPage = (body: unknown): boolean => typeof body === 'string' && body.trim() === '404 page not found';
// A recording that is served says so of what it does not hold: neither there nor absent.
const isUnrecorded = (answer: Answer): boolean => answer.reason === 'NotRecorded' && isStatus(answer.body);
const isAbsent = (answer: Answer): boolean => answer.code === 404 && isStatus(answer.body) && !isUnrecorded(answer);

/** Only a Kubernetes API's own 404 proves that a resource is not served; what some other server says proves nothing. */
function stateOf(answer: Answer, want: Want): CoverageState {
  if (isUnrecorded(answer)) return 'not-collected';
  if (answer.code === 403) return 'forbidden';
  // Before 1.21 slices had another version only: nothing is proven by the lack of this one.
  if (answer.code === 404 && want.resource.group !== '' && want.resource.kind !== 'EndpointSlice' && (isStatus(answer.body) || isNotFoundPage(answer.body)))
    return 'not-served';
  return answer.code === 410 ? 'expired' : 'failed';
}

const wordsOf = (answer: Answer): string => {
  if (answer.code === 200) return answer.message || 'the answer is not a list of Kubernetes objects';
  if (answer.code === 404 && !isStatus(answer.body) && !isNotFoundPage(answer.body)) return `not the answer of a Kubernetes API: ${answer.message}`;
  return answer.message;
};

export function failureOf(path: string, answer: Answer, state: CoverageState = 'failed'): Failure | undefined {
  if (state === 'not-served' || state === 'complete' || state === 'not-collected') return undefined;
  return { path, code: answer.code, ...(answer.reason ? { reason: answer.reason } : {}), message: wordsOf(answer), at: new Date().toISOString() };
}

export function coverageOf(want: Want, state: CoverageState, count: number, version: string | undefined, at: number): Coverage {
  const selector = selectorOf(want);
  return {
    kind: keyOfKind(want.resource),
    namespace: want.namespace ?? null,
    state,
    count,
    ...(version && version !== '' ? { resourceVersion: version } : {}),
    ...(selector ? { selector } : {}),
    ...(Number.isNaN(at) ? {} : { readAt: new Date(at).toISOString() }),
  };
}
