import { LIMITS, damaged, windowTooLarge } from './limits.ts';
import { takerOf } from './taker.ts';

const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** A block holds no more, whatever the window (RFC 8878, 3.1.1.2.4). */
const MOST_BLOCK = 128 * 1024;

/**
 * Zstandard (RFC 8878), unpacked block by block: the decoder holds one window and one block, and is given each frame only when
 * the frame's own header asks for no more than `LIMITS.window`. Raises an Error for what is damaged, UserError for too large a window; checksums are not checked.
 */
export async function* unzstd(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { Decompress } = await import('fzstd');
  const bytes = takerOf(input);
  while (!(await bytes.isAtEnd())) {
    const magic = await bytes.take(4);
    if ((magic.readUInt32LE() & 0xfffffff0) === SKIPPABLE) {
      await skip((await bytes.take(4)).readUInt32LE());
      continue;
    }
    if (magic.readUInt32LE() !== FRAME) throw damaged('what follows is no zstd frame');
    const { header, checksum } = await headerOf(magic);
    let out: Buffer[] = [];
    const frame = new Decompress((part) => void out.push(Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
    pass(() => frame.push(header));
    for (let last = false; !last; ) {
      const head = await bytes.take(3);
      const told = head.readUIntLE(0, 3);
      last = (told & 1) === 1;
      const [type, size] = [(told >> 1) & 3, told >> 3];
      if (type === 3 || size > MOST_BLOCK) throw damaged('a block of zstd is damaged');
      // A repeated byte is written once.
      const block = [head, await bytes.take(type === 1 ? 1 : size), ...(last && checksum ? [await bytes.take(4)] : [])];
      pass(() => frame.push(Buffer.concat(block), last));
      for (const part of out) if (part.length > 0) yield part;
      out = [];
    }
  }

  async function skip(count: number): Promise<void> {
    for (let left = count; left > 0; left -= MOST_BLOCK) await bytes.take(Math.min(left, MOST_BLOCK));
  }

  /** The rest of a frame's header behind its magic number, with it. */
  async function headerOf(magic: Buffer): Promise<{ header: Buffer; checksum: boolean }> {
    const descriptor = await bytes.take(1);
    const flags = descriptor[0] ?? 0;
    const single = (flags & 0x20) !== 0;
    const window = await bytes.take(single ? 0 : 1);
    const dictionary = await bytes.take([0, 1, 2, 4][flags & 3] ?? 0);
    const content = await bytes.take([single ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0);
    const size = single ? sizeIn(content) : windowIn(window[0] ?? 0);
    if (size > LIMITS.window) throw windowTooLarge(size);
    if (dictionary.some((byte) => byte !== 0)) throw damaged('it needs a dictionary of its own');
    return { header: Buffer.concat([magic, descriptor, window, dictionary, content]), checksum: (flags & 4) !== 0 };
  }
}

const windowIn = (byte: number): number => 2 ** (10 + (byte >> 3)) * (1 + (byte & 7) / 8);

function sizeIn(content: Buffer): number {
  if (content.length === 8) return Number(content.readBigUInt64LE());
  return content.readUIntLE(0, content.length) + (content.length === 2 ? 256 : 0);
}

function pass(push: () => void): void {
  try {
    push();
  } catch (error) {
    throw damaged(`its zstd data is damaged (${(error as Error).message})`);
  }
}
