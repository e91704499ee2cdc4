import { isAscii } from 'node:buffer';
import { closeSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { lstat, readFile, readdir } from 'node:fs/promises';
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

/** A recording in a folder. Raises UserError where it is none, or of a format that is not known. */
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
      coverage: (coverage ?? [])
        .filter((entry) => STATES.has(entry.state))
        .map((entry) =>
          damaged.has(entry.kind) && entry.state === 'complete' ? { ...entry, state: 'truncated', message: 'the recording is damaged' } : entry,
        ),
      server: server ?? {
        kind: 'APIServer',
        apiVersion: 'kubectl-strata/v1',
        metadata: { name: 'unknown' },
        endpoint: '',
        reached: null,
        connection: [],
        health: [],
        failures: [],
      },
      capturedAt: manifest.capturedAt,
      source: { kind: 'recording', name: shelf.name, tool: manifest.tool },
      cost: manifest.cost,
      notes: [...manifest.notes, ...door.notes.list()],
    },
  };
}

async function manifestOf(shelf: Shelf): Promise<Manifest> {
  const { path: directory } = shelf;
  const broken = (why: string): UserError =>
    new UserError(`The recording ${directory} cannot be read: its manifest ${why}.`, 'Record again with kubectl strata record, or copy the directory whole.');
  const manifest = await part<Manifest>(shelf, MANIFEST, (value) => conform(value, MANIFEST_SHAPE));
  if (!manifest) throw broken('is missing or damaged');
  if (!(manifest.formatVersion <= FORMAT))
    throw new UserError(`The recording ${directory} has format ${manifest.formatVersion}; this version reads up to ${FORMAT}.`, 'Use a newer kubectl-strata.');
  if (!manifest.scope || !manifest.cost || Number.isNaN(Date.parse(manifest.capturedAt ?? ''))) throw broken('says neither when nor what for');
  const { namespaces = [], targets = [], selector, all } = manifest.scope;
  return {
    ...manifest,
    notes: manifest.notes ?? [],
    tool: manifest.tool ?? '',
    scope: { namespaces, all: all === true, targets, ...(selector ? { selector } : {}) },
  };
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
    path: directory,
    name: basename(resolve(directory)),
    async text(name) {
      const file = join(directory, name);
      const info = await lstat(file);
      return info.isFile() && info.size <= MOST_BYTES ? readFile(file, 'utf8') : null;
    },
    async lists(visit) {
      const root = join(directory, LISTS);
      // Symbolic links are no files here, and so never lead out.
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      const files = entries
        .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
        .map((entry) => join(entry.parentPath ?? root, entry.name))
        .sort();
      let total = 0;
      for (const file of files) {
        const { size } = lstatSync(file);
        total += size;
        if (size > MOST_BYTES || total > MOST_TOTAL)
          throw new UserError(
            `The recording ${directory} is larger than this program reads (${file.slice(directory.length + 1)}).`,
            'Record fewer namespaces.',
          );
        await visit(file.slice(directory.length + 1), partsOf(file, size));
      }
    },
  };
}

const PART = 256 * 1024;
const NEWLINE = 10;

/**
 * One buffer for the whole of it: a list is never held as text. Read at once where it stands: the system reads a file ahead by itself,
 * and a trip to another thread and back for each part takes longer than the part.
 */
function* partsOf(file: string, size: number): Generator<Buffer> {
  if (size <= PART) return yield readFileSync(file);
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafeSlow(PART);
    for (let left = size; left > 0; ) {
      const filled = readSync(handle, buffer, 0, Math.min(left, PART), null);
      if (filled === 0) return;
      left -= filled;
      yield buffer.subarray(0, filled);
    }
  } finally {
    closeSync(handle);
  }
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
      const line = Buffer.concat(rest);
      read(textOf(line, 0, line.length, isAscii(line)), true);
      rest = [];
      from = end + 1;
    }
    const plain = isAscii(part);
    for (let end = part.indexOf(NEWLINE, from); end >= 0; from = end + 1, end = part.indexOf(NEWLINE, from)) read(textOf(part, from, end, plain), true);
    if (from < part.length) rest.push(Buffer.from(part.subarray(from)));
  }
  if (rest.length === 0) return;
  const line = Buffer.concat(rest);
  read(textOf(line, 0, line.length, isAscii(line)), false);
}

// Most of it is plain ASCII, which needs no decoding.
const textOf = (bytes: Buffer, from: number, to: number, plain: boolean): string => bytes.toString(plain ? 'latin1' : 'utf8', from, to);

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
