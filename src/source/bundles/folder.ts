import { createHash } from 'node:crypto';
import { lstat, open, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { LIMITS, tooMuch } from './limits.ts';
import { type Tree, type TreeFile, byPath, linkNote } from './tree.ts';

const SAMPLE = 64 * 1024;
const SAMPLES = 200;

/** A folder as a tree. Symbolic links are no files here, and so never lead out. */
export async function openFolder(path: string): Promise<Tree> {
  const root = resolve(path);
  const files: TreeFile[] = [];
  const notes: string[] = [];
  let links = 0;
  let modified = 0;
  // By hand, because a recursive readdir holds every name before the first can be refused.
  const walk = async (inner: string): Promise<void> => {
    const entries = await readdir(join(root, inner), { withFileTypes: true }).catch(() => null);
    if (!entries) return void notes.push(`The folder ${inner || '.'} may not be read.`);
    for (const entry of entries) {
      const at = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (entry.isSymbolicLink()) links++;
      else if (entry.isDirectory()) await walk(at);
      else if (entry.isFile()) {
        const info = await lstat(join(root, at));
        modified = Math.max(modified, info.mtimeMs);
        if (files.push({ path: at, size: info.size }) > LIMITS.entries) throw tooMuch(path, `holds more than ${LIMITS.entries.toLocaleString('en-US')} files`);
      }
    }
  };
  await walk('');
  files.sort(byPath);
  const contentOf = async (inner: string, most: number): Promise<Buffer> => {
    const file = await open(join(root, inner), 'r');
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(Math.min(size, most));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  };
  return {
    name: basename(root),
    isArchive: false,
    files,
    cut: false,
    modified,
    notes: [...notes, ...(links > 0 ? [linkNote(links)] : [])],
    async read(paths, visit) {
      for (const file of files) if (paths.has(file.path)) await visit(file.path, await contentOf(file.path, LIMITS.file).catch(() => null));
    },
    async digest() {
      const hash = createHash('sha256');
      for (const file of files) hash.update(`${file.path}\0${file.size}\0`);
      for (const file of files.filter((each) => /\.(?:json|ya?ml)$/.test(each.path)).slice(0, SAMPLES))
        hash.update(await contentOf(file.path, SAMPLE).catch(() => Buffer.alloc(0)));
      return hash.digest();
    },
  };
}
