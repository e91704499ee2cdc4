import { kindKey } from '../../model/resources.ts';
import type { Document } from '../documents.ts';
import { itemOf } from './kinds.ts';
import { type Fields, isFields } from '../../model/fields.ts';

const OFFSET = /\$\(time-offset-nanosecond (-?\d{1,19})\)/g;
const PATCHES = 'action.kwok.x-k8s.io/';

/** By the first bytes of a file. */
export const isKwok = (head: string): boolean => head.includes('$(time-offset-nanosecond ') || head.includes(PATCHES);

interface Patch {
  resource?: { group?: string; version?: string; resource?: string };
  target?: { name?: string; namespace?: string };
  durationNanosecond?: number;
  method?: string;
  template?: unknown;
}

/** The longest way a recorded change lies behind the start, in ms. */
export function lengthOf(text: string): number {
  return [...text.matchAll(/^\s*"?durationNanosecond"?:\s*(\d{1,18})/gm)].reduce((longest, [, ns]) => Math.max(longest, Number(ns) / 1e6), 0);
}

/** kwokctl writes every time as an offset from the start of the recording; `start` in ms puts them back. */
export function rebased(text: string, start: number): string {
  return text.replace(OFFSET, (_, ns: string) => new Date(start + Number(ns) / 1e6).toISOString());
}

/** Objects at the end of a kwokctl recording: the first state, with every ResourcePatch applied in the order of its time. */
export function patched(documents: readonly Document[]): Document[] {
  const isPatch = ({ value }: Document): boolean => isFields(value) && value['kind'] === 'ResourcePatch' && String(value['apiVersion']).startsWith(PATCHES);
  const state = new Map<string, Document>();
  for (const document of documents) if (!isPatch(document)) state.set(keyOf(document.value) ?? `line ${document.line}`, document);
  const patches = documents.filter(isPatch).map((document) => ({ document, patch: document.value as Patch }));
  patches.sort((a, b) => (a.patch.durationNanosecond ?? 0) - (b.patch.durationNanosecond ?? 0));
  for (const { document, patch } of patches) {
    const { resource, target = {}, method } = patch;
    const item = itemOf(resource?.resource ?? '', resource?.group ?? '');
    const key = item ? [kindKey(item.apiVersion, item.kind), target.namespace ?? '', target.name ?? ''].join('\0') : null;
    if (key === null) continue;
    if (method === 'delete') state.delete(key);
    else if (method === 'create') state.set(key, { ...document, value: { ...item, ...(isFields(patch.template) ? patch.template : {}) } });
    else if (method === 'patch') {
      const before = state.get(key);
      if (before) state.set(key, { ...before, value: merged(before.value, patch.template) });
    }
  }
  return [...state.values()];
}

function keyOf(value: unknown): string | null {
  if (!isFields(value) || !isFields(value['metadata'])) return null;
  return [kindKey(String(value['apiVersion']), String(value['kind'])), String(value['metadata']['namespace'] ?? ''), String(value['metadata']['name'])].join(
    '\0',
  );
}

/** A JSON merge patch (RFC 7396). */
function merged(value: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Fields = isFields(value) ? { ...value } : {};
  for (const [key, held] of Object.entries(patch)) {
    if (key === '__proto__') continue;
    if (held === null) delete result[key];
    else result[key] = merged(result[key], held);
  }
  return result;
}
