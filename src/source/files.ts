import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { UserError } from '../model/errors.ts';
import { kindKey, resourceOfKind } from '../model/resources.ts';
import type { ApiServer } from '../model/server.ts';
import { NO_TIME, type SnapshotInput } from '../model/snapshot.ts';
import { type Input, readInputs } from './bytes.ts';
import { withoutLogs } from './bundles/cluster-info.ts';
import { linkNote } from './bundles/tree.ts';
import { createClock } from './clock.ts';
import { type Document, parseJson } from './documents.ts';
import type { Door } from './door.ts';
import { coverageOf } from './dump-coverage.ts';
import { identify } from './identities.ts';
import { createNotes } from './notes.ts';
import { isTimelineHead } from './recording/timeline.ts';
import { createRedactor } from './redact.ts';
import { type Pile, createPile, unpack } from './unpack.ts';
import { parseYaml } from './yaml.ts';

/**
 * Dumps by `kubectl get -o json|yaml` and their kin: lists, typed lists, NDJSON, several documents, watch events, from files,
 * directories of them, or stdin. Raises UserError where nothing at all can be read; whatever can be is kept, with notes.
 */
export async function readFiles(paths: readonly string[], stdin?: NodeJS.ReadableStream): Promise<SnapshotInput> {
  const started = performance.now();
  const notes = createNotes();
  const inputs = await readInputs(paths, stdin, (count) => notes.add(linkNote(count)));
  // Keyed by the dump itself: the same dump gives the same report, and the marker is no use without the dump.
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(input.text);
  const door: Door = { notes, redactor: createRedactor(hash.digest()) };
  const pile = createPile();
  const read: { document: Document; input: Input }[] = [];
  for (const input of inputs) {
    for (const document of await documentsOf(input, inputs.length > 1, door)) read.push({ document, input });
    // The text is not needed any more; a big dump must not be held twice.
    input.text = '';
  }
  for (const { document } of read) unpack(document, read.length === 1, pile, door);
  if (pile.objects.size === 0 && pile.kinds.size === 0) {
    const timeline = read.find(({ document }) => isTimelineHead(document.value))?.input.path;
    if (timeline) throw onlyTimeline(dirname(timeline));
    const [first] = notes.list();
    throw new UserError(
      `${nameOf(paths)} holds no Kubernetes objects.${first ? ` ${first}` : ''}`,
      'Write one with: kubectl get all,events,pvc -n NAMESPACE -o json > dump.json',
    );
  }
  return assemble(
    pile,
    door,
    paths,
    inputs.reduce((sum, input) => sum + input.bytes, 0),
    performance.now() - started,
  );
}

const onlyTimeline = (directory: string): UserError =>
  new UserError(
    `${directory} holds the time line of a gate, and no single moment to judge.`,
    `kubectl strata gate --from ${directory} replays it; kubectl strata serve --from ${directory} gives back its last moment, and with --at any other.`,
  );

/** The documents of one file's text, whatever form it has; what could not be read goes to the notes, with the file's name where `named`. */
export async function documentsOf(input: Input, named: boolean, door: Door): Promise<Document[]> {
  const text = withoutLogs(input.text);
  // A warning of kubectl's may stand before the JSON. Flow YAML begins like JSON, but not with a quoted key.
  const json = /^\s*[{[]/.test(text) || /^\{(?:\s*"|\s*$)/m.test(text) ? parseJson(text) : null;
  if (json === 'too-deep') throw refused(input, 'is nested deeper than any Kubernetes object');
  const found = json && (json.documents.length > 0 || /^\s*[{[]\s*["{[]/.test(text)) ? json : await parseYaml(text);
  if (found === 'bomb') throw refused(input, 'expands by YAML aliases to more than was written');
  for (const note of found.notes) door.notes.add(named ? `${input.name}: ${note}` : note);
  return found.documents;
}

const refused = (input: Input, why: string): UserError =>
  new UserError(`${input.name} ${why}; it was not read.`, 'Use the output of kubectl get -o json or -o yaml as it is.');

function assemble(pile: Pile, door: Door, paths: readonly string[], bytes: number, ms: number): SnapshotInput {
  identify(pile.objects.values());
  const clock = createClock();
  const namespaces = new Set<string>();
  const foreign = new Set<string>();
  for (const object of pile.objects.values()) {
    clock.see(object);
    if (object.metadata.namespace) namespaces.add(object.metadata.namespace);
    if (!resourceOfKind(kindKey(object.apiVersion, object.kind))) foreign.add(`${object.kind} (${object.apiVersion})`);
  }
  for (const kind of [...foreign].sort()) door.notes.add(`${kind} is not a kind that kubectl-strata knows; it is judged by its conditions.`);
  const newest = clock.newest();
  if (newest === null) door.notes.add(`The dump ${NO_TIME}`);
  const all = [...namespaces].sort();
  return {
    objects: [...pile.objects.values()],
    coverage: coverageOf(pile, all),
    server: unasked(),
    capturedAt: newest ?? new Date().toISOString(),
    source: { kind: 'files', name: nameOf(paths) },
    cost: { requests: 0, bytes, ms: Math.round(ms) },
    notes: door.notes.list(),
  };
}

/** The API server of what was read from files: nobody has asked it anything. `version` where the files tell it. */
export const unasked = (version = ''): ApiServer => ({
  kind: 'APIServer',
  apiVersion: 'kubectl-strata/v1',
  metadata: { name: 'unknown' },
  endpoint: '',
  reached: null,
  connection: [],
  health: [],
  failures: [],
  ...(version ? { version } : {}),
});

const nameOf = (paths: readonly string[]): string => paths.map((path) => (path === '-' ? 'stdin' : basename(path))).join(', ');
