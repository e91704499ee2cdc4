import { ageOf, duration } from './time.ts';

/** `1 time`, `3 times`, `2 policies`. */
export const plural = (n: number, word: string): string => `${n} ${n === 1 ? word : pluralOf(word)}`;

/** Of an English word or a kind. */
export function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  if (word === 'Endpoints' || word === 'endpoints') return word;
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
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

/** What a person calls each of them, joined. */
export const join = (list: readonly unknown[], separator: string): string => list.map(nameOf).join(separator);

/** `4m10s ago`; `at an unknown time` where there is none. */
export function ago(now: number, time: string | null | undefined): string {
  const seconds = ageOf(now, time);
  return seconds === null ? 'at an unknown time' : `${duration(seconds)} ago`;
}

/**
 * At most `n` characters, cut between words, with an ellipsis. Of an error that others have wrapped (`a: b: c: d`) the last words
 * stay, because the cause is the innermost; of anything else the first.
 */
export function cut(text: string, n: number): string {
  if (text.length <= n) return text;
  return wrappedCut(text, n) ?? headCut(text, n);
}

/** The first words in at most `n` characters, with an ellipsis. */
export function headCut(text: string, n: number): string {
  const head = text.slice(0, Math.max(1, n - 1));
  const space = /\s/.test(text[head.length] ?? '') ? head.length : head.lastIndexOf(' ');
  return `${(space > n / 2 ? head.slice(0, space) : head).replace(/[\s,;:(]+$/, '')}…`;
}

// Lines of dashes and the like, by which programs part what they print.
const RULED = /[-=_*]{4,}/g;
const BEFORE = 60;

/**
 * At most `n` characters of a text in which `core` is what matters: as `cut` does where that keeps it, else a window on it that
 * begins where its clause does.
 */
export function cutAround(text: string, core: string, n: number): string {
  const usual = cut(text, n);
  if (text.length <= n || core === '' || usual.includes(core) || core.length > n) return usual;
  const line = text.replace(RULED, ' ').replace(/\s+/g, ' ').trim();
  const at = line.indexOf(core.replace(RULED, ' ').replace(/\s+/g, ' ').trim());
  if (at < 0) return usual;
  const before = line.slice(Math.max(0, at - BEFORE), at);
  const clause = /^.*(?:[:;,({[] |\. )(.*)$/.exec(before)?.[1] ?? before.slice(before.indexOf(' ') + 1);
  const start = at <= BEFORE ? 0 : at - clause.length;
  const rest = line.slice(start);
  return `${start > 0 ? '… ' : ''}${rest.length <= n - 2 ? rest : headCut(rest, n - 2)}`;
}

// `requested: cpu=1, used: cpu=2, limited: cpu=2` is one level: a list of names and values.
const LEVEL = /(?<!, \w{1,20}): /;

const depth = (text: string): number => (text.match(/\(/g)?.length ?? 0) - (text.match(/\)/g)?.length ?? 0);

/** The errors in an error, from the outside in. What stands in brackets is an aside of its level: `... as root (pod: web, container: app)`. */
export function levelsOf(text: string): string[] {
  const parts = text.split(LEVEL);
  if (depth(text) !== 0) return parts;
  let open = 0;
  return parts.reduce<string[]>((whole, part) => {
    if (open > 0) whole.push(`${whole.pop()}: ${part}`);
    else whole.push(part);
    open += depth(part);
    return whole;
  }, []);
}

// net/url gives every error the method and the whole URL.
export const REQUEST = /^(?:Get|Head|Post|Put|Patch|Delete|GET|HEAD|POST|PUT) "?https?:\/\//;

/** Null where the text is not one error inside another: sentences, lists, a colon or two. */
function wrappedCut(text: string, n: number): string | null {
  const parts = levelsOf(text);
  if (parts.length < 3 || /[.;] /.test(text)) return null;
  const [first = ''] = parts;
  const head = first.length < n / 2 ? `${first}: … ` : '… ';
  let tail = '';
  for (const part of parts.slice(1).toReversed()) {
    const longer = tail === '' ? part : `${part}: ${tail}`;
    if (head.length + longer.length > n || (tail !== '' && REQUEST.test(part))) break;
    tail = longer;
  }
  // What was cut before is not cut off twice.
  return tail === '' ? null : head + tail.replace(/^(?:… ?)+/, '');
}
