export type Turn = <T>(task: () => Promise<T>) => Promise<T>;

/** Lets at most so many run at a time, in the order in which they come. */
export function turns(atOnce: number): Turn {
  let free = atOnce;
  const queue: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await task();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}
