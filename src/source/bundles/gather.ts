import type { Coverage, CoverageState } from '../../model/coverage.ts';
import type { KubeObject } from '../../model/kinds.ts';
import { kindKey, resourceOfKind } from '../../model/resources.ts';
import type { Document } from '../documents.ts';
import type { Door, ItemKind } from '../door.ts';
import { createPile, unpack } from '../unpack.ts';
import type { About, Holding } from './layout.ts';
import { type Fields, isFields } from '../../model/fields.ts';

/** Objects of a bundle, by group, kind, namespace and name, and what its files say about being all of them. */
export interface Gather {
  take(document: Document, part: Holding): void;
  /** A file of a list that could not be read: what it held is not known. */
  lost(part: Holding, message: string): void;
  /** A namespace that was collected, even if nothing was in it. */
  space(name: string): void;
  about: About;
  times: string[];
  /** The latest change that the tool saw; null where it saw none. */
  changed(): string | null;
  version(): string;
  objects(): KubeObject[];
  /** `cut`: the bundle breaks off, so folders of single objects prove nothing absent. */
  coverage(cut: boolean): Coverage[];
}

interface Cover {
  state: CoverageState;
  message?: string | undefined;
}

/** Collects what the files of a bundle hold, and which lists of it are whole. */
export function createGather(door: Door): Gather {
  const objects = new Map<string, KubeObject>();
  const covers = new Map<string, Cover>();
  const whole = new Set<string>();
  const spaces = new Set<string>();
  const times: string[] = [];
  let version = '';
  let changed: string | null = null;

  const cover = (kind: string, namespace: string | null, state: CoverageState, message?: string): void => {
    const key = `${kind}\0${isClusterWide(kind) ? '' : (namespace ?? '')}`;
    const before = covers.get(key);
    // A list that failed in one place and came in another (two groups of one kind, two folders of one bundle) came.
    if (before?.state === 'complete' && state !== 'truncated') return;
    if (before?.state === 'truncated') return;
    covers.set(key, { state, message });
  };

  const keep = (object: KubeObject): void => {
    const key = `${keyOf(object)}\0${object.metadata.namespace ?? ''}\0${object.metadata.name}`;
    const other = objects.get(key);
    if (!other || !isOlder(object, other)) objects.set(key, object);
    if (object.metadata.namespace) spaces.add(object.metadata.namespace);
  };

  return {
    times,
    version: () => version,
    changed: () => changed,
    objects: () => [...objects.values()],
    space: (name) => void spaces.add(name),
    about: {
      time: (at) => void times.push(at),
      changed: (at) => void (changed = changed !== null && changed > at ? changed : at),
      version: (text) => void (version ||= text),
      failed: (item, namespace, message) => cover(kindOf(item), namespace, 'failed', message),
      listed: (item, namespace) =>
        namespace === null && !isClusterWide(kindOf(item)) ? void whole.add(kindOf(item)) : cover(kindOf(item), namespace, 'complete'),
      note: (text) => door.notes.add(text),
    },
    take(document, part) {
      const pile = createPile();
      unpack({ ...document, value: dressed(document.value, part) }, false, pile, door);
      for (const object of pile.objects.values()) keep(object);
      const kinds = new Map([...pile.kinds].map(([kind, how]) => [eventKind(kind), how]));
      if (kinds.size === 0 && part.item && part.is === 'list' && !document.cut) kinds.set(kindOf(part.item), 'listed');
      for (const [kind, how] of kinds) {
        if (part.is === 'object') {
          if (part.whole) whole.add(kind);
        } else if (isFields(document.value) && !('items' in document.value)) continue;
        else if (how === 'cut') cover(kind, part.namespace ?? null, 'truncated', 'the list is cut off');
        else if (how === 'listed') cover(kind, part.namespace ?? null, 'complete');
      }
    },
    lost(part, message) {
      if (part.item) cover(kindOf(part.item), part.namespace ?? null, 'truncated', message);
    },
    coverage(cut) {
      const counts = new Map<string, number>();
      for (const object of objects.values()) {
        const key = `${keyOf(object)}\0${object.metadata.namespace ?? ''}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      for (const kind of whole) {
        const places = isClusterWide(kind) || counts.has(`${kind}\0`) ? [null] : [...spaces];
        for (const place of places) cover(kind, place, cut ? 'truncated' : 'complete', cut ? 'the bundle breaks off' : undefined);
      }
      return assemble(objects, covers, counts);
    },
  };
}

function assemble(objects: ReadonlyMap<string, KubeObject>, covers: ReadonlyMap<string, Cover>, counts: ReadonlyMap<string, number>): Coverage[] {
  const coverage: Coverage[] = [];
  // Every cluster has `default` and `kube-system`; a list of namespaces without them was narrowed.
  const namespaces = ['default', 'kube-system'].every((name) => objects.has(`Namespace\0\0${name}`));
  for (const [key, { state, message }] of covers) {
    const [kind = '', namespace = ''] = key.split('\0');
    if (kind === 'Namespace' && state === 'complete' && !namespaces) continue;
    coverage.push({ kind, namespace: namespace === '' ? null : namespace, state, count: counts.get(key) ?? 0, ...(message ? { message } : {}) });
  }
  for (const object of objects.values()) {
    const kind = keyOf(object);
    const { namespace = null, name } = object.metadata;
    const listed = ['', namespace ?? ''].some((place) => covers.has(`${kind}\0${place}`)) && !(kind === 'Namespace' && !namespaces);
    if (!listed) coverage.push({ kind, namespace, state: 'complete', count: 1, selector: `metadata.name=${name}` });
  }
  const order = (entry: Coverage): string => `${entry.kind}\0${entry.namespace ?? ''}\0${entry.selector ?? ''}`;
  return coverage.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

const isClusterWide = (kind: string): boolean => resourceOfKind(kind)?.namespaced === false;

// events.k8s.io is another view of the same objects; the pile holds them as core Events.
const eventKind = (kind: string): string => (kind === 'Event.events.k8s.io' ? 'Event' : kind);
const keyOf = (object: KubeObject): string => eventKind(kindKey(object.apiVersion, object.kind));
const kindOf = (item: ItemKind): string => eventKind(kindKey(item.apiVersion, item.kind));

// Two files of one object: resourceVersions are decimal numbers in every server there is; without them the later incarnation.
function isOlder(object: KubeObject, than: KubeObject): boolean {
  const [a, b] = [Number(object.metadata.resourceVersion ?? NaN), Number(than.metadata.resourceVersion ?? NaN)];
  if (Number.isFinite(a) && Number.isFinite(b)) return a < b;
  return (object.metadata.creationTimestamp ?? '') < (than.metadata.creationTimestamp ?? '');
}

/** Gives a list and its items the kind and the namespace that only their place says. */
function dressed(value: unknown, part: Holding): unknown {
  const { item, namespace } = part;
  const place = (entry: unknown): void => {
    const { metadata } = (entry ?? {}) as { metadata?: Fields };
    if (namespace && isFields(metadata) && metadata['namespace'] === undefined && !(item && isClusterWide(kindOf(item)))) metadata['namespace'] = namespace;
  };
  if (part.is === 'object') {
    place(value);
    if (isFields(value) && item && typeof value['kind'] !== 'string') return { ...item, ...value };
    return value;
  }
  if (Array.isArray(value)) {
    value.forEach(place);
    return item ? { apiVersion: item.apiVersion, kind: `${item.kind}List`, items: value } : value;
  }
  if (!isFields(value)) return value;
  const { items } = value;
  if (Array.isArray(items)) items.forEach(place);
  else if (!('items' in value)) place(value);
  if (('items' in value || 'metadata' in value) && item && typeof value['kind'] !== 'string') {
    return 'items' in value ? { ...value, apiVersion: item.apiVersion, kind: `${item.kind}List` } : { ...item, ...value };
  }
  return value;
}
