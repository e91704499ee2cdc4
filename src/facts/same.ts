import type { Fields } from '../model/fields.ts';

/** Equal as the API server would store them: the order of keys does not count, nor does a key without a value. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, i) => same(each, b[i]));
  return covers(a as Fields, b as Fields, true) && covers(b as Fields, a as Fields, false);
}

/** Whether every value of `a` is in `b`; with `deep` false, whether there is anything at all in its place. */
function covers(a: Fields, b: Fields, deep: boolean): boolean {
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === null || value === undefined) continue;
    const other = Object.hasOwn(b, key) ? b[key] : undefined;
    if (other === null || other === undefined || (deep && !same(value, other))) return false;
  }
  return true;
}
