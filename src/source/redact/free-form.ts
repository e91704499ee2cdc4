import { type Fields, isFields } from '../../model/fields.ts';
import { isHarmlessValue, isManifestAnnotation, isSecretAnnotation, isSecretName } from './names.ts';
import type { Texts } from './texts.ts';

export interface Tools extends Texts {
  mark(value: string): string;
  /** The same function, which remembers what is clean. */
  once(read: (text: string) => string): (text: string) => string;
}

/** What a person or a tool may fill with anything: annotations, parameters, pairs of name and value, whole custom resources. */
export interface FreeForm {
  annotations(map: unknown): void;
  /** Pairs `{name, value}`: variables, headers. */
  pairs(list: unknown): void;
  /** One field; its new value. */
  field(name: string, value: string): string;
  /** Everything below, in place. `named`: the names of the fields count, as in a custom resource; built-in kinds have names of their own. */
  walk(value: unknown, named: boolean, at?: string): void;
}

const MOST_NESTED = 100;
// Maps of the built-in kinds whose keys the user chooses: StorageClass, CSI volumes, FlexVolume, VolumeAttachment, devices.
const MAPS = new Set(['parameters', 'volumeAttributes', 'options', 'attachmentMetadata', 'opaque', 'additionalProperties']);
export const isMap = (field: string): boolean => MAPS.has(field);
const WORDS = new Set(['command', 'args', 'containerArgs', 'extraArgs', 'mountOptions']);
const SENTENCES = new Set(['message', 'note', 'reason', 'lastError', 'error']);
// Beside them `key` is the name of something: a selector, a toleration, a reference.
const POINTS = ['operator', 'effect', 'values', 'path', 'optional', 'matchLabels', 'name', 'version', 'property'];

/** For values whose meaning no schema tells: annotations, fields of custom resources, manifests inside of texts. */
export function createFreeForm({ mark, once, given: plain, said, words }: Tools): FreeForm {
  const given = once((text) => manifest(text) ?? plain(text));

  const annotations = (map: unknown): void => {
    if (!isFields(map)) return;
    for (const key in map) {
      const value = map[key];
      if (typeof value !== 'string') continue;
      if (isManifestAnnotation(key) || (isSecretAnnotation(key) && !isHarmlessValue(value))) map[key] = mark(value);
      else put(map, key, value, manifest(value) ?? said(value));
    }
  };

  // A manifest within a string: read as one, written anew only where something was taken out.
  const manifest = (text: string): string | null => {
    if (!/^\s*[{[]/.test(text) || text.length > 1 << 20) return null;
    const value = parsed(text);
    if (value === null) return null;
    const before = JSON.stringify(value);
    walk(value, true);
    const after = JSON.stringify(value);
    return before === after ? text : after;
  };

  const pairs = (list: unknown): void => {
    if (!Array.isArray(list)) return;
    for (let i = 0; i < list.length; i++) if (isFields(list[i])) pair(list[i] as Fields);
  };

  const pair = (entry: Fields): void => {
    const { name, value } = entry;
    if (typeof value !== 'string' || value === '') return;
    if (typeof name === 'string' && isSecretName(name)) entry['value'] = isHarmlessValue(value) ? value : mark(value);
    else put(entry, 'value', value, given(value));
  };

  const field = (name: string, value: string): string => {
    if (isSecretName(name) && !isHarmlessValue(value)) return mark(value);
    if (SENTENCES.has(name)) return said(value);
    return given(value);
  };

  const walk = (value: unknown, named: boolean, at = '', depth = 0): void => {
    if (value === null || typeof value !== 'object') return;
    if (Array.isArray(value)) {
      if (WORDS.has(at)) words(value);
      for (let i = 0; i < value.length; i++) {
        const item: unknown = value[i];
        // `tokens: [a, b]`: a list is called after what is in it.
        if (typeof item === 'string')
          put(
            value as unknown as Fields,
            i,
            item,
            WORDS.has(at) ? item : named && isSecretName(at.replace(/s$/, '')) && !isHarmlessValue(item) ? mark(item) : given(item),
          );
        else below(value as unknown as Fields, i, item, named, at, depth);
      }
      return;
    }
    const fields = value as Fields;
    if (typeof fields['value'] === 'string' && typeof fields['name'] === 'string') pair(fields);
    if (Array.isArray(fields['args']) && Array.isArray(fields['command'])) words(fields['args'], fields['command']);
    // A Secret within another object: a template, a manifest to be applied.
    const secret = fields['kind'] === 'Secret';
    for (const key in fields) {
      const held = fields[key];
      if (typeof held === 'string') {
        if (key === 'value' && 'name' in fields) continue;
        if (!named) put(fields, key, held, SENTENCES.has(key) ? said(held) : given(held));
        else if (key === 'type' || key === 'kind' || (key === 'key' && POINTS.some((name) => name in fields))) continue;
        else put(fields, key, held, field(key, held));
      } else if (key === 'annotations') annotations(held);
      else if (secret && (key === 'data' || key === 'stringData') && isFields(held)) for (const each in held) held[each] = '';
      else below(fields, key, held, named || isMap(key), key, depth);
    }
  };

  // Deeper than anything the API stores: not looked through, and so not kept.
  const below = (holder: Fields, key: string | number, held: unknown, named: boolean, at: string, depth: number): void => {
    if (held === null || typeof held !== 'object') return;
    if (depth >= MOST_NESTED) holder[key] = null;
    else walk(held, named, at, depth + 1);
  };

  return { annotations, pairs, field, walk };
}

/** Writing the same again costs as much as writing something else, thousands of times over. */
function put(holder: Fields, key: string | number, before: string, after: string): void {
  if (after !== before) holder[key] = after;
}

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
