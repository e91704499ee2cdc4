import type { Fields } from '../../model/fields.ts';

interface Operation {
  op?: unknown;
  path?: unknown;
  from?: unknown;
  value?: unknown;
}

/** A JSON patch (RFC 6902) applied to a copy; null where one of its operations does not fit, as the RFC has it. */
export function applied(value: unknown, patch: unknown): { value: unknown } | null {
  if (!Array.isArray(patch)) return null;
  const holder: Fields = { root: structuredClone(value) };
  for (const operation of patch as (Operation | null)[]) if (!operation || !apply(holder, operation)) return null;
  return { value: holder['root'] };
}

function apply(holder: Fields, { op, path, from, value }: Operation): boolean {
  switch (op) {
    case 'add':
      return put(holder, path, value, true);
    case 'replace':
      return put(holder, path, value, false);
    case 'remove':
      return take(holder, path) !== null;
    case 'move':
    case 'copy': {
      const found = op === 'move' ? take(holder, from) : find(holder, from);
      return found !== null && put(holder, path, structuredClone(found.value), true);
    }
    case 'test': {
      const found = find(holder, path);
      return found !== null && JSON.stringify(found.value) === JSON.stringify(value);
    }
    default:
      return false;
  }
}

/** What holds the place that a pointer names, and its key there. */
function placeOf(holder: Fields, pointer: unknown): { at: Fields | unknown[]; key: string } | null {
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) return null;
  const keys = [
    'root',
    ...pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
  ];
  let at: unknown = holder;
  for (const key of keys.slice(0, -1)) at = isHolder(at) && Object.hasOwn(at, key) ? (at as Fields)[key] : undefined;
  const key = keys.at(-1) ?? '';
  return isHolder(at) && key !== '__proto__' ? { at, key } : null;
}

function put(holder: Fields, pointer: unknown, value: unknown, isNew: boolean): boolean {
  const place = placeOf(holder, pointer);
  if (!place) return false;
  const { at, key } = place;
  if (Array.isArray(at)) {
    const index = key === '-' && isNew ? at.length : indexIn(at, key, isNew);
    if (index === null) return false;
    at.splice(index, isNew ? 0 : 1, value);
    return true;
  }
  if (!isNew && !Object.hasOwn(at, key)) return false;
  at[key] = value;
  return true;
}

function take(holder: Fields, pointer: unknown): { value: unknown } | null {
  const place = placeOf(holder, pointer);
  const found = find(holder, pointer);
  if (!place || !found) return null;
  if (Array.isArray(place.at)) place.at.splice(Number(place.key), 1);
  else delete place.at[place.key];
  return found;
}

function find(holder: Fields, pointer: unknown): { value: unknown } | null {
  const place = placeOf(holder, pointer);
  if (!place || (Array.isArray(place.at) && indexIn(place.at, place.key, false) === null) || !Object.hasOwn(place.at, place.key)) return null;
  return { value: (place.at as Fields)[place.key] };
}

function indexIn(list: readonly unknown[], key: string, isNew: boolean): number | null {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(key)) return null;
  const index = Number(key);
  return index < list.length + (isNew ? 1 : 0) ? index : null;
}

const isHolder = (value: unknown): value is Fields | unknown[] => value !== null && typeof value === 'object';
