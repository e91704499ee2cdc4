import type { KubeObject, Writer } from '../model/kinds.ts';
import { isFields } from '../model/fields.ts';

// The whole manifest once more, Secrets' values included (kubectl apply writes it).
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MOST_PATHS = 24;

interface ManagedFields {
  manager?: string;
  operation?: string;
  subresource?: string;
  time?: string;
  fieldsV1?: Record<string, unknown>;
}

/**
 * Reduces managedFields to `metadata.writers` and drops the last applied manifest, in place. Done twice it changes nothing.
 * Metadata is made anew: a field deleted from the middle would turn each of thousands of objects into a slow hash table.
 */
export function trim(object: KubeObject): void {
  const metadata = object.metadata as KubeObject['metadata'] & { managedFields?: ManagedFields[] };
  if ('managedFields' in metadata) {
    const { managedFields, ...rest } = metadata;
    if (Array.isArray(managedFields) && isAsked(object)) rest.writers = managedFields.map(writerOf);
    object.metadata = rest;
  }
  // A recording brings them as they are here, and may have been edited.
  else if (metadata.writers) metadata.writers = metadata.writers.filter((writer) => Array.isArray(writer.paths) && typeof writer.manager === 'string');
  const { annotations } = metadata;
  if (annotations && LAST_APPLIED in annotations) {
    const { [LAST_APPLIED]: _, ...rest } = annotations;
    object.metadata.annotations = rest;
  }
}

// Who wrote them is asked of thousands of these only where a finalizer stays behind.
const MANY = new Set(['Pod', 'EndpointSlice', 'Event', 'Endpoints']);

/** Whether the writers of a kind's objects are kept even where they have no finalizer. */
export const hasWriters = (kind: string): boolean => !MANY.has(kind);

const isAsked = (object: KubeObject): boolean => hasWriters(object.kind) || (object.metadata.finalizers?.length ?? 0) > 0;

function writerOf(entry: ManagedFields): Writer {
  const writer: Writer = { manager: entry.manager ?? '', operation: entry.operation ?? '', paths: pathsOf(entry.fieldsV1) };
  if (entry.subresource) writer.subresource = entry.subresource;
  if (entry.time) writer.time = entry.time;
  return writer;
}

// Thousands of pods share a few dozen paths; each is built once.
const joined = new Map<string, Map<string, string>>();

function join(top: string, key: string): string {
  let below = joined.get(top);
  if (!below) joined.set(top, (below = new Map()));
  let path = below.get(key);
  if (path === undefined) {
    path = key.startsWith('f:') ? `${top}.${key.slice(2)}` : top;
    if (below.size < 500) below.set(key, path);
  }
  return path;
}

/**
 * FieldsV1 names a field `f:replicas`, a list item `k:{...}`, a set member `v:"..."` and the field itself `.`
 * (structured-merge-diff, fieldpath/serialize-pe.go). Two levels are kept, and the members of `metadata.finalizers`,
 * because who set a finalizer is who has to remove it.
 */
function pathsOf(fields: unknown): string[] {
  const paths: string[] = [];
  if (!isFields(fields)) return paths;
  for (const top in fields) {
    if (!top.startsWith('f:')) continue;
    const below = fields[top];
    const name = top.slice(2);
    if (!isFields(below) || isEmpty(below)) {
      if (paths.push(name) >= MOST_PATHS) return paths;
      continue;
    }
    for (const key in below) {
      if (key === '.') continue;
      const path = join(name, key);
      if (path === 'metadata.finalizers') addFinalizers(paths, below[key]);
      else if (path !== paths.at(-1)) paths.push(path);
      if (paths.length >= MOST_PATHS) return paths.slice(0, MOST_PATHS);
    }
  }
  return paths;
}

function addFinalizers(paths: string[], members: unknown): void {
  paths.push('metadata.finalizers');
  if (!isFields(members)) return;
  for (const key in members) if (key.startsWith('v:')) paths.push(`metadata.finalizers[${key.slice(2)}]`);
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
