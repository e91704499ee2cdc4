import type { Shape } from './shapes.ts';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Removes in place what does not have the shape: wrong types, and null entries of lists.
 * Returns whether the value itself may stay. A null field stays: the API writes it for absent (`creationTimestamp: null`).
 */
export function conform(value: unknown, shape: Shape): boolean {
  switch (shape) {
    case 'string': return typeof value === 'string';
    case 'number': return typeof value === 'number';
    case 'boolean': return typeof value === 'boolean';
    case 'object': return isFields(value);
    case 'strings': return conformList(value, 'string');
    case 'map': return conformMap(value);
    default:
  }
  if (Array.isArray(shape)) return conformList(value, (shape as readonly [Shape])[0]);
  if (!isFields(value)) return false;
  const fields = shape as { readonly [field: string]: Shape };
  for (const key in fields) {
    const held = value[key];
    if (held === undefined || held === null) continue;
    if (!conform(held, fields[key] as Shape)) delete value[key];
  }
  return true;
}

function conformList(value: unknown, item: Shape): boolean {
  if (!Array.isArray(value)) return false;
  let kept = 0;
  for (let i = 0; i < value.length; i++) {
    if (!conform(value[i], item)) continue;
    if (kept !== i) value[kept] = value[i];
    kept++;
  }
  if (kept !== value.length) value.length = kept;
  return true;
}

function conformMap(value: unknown): boolean {
  if (!isFields(value)) return false;
  for (const key in value) if (typeof value[key] !== 'string') delete value[key];
  return true;
}
