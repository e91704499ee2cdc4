import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { UserError } from '../../model/errors.ts';
import { NO_TIME, type Scope, type SnapshotInput } from '../../model/snapshot.ts';
import { readInputs, textOf } from '../bytes.ts';
import { createClock } from '../clock.ts';
import type { Door } from '../door.ts';
import { documentsOf, readFiles, unasked } from '../files.ts';
import { createNotes } from '../notes.ts';
import { createRedactor } from '../redact.ts';
import { auditNotes, isAudit } from './audit.ts';
import { type Found, detect } from './detect.ts';
import { type Gather, createGather } from './gather.ts';
import { applied } from './json-patch.ts';
import { isKwok, lengthOf, patched, rebased } from './kwok.ts';
import type { Part } from './layout.ts';
import { LIMITS, inMiB, tooMuch } from './limits.ts';
import { beginning, openTree } from './open.ts';
import { readOwn } from './own.ts';
import { captureTime, timeInName } from './times.ts';
import type { Tree } from './tree.ts';
import { attempt } from '../yaml.ts';

/** What was read; `scope` where it says itself what it was collected for. */
export interface Foreign {
  input: SnapshotInput;
  scope?: Scope;
}

/**
 * A bundle of another tool, or an archive of dumps; null where the path is neither, and so a plain dump. What was not
 * collected is not known, what was collected and is empty is none. Raises UserError where the bundle cannot be read safely.
 */
async function readBundle(path: string): Promise<Foreign | null> {
  const started = performance.now();
  const tree = await openTree(path);
  if (!tree) return null;
  const own = await readOwn(tree, path);
  if (own) return own;
  const found = detect(tree, path);
  if (!found) return null;
  const notes = createNotes();
  for (const note of tree.notes) notes.add(note);
  // Keyed by the content: the same bundle gives the same report, and the marker is no use without the bundle.
  const door: Door = { notes, redactor: createRedactor(await tree.digest()) };
  const gather = createGather(door);
  const bytes = await readAll({ tree, path, gather, door, ...found });
  return {
    input: finish({
      gather,
      door,
      path,
      tool: found.layout.tool,
      name: tree.name,
      inName: timeInName(found.roots[0] || tree.name),
      modified: tree.modified,
      cut: tree.cut,
      bytes,
      started,
    }),
  };
}

interface Ending {
  gather: Gather;
  door: Door;
  path: string;
  tool: string;
  name: string;
  inName: string | null;
  modified: number;
  cut: boolean;
  bytes: number;
  started: number;
}

function finish({ gather, door: { notes }, path, tool, name, inName, modified, cut, bytes, started }: Ending): SnapshotInput {
  const objects = gather.objects();
  const coverage = gather.coverage(cut);
  if (objects.length === 0 && coverage.length === 0) {
    const [first] = notes.list();
    throw new UserError(
      `${path} (${tool}) holds no Kubernetes objects.${first ? ` ${first}` : ''}`,
      'Give a bundle that was collected from a cluster, with its objects.',
    );
  }
  const clock = createClock();
  for (const object of objects) clock.see(object);
  const capturedAt = captureTime(gather.times, later(clock.newest(), gather.changed()), inName, modified);
  if (capturedAt === null) notes.add(`The bundle ${NO_TIME}`);
  return {
    objects,
    coverage,
    server: unasked(gather.version()),
    capturedAt: capturedAt ?? new Date().toISOString(),
    source: { kind: 'files', name, tool },
    cost: { requests: 0, bytes, ms: Math.round(performance.now() - started) },
    notes: notes.list(),
  };
}

/**
 * The one bundle among the paths, `of` how many were given, with what audit logs beside it say of `namespaces` (none: all); null where all are plain dumps.
 * Raises UserError where several bundles, or nothing but audit logs, are given.
 */
export async function readBundles(paths: readonly string[], of: number, namespaces: readonly string[] = []): Promise<Foreign | null> {
  const heads = await Promise.all(paths.map(async (path) => ({ path, ...(await beginning(path)) })));
  const audits = heads.filter(({ text }) => isAudit(text));
  const rest = heads.filter((each) => !audits.includes(each));
  if (audits.length > 0 && audits.length === of)
    throw new UserError('An audit log alone holds no objects; it only adds to them.', 'Give it beside a dump or a bundle: --from dump.json --from audit.log');
  const notes = (
    await Promise.all(
      audits.map(({ path, compression, text }) =>
        auditNotes(path, basename(path), compression, { namespaces, redactor: createRedactor(createHash('sha256').update(text).digest()) }),
      ),
    )
  ).flat();
  const alone = of === audits.length + 1;
  for (const { path, text } of rest) {
    const found = isKwok(text) ? { input: await readKwok(path) } : await readBundle(path);
    if (found && !alone) throw new UserError('A bundle is read alone; only audit logs may stand beside it.', 'Give one --from.');
    if (found) return { ...found, input: { ...found.input, notes: [...(found.input.notes ?? []), ...notes] } };
  }
  if (audits.length === 0 || rest.length + audits.length < of) return null;
  const input = await readFiles(rest.map(({ path }) => path));
  return { input: { ...input, notes: [...(input.notes ?? []), ...notes] } };
}

/** A kwokctl snapshot or recording: its times count from its start, and only the file says when that was. */
async function readKwok(path: string): Promise<SnapshotInput> {
  const started = performance.now();
  const [[input], { mtimeMs }] = [await readInputs([path]), await stat(path)];
  const text = input?.text ?? '';
  const door: Door = { notes: createNotes(), redactor: createRedactor(createHash('sha256').update(text).digest()) };
  const gather = createGather(door);
  const documents = await documentsOf({ name: basename(path), text: rebased(text, mtimeMs - lengthOf(text)), bytes: text.length }, false, door);
  for (const document of patched(documents)) gather.take(document, { is: 'object', whole: true });
  door.notes.add(`The times in it count from the file's own time (${new Date(mtimeMs).toISOString()}).`);
  return finish({
    gather,
    door,
    path,
    tool: 'kwokctl snapshot',
    name: basename(path),
    inName: null,
    modified: mtimeMs,
    cut: false,
    bytes: text.length,
    started,
  });
}

