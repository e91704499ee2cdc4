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
  const memory = new WeakMap<object, Map<string, unknown>>();
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
      let families = memory.get(object);
      if (!families) memory.set(object, (families = new Map()));
      if (!families.has(family)) families.set(family, make());
      return families.get(family) as T;
    },
  };
}

/** The API server stands in rules like any other object. */
export const asObject = (world: World): KubeObject => world.snapshot.server as unknown as KubeObject;
