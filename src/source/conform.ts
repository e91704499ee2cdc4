import type { Shape } from './shapes.ts';
import { isFields } from '../model/fields.ts';

type Check = (value: unknown) => boolean;

/**
 * Removes in place what does not have the shape: wrong types, null entries of lists, and null fields: the API reads null as
 * absent. The null time of an event stays: nearly every one has it (`eventTime: null`), and an object from which a field was deleted is slow to read.
 * Returns whether the value itself may stay.
 */
export const conform = (value: unknown, shape: Shape): boolean => checkOf(shape)(value);

const isString: Check = (value) => typeof value === 'string';
const LEAVES: Readonly<Record<string, Check>> = {
  string: isString,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isFields,
  strings: listOf(isString),
  map: isMap,
  'string?': (value) => value === null || typeof value === 'string',
  'number?': (value) => value === null || typeof value === 'number',
  'boolean?': (value) => value === null || typeof value === 'boolean',
};

const made = new WeakMap<object, Check>();

/** Each shape becomes closures once: thousands of objects of one kind go through each, and reading the shape anew costs more than the check. */
function checkOf(shape: Shape): Check {
  if (typeof shape === 'string') return LEAVES[shape] as Check;
  let check = made.get(shape);
  if (!check)
    made.set(shape, (check = Array.isArray(shape) ? listOf(checkOf((shape as readonly [Shape])[0])) : fieldsOf(shape as { readonly [field: string]: Shape })));
  return check;
}

function fieldsOf(shape: { readonly [field: string]: Shape }): Check {
  // Without a prototype: a field may be called `constructor`. Most fields are words, and are looked at without a call.
  const checks = Object.create(null) as Record<string, Check | 'word' | undefined>;
  for (const name of Object.keys(shape)) checks[name] = shape[name] === 'string' ? 'word' : checkOf(shape[name] as Shape);
  return (value) => {
    if (!isFields(value)) return false;
    for (const name in value) {
      const check = checks[name];
      if (check === undefined) continue;
      const held = value[name];
      if (!(check === 'word' ? typeof held === 'string' : check(held))) delete value[name];
    }
    return true;
  };
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false;
    let kept = 0;
    for (let i = 0; i < value.length; i++) {
      if (!check(value[i])) continue;
      if (kept !== i) value[kept] = value[i];
      kept++;
    }
    if (kept !== value.length) value.length = kept;
    return true;
  };
}

function isMap(value: unknown): boolean {
  if (!isFields(value)) return false;
  for (const key in value) if (typeof value[key] !== 'string') delete value[key];
  return true;
}
