import type { KubeObject } from '../model/kinds.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Text } from '../model/text.ts';

/** What facts are computed from: the snapshot, its clock, the text tables, and a memory for what was computed. */
export interface World {
  readonly snapshot: Snapshot;
  /** Capture time in ms; facts never read the wall clock. */
  readonly now: number;
  classify(family: string, message: string): Text;
  /** Computes once for each object and family. */
  memo<T>(object: object, family: string, make: () => T): T;
}

export function createWorld(snapshot: Snapshot, classify: (family: string, message: string) => Text): World {
  // Held as long as the world itself: weak tables of thousands of objects cost more to collect than all they would free.
  const memory = new Map<string, Map<object, unknown>>();
  const texts = new Map<string, Text>();
  return {
    snapshot,
    now: snapshot.now,
    classify(family, message) {
      const key = `${family}\0${message}`;
      let text = texts.get(key);
      if (!text) texts.set(key, (text = classify(family, message)));
      return text;
    },
    memo<T>(object: object, family: string, make: () => T): T {
      let kept = memory.get(family);
      if (!kept) memory.set(family, (kept = new Map()));
      const known = kept.get(object);
      if (known !== undefined || kept.has(object)) return known as T;
      const value = make();
      kept.set(object, value);
      return value;
    },
  };
}

/** The API server stands in rules like any other object. */
export const asObject = (world: World): KubeObject => world.snapshot.server as unknown as KubeObject;
