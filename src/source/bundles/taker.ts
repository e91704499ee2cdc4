/** Bytes off a stream by number, so that a format can be walked while it streams by. */
export interface Taker {
  /** So many, no more and no fewer. Raises an Error with `unexpected end` where there are fewer left. */
  take(count: number): Promise<Buffer>;
  isAtEnd(): Promise<boolean>;
}

/** Takes exact numbers of bytes from a stream. */
export function takerOf(input: AsyncIterable<Buffer>): Taker {
  const parts = input[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const next = await parts.next();
    if (next.done) return false;
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    return true;
  };
  return {
    async take(count) {
      while (held.length < count) if (!(await more())) throw new Error('unexpected end of the compressed data');
      const taken = held.subarray(0, count);
      held = held.subarray(count);
      return taken;
    },
    async isAtEnd() {
      while (held.length === 0) if (!(await more())) return true;
      return false;
    },
  };
}