/** A bundle that is being read. */
interface Reading extends Found {
  tree: Tree;
  path: string;
  gather: Gather;
  door: Door;
}

/** Gathers what the layout wants of it; how many bytes that was. */
async function readAll(reading: Reading): Promise<number> {
  const { tree, gather, layout, roots } = reading;
  const wanted = new Map<string, Part>();
  for (const root of roots) {
    const inside = tree.files.filter((file) => file.path.startsWith(root)).map((file) => file.path.slice(root.length));
    // The tool's own account may lie beside the folder of the cluster.
    const outside = root === '' ? [] : ['gather.log', 'timestamp', 'must-gather.log', 'must-gather.logs', 'version', 'event-filter.html'];
    const above = outside.filter((name) => tree.files.some((file) => file.path === parentOf(root) + name));
    const classify = layout.open([...inside, ...above]);
    for (const inner of inside) want(root + inner, classify(inner));
    for (const name of above) want(parentOf(root) + name, classify(name));
    for (const inner of inside) {
      const space = /^(?:namespaces|yamls\/namespaced|resources\/ns)\/([^/]+)\//.exec(inner)?.[1];
      if (space) gather.space(space);
    }
  }
  function want(name: string, part: Part | null): void {
    if (part) wanted.set(name, part);
  }
  const total = refuseTooLarge(reading, wanted);
  const patches = await readPatches(reading, wanted);
  await tree.read(new Set(wanted.keys()), async (name, bytes) => {
    const part = wanted.get(name);
    if (part && part.is !== 'patches') await readPart(reading, { name, bytes, part, patches: patches.get(name) ?? [] });
  });
  return total;
}

const later = (a: string | null, b: string | null): string | null => (a === null || (b !== null && Date.parse(b) > Date.parse(a)) ? b : a);

const parentOf = (root: string): string => root.replace(/[^/]+\/$/, '');

/** Takes files that are too large out of `wanted`; the bytes of the others. Raises UserError where those are too many. */
function refuseTooLarge({ tree, path, gather, door }: Reading, wanted: Map<string, Part>): number {
  let total = 0;
  for (const file of tree.files) {
    const part = wanted.get(file.path);
    if (!part) continue;
    if (file.size > LIMITS.file) {
      door.notes.add(`${file.path} is larger than ${inMiB(LIMITS.file)} and was left out.`);
      if (part.is === 'list' || part.is === 'object') gather.lost(part, `its file is larger than ${inMiB(LIMITS.file)}`);
      wanted.delete(file.path);
      continue;
    }
    total += file.size;
  }
  if (total > LIMITS.total) throw tooMuch(path, `holds more than ${inMiB(LIMITS.total)} of objects`);
  return total;
}

/** The patches by the file they are for, which may stand before or behind them in an archive. */
async function readPatches({ tree, roots, door }: Reading, wanted: ReadonlyMap<string, Part>): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const names = new Map(
    [...wanted].flatMap(([name, part]) =>
      part.is === 'patches' ? [[name, (roots.find((root) => root !== '' && name.startsWith(root)) ?? '') + part.of] as const] : [],
    ),
  );
  if (names.size === 0) return found;
  await tree.read(new Set(names.keys()), async (name, bytes) => {
    if (bytes === null) return door.notes.add(`${name} may not be read.`);
    found.set(
      names.get(name) ?? '',
      textOf(bytes)
        .split('\n')
        .filter((line) => line.trim() !== ''),
    );
  });
  return found;
}

/** The last state that the patches lead to; what does not fit ends them, with a note. */
function patchedBy(value: unknown, lines: readonly string[], name: string, door: Door): unknown {
  let state = value;
  for (const [index, line] of lines.entries()) {
    const next = attempt(() => JSON.parse(line) as unknown);
    const result = next === null ? null : applied(state, next);
    if (!result) {
      door.notes.add(`${name}: change ${index + 1} of ${lines.length} does not fit; the state before it is read.`);
      break;
    }
    state = result.value;
  }
  return state;
}

interface PartFile {
  name: string;
  /** Null where it may not be read. */
  bytes: Buffer | null;
  part: Exclude<Part, { is: 'patches' }>;
  /** Lines that change it, in their order. */
  patches: readonly string[];
}

async function readPart({ layout, gather, door }: Reading, { name, bytes, part, patches }: PartFile): Promise<void> {
  if (bytes === null) {
    door.notes.add(`${name} may not be read.`);
    if (part.is !== 'about') gather.lost(part, 'its file may not be read');
    return;
  }
  const text = textOf(bytes);
  if (part.is === 'about') return part.read(text, gather.about);
  if (text.trim() === 'null' && part.is === 'list') return gather.take({ value: { items: [] }, line: 1, cut: false }, part);
  try {
    for (const document of await documentsOf({ name, text, bytes: bytes.length }, true, door)) {
      if (layout.mend) document.value = layout.mend(document.value);
      if (patches.length > 0) document.value = patchedBy(document.value, patches, name, door);
      if (layout.last && (document.value = layout.last(document.value, gather.about)) === null) continue;
      gather.take(document, part);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // One bad file costs only itself.
    door.notes.add(error.message);
    gather.lost(part, 'its file could not be read safely');
  }
}
