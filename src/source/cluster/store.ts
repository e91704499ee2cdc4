import type { Door } from '../door.ts';
import type { Consistency, Listed } from './list.ts';
import { localNow } from './skew.ts';
import type { Transport } from './transport.ts';
import { type Want, keyOf } from './want.ts';
import { createWatched, type Tally, type Watched } from './watched.ts';

/** Every list that is kept up to date. */
export interface Store {
  read(want: Want, consistency: Consistency): Promise<Listed>;
  /**
   * A look begins: what changes from here on is news. Lists that no look has asked for lately are let go.
   * `anew`: for this look everything is listed once more.
   */
  begin(anew: boolean): void;
  /** At least `least` ms, at most `most`; ends between them when something has changed. */
  idle(least: number, most: number): Promise<void>;
  /** Whether a watch is lost at the moment. */
  isDoubtful(): boolean;
  nudge(): void;
  tally(): Readonly<Tally>;
  close(): void;
}

/** A list that nobody has wanted for so long is no longer kept, in ms. */
const UNWANTED = 60_000;
/** Each is a connection of its own; what goes beyond is asked for again and again instead. */
const MOST_OPEN = 64;
/** What belongs together seldom comes in one moment: a state, and the event that explains it. */
const SETTLE = 100;

export function createStore(transport: Transport, door: Door): Store {
  const lists = new Map<string, { list: Watched; wanted: number }>();
  const tally: Tally = { open: 0, watches: 0, resumed: 0, lost: 0, relisted: 0, polled: new Set() };
  let dirty = false;
  let checking = false;
  let awake: (() => void) | null = null;
  const changed = (): void => {
    dirty = true;
    awake?.();
  };
  const around = { transport, door, changed, tally, mayOpen: () => tally.open < MOST_OPEN };
  const pause = (ms: number, early: boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      if (early) {
        awake = () => {
          clearTimeout(timer);
          resolve();
        };
      }
    });

  return {
    read(want, consistency) {
      const key = keyOf(want);
      let entry = lists.get(key);
      if (!entry) lists.set(key, (entry = { list: createWatched(want, around), wanted: 0 }));
      entry.wanted = localNow();
      return checking ? entry.list.check(consistency) : entry.list.now(consistency);
    },
    begin(anew) {
      dirty = false;
      checking = anew;
      for (const [key, { list, wanted }] of lists) {
        if (localNow() - wanted < UNWANTED) continue;
        list.close();
        lists.delete(key);
      }
    },
    async idle(least, most) {
      await pause(least, false);
      if (!dirty) await pause(Math.max(0, most - least), true);
      awake = null;
      if (dirty) await pause(SETTLE, false);
    },
    isDoubtful: () => [...lists.values()].some(({ list }) => list.isLost()),
    nudge: () => lists.forEach(({ list }) => list.nudge()),
    tally: () => tally,
    close: () => lists.forEach(({ list }) => list.close()),
  };
}
