import { createReadStream } from 'node:fs';
import { access, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Coverage } from '../../model/coverage.ts';
import { UserError } from '../../model/errors.ts';
import type { KubeObject } from '../../model/kinds.ts';
import type { ApiServer } from '../../model/server.ts';
import { type Cost, Snapshot, type SourceInfo } from '../../model/snapshot.ts';
import { createClock } from '../clock.ts';
import { conform } from '../conform.ts';
import { type Door, admit } from '../door.ts';
import { createNotes } from '../notes.ts';
import { createRedactor } from '../redact.ts';
import { MANIFEST } from './layout.ts';
import { COVERAGE_SHAPE, SERVER_SHAPE } from './shapes.ts';
import { keyOf } from '../unpack.ts';

/**
 * Many looks at one cluster, beside a recording of the last of them:
 *   timeline.jsonl   a header line with what was asked; then a line a look: its clock, and what differs from the look before
 */
const FILE = 'timeline.jsonl';
const FORMAT = 1;
/** What is kept in memory until it is known whether anybody wants it. */
const MOST = 256 * 1024 * 1024;

const PARTLY = new Set(['Secret', 'ConfigMap']);

interface Head {
  kind: 'Timeline';
  formatVersion: number;
  /** Of whoever recorded it; not read here. */
  asked: unknown;
}

interface LookLine {
  capturedAt: string;
  cost: Cost;
  notes: string[];
  server: ApiServer;
  coverage: Coverage[];
  objects: KubeObject[];
  /** Keys of objects that are no more. */
  gone: string[];
}

export interface Timeline {
  add(snapshot: Snapshot): void;
  /** Lines so far; the last ones are missing where there was no room. */
  lines(): readonly string[];
  full(): boolean;
}

/** Keeps looks as lines. An object is written again when its resourceVersion has changed, or where it has none. */
export function createTimeline(): Timeline {
  const held = new Map<string, string>();
  const kept: string[] = [];
  let size = 0;
  let full = false;
  return {
    add(snapshot) {
      if (full) return;
      const seen = new Set<string>();
      const objects: KubeObject[] = [];
      for (const kind of snapshot.kinds()) {
        for (const object of snapshot.seen(kind)) {
          const key = keyOf(object);
          const { uid = '', resourceVersion } = object.metadata;
          // A ConfigMap may be read without its keys first, and with them later.
          const version = resourceVersion && !PARTLY.has(object.kind) ? `${uid} ${resourceVersion}` : JSON.stringify(object);
          seen.add(key);
          if (held.get(key) === version) continue;
          held.set(key, version);
          objects.push(object);
        }
      }
      const gone = [...held.keys()].filter((key) => !seen.has(key));
      for (const key of gone) held.delete(key);
      const look: LookLine = {
        capturedAt: snapshot.capturedAt,
        cost: snapshot.cost,
        notes: [...snapshot.notes],
        server: snapshot.server,
        coverage: [...snapshot.coverage],
        objects,
        gone,
      };
      const line = JSON.stringify(look);
      size += line.length;
      if (size > MOST) full = true;
      else kept.push(line);
    },
    lines: () => kept,
    full: () => full,
  };
}

/** Puts the looks into a recording's folder, whole or not at all. `asked` is what has to be known to judge them again. */
export async function writeTimeline(directory: string, asked: unknown, lines: readonly string[]): Promise<void> {
  const head: Head = { kind: 'Timeline', formatVersion: FORMAT, asked };
  const draft = join(directory, `.${FILE}`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    for (const line of [JSON.stringify(head), ...lines]) await handle.writeFile(`${line}\n`);
  } finally {
    await handle.close();
  }
  await rename(draft, join(directory, FILE));
}

/** Whether a folder holds a time line. */
export const hasTimeline = (directory: string): Promise<boolean> =>
  access(join(directory, FILE)).then(
    () => true,
    () => false,
  );

/** Whether it holds one, and no recording of its last moment beside it. */
export const isTimelineAlone = async (directory: string): Promise<boolean> =>
  (await hasTimeline(directory)) &&
  !(await access(join(directory, MANIFEST)).then(
    () => true,
    () => false,
  ));

/** Whether a document is the header line of a time line. */
export const isTimelineHead = (value: unknown): boolean => {
  const { kind, formatVersion, apiVersion } = (value ?? {}) as { kind?: unknown; formatVersion?: unknown; apiVersion?: unknown };
  return kind === 'Timeline' && typeof formatVersion === 'number' && apiVersion === undefined;
};

/**
 * The looks of a recording, one snapshot each, and what was asked. Raises UserError where the header is not one of ours.
 * `steady`: no look is earlier than the one before it; else each has the clock that whoever judged it went by.
 */
export async function readTimeline(directory: string, steady = false): Promise<{ asked: unknown; looks: AsyncIterable<Snapshot> }> {
  const lines = createInterface({ input: createReadStream(join(directory, FILE), 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const first = await lines.next();
  const head = parse(first.done ? '' : first.value) as Partial<Head> | null;
  if (head?.kind !== 'Timeline' || !(Number(head.formatVersion) <= FORMAT))
    throw new UserError(`${directory} holds a time line that this version cannot read.`, 'Record it again with kubectl strata gate --record.');
  return { asked: head.asked, looks: snapshotsOf(lines, { kind: 'recording', name: directory.split('/').at(-1) ?? directory }, steady) };
}

async function* snapshotsOf(lines: AsyncIterator<string>, source: SourceInfo, steady: boolean): AsyncGenerator<Snapshot> {
  const door: Door = { notes: createNotes(), redactor: createRedactor() };
  const held = new Map<string, KubeObject>();
  let latest = Number.NEGATIVE_INFINITY;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const look = parse(next.value) as Partial<LookLine> | null;
    if (
      !look ||
      typeof look.capturedAt !== 'string' ||
      Number.isNaN(Date.parse(look.capturedAt)) ||
      !conform(look.server, SERVER_SHAPE) ||
      !conform(look.coverage, COVERAGE_SHAPE)
    ) {
      throw new UserError('The time line is damaged, and nothing behind the damage can be judged.', 'Copy the folder whole.');
    }
    for (const key of Array.isArray(look.gone) ? look.gone : []) held.delete(String(key));
    for (const raw of Array.isArray(look.objects) ? look.objects : []) {
      const object = admit(raw, door);
      if (object) held.set(keyOf(object), object);
    }
    if (steady) latest = timeOf(look.capturedAt, latest, held.values());
    const { requests = 0, bytes = 0, ms = 0, watch } = look.cost ?? {};
    yield new Snapshot({
      objects: [...held.values()],
      coverage: look.coverage as Coverage[],
      server: look.server as ApiServer,
      capturedAt: steady ? new Date(latest).toISOString() : look.capturedAt,
      source,
      cost: { requests, bytes, ms, ...(watch ? { watch } : {}) },
      notes: (look.notes ?? []).map(String),
    });
  }
}

/** Further ahead than this of the look before it, an object was written by a clock that is wrong. */
const AHEAD = 60_000;

/**
 * When a look was taken. None was taken before the one that stands before it: where its clock says so, what it saw tells the time,
 * for a look is not older than the newest of it.
 */
function timeOf(said: string, before: number, objects: Iterable<KubeObject>): number {
  const at = Date.parse(said);
  if (at >= before) return at;
  const clock = createClock();
  for (const object of objects) clock.see(object);
  const newest = Date.parse(clock.newest() ?? '');
  return newest > before && newest - before <= AHEAD ? newest : before;
}

function parse(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
