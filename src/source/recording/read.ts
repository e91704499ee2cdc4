import { isAscii } from 'node:buffer';
import { lstatSync, readFileSync } from 'node:fs';
import { type FileHandle, lstat, open, readFile, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Coverage } from '../../model/coverage.ts';
import { UserError } from '../../model/errors.ts';
import type { KubeObject } from '../../model/kinds.ts';
import type { ApiServer } from '../../model/server.ts';
import type { Scope, SnapshotInput } from '../../model/snapshot.ts';
import { MOST_BYTES } from '../bytes.ts';
import { conform } from '../conform.ts';
import { type Door, admit } from '../door.ts';
import { createNotes } from '../notes.ts';
import { createRedactor } from '../redact.ts';
import { COVERAGE, FORMAT, LISTS, MANIFEST, type Manifest, SERVER } from './layout.ts';
import { COVERAGE_SHAPE, MANIFEST_SHAPE, SERVER_SHAPE, STATES } from './shapes.ts';

export interface Recorded {
  input: SnapshotInput;
  /** What it was recorded for. */
  scope: Scope;
}

const MOST_TOTAL = 4 * MOST_BYTES;

/** Whether a path is a recording of ours: a directory with our manifest. */
export async function isRecording(path: string): Promise<boolean> {
  const text = await readFile(join(path, MANIFEST), 'utf8').catch(() => null);
  return text !== null && /"kind":\s*"Recording"/.test(text.slice(0, 1000));
}

/** The files of a recording, wherever they lie. */
export interface Shelf {
  /** As the user named it. */
  path: string;
  name: string;
  /** One of the files at its top; null where it is not there or too large. */
  text(name: string): Promise<string | null>;
  /** Every list, one after the other, in parts; a part is the visitor's only until it asks for the next. */
  lists(visit: (name: string, parts: AsyncIterable<Buffer> | Iterable<Buffer>) => Promise<void>): Promise<void>;
}

export const readRecording = (directory: string): Promise<Recorded> => readShelf(folderOf(directory));

/**
 * Reads a recording back into what was read then: objects, coverage, server, clock and cost are equal. What is damaged is
 * told and never counts as absent. Raises UserError where it is of a newer format or its manifest is broken.
 */
export async function readShelf(shelf: Shelf): Promise<Recorded> {
  const manifest = await manifestOf(shelf);
  const door: Door = { notes: createNotes(), redactor: createRedactor() };
  const server = await part<ApiServer>(shelf, SERVER, (value) => conform(value, SERVER_SHAPE));
  if (!server) door.notes.add(`${SERVER} is missing or damaged: nothing is known of the API server.`);
  const coverage = await part<Coverage[]>(shelf, COVERAGE, (value) => conform(value, COVERAGE_SHAPE));
  if (!coverage) door.notes.add(`${COVERAGE} is missing or damaged: nothing can be proven absent.`);
  const objects: KubeObject[] = [];
  const damaged = new Set<string>();
  await shelf.lists((name, parts) => readList(parts, name, door, objects, damaged));
  return {
    scope: manifest.scope,
    input: {
      objects,
      coverage: (coverage ?? []).filter((entry) => STATES.has(entry.state)).map((entry) => (damaged.has(entry.kind) && entry.state === 'complete' ? { ...entry, state: 'truncated', message: 'the recording is damaged' } : entry)),
      server: server ?? { kind: 'APIServer', apiVersion: 'kubectl-strata/v1', metadata: { name: 'unknown' }, endpoint: '', reached: null, connection: [], health: [], failures: [] },
      capturedAt: manifest.capturedAt,
      source: { kind: 'recording', name: shelf.name, tool: manifest.tool },
      cost: manifest.cost,
      notes: [...manifest.notes, ...door.notes.list()],
    },
  };
}

async function manifestOf(shelf: Shelf): Promise<Manifest> {
  const { path: directory } = shelf;
  const broken = (why: string): UserError => new UserError(`The recording ${directory} cannot be read: its manifest ${why}.`, 'Record again with kubectl strata record, or copy the directory whole.');
  const manifest = await part<Manifest>(shelf, MANIFEST, (value) => conform(value, MANIFEST_SHAPE));
  if (!manifest) throw broken('is missing or damaged');
  if (!(manifest.formatVersion <= FORMAT)) throw new UserError(`The recording ${directory} has format ${manifest.formatVersion}; this version reads up to ${FORMAT}.`, 'Use a newer kubectl-strata.');
  if (!manifest.scope || !manifest.cost || Number.isNaN(Date.parse(manifest.capturedAt ?? ''))) throw broken('says neither when nor what for');
  const { namespaces = [], targets = [], selector, all } = manifest.scope;
  return { ...manifest, notes: manifest.notes ?? [], tool: manifest.tool ?? '', scope: { namespaces, all: all === true, targets, ...(selector ? { selector } : {}) } };
}

