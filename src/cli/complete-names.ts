import type { Snapshot } from '../model/snapshot.ts';
import { RESOURCES } from '../model/resources.ts';
import { hasTimeline, openSource, readTimeline, resolveType, typesIn } from '../source/index.ts';
import type { Before } from './complete.ts';

/** What the recording, bundle or dump of `--from` holds; null where none is named, or it cannot be read: completion never complains. */
async function snapshotOf({ values }: Before): Promise<Snapshot | null> {
  const from = values.get('--from') ?? [];
  // What comes by stdin belongs to the shell now.
  if (from.length === 0 || from.includes('-')) return null;
  try {
    return (await openSource({ from, all: true })).snapshot;
  } catch {
    return firstLook(from[0] ?? '');
  }
}

/** A time line without the recording of its last moment. */
async function firstLook(folder: string): Promise<Snapshot | null> {
  try {
    if (!(await hasTimeline(folder))) return null;
    for await (const look of (await readTimeline(folder)).looks) return look;
  } catch {
    return null;
  }
  return null;
}

/** Names that may stand here: after `TYPE/`, or after a type as the first word. Null where a type has to come first. */
export async function namesFor(word: string, before: Before): Promise<string[] | null> {
  const slash = word.indexOf('/');
  const [first = ''] = before.operands;
  const type = slash >= 0 ? word.slice(0, slash) : first.includes('/') ? '' : first;
  if (type === '') return null;
  const snapshot = await snapshotOf(before);
  if (!snapshot) return slash >= 0 ? [] : null;
  const resolved = resolveType(type, typesIn(snapshot));
  if (!resolved) return slash >= 0 ? [] : null;
  const spaces = before.values.get('--namespace') ?? [];
  const kind = snapshot.kinds().find((key) => key === resolved.kind || key === `${resolved.kind}.${resolved.group}`);
  const names = kind
    ? snapshot
        .seen(kind)
        .filter(({ metadata: { namespace } }) => !namespace || spaces.length === 0 || spaces.includes(namespace))
        .map(({ metadata: { name } }) => name)
    : [];
  const taken = new Set(before.operands);
  return [...new Set(names)]
    .sort()
    .map((name) => (slash >= 0 ? `${type}/${name}` : name))
    .filter((each) => !taken.has(each));
}

/** Types as the first half of a target: those that the recording holds, or all that are built in. */
export async function typesFor(before: Before): Promise<string[]> {
  const snapshot = await snapshotOf(before);
  const held = snapshot ? new Set(snapshot.kinds().filter((kind) => snapshot.seen(kind).length > 0)) : null;
  const builtIn = RESOURCES.filter(({ kind }) => !held || held.has(kind)).map(({ kind }) => `${kind.toLowerCase()}/`);
  const own = snapshot
    ? typesIn(snapshot)
        .filter(({ kind, group }) => held?.has(`${kind}.${group}`))
        .map(({ kind }) => `${kind.toLowerCase()}/`)
    : [];
  return [...new Set([...builtIn, ...own])];
}

/** Namespaces with anything in them. */
export async function namespacesOf(before: Before): Promise<string[]> {
  const snapshot = await snapshotOf(before);
  if (!snapshot) return [];
  const found = snapshot.kinds().flatMap((kind) => snapshot.seen(kind).flatMap(({ metadata: { namespace } }) => namespace ?? []));
  return [...new Set([...found, ...snapshot.seen('Namespace').map(({ metadata: { name } }) => name)])].sort();
}
