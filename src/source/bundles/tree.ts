/** Files of a folder or an archive, read without unpacking it. Paths are relative, with `/`, and never lead out. */
export interface Tree {
  /** Its own name, for the report. */
  name: string;
  isArchive: boolean;
  files: readonly TreeFile[];
  /** It breaks off: what came before the break is there. */
  cut: boolean;
  /** Newest modification of a file, ms; 0 where none is known. */
  modified: number;
  /** Sentences about the tree itself. */
  notes: readonly string[];
  /** Gives the content of these files, one after the other, each at most `LIMITS.file` long; null where it may not be read. */
  read(paths: ReadonlySet<string>, visit: (path: string, bytes: Buffer | null) => Promise<void>): Promise<void>;
  /** Depends on the content, so that it is known only to whoever has it. */
  digest(): Promise<Buffer>;
}

export interface TreeFile {
  path: string;
  size: number;
}

/** A path of an archive as a relative one; null where it leads out of it (absolute, a drive, `..`) or is no name at all. */
export function safePath(raw: string): string | null {
  if (raw.includes('\0') || raw.length > 4096) return null;
  const path = raw.replaceAll('\\', '/');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/');
}

/** Byte order: the same for a folder and its archive, on every machine. */
export const byPath = (a: TreeFile, b: TreeFile): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

export const linkNote = (count: number): string => `${count} symbolic ${count === 1 ? 'link was' : 'links were'} not followed.`;
export const escapeNote = (count: number): string =>
  `${count} ${count === 1 ? 'entry of the archive leads' : 'entries of the archive lead'} out of it and ${count === 1 ? 'was' : 'were'} left out.`;
