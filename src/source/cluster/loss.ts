import { localNow } from './skew.ts';

/** Whether a watch is lost at the moment, and who waits for it to be back. Times in ms, by this machine's clock. */
export interface Loss {
  /** Null while nothing is lost. */
  since(): number | null;
  /** Why it was lost last, in words; '' where no reason was given. */
  words(): string;
  lose(words: string): void;
  /** It is back, or nobody need wait for it any more. */
  found(): void;
  /** Settles when it is back, or after `ms`. */
  back(ms: number): Promise<void>;
}

/** `changed` is told of every loss and of its end; `onFirst` of a loss where nothing was lost before. */
export function createLoss(changed: () => void, onFirst: () => void): Loss {
  let at: number | null = null;
  let reason = '';
  const waiting: (() => void)[] = [];
  return {
    since: () => at,
    words: () => reason,
    lose(words) {
      if (at === null) onFirst();
      at ??= localNow();
      reason = words;
      changed();
    },
    found() {
      if (at !== null) changed();
      at = null;
      for (const each of waiting.splice(0)) each();
    },
    back: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}
