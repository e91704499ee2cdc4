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
  /** Every list, one after the other. */
  lists(visit: (name: string, text: string) => void): Promise<void>;
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
  await shelf.lists((name, text) => readList(text, name, door, objects, damaged));
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
        const { size } = await lstat(file);
        total += size;
        if (size > MOST_BYTES || total > MOST_TOTAL) throw new UserError(`The recording ${directory} is larger than this program reads (${file.slice(directory.length + 1)}).`, 'Record fewer namespaces.');
        visit(file.slice(directory.length + 1), await readFile(file, 'utf8'));
      }
    },
  };
}

function readList(text: string, name: string, door: Door, objects: KubeObject[], damaged: Set<string>): void {
  let of = '';
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end);
    const whole = end >= 0;
    from = (end < 0 ? text.length : end) + 1;
    if (line === '') continue;
    const value = parse(line);
    if (of === '' && value !== undefined && typeof (value as { of?: unknown }).of === 'string') {
      of = (value as { of: string }).of;
      continue;
    }
    const object = value === undefined ? null : admit(value, door);
    if (object) objects.push(object);
    else {
      damaged.add(of);
      door.notes.add(`${name} ${whole ? 'holds a line that is damaged' : 'is cut off'}.`);
    }
  }
}

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
