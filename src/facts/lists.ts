/** A list as the wire has it: absent when empty, and anything at all in a damaged dump. */
export function listOf<T>(value: readonly (T | null | undefined)[] | null | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  // A copy for each question would be most of what is asked of thousands of healthy pods.
  for (const item of value) if (item === null || item === undefined) return value.filter((each): each is T => each !== null && each !== undefined);
  return value as T[];
}

/** A map of texts (labels, selectors, annotations) with everything else dropped. */
export function textsOf(value: unknown): Record<string, string> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The items by what `keyOf` says of each, in the order they came. */
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

/** Entries of a list whose entries hold commas inside brackets or quotes. */
export function splitTop(list: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let quoted = false;
  let entry = '';
  for (const char of list) {
    if (char === '"') quoted = !quoted;
    else if (!quoted && '([{'.includes(char)) depth += 1;
    else if (!quoted && ')]}'.includes(char)) depth -= 1;
    if (char === ',' && depth <= 0 && !quoted) {
      entries.push(entry.trim());
      entry = '';
    } else entry += char;
  }
  return [...entries, entry.trim()].filter(Boolean);
}
