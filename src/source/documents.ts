/** One JSON or YAML value of a text, and where it began. */
export interface Document {
  value: unknown;
  /** Line it starts on, from 1. */
  line: number;
  /** The text ended, or broke, inside it: what came before the break is there. */
  cut: boolean;
}

export interface Documents {
  documents: Document[];
  /** Sentences on what could not be read. */
  notes: string[];
}

// Kubernetes' own nesting stays under 40 (a CRD's schema); beyond this only an attack goes.
const MOST_NESTED = 400;
// A record separator (RFC 7464) may stand between values.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the separator itself
const SPACE = /[\s\u001e]/;

/**
 * Every JSON value of a text: one document, several in a row, or one a line (NDJSON).
 * Stray text between them is skipped with a note. The last value may be cut off in the middle: then the list items that
 * came whole are kept. Null where nested deeper than any Kubernetes object.
 */
export function parseJson(text: string): Documents | 'too-deep' {
  const whole = parseWhole(text);
  if (whole) return tooDeep(text) ? 'too-deep' : { documents: [{ value: whole.value, line: 1, cut: false }], notes: [] };
  const found: Documents = { documents: [], notes: [] };
  let at = 0;
  let line = 1;
  let seenTo = 0;
  const lineAt = (index: number): number => {
    for (; seenTo < index; seenTo++) if (text.charCodeAt(seenTo) === 10) line++;
    return line;
  };
  while (at < text.length) {
    while (at < text.length && SPACE.test(text[at] as string)) at++;
    if (at >= text.length) break;
    if (text[at] !== '{' && text[at] !== '[') {
      const end = nextValue(text, at);
      found.notes.push(`Line ${lineAt(at)}: text that is not JSON was skipped ("${text.slice(at, Math.min(end, at + 60)).trim()}").`);
      at = end;
      continue;
    }
    const span = spanOf(text, at);
    if (span === 'too-deep') return 'too-deep';
    const start = lineAt(at);
    const body = text.slice(at, span.end);
    const value = span.complete ? parseWhole(body) : null;
    if (value) found.documents.push({ value: value.value, line: start, cut: false });
    else {
      const saved = span.safeEnd > at ? parseWhole(text.slice(at, span.safeEnd) + span.closers) : null;
      if (saved) found.documents.push({ value: saved.value, line: start, cut: true });
      found.notes.push(
        span.complete
          ? `Line ${start}: a value that is not valid JSON was ${saved ? 'read in part' : 'skipped'}.`
          : `The JSON that begins on line ${start} is cut off; ${saved ? 'the objects before the cut were read' : 'it was left out'}.`,
      );
    }
    at = span.end;
  }
  return found;
}

interface Span {
  end: number;
  complete: boolean;
  /** Just behind the last whole entry of the outermost list, and what would close the text there. */
  safeEnd: number;
  closers: string;
}

/** Where the value that starts at `start` ends: by brackets, strings minded. */
function spanOf(text: string, start: number): Span | 'too-deep' {
  const open: string[] = [];
  let safeEnd = -1;
  let closers = '';
  for (let i = start; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 34) {
      i = stringEnd(text, i);
    } else if (char === 123 || char === 91) {
      if (open.push(char === 123 ? '}' : ']') > MOST_NESTED) return 'too-deep';
    } else if (char === 125 || char === 93) {
      open.pop();
      if (open.length === 0) return { end: i + 1, complete: true, safeEnd, closers };
      if (open.length <= 2 && open.at(-1) === ']') {
        safeEnd = i + 1;
        closers = [...open].reverse().join('');
      }
    }
  }
  return { end: text.length, complete: false, safeEnd, closers };
}

/** Index of the closing quote; the text's end where there is none. */
function stringEnd(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return at;
  }
}

// Stray text ends where a line opens a new value.
function nextValue(text: string, at: number): number {
  const opening = /\n\s*[{[]/g;
  opening.lastIndex = at;
  const match = opening.exec(text);
  return match ? match.index + 1 : text.length;
}

function parseWhole(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

// Only a text with that many brackets in a row or in all can be so deep; the scan is skipped for all others.
function tooDeep(text: string): boolean {
  let deepest = 0;
  let depth = 0;
  for (let i = 0; i < text.length && depth >= 0; i++) {
    const char = text.charCodeAt(i);
    if (char === 34) i = stringEnd(text, i);
    else if (char === 123 || char === 91) {
      if (++depth > deepest && (deepest = depth) > MOST_NESTED) return true;
    } else if (char === 125 || char === 93) depth--;
  }
  return false;
}
