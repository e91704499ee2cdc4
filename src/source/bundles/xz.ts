import { ReadableStream } from 'node:stream/web';
import { LIMITS, damaged, windowTooLarge } from './limits.ts';
import { type Taker, takerOf } from './taker.ts';

type Decoder = new (compressed: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;

const MAGIC = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]);
const LZMA2 = 0x21;

/**
 * xz (tukaani.org, "The .xz File Format" 1.1), unpacked as it streams by. The decoder takes whatever dictionary a block asks for,
 * ends at the end of the first stream, and does not tell one that is cut off from one that is damaged: so each block's header is
 * seen before it is passed on, and every stream has its own decoder. Raises an Error for what is damaged, UserError for too large a dictionary.
 */
export async function* unxz(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // A CommonJS package: what a lazy import gives has its names, or has them in its default, by who loads it.
  const loaded: { XzReadableStream?: Decoder; default?: { XzReadableStream: Decoder } } = await import('xz-decompress');
  const Decode = loaded.XzReadableStream ?? loaded.default?.XzReadableStream;
  if (!Decode) throw new Error('xz-decompress has no decoder');
  const bytes = takerOf(input);
  while (!(await bytes.isAtEnd())) {
    const start = await bytes.take(4);
    // Streams may be padded, by fours.
    if (start.every((byte) => byte === 0)) continue;
    const head = Buffer.concat([start, await bytes.take(8)]);
    if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw damaged('what follows is no xz stream');
    let broken: Error | null = null;
    const stream = new Decode(webStream(streamOf(head, bytes), (error) => (broken = error)));
    const reader = stream.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read())
        if (next.value.length > 0) yield Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    } catch (error) {
      throw broken ?? damaged(`its xz data is damaged (${(error as Error).message})`);
    } finally {
      // One that is left open would keep every later one waiting: the package works through one at a time.
      await reader.cancel().catch(() => undefined);
    }
  }
}

/** One stream as it stands in the file, from its header to its footer. */
async function* streamOf(head: Buffer, bytes: Taker): AsyncGenerator<Buffer> {
  const kind = (head[7] ?? 0) & 15;
  if (![0, 1, 4].includes(kind)) throw damaged('its xz checksum is of a kind that is not read here (CRC32 and CRC64 are)');
  yield head;
  const check = [0, 4, 4, 4, 8][kind] ?? 0;
  for (;;) {
    const size = await bytes.take(1);
    if (size[0] === 0) break;
    const header = Buffer.concat([size, await bytes.take((size[0] ?? 0) * 4 + 3)]);
    refuseLarge(header);
    yield header;
    let length = header.length;
    for await (const chunk of chunksOf(bytes)) {
      length += chunk.length;
      yield chunk;
    }
    yield await bytes.take((-length & 3) + check);
  }
  // The index and the footer behind it: the decoder compares them with what it has seen.
  yield Buffer.from([0]);
  let length = 1;
  const number = async (): Promise<number> => {
    let value = 0;
    for (let shift = 0; shift < 9; shift++) {
      const [byte = 0] = await bytes.take(1);
      passed.push(byte);
      length++;
      value += (byte & 127) * 128 ** shift;
      if (byte < 128) return value;
    }
    throw damaged('its xz index is damaged');
  };
  let passed: number[] = [];
  const records = await number();
  for (let left = records; left > 0; left--) {
    await number();
    await number();
    yield Buffer.from(passed);
    passed = [];
  }
  yield Buffer.from(passed);
  yield await bytes.take((-length & 3) + 4 + 12);
}

/** The chunks of a block of LZMA2; each says in front how long it is. */
async function* chunksOf(bytes: Taker): AsyncGenerator<Buffer> {
  for (;;) {
    const control = await bytes.take(1);
    const [kind = 0] = control;
    if (kind === 0) return yield control;
    if (kind > 2 && kind < 0x80) throw damaged('its xz data is damaged');
    // Behind the sizes of compressed chunks stand properties where they are new.
    const head = await bytes.take(kind <= 2 ? 2 : kind >= 0xc0 ? 5 : 4);
    yield Buffer.concat([control, head, await bytes.take(head.readUInt16BE(kind <= 2 ? 0 : 2) + 1)]);
  }
}

/** Its dictionary is held in memory; filters for machine code are of no use to what is read here. */
function refuseLarge(header: Buffer): void {
  const flags = header[1] ?? 0;
  let at = 2;
  for (let sizes = ((flags >> 6) & 1) + (flags >> 7); sizes > 0; sizes--) while ((header[at++] ?? 0) >= 128);
  const [id, length, bits = 0] = header.subarray(at);
  if ((flags & 3) !== 0 || id !== LZMA2 || length !== 1) throw damaged('it uses filters of xz that are not read here');
  const size = bits >= 40 ? 2 ** 32 : (2 + (bits & 1)) * 2 ** ((bits >> 1) + 11);
  if (size > LIMITS.window) throw windowTooLarge(size);
}

/** `failed` hears why, which the decoder does not pass on. */
function webStream(parts: AsyncGenerator<Buffer>, failed: (error: Error) => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await parts.next();
        if (next.done) controller.close();
        else if (next.value.length > 0) controller.enqueue(next.value);
      } catch (error) {
        failed(error as Error);
        controller.error(error);
      }
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}
