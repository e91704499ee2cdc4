import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Transform, type TransformCallback, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Header } from 'tar-stream';
import { UserError } from '../../model/errors.ts';
import { createWhole } from '../bytes.ts';
import { type Compression, unpacker } from './compression.ts';
import { LIMITS, inMiB, tooMuch } from './limits.ts';
import { type Tree, type TreeFile, byPath, escapeNote, linkNote, safePath } from './tree.ts';

/**
 * A .tar, compressed or not, as a tree. It is read twice from the front: once for the names, once for what is wanted; at no time is
 * more than one file of it held. Of an archive that breaks off, the files before the break are there.
 */
export async function openTar(path: string, compression: Compression | null): Promise<Tree> {
  const found = new Map<string, TreeFile>();
  const hash = createHash('sha256');
  let links = 0;
  let escapes = 0;
  let modified = 0;
  let entries = 0;
  const cut = await walk(
    path,
    compression,
    (bytes) => hash.update(bytes),
    async (header) => {
      if (++entries > LIMITS.entries) throw tooMuch(path, `holds more than ${LIMITS.entries.toLocaleString('en-US')} files`);
      if (header.type === 'symlink' || header.type === 'link') links++;
      if (!isFile(header)) return false;
      const inner = safePath(header.name);
      if (inner === null) escapes++;
      else found.set(inner, { path: inner, size: header.size });
      modified = Math.max(modified, header.mtime.getTime() || 0);
      return false;
    },
  );
  if (entries === 0) throw new UserError(`${path} is not a whole archive: it breaks off before its first file.`, 'Copy it again.');
  const notes = [
    ...(links > 0 ? [linkNote(links)] : []),
    ...(escapes > 0 ? [escapeNote(escapes)] : []),
    ...(cut ? ['The archive breaks off; only what comes before the break was read.'] : []),
  ];
  const digest = hash.digest();
  return {
    name: basename(path),
    isArchive: true,
    files: [...found.values()].sort(byPath),
    cut,
    modified,
    notes,
    digest: async () => digest,
    async read(paths, visit) {
      await walk(
        path,
        compression,
        () => undefined,
        async (header) => {
          const inner = isFile(header) ? safePath(header.name) : null;
          if (inner === null || !paths.has(inner) || header.size > LIMITS.file) return false;
          return (bytes) => visit(inner, bytes);
        },
      );
    },
  };
}

const isFile = (header: Header): boolean => header.type === 'file' || header.type === 'contiguous-file';

type Take = (bytes: Buffer) => Promise<void>;

/** Calls for each entry, in order; its content goes to what is returned, if anything. Tells whether the archive breaks off. */
async function walk(
  path: string,
  compression: Compression | null,
  raw: (bytes: Buffer) => void,
  each: (header: Header) => Promise<false | Take>,
): Promise<boolean> {
  // A CommonJS package: in a lazy chunk of the bundle only its default export is there.
  const { default: tar } = await import('tar-stream');
  const { size } = await stat(path);
  const extract = tar.extract();
  const meter = createMeter(path, size);
  const file = createReadStream(path);
  file.on('data', (chunk) => raw(chunk as Buffer));
  // A streamx stream: it does all that Node's do, and its types do not say so.
  const sink = extract as unknown as Writable;
  const run = compression ? pipeline(file, unpacker(compression), meter.stream, sink) : pipeline(file, meter.stream, sink);
  // Reported where the entries end; until then nobody waits for it.
  run.catch(() => undefined);
  try {
    for await (const entry of extract) {
      meter.heard();
      const take = await each(entry.header);
      const whole = take ? createWhole(entry.header.size) : null;
      for await (const chunk of entry as AsyncIterable<Buffer>) {
        meter.heard();
        whole?.add(chunk);
      }
      if (take && whole) await take(whole.bytes.subarray(0, whole.length()));
    }
    await run;
    return false;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const words = await run.then(
      () => error as Error,
      (reason: unknown) => reason as Error,
    );
    if (words instanceof UserError) throw words;
    if (isBreak(words) || isBreak(error as Error)) return true;
    throw new UserError(`${path} is not a whole archive: ${words.message}.`, 'Copy it again, or unpack it yourself and give the folder.');
  } finally {
    file.destroy();
    extract.destroy();
  }
}

// zlib's and tar-stream's words for an end that comes too early, or for damage on the way.
const isBreak = (error: NodeJS.ErrnoException): boolean =>
  /unexpected end|Premature close|Writable stream closed prematurely|Invalid tar header/i.test(error.message) ||
  ['Z_BUF_ERROR', 'Z_DATA_ERROR', 'ERR_STREAM_PREMATURE_CLOSE'].includes(error.code ?? '');

/** Counts what comes out of the decompressor, and stops a bomb and a header without end. */
function createMeter(path: string, size: number): { stream: Transform; heard(): void } {
  let out = 0;
  let silent = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
      out += chunk.length;
      silent += chunk.length;
      if (out > LIMITS.unpacked) return done(tooMuch(path, `unpacks to more than ${inMiB(LIMITS.unpacked)}`));
      if (out > LIMITS.ratioFrom && out > LIMITS.ratio * size) return done(tooMuch(path, `unpacks to more than ${LIMITS.ratio} times its size`));
      // tar-stream gathers the long names and extended headers of the next entry in memory.
      if (silent > LIMITS.header) return done(tooMuch(path, `has a header of more than ${inMiB(LIMITS.header)}`));
      done(null, chunk);
    },
  });
  return { stream, heard: () => void (silent = 0) };
}
