import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { stat } from 'node:fs/promises';
import type { Entry, ZipFile } from 'yauzl';
import { UserError } from '../../model/errors.ts';
import { createWhole } from '../bytes.ts';
import { LIMITS, inMiB, tooMuch } from './limits.ts';
import { type Tree, type TreeFile, byPath, escapeNote, linkNote, safePath } from './tree.ts';

const SYMLINK = 0o120000;
const FILE_TYPE = 0o170000;

/** A .zip as a tree: its directory at the end says what there is, and each file is read where it lies. */
export async function openZip(path: string): Promise<Tree> {
  const { default: yauzl } = await import('yauzl');
  const nameOf = (entry: Entry): string => yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
  const zip = await openArchive(path);
  const found = new Map<string, { file: TreeFile; entry: Entry }>();
  const hash = createHash('sha256');
  let links = 0;
  let escapes = 0;
  let modified = 0;
  let unpacked = 0;
  try {
    await eachEntry(zip, path, (entry) => {
      if (found.size + links + escapes >= LIMITS.entries) throw tooMuch(path, `holds more than ${LIMITS.entries.toLocaleString('en-US')} files`);
      const name = nameOf(entry);
      if (name.endsWith('/')) return;
      // The upper half of the external attributes is the mode, where the archive was made on Unix.
      if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK) return void links++;
      const inner = safePath(name);
      if (inner === null) return void escapes++;
      unpacked += entry.uncompressedSize;
      hash.update(`${inner}\0${entry.uncompressedSize}\0${entry.crc32}\0`);
      modified = Math.max(modified, entry.getLastModDate().getTime() || 0);
      found.set(inner, { file: { path: inner, size: entry.uncompressedSize }, entry });
    });
  } finally {
    zip.close();
  }
  const { size } = await stat(path);
  if (unpacked > LIMITS.unpacked) throw tooMuch(path, `unpacks to more than ${inMiB(LIMITS.unpacked)}`);
  if (unpacked > LIMITS.ratioFrom && unpacked > LIMITS.ratio * size) throw tooMuch(path, `unpacks to more than ${LIMITS.ratio} times its size`);
  const digest = hash.digest();
  const files = [...found.values()].map(({ file }) => file).sort(byPath);
  return {
    name: basename(path),
    isArchive: true,
    files,
    cut: false,
    modified,
    notes: [...(links > 0 ? [linkNote(links)] : []), ...(escapes > 0 ? [escapeNote(escapes)] : [])],
    digest: async () => digest,
    async read(paths, visit) {
      const again = await openArchive(path);
      try {
        for (const file of files) {
          const entry = found.get(file.path)?.entry;
          if (entry && paths.has(file.path) && file.size <= LIMITS.file) await visit(file.path, await contentOf(again, entry, path));
        }
      } finally {
        again.close();
      }
    },
  };
}

const broken = (path: string, error: Error): UserError =>
  new UserError(`${path} is not a whole zip archive: ${error.message.replace(/\.+$/, '')}.`, 'Copy it again, or unpack it yourself and give the folder.');

async function openArchive(path: string): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl');
  return new Promise((resolve, reject) => {
    // Names are decoded and looked at here (safePath): yauzl gives up the whole archive for one bad name.
    yauzl.open(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true, decodeStrings: false }, (error, zip) =>
      error ? reject(broken(path, error)) : resolve(zip),
    );
  });
}

function eachEntry(zip: ZipFile, path: string, visit: (entry: Entry) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      try {
        visit(entry);
        zip.readEntry();
      } catch (error) {
        reject(error);
      }
    });
    zip.on('end', () => resolve());
    zip.on('error', (error: Error) => reject(broken(path, error)));
    zip.readEntry();
  });
}

function contentOf(zip: ZipFile, entry: Entry, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(broken(path, error));
    zip.openReadStream(entry, (error, stream) => {
      if (error) return fail(error);
      // Never more than the directory says, nor less: yauzl ends the stream with an error then.
      const whole = createWhole(entry.uncompressedSize);
      stream.on('data', whole.add);
      stream.on('error', fail);
      stream.on('end', () => resolve(whole.bytes.subarray(0, whole.length())));
    });
  });
}
