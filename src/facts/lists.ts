/** A list as the wire has it: absent when empty, and anything at all in a damaged dump. */
export const listOf = <T>(value: readonly (T | null | undefined)[] | null | undefined): T[] =>
  Array.isArray(value) ? value.filter((item): item is T => item !== null && item !== undefined) : [];

/** A map of texts (labels, selectors, annotations) with everything else dropped. */
export function textsOf(value: unknown): Record<string, string> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
