import type { KubeObject } from '../../model/kinds.ts';
import { Unknown } from '../../model/read.ts';
import { literal } from '../../model/pattern.ts';
import type { Addressed } from '../address.ts';
import { eventEvidence, type EventRecord, eventsOf } from './event-index.ts';
import { isCurrent } from './recovery.ts';
import { isQuiet } from './retries.ts';
import type { World } from '../world.ts';
import { toldNow } from '../skew.ts';
import { isoOf } from '../time.ts';

/** What was told of an object in one kind of message, however many events that took. */
export interface Told extends Addressed {
  reason: string;
  /** The newest wording, verbatim but for the recorder's prefix. */
  message: string;
  count: number;
  first: string;
  last: string;
  source: string;
  /** The container it is about, '' where it is about the whole object. */
  container: string;
  /** Older than the next try of its kind could be: it may have gone well since. */
  quiet: boolean;
  /** One line in words. */
  text: string;
}

/** Two messages of one shape differ only in ids, numbers and names that were made up for the occasion. */
export function shapeOf(message: string, name: string): string {
  const named = literal(name);
  return message
    .replace(new RegExp(`\\b${named}-[a-z0-9-]+`, 'g'), '#')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '#')
    .replace(/\d+(?:\.\d+)*/g, '#');
}

const containerIn = (fieldPath: string): string => /^spec\.(?:initContainers|containers|ephemeralContainers)\{(.+)\}$/.exec(fieldPath)?.[1] ?? '';

/** The first time of any of them, in ms; 0 for none. */
export const earliest = (records: readonly EventRecord[]): number => records.reduce((first, record) => Math.min(first, record.first), records[0]?.first ?? 0);

/** Joins events into one Told: the newest gives the words, all of its shape the count and the span, and all of them whether it goes on. */
export function combine(
  world: World,
  object: KubeObject,
  newest: EventRecord,
  all: readonly EventRecord[],
  quiet = isQuiet(toldNow(world, object, newest.source), all, eventsOf(world, object)),
): Told {
  const shape = shapeOf(newest.message, object.metadata.name);
  const same = all.filter(
    (record) =>
      record.reason === newest.reason &&
      record.fieldPath === newest.fieldPath &&
      (record.message === newest.message || shapeOf(record.message, object.metadata.name) === shape),
  );
  const count = same.reduce((sum, record) => sum + record.count, 0);
  const evidence = eventEvidence(world, newest, count);
  return {
    reason: newest.reason,
    message: newest.message,
    count,
    first: isoOf(earliest(same)),
    last: isoOf(newest.last),
    source: newest.source,
    container: containerIn(newest.fieldPath),
    quiet,
    text: evidence.text,
    evidence,
  };
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (!pattern) patterns.set(source, (pattern = new RegExp(source)));
  return pattern;
}

/** Current events of these reasons (all reasons where the list is empty), newest first. */
export function currentEvents(world: World, object: KubeObject, reasons: readonly string[], like?: string): readonly EventRecord[] {
  const events = eventsOf(world, object);
  return events.filter(
    (record) =>
      (reasons.length === 0 || reasons.includes(record.reason)) && (!like || patternOf(like).test(record.message)) && isCurrent(world, object, record, events),
  );
}

/** The newest thing that is still true of what was told; null where nothing was. Raises Unknown where nothing was found and events could not be read. */
export function told(world: World, object: KubeObject, reasons: readonly string[], like?: string): Told | null {
  const events = currentEvents(world, object, reasons, like);
  const newest = events[0];
  if (newest) return combine(world, object, newest, events);
  const gap = world.snapshot.gap('Event', object.metadata.namespace ?? 'default');
  if (gap) throw new Unknown({ ...gap, kind: 'Event' });
  return null;
}
