import type { Door } from '../door.ts';
import type { Served } from './discovery.ts';
import { localNow, type ServerClock } from './skew.ts';
import type { Store } from './store.ts';
import type { Answer } from './transport.ts';

/** What one reading leaves for the next. */
export interface Kept {
  served: Served[] | null;
  door: Door;
  clock: ServerClock;
  /** Health was asked for and found well. */
  looked: boolean;
  /** Lists that are kept up to date; null where each reading reads everything. */
  store: Store | null;
  /** The last signs of life, so that a reading out of what is held asks nothing. */
  version: Answer | null;
  beat: { at: number; answer: Answer } | null;
  /** This reading lists everything, whatever is held. */
  anew: boolean;
}

/** How old a sign of life may be, in ms; where a watch has just been lost it must be newer. */
const BEAT = 5_000;
const DOUBT = 500;

/** Asks, now and then, for the smallest thing that only storage can answer: it tells that all is well, and the server's time. */
export async function feel(kept: Kept, store: Store, clock: ServerClock, ask: () => Promise<Answer>): Promise<void> {
  store.begin(kept.anew);
  const age = localNow() - (kept.beat?.at ?? 0);
  if (!kept.version || (!kept.anew && age < (store.isDoubtful() ? DOUBT : BEAT))) return;
  const answer = await ask();
  clock.see(answer.date, localNow());
  const lives = answer.code !== null && answer.code !== 401;
  kept.beat = lives ? { at: localNow(), answer } : null;
  // Nobody there, or nobody known: it is greeted anew, and its version may be another.
  if (!lives) kept.version = null;
  else if (store.isDoubtful()) store.nudge();
}
