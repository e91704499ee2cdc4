export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const shown = (value: unknown): string => {
  if (value instanceof Error) return value.message;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return (text ?? String(value)).slice(0, 4000);
};

/** What a `waitFor` probe returns: `done` with a value, or what it saw instead. */
export type Seen<T> = { done: T } | { saw: unknown };

/**
 * Polls until the state is reached. A probe that throws has only not succeeded yet.
 * When the limit (ms) passes, the error says what was waited for and what was seen last.
 */
export async function waitFor<T>(description: string, probe: () => Promise<Seen<T>> | Seen<T>, limitMs: number, everyMs = 500): Promise<T> {
  const start = Date.now();
  let last: unknown = 'nothing yet';
  for (;;) {
    try {
      const seen = await probe();
      if ('done' in seen) return seen.done;
      last = seen.saw;
    } catch (error) {
      last = error;
    }
    if (Date.now() - start > limitMs) {
      throw new Error(`${description}: not within ${Math.round(limitMs / 1000)} s; seen last:\n${shown(last)}`);
    }
    await sleep(everyMs);
  }
}
