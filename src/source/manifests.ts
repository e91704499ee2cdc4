import { relative } from 'node:path';
import { UserError } from '../model/errors.ts';
import { kindKey } from '../model/resources.ts';
import { literal } from '../model/pattern.ts';
import { readInputs } from './bytes.ts';
import { type Document, parseJson } from './documents.ts';
import { parseYaml } from './yaml.ts';

/** One object of a manifest: what was applied, and where it stands. */
export interface ManifestObject {
  apiVersion: string;
  /** kindKey. */
  kind: string;
  name: string;
  /** As written; absent where the manifest leaves it to kubectl's -n. */
  namespace?: string | undefined;
  /** As it was given, relative to where the program runs. */
  file: string;
  /** Of its name, from 1. */
  line: number;
}

/**
 * The objects of manifests as `kubectl apply -f` takes them: files, folders, `-`; YAML, JSON, Lists. Only their names are
 * kept. Raises UserError where a file cannot be read or holds none.
 */
export async function readManifests(paths: readonly string[], stdin?: NodeJS.ReadableStream): Promise<ManifestObject[]> {
  const found: ManifestObject[] = [];
  for (const path of paths) {
    for (const { text, path: name = path } of await readInputs([path], stdin)) {
      const file = name === '-' ? 'stdin' : relative('.', name) || name;
      const parsed = /^\s*[{[]/.test(text) ? parseJson(text) : await parseYaml(text);
      if (parsed === 'bomb' || parsed === 'too-deep')
        throw new UserError(`${file} is no manifest: it expands to more than was written.`, 'Give the files that kubectl apply takes.');
      const [note] = parsed.notes;
      if (note) throw new UserError(`${file}: ${note}`, 'kubectl apply would not take it either.');
      const lines = text.split('\n');
      for (const document of parsed.documents) found.push(...objectsIn(document, lines, file));
    }
  }
  if (found.length === 0) throw new UserError(`There is no Kubernetes object in ${paths.join(', ')}.`, 'Give the files that kubectl apply takes.');
  return found;
}

interface Written {
  apiVersion?: unknown;
  kind?: unknown;
  metadata?: { name?: unknown; namespace?: unknown };
  items?: unknown;
}

// A kustomization is for kustomize, and is never an object of the API server.
const NO_OBJECT = /^kustomize\.config\.k8s\.io\//;

function objectsIn(document: Document, lines: readonly string[], file: string): ManifestObject[] {
  const all = (value: unknown): Written[] => {
    if (value === null || typeof value !== 'object') return [];
    const { items } = value as Written;
    return Array.isArray(items) ? items.flatMap(all) : [value as Written];
  };
  let from = document.line - 1;
  return all(document.value).flatMap(({ apiVersion, kind, metadata }) => {
    const name = metadata?.name;
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string' || NO_OBJECT.test(apiVersion)) return [];
    const named = new RegExp(`(?:^|[\\s{,-])"?name"?:\\s*["']?${literal(name)}["']?(?=[\\s,}]|$)`);
    const at = lines.findIndex((line, index) => index >= from && named.test(line));
    if (at >= 0) from = at + 1;
    const namespace = metadata?.namespace;
    return [
      {
        apiVersion,
        kind: kindKey(apiVersion, kind),
        name,
        ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
        file,
        line: at >= 0 ? at + 1 : document.line,
      },
    ];
  });
}
