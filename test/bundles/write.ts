import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Files } from './layouts.ts';

export async function writeFolder(root: string, files: Files): Promise<string> {
  await mkdir(root, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

export interface TarExtra {
  name: string;
  link?: string;
  data?: string;
}

export async function tarOf(files: Files, extra: readonly TarExtra[] = []): Promise<Buffer> {
  const packed = pack();
  for (const { name, link, data } of extra) packed.entry(link === undefined ? { name, type: 'file' } : { name, type: 'symlink', linkname: link, size: 0 }, data ?? '');
  for (const [name, text] of Object.entries(files)) packed.entry({ name, mtime: new Date('2026-03-02T00:00:00Z') }, text);
  packed.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of packed as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export interface ZipEntry {
  name: string;
  data: Buffer;
  /** What the directory claims, where that is a lie. */
  claims?: number;
  mode?: number;
}

/** A .zip by APPNOTE 6.3: local headers with data, the central directory, its end. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, data, claims, mode = 0o100644 } of entries) {
    const packed = deflateRawSync(data);
    const raw = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt16LE(0x5c41, 8);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claims ?? data.length, 18);
    fields.writeUInt16LE(raw.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, raw, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, tail, raw]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

export const zipFiles = (files: Files): Buffer => zipOf(Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) })));

/** Zstandard by RFC 8878, without compressing: a frame of raw blocks, or of one byte that is said `repeat` times. */
export function zstdOf(bytes: Buffer, { window = 0x38, repeat = 0, block: most = 1 << 12 }: { window?: number; repeat?: number; block?: number } = {}): Buffer {
  const block = (type: number, size: number, body: Buffer, last: boolean): Buffer => {
    const head = Buffer.alloc(3);
    head.writeUIntLE((size << 3) | (type << 1) | (last ? 1 : 0), 0, 3);
    return Buffer.concat([head, body]);
  };
  const blocks: Buffer[] = [];
  if (repeat > 0) blocks.push(block(1, repeat, bytes, true));
  else for (let at = 0; at === 0 || at < bytes.length; at += most) blocks.push(block(0, Math.min(most, bytes.length - at), bytes.subarray(at, at + most), at + most >= bytes.length));
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, window]), ...blocks]);
}
