import type { KubeObject } from '../model/kinds.ts';
import { kindKey } from '../model/resources.ts';
import { type Door, type ItemKind, admit } from './door.ts';
import type { Document } from './documents.ts';
import { type Fields, isFields } from '../model/fields.ts';

/** Objects of a dump by identity, and what its lists say about being whole. */
export interface Pile {
  objects: Map<string, KubeObject>;
  /** kindKey to how it came: in a list that ended, in one that was cut, or only as single objects. */
  kinds: Map<string, 'listed' | 'cut' | 'single'>;
}

/** Nothing collected yet. */
export const createPile = (): Pile => ({ objects: new Map(), kinds: new Map() });

/** Sorts one document into the pile: an object, a list of any kind, a bare array, a watch event. `alone`: nothing else came with it. */
export function unpack(document: Document, alone: boolean, pile: Pile, door: Door): void {
  const { value, cut } = document;
  if (Array.isArray(value)) return items(value, cut, undefined, pile, door);
  if (!isFields(value)) return door.notes.add(`Line ${document.line}: a value that is no Kubernetes object was skipped.`);
  if (isWatchEvent(value)) return watched(value, pile, door);
  const kind = typeof value['kind'] === 'string' ? value['kind'] : '';
  if (kind === 'Status') return door.notes.add(`The dump holds an error of the API server: ${String(value['message'] ?? value['reason'] ?? 'no message')}`);
  // Some tools write null for an empty list; `kind: List` comes last in kubectl's JSON, so a cut list has none.
  if ('items' in value && (kind === '' || kind.endsWith('List')) && (Array.isArray(value['items']) || value['items'] === null)) {
    const { metadata } = value as { metadata?: Fields };
    const partial = cut || Boolean(metadata?.['continue']);
    return items((value['items'] as unknown[] | null) ?? [], partial, itemKind(value, kind), pile, door);
  }
  if (kind === 'Table' || kind === 'PartialObjectMetadata')
    return door.notes.add(`A ${kind} was skipped: it does not hold whole objects (use -o json or -o yaml).`);
  add(admit(value, door), alone ? 'single' : cut ? 'cut' : 'listed', pile);
}

// `PodList` of `v1` holds Pods of v1 whose own kind is left out by typed clients.
function itemKind(list: Fields, kind: string): ItemKind | undefined {
  if (kind === '' || kind === 'List' || typeof list['apiVersion'] !== 'string') return undefined;
  return { apiVersion: list['apiVersion'], kind: kind.slice(0, -'List'.length) };
}

function items(list: unknown[], cut: boolean, item: ItemKind | undefined, pile: Pile, door: Door): void {
  if (item?.kind === 'PartialObjectMetadata') return door.notes.add('A PartialObjectMetadataList was skipped: it does not hold whole objects.');
  if (item) mark(pile, kindKey(item.apiVersion, item.kind), cut ? 'cut' : 'listed');
  for (const entry of list) add(admit(entry, door, item), cut ? 'cut' : 'listed', pile);
}

function add(object: KubeObject | null, how: 'listed' | 'cut' | 'single', pile: Pile): void {
  if (!object) return;
  const core = coreEvent(object);
  mark(pile, kindKey(core.apiVersion, core.kind), how);
  const key = keyOf(core);
  const other = pile.objects.get(key);
  if (!other || !isOlder(core, other)) pile.objects.set(key, core);
}

// A cut list spoils the claim that a kind is whole; a list lifts single objects to it.
function mark(pile: Pile, kind: string, how: 'listed' | 'cut' | 'single'): void {
  const before = pile.kinds.get(kind);
  if (before === 'cut' || (before === 'listed' && how === 'single')) return;
  pile.kinds.set(kind, how);
}

/** What the API knows an object by. */
export const keyOf = (object: KubeObject): string => `${kindKey(object.apiVersion, object.kind)}\0${object.metadata.namespace ?? ''}\0${object.metadata.name}`;

// resourceVersions of one resource are decimal numbers in every server there is (KEP-5504 makes it a promise).
function isOlder(object: KubeObject, than: KubeObject): boolean {
  const [a, b] = [Number(object.metadata.resourceVersion), Number(than.metadata.resourceVersion)];
  return Number.isFinite(a) && Number.isFinite(b) && a < b;
}

const isWatchEvent = (value: Fields): boolean => typeof value['type'] === 'string' && isFields(value['object']) && !('kind' in value);

// kubectl get --watch --output-watch-events
function watched(event: Fields, pile: Pile, door: Door): void {
  const type = event['type'] as string;
  const raw = event['object'] as Fields;
  if (type === 'BOOKMARK') return;
  if (type === 'ERROR') return door.notes.add(`The watch ended with an error: ${String(raw['message'] ?? 'no message')}`);
  const object = admit(raw, door);
  if (!object) return;
  if (type === 'DELETED') {
    mark(pile, kindKey(object.apiVersion, object.kind), 'listed');
    pile.objects.delete(keyOf(object));
  } else add(object, 'listed', pile);
}

/**
 * events.k8s.io/v1 is another view of the same stored object (kubernetes/pkg/apis/events/v1/conversion.go);
 * one form in the snapshot keeps the joins by UID in one place.
 */
function coreEvent(object: KubeObject): KubeObject {
  if (object.kind !== 'Event' || !object.apiVersion.startsWith('events.k8s.io/')) return object;
  const { regarding, note, deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, reportingController, ...rest } = object;
  return {
    ...rest,
    apiVersion: 'v1',
    involvedObject: isFields(regarding) ? regarding : {},
    message: typeof note === 'string' ? note : '',
    source: isFields(deprecatedSource) ? deprecatedSource : {},
    firstTimestamp: typeof deprecatedFirstTimestamp === 'string' ? deprecatedFirstTimestamp : null,
    lastTimestamp: typeof deprecatedLastTimestamp === 'string' ? deprecatedLastTimestamp : null,
    ...(typeof deprecatedCount === 'number' ? { count: deprecatedCount } : {}),
    ...(typeof reportingController === 'string' ? { reportingComponent: reportingController } : {}),
  };
}