async function part<T>(shelf: Shelf, name: string, fits: (value: unknown) => boolean): Promise<T | null> {
  try {
    const value: unknown = JSON.parse((await shelf.text(name)) ?? 'null');
    return fits(value) ? (value as T) : null;
  } catch {
    return null;
  }
}

function folderOf(directory: string): Shelf {
  return {
    path: directory, name: basename(resolve(directory)),
    async text(name) {
      const file = join(directory, name);
      const info = await lstat(file);
      return info.isFile() && info.size <= MOST_BYTES ? readFile(file, 'utf8') : null;
    },
    async lists(visit) {
      const root = join(directory, LISTS);
      // Symbolic links are no files here, and so never lead out.
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl')).map((entry) => join(entry.parentPath ?? root, entry.name)).sort();
      let total = 0;
      for (const file of files) {
        const { size } = lstatSync(file);
        total += size;
        if (size > MOST_BYTES || total > MOST_TOTAL) throw new UserError(`The recording ${directory} is larger than this program reads (${file.slice(directory.length + 1)}).`, 'Record fewer namespaces.');
        await visit(file.slice(directory.length + 1), partsOf(file, size));
      }
    },
  };
}

const PART = 2 * 1024 * 1024;
const NEWLINE = 10;

/** The next part is on its way while one is being read; a list is never held as text as a whole. */
async function* partsOf(file: string, size: number): AsyncGenerator<Buffer> {
  // A small one costs less than the trips to another thread.
  if (size <= PART / 8) return yield readFileSync(file);
  const handle = await open(file, 'r');
  try {
    const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(size, PART)));
    // Where nobody asks for it any more, nobody hears of its failure.
    const next = (at: number): Promise<Buffer> => {
      const reading = fill(handle, buffers[at % 2] as Buffer, at * PART);
      reading.catch(() => undefined);
      return reading;
    };
    let reading = next(0);
    for (let at = 1; ; at++) {
      const part = await reading;
      if (part.length === 0) return;
      if (at * PART < size) reading = next(at);
      yield part;
      if (at * PART >= size) return;
    }
  } finally {
    await handle.close();
  }
}

async function fill(handle: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function readList(parts: AsyncIterable<Buffer> | Iterable<Buffer>, name: string, door: Door, objects: KubeObject[], damaged: Set<string>): Promise<void> {
  let of = '';
  const read = (line: string, whole: boolean): void => {
    if (line === '') return;
    const value = parse(line);
    if (of === '' && value !== undefined && typeof (value as { of?: unknown }).of === 'string') {
      of = (value as { of: string }).of;
      return;
    }
    const object = value === undefined ? null : admit(value, door);
    if (object) objects.push(object);
    else {
      damaged.add(of);
      door.notes.add(`${name} ${whole ? 'holds a line that is damaged' : 'is cut off'}.`);
    }
  };
  // The beginning of a line whose end is in a later part.
  let rest: Buffer[] = [];
  for await (const part of parts) {
    let from = 0;
    if (rest.length > 0) {
      const end = part.indexOf(NEWLINE);
      rest.push(Buffer.from(end < 0 ? part : part.subarray(0, end)));
      if (end < 0) continue;
      read(textOf(Buffer.concat(rest)), true);
      rest = [];
      from = end + 1;
    }
    const last = part.lastIndexOf(NEWLINE);
    const text = textOf(part.subarray(from, last + 1));
    for (let at = 0, end = text.indexOf('\n'); end >= 0; at = end + 1, end = text.indexOf('\n', at)) read(text.slice(at, end), true);
    if (last < part.length - 1) rest.push(Buffer.from(part.subarray(last + 1)));
  }
  if (rest.length > 0) read(textOf(Buffer.concat(rest)), false);
}

// Most of it is plain ASCII, which needs no decoding.
const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
