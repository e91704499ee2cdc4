import { createHmac, randomBytes } from 'node:crypto';
import type { KubeObject } from '../model/kinds.ts';
import { groupOf, resourceOfKind } from '../model/resources.ts';
import { isFields } from '../model/fields.ts';
import { createFreeForm, isMap } from './redact/free-form.ts';
import { isMarker, marker } from './redact/marker.ts';
import { createPods } from './redact/pods.ts';
import { createTexts } from './redact/texts.ts';

/**
 * Values that look like secrets become markers at the door, so that the live report, the recording and its report say the same.
 * Equal values give equal markers within one reading; the key is thrown away with the process.
 */
export interface Redactor {
  /** `alike`: of a pod, its containers have been looked through already. */
  object(object: KubeObject, alike?: boolean): void;
  /** A sentence that belongs to no object. */
  sentence(text: string): string;
  /** Values replaced so far. */
  count(): number;
}

// Thousands of siblings say the same: what is clean is looked at once. Only short texts, so that the memory stays small.
const MOST_CLEAN = 20_000;
const MOST_LENGTH = 512;

/** Takes what looks like a secret out of objects, in place. One key a snapshot: the same value has the same marker in all of it. */
export function createRedactor(key: Buffer | string = randomBytes(32)): Redactor {
  let replaced = 0;
  const mark = (value: string): string => {
    if (value === '' || isMarker(value)) return value;
    replaced++;
    return marker(createHmac('sha256', key).update(value).digest('hex'), value.length);
  };
  const once = (read: (text: string) => string): ((text: string) => string) => {
    const clean = new Set<string>();
    return (text) => {
      if (clean.has(text)) return text;
      const out = read(text);
      if (out === text && text.length <= MOST_LENGTH && clean.size < MOST_CLEAN) clean.add(text);
      return out;
    };
  };
  const texts = createTexts(mark);
  const tools = { mark, once, ...texts, said: once(texts.said) };
  const free = createFreeForm(tools);
  const pods = createPods(tools, free);

  return {
    count: () => replaced,
    sentence: tools.said,
    object(object, alike = false) {
      free.annotations(object.metadata.annotations);
      switch (object.kind) {
        case 'Secret':
        case 'ConfigMap':
          // Of other groups they may be anything.
          if (groupOf(object.apiVersion) === '') return emptyValues(object);
          break;
        case 'Event': {
          const { message, note } = object;
          if (typeof message === 'string') object['message'] = tools.said(message);
          if (typeof note === 'string') object['note'] = tools.said(note);
          return;
        }
        case 'Pod':
          if (object.apiVersion === 'v1') return pods(object, alike);
          break;
        // Names, numbers and addresses, thousands of them.
        case 'EndpointSlice':
        case 'Endpoints':
        case 'Lease':
          if (resourceOfKind(object.kind)?.group === groupOf(object.apiVersion)) return;
          break;
        default:
      }
      const builtIn = resourceOfKind(object.kind)?.group === groupOf(object.apiVersion);
      // `data` of a custom resource may be anything; of whatever calls itself a Secret it is not.
      if (!builtIn) emptyValues(object, object.kind.toLowerCase() === 'secret' ? VALUES : ['stringData', 'binaryData']);
      for (const field in object) {
        if (field === 'metadata' || field === 'kind' || field === 'apiVersion') continue;
        const value = object[field];
        if (typeof value === 'string') object[field] = builtIn ? tools.given(value) : free.field(field, value);
        else free.walk(value, !builtIn || isMap(field), field);
      }
    },
  };
}

const VALUES = ['data', 'stringData', 'binaryData'];

/** Keeps the names of the keys, which rules may need, and no value. */
function emptyValues(object: KubeObject, fields: readonly string[] = VALUES): void {
  for (const field of fields) {
    const values = object[field];
    if (isFields(values)) for (const key of Object.keys(values)) values[key] = '';
    else if (field in object) delete object[field];
  }
}
