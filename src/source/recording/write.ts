import { lstat, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Coverage } from '../../model/coverage.ts';
import { UserError } from '../../model/errors.ts';
import type { KubeObject } from '../../model/kinds.ts';
import type { Scope, Snapshot } from '../../model/snapshot.ts';
import { createRedactor } from '../redact.ts';
import { COVERAGE, FORMAT, LISTS, MANIFEST, type Manifest, REDACTION, SERVER, fileOf } from './layout.ts';
import { type RedactionLog, type RedactionReport, createRedactionLog } from './redactions.ts';

/**
 * Writes a snapshot as a recording, exactly as it was read: whole or not at all, for its owner's eyes only.
 * Gives back what had been taken out of it at the door. Raises UserError where the directory exists and is not empty, or cannot be written.
 */
export async function writeRecording(directory: string, snapshot: Snapshot, scope: Scope, tool: string): Promise<RedactionReport> {
  const target = resolve(directory);
  await refuseUnlessFree(target, directory);
  let draft = '';
  try {
    await mkdir(dirname(target), { recursive: true });
    // Beside the target, so that the rename stays on one file system; mkdtemp makes it 0700.
    draft = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
    const redaction = await writeInto(draft, snapshot, scope, tool);
    await rename(draft, target);
    return redaction;
  } catch (error) {
    if (draft) await rm(draft, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UserError(`The recording cannot be written to ${directory} (${code}).`, 'Choose a directory with room that you may write to.');
  }
}

async function refuseUnlessFree(target: string, name: string): Promise<void> {
  const info = await lstat(target).catch(() => null);
  if (info === null) return;
  if (info.isDirectory() && (await readdir(target)).length === 0) return;
  throw new UserError(`${name} exists already.`, 'Choose a directory that does not exist yet; recordings are never written over.');
}

async function writeInto(draft: string, snapshot: Snapshot, scope: Scope, tool: string): Promise<RedactionReport> {
  // The server's own words, in failures and notes, do not come through the door.
  const { sentence } = createRedactor();
  const reread = <T>(value: T): T => JSON.parse(JSON.stringify(value), (_, held: unknown) => (typeof held === 'string' ? sentence(held) : held)) as T;
  await writeJson(join(draft, SERVER), reread(snapshot.server));
  await writeJson(join(draft, COVERAGE), reread(snapshot.coverage));
  const log = createRedactionLog();
  const covered = new Map<string, Coverage[]>();
  for (const kind of [...snapshot.kinds(), ...snapshot.coverage.map((entry) => entry.kind)]) covered.set(kind, []);
  for (const entry of snapshot.coverage) covered.get(entry.kind)?.push(entry);
  const made = new Set<string>();
  for (const [kind, lists] of covered) {
    const file = join(draft, LISTS, fileOf(kind, snapshot));
    if (!made.has(dirname(file))) await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    made.add(dirname(file));
    await write(file, lines({ of: kind, lists: reread(lists) }, snapshot.seen(kind), log));
  }
  const redaction = log.report();
  await writeJson(join(draft, REDACTION), redaction);
  const manifest: Manifest = {
    kind: 'Recording',
    formatVersion: FORMAT,
    tool,
    capturedAt: snapshot.capturedAt,
    source: snapshot.source.name,
    scope,
    cost: snapshot.cost,
    notes: reread([...snapshot.notes]),
    redaction: { profile: 'default', values: redaction.values, objects: redaction.objects.length },
  };
  // Last: a directory without it is no recording.
  await writeJson(join(draft, MANIFEST), manifest);
  return redaction;
}

const writeJson = (file: string, value: unknown): Promise<void> => write(file, [`${JSON.stringify(value, null, 1)}\n`]);

const CHUNK = 1 << 20;

// A chunk at a time: a big list is never held as text as a whole.
function* lines(header: object, objects: readonly KubeObject[], log: RedactionLog): Generator<string> {
  let chunk = `${JSON.stringify(header)}\n`;
  for (const object of objects) {
    const line = JSON.stringify(object);
    log.see(object, line);
    chunk += `${line}\n`;
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

async function write(file: string, chunks: Iterable<string>): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    for (const chunk of chunks) await handle.writeFile(chunk);
  } finally {
    await handle.close();
  }
}
