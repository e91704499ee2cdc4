import { open, stat } from 'node:fs/promises';
import { UserError } from '../../model/errors.ts';
import { type Compression, compressionOf, unpacker } from './compression.ts';
import { openFolder } from './folder.ts';
import { openTar } from './tar.ts';
import type { Tree } from './tree.ts';
import { openZip } from './zip.ts';

const BLOCK = 512;
/** zstd gives nothing before a whole block is there, of up to 128 KiB. */
const HEAD = 192 * 1024;

/** A folder or an archive as a tree; null for anything else, which is a plain dump or nothing. Raises UserError for archives it cannot read. */
export async function openTree(path: string): Promise<Tree | null> {
  const info = await stat(path).catch(() => null);
  if (!info) return null;
  if (info.isDirectory()) return openFolder(path);
  if (!info.isFile()) return null;
  const head = await headOf(path);
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'))) return openZip(path);
  for (const [name, magic] of OTHERS) {
    if (head.subarray(0, magic.length).equals(magic))
      throw new UserError(`${path} is compressed with ${name}, which is not read here.`, 'Unpack it first, or pack it as .tar.gz, .tar.zst, .tar.xz or .zip.');
  }
  if (isTar(head)) return openTar(path, null);
  const compression = compressionOf(head);
  return compression && isTar(await inflated(head, compression)) ? openTar(path, compression) : null;
}

/** The beginning of a plain or compressed file as text, to tell what it is; empty where it cannot be read. */
export async function beginning(path: string): Promise<{ text: string; compression: Compression | null }> {
  const info = await stat(path).catch(() => null);
  if (!info?.isFile()) return { text: '', compression: null };
  const head = await headOf(path);
  const compression = compressionOf(head);
  return { text: (compression ? await inflated(head, compression, HEAD) : head).toString('utf8'), compression };
}

const OTHERS: readonly [string, Buffer][] = [
  ['bzip2', Buffer.from('BZh', 'latin1')],
  ['7z', Buffer.from([0x37, 0x7a, 0xbc, 0xaf])],
];

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return Buffer.alloc(0);
  try {
    const bytes = Buffer.alloc(HEAD);
    const { bytesRead } = await file.read(bytes, 0, HEAD, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The first bytes of what is compressed, however the rest may be. */
async function inflated(head: Buffer, compression: Compression, most = BLOCK): Promise<Buffer> {
  const stream = unpacker(compression);
  stream.end(head);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if (Buffer.concat(chunks).length >= most) break;
    }
  } catch {
    // The head is cut off on purpose; damage behind it shows when the archive is read.
  }
  return Buffer.concat(chunks);
}

/** A tar begins with a header whose checksum holds (pax, "ustar Interchange Format"); older forms have no magic word. */
function isTar(bytes: Buffer): boolean {
  if (bytes.length < BLOCK) return false;
  const stated = Number.parseInt(bytes.toString('latin1', 148, 156).replaceAll('\0', ' ').trim(), 8);
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : (bytes[i] ?? 0);
  return sum === stated;
}
