import type { Coverage } from '../../model/coverage.ts';
import type { KubeObject } from '../../model/kinds.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Listed } from './list.ts';
import { localNow } from './skew.ts';
import { type Want, keyOf, keyOfKind, selectorOf } from './want.ts';

/** The part of a snapshot that a plan looks at. */
export interface View extends Pick<Snapshot, 'kinds' | 'seen' | 'now'> {
  /** Whether the kind was listed for this very namespace. */
  isListed(kind: string, namespace: string): boolean;
  /** Whether a list of the kind was asked for and did not come whole. */
  missed(kind: string): boolean;
  /** What the server answered instead of a list. */
  failures(): { path: string; message: string }[];
}

/** What was read so far, in the order it was asked for. */
export interface Session {
  /** Reads those wants that were not read before, in parallel; tells how many there were. */
  read(wants: readonly Want[]): Promise<number>;
  /** Counts a want as read without asking. */
  settle(want: Want, listed: Listed): void;
  isRead(want: Want): boolean;
  spent(): number;
  found(): readonly Listed[];
  objects(): KubeObject[];
  /** What was read so far, by kind; cheap. */
  view(): View;
  coverage(): Coverage[];
}

// A chain of causes is short; a plan that wants more has lost its way.
const MOST_WANTS = 150;

/** `read`: how one of them is read. */
export function createSession(read: (want: Want) => Promise<Listed>, say: (done: number, of: number) => void): Session {
  const found: Listed[] = [];
  const asked = new Map<string, Want>();
  const whole = new Set<string>();

  const settle = (want: Want, listed: Listed): void => {
    asked.set(keyOf(want), want);
    found.push(listed);
    const { state } = listed.coverage;
    if (!selectorOf(want) && !want.part && (state === 'complete' || state === 'not-served')) whole.add(`${keyOfKind(want.resource)} ${want.namespace ?? ''}`);
  };
  // A complete list over all namespaces, or of this one, has it already.
  const isRead = (want: Want): boolean => {
    if (asked.has(keyOf(want))) return true;
    if (want.part === 'keys') return false;
    const kind = keyOfKind(want.resource);
    return whole.has(`${kind} `) || (want.namespace !== undefined && whole.has(`${kind} ${want.namespace}`));
  };

  return {
    settle,
    isRead,
    spent: () => asked.size,
    found: () => found,
    coverage: () => found.map((listed) => listed.coverage),
    objects: () => [...byKind(found).values()].flat(),
    view: () => viewOf(byKind(found), found),
    async read(wants) {
      const fresh: Want[] = [];
      const all = new Set(wants.filter((want) => !want.namespace && !selectorOf(want) && !want.part).map((want) => keyOfKind(want.resource)));
      for (const want of wants) {
        // All objects of a kind are about to be read; a part of them is asked for again if that fails.
        if (want.name === undefined && (want.namespace || want.fields) && all.has(keyOfKind(want.resource)) && !asked.has(`${keyOfKind(want.resource)}  `))
          continue;
        if (isRead(want) || asked.size >= MOST_WANTS) continue;
        asked.set(keyOf(want), want);
        fresh.push(want);
      }
      let done = 0;
      const listed = await Promise.all(
        fresh.map(async (want) => {
          const one = await read(want);
          say(++done, fresh.length);
          return one;
        }),
      );
      for (const [index, want] of fresh.entries()) settle(want, listed[index] as Listed);
      return fresh.length;
    },
  };
}

function viewOf(kinds: ReadonlyMap<string, KubeObject[]>, found: readonly Listed[]): View {
  const seen = (kind: string, namespace?: string): readonly KubeObject[] => {
    const all = kinds.get(kind) ?? [];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  };
  return {
    now: localNow(),
    kinds: () => [...kinds.keys()],
    seen: seen as Snapshot['seen'],
    isListed: (kind, namespace) => found.some(({ coverage }) => coverage.kind === kind && coverage.namespace === namespace && !coverage.selector),
    failures: () => found.flatMap(({ failure }) => failure ?? []),
    missed: (kind) => found.some(({ coverage }) => coverage.kind === kind && !coverage.selector && coverage.state !== 'complete'),
  };
}

function byKind(found: readonly Listed[]): Map<string, KubeObject[]> {
  const lists = new Map<string, KubeObject[][]>();
  for (const { coverage, objects } of found) {
    if (objects.length === 0) continue;
    const same = lists.get(coverage.kind);
    if (same) same.push(objects);
    else lists.set(coverage.kind, [objects]);
  }
  return new Map([...lists].map(([kind, same]) => [kind, same.length === 1 ? (same[0] as KubeObject[]) : distinct(same)]));
}

/** Lists overlap (a node's pods, a namespace's pods, all pods); of the same object the copy read last stays, in the first one's place. */
function distinct(lists: readonly (readonly KubeObject[])[]): KubeObject[] {
  const places = new Map<string, number>();
  const objects: KubeObject[] = [];
  for (const list of lists) {
    for (const object of list) {
      const { namespace, name } = object.metadata;
      const key = namespace ? `${namespace}/${name}` : name;
      const place = places.get(key);
      if (place === undefined) {
        places.set(key, objects.length);
        objects.push(object);
      } else objects[place] = object;
    }
  }
  return objects;
}
