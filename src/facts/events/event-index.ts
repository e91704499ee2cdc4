import type { Evidence } from '../../model/finding.ts';
import type { KubeObject, ObjectReference } from '../../model/kinds.ts';
import { evidenceAt } from '../address.ts';
import { ago } from '../words.ts';
import { isoOf, timeOf } from '../time.ts';
import type { World } from '../world.ts';
import { byText } from '../../model/order.ts';

/** One event, its two API shapes and three ways to tell the time made one. Times in ms, 0 where the event has none. */
export interface EventRecord {
  event: KubeObject;
  reason: string;
  /** Without the recorder's "(combined from similar events): ". */
  message: string;
  type: string;
  count: number;
  first: number;
  last: number;
  /** The component that wrote it: kubelet, default-scheduler, replicaset-controller. */
  source: string;
  /** `spec.containers{app}` on events about one container. */
  fieldPath: string;
}

interface Shape {
  involvedObject?: ObjectReference;
  regarding?: ObjectReference;
  reason?: string;
  message?: string;
  note?: string;
  type?: string;
  count?: number | null;
  deprecatedCount?: number | null;
  series?: { count?: number; lastObservedTime?: string } | null;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  eventTime?: string | null;
  source?: { component?: string } | null;
  deprecatedSource?: { component?: string } | null;
  reportingComponent?: string;
  reportingController?: string;
}

// client-go/tools/record/events_cache.go puts this in front once it aggregates, and drops reportingComponent.
const COMBINED = '(combined from similar events): ';

interface Index {
  byUid: Map<string, KubeObject[]>;
  /** Events whose reference has no uid, by `kind/namespace/name`. */
  byName: Map<string, KubeObject[]>;
}

const nameKey = (kind: string | undefined, namespace: string | undefined, name: string | undefined): string => `${kind ?? ''}/${namespace ?? ''}/${name ?? ''}`;

const aboutOf = (event: KubeObject): ObjectReference | undefined => (event as unknown as Shape).involvedObject ?? (event as unknown as Shape).regarding;

/** The same event is served by both groups under one uid. */
function allEvents(world: World): readonly KubeObject[] {
  const [core, events] = [world.snapshot.seen('Event') as readonly unknown[], world.snapshot.seen('Event.events.k8s.io')] as (readonly KubeObject[])[];
  if (!core?.length || !events?.length) return (core?.length ? core : events) ?? [];
  const idOf = ({ metadata }: KubeObject): string => metadata.uid ?? nameKey('', metadata.namespace, metadata.name);
  const seen = new Set(core.map(idOf));
  return [...core, ...events.filter((event) => !seen.has(idOf(event)))];
}

function indexOf(world: World): Index {
  return world.memo(world.snapshot, 'index:events', () => {
    const index: Index = { byUid: new Map(), byName: new Map() };
    for (const event of allEvents(world)) {
      const about = aboutOf(event);
      if (about?.uid) push(index.byUid, about.uid, event);
      else if (about) push(index.byName, nameKey(about.kind, about.namespace, about.name), event);
    }
    return index;
  });
}

/** Every event by name, for objects that carry no uid themselves (hand-written or stripped dumps). */
function namedIndexOf(world: World): ReadonlyMap<string, KubeObject[]> {
  return world.memo(world.snapshot, 'index:eventsByName', () => {
    const named = new Map<string, KubeObject[]>();
    for (const event of allEvents(world)) {
      const about = aboutOf(event);
      if (about) push(named, nameKey(about.kind, about.namespace, about.name), event);
    }
    return named;
  });
}

function recordOf(event: KubeObject): EventRecord {
  const shape = event as unknown as Shape;
  const text = shape.message ?? shape.note ?? '';
  const first = shape.firstTimestamp ?? shape.deprecatedFirstTimestamp;
  const last = shape.lastTimestamp ?? shape.deprecatedLastTimestamp;
  const created = event.metadata.creationTimestamp;
  return {
    event,
    reason: shape.reason ?? '',
    message: text.startsWith(COMBINED) ? text.slice(COMBINED.length) : text,
    type: shape.type ?? '',
    count: shape.series?.count ?? (shape.count || shape.deprecatedCount) ?? 1,
    first: timeOf(first) ?? timeOf(shape.eventTime) ?? timeOf(last) ?? timeOf(created) ?? 0,
    last: timeOf(shape.series?.lastObservedTime) ?? timeOf(last) ?? timeOf(shape.eventTime) ?? timeOf(first) ?? timeOf(created) ?? 0,
    source: shape.source?.component || shape.deprecatedSource?.component || shape.reportingComponent || shape.reportingController || '',
    fieldPath: (shape.involvedObject ?? shape.regarding)?.fieldPath ?? '',
  };
}

/** Events of a reason about pods that may be gone, with whom they are about. */
export function eventsWith(world: World, reason: string): readonly (EventRecord & { about: ObjectReference })[] {
  return world.memo(world.snapshot, `index:events:${reason}`, () =>
    allEvents(world)
      .filter((event) => (event as unknown as Shape).reason === reason)
      .flatMap((event) => {
        const about = aboutOf(event);
        return about ? [{ ...recordOf(event), about }] : [];
      }),
  );
}

/** Whole seconds are all that most event times have; the object may be created later in the same second. */
const SLACK = 2000;

const MIRROR = 'kubernetes.io/config.mirror';

/**
 * Events about this very object, newest first: by uid; by name, where one of the two bears none, none from before it was created.
 * A uid proves one life by itself, whatever the clock of whoever wrote the event says.
 * Two exceptions, as in `kubectl describe`: the kubelet names a static pod by the hash in its mirror annotation, and a Node by its name.
 */
export function eventsOf(world: World, object: Pick<KubeObject, 'kind' | 'metadata'>): readonly EventRecord[] {
  return world.memo(object, 'events', () => {
    const index = indexOf(world);
    const { uid, namespace, name, annotations, creationTimestamp } = object.metadata;
    const records: EventRecord[] = [];
    const add = (found: readonly KubeObject[] | undefined, oldest: number): void => {
      for (const event of found ?? []) {
        const record = recordOf(event);
        if (record.last >= oldest) records.push(record);
      }
    };
    // A mirror pod is re-created by a kubelet that restarts; the static pod behind it is older.
    const born = annotations?.[MIRROR] ? 0 : (timeOf(creationTimestamp) ?? 0) - SLACK;
    if (!uid || index.byName.size > 0) add((uid ? index.byName : namedIndexOf(world)).get(nameKey(object.kind, namespace, name)), born);
    if (uid) {
      add(index.byUid.get(uid), 0);
      const other = object.kind === 'Pod' ? annotations?.[MIRROR] : object.kind === 'Node' ? name : undefined;
      if (other && other !== uid) add(index.byUid.get(other), born);
    }
    return records.sort((a, b) => b.last - a.last || byText(a.event.metadata.name, b.event.metadata.name));
  });
}

/** Where an event stands, with its count and age in words. */
export function eventEvidence(world: World, record: EventRecord, count = record.count): Evidence {
  const last = isoOf(record.last);
  const times = count > 1 ? ` x${count}` : '';
  const pointer = (record.event as unknown as Shape).message === undefined ? '/note' : '/message';
  return evidenceAt(record.event, pointer, `${record.reason}${times}, last ${ago(world.now, last)}: ${record.message}`, last || null);
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
