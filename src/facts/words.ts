import { ageOf, duration } from './time.ts';

/** `1 time`, `3 times`, `2 policies`. */
export function plural(n: number, word: string): string {
  if (n === 1) return `1 ${word}`;
  if (/[^aeiou]y$/.test(word)) return `${n} ${word.slice(0, -1)}ies`;
  return `${n} ${word}${/(s|x|ch|sh)$/.test(word) ? 'es' : 's'}`;
}

/** What a person calls it: the name of an object, the text of anything else. */
export function nameOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value ?? '');
  const item = value as { name?: unknown; metadata?: { name?: unknown } };
  const name = item.metadata?.name ?? item.name;
  return typeof name === 'string' ? name : JSON.stringify(value);
}

/** `a, b, c and 4 more`: at most three names, in the order given. */
export function some(list: readonly unknown[]): string {
  const names = [...new Set(list.map(nameOf))];
  if (names.length <= 3) return names.join(', ');
  return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
}

export const join = (list: readonly unknown[], separator: string): string => list.map(nameOf).join(separator);

/** `4m10s ago`; `at an unknown time` where there is none. */
export function ago(now: number, time: string | null | undefined): string {
  const seconds = ageOf(now, time);
  return seconds === null ? 'at an unknown time' : `${duration(seconds)} ago`;
}

/** At most `n` characters, cut at a word where one ends near the limit, with an ellipsis. */
export function cut(text: string, n: number): string {
  if (text.length <= n) return text;
  const head = text.slice(0, Math.max(1, n - 1));
  const space = head.lastIndexOf(' ');
  return `${(space > n / 2 ? head.slice(0, space) : head).trimEnd()}…`;
}
