import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../model/errors.ts';
import { type Compression, compressionOf, unpacker } from './bundles/compression.ts';

/** One file's text. */
export interface Input {
  name: string;
  /** As it was found. */
  path?: string | undefined;
  text: string;
  /** Size as read. */
  bytes: number;
}

// V8 strings end at 512 MiB; half of it leaves room for what is parsed.
export const MOST_BYTES = 256 * 1024 * 1024;
const MOST_TOTAL = 2 * MOST_BYTES;
/** What grows beyond this is counted to its end before any of it is kept. */
const HELD = 48 * 1024 * 1024;
const MOST_FILES = 10_000;
const READABLE = /\.(?:json|ya?ml|ndjson|jsonl)(?:\.(?:gz|zst|xz))?$/i;

/**
 * Reads files, every dump in a directory (one level and below), and stdin (`-`), as text. Raises UserError where one cannot be.
 * Links in a directory are not followed; `linked` is told how many.
 */
export async function readInputs(paths: readonly string[], stdin?: NodeJS.ReadableStream, linked?: (count: number) => void): Promise<Input[]> {
  const inputs: Input[] = [];
  let total = 0;
  const take = (input: Input): void => {
    total += input.bytes;
    if (total > MOST_TOTAL) throw tooLarge(paths.join(', '), MOST_TOTAL);
    inputs.push(input);
  };
  for (const path of paths) {
    if (path === '-') take(await readStdin(stdin ?? process.stdin));
    else for (const file of await filesOf(path, linked)) take(await readOne(file));
  }
  return inputs;
}

async function filesOf(path: string, linked?: (count: number) => void): Promise<string[]> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  if (!info.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink()).length;
  if (links > 0) linked?.(links);
  const files = entries
    .filter((entry) => entry.isFile() && READABLE.test(entry.name))
    .map((entry) => join(entry.parentPath ?? path, entry.name))
    .sort();
  if (files.length === 0)
    throw new UserError(
      `The directory ${path} holds no .json or .yaml files.`,
      'Name a file made by kubectl get -o json, or a directory made by kubectl strata record.',
    );
  if (files.length > MOST_FILES)
    throw new UserError(`The directory ${path} holds more than ${MOST_FILES} files.`, 'Name the files or the directory of one namespace.');
  return files;
}

async function readOne(path: string): Promise<Input> {
  let bytes: Buffer;
  try {
    const file = await open(path, 'r');
    try {
      const info = await file.stat();
      if (info.isFile() && info.size > MOST_BYTES) throw tooLarge(path);
      // A pipe (`<(kubectl get ...)`) and a device have no size to trust.
      bytes = info.isFile() ? await file.readFile() : await drain(file.createReadStream({ autoClose: false }), path);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
  return decode(path, bytes);
}

async function readStdin(stdin: NodeJS.ReadableStream): Promise<Input> {
  const bytes = await drain(stdin, 'stdin');
  if (bytes.length === 0)
    throw new UserError('Nothing came on stdin.', 'Pipe a dump in: kubectl get all,events -n NAMESPACE -o json | kubectl strata --from -');
  return decode('stdin', bytes);
}

async function drain(stream: NodeJS.ReadableStream, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MOST_BYTES) throw tooLarge(name);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

async function decode(path: string, bytes: Buffer): Promise<Input> {
  const name = path === 'stdin' ? path : basename(path);
  if (bytes.length === 0) throw new UserError(`${path} is empty.`, 'Write it with: kubectl get all,events -n NAMESPACE -o json > dump.json');
  const compression = compressionOf(bytes);
  if (compression) bytes = await unpacked(path, bytes, compression);
  const archive = archiveOf(bytes);
  if (archive)
    throw new UserError(
      `${path} is a ${archive} archive.`,
      'Name its file: --from FILE reads .tar, .tar.gz, .tar.zst, .tar.xz and .zip as they are, of folders and standard input only text.',
    );
  return { name, path, text: textOf(bytes), bytes: bytes.length };
}

async function unpacked(path: string, bytes: Buffer, compression: Compression): Promise<Buffer> {
  const pass = (take: (part: Buffer) => void): Promise<void> =>
    pipeline([bytes], unpacker(compression), async (parts: AsyncIterable<Buffer>) => {
      for await (const part of parts) take(part);
    });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    await pass((part) => {
      size += part.length;
      if (size > MOST_BYTES) throw tooLarge(path);
      if (size <= HELD) chunks.push(part);
      else chunks.length = 0;
    });
    if (size > HELD) {
      const whole = createWhole(size);
      await pass(whole.add);
      return whole.bytes;
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `${path} is not a whole ${compression} file: ${(error as Error).message}.`,
      `Copy it again, or unpack it with ${{ gzip: 'gunzip', zstd: 'unzstd', xz: 'unxz' }[compression]} first.`,
    );
  }
  return Buffer.concat(chunks);
}

/** What is known to be so long, as it comes in: gathered and then joined it would be held twice. */
export function createWhole(size: number): { bytes: Buffer; add(part: Buffer): void; length(): number } {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  return { bytes, add: (part) => void (at += part.copy(bytes, at)), length: () => at };
}

function archiveOf(bytes: Buffer): string {
  if (bytes.subarray(257, 262).toString('latin1') === 'ustar') return 'tar';
  return { '504b0304': 'zip', '425a6839': 'bzip2' }[bytes.subarray(0, 4).toString('hex')] ?? '';
}

/** Bytes as text; PowerShell's > writes UTF-16 with a mark. */
export function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.subarray(3).toString('utf8');
  return bytes.toString('utf8');
}

const tooLarge = (path: string, most = MOST_BYTES): UserError =>
  new UserError(`${path} is larger than ${most / 1024 / 1024} MiB.`, 'Dump one namespace at a time, or let kubectl strata read the cluster itself.');

function unreadable(path: string, error: NodeJS.ErrnoException): UserError {
  const why: Record<string, string> = { ENOENT: 'does not exist', EACCES: 'may not be read (permission denied)', EISDIR: 'is a directory' };
  return new UserError(
    `${path} ${why[error.code ?? ''] ?? `cannot be read (${error.code ?? error.message})`}.`,
    'Name a file or directory that exists, or - for stdin.',
  );
}
