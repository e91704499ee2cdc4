import { Duplex } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** How a file is compressed that can be read here. */
export type Compression = 'gzip' | 'zstd' | 'xz';

const MAGIC: readonly [Compression, Buffer][] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])],
];

/** By the first bytes, never by the name; null where they are of none of these. */
export function compressionOf(head: Buffer): Compression | null {
  // A frame of zstd may stand behind frames that are skipped (pzstd writes one in front).
  if (head.length >= 4 && (head.readUInt32LE() & 0xfffffff0) === 0x184d2a50) return 'zstd';
  return MAGIC.find(([, magic]) => head.subarray(0, magic.length).equals(magic))?.[0] ?? null;
}

/** Unpacks what is written into it, and holds a window of it and no more. */
export function unpacker(compression: Compression): Duplex {
  if (compression === 'gzip') return createGunzip();
  return Duplex.from(async function* (input: AsyncIterable<Buffer>) {
    const module = compression === 'zstd' ? (await import('./zstd.ts')).unzstd : (await import('./xz.ts')).unxz;
    yield* module(input);
  });
}
