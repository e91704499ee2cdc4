import type { Document, Documents } from './documents.ts';

// js-yaml's own guard; Kubernetes' nesting stays under 40.
const MOST_NESTED = 100;

/**
 * Every document of a YAML text. A broken one costs only itself, and of a cut list the items before the cut are kept.
 * 'bomb' where aliases stand for more than was written. Times stay strings (no schema with dates).
 */
export async function parseYaml(text: string): Promise<Documents | 'bomb'> {
  const { load, JSON_SCHEMA } = await import('js-yaml');
  const parse = (source: string): unknown => load(source, { schema: JSON_SCHEMA, json: true, maxDepth: MOST_NESTED } as Parameters<typeof load>[1]);
  const found: Documents = { documents: [], notes: [] };
  for (const part of splitDocuments(text)) {
    const document = readOne(part, parse, found.notes);
    if (!document) continue;
    if (!withinBudget(document.value, part.text.length + 16)) return 'bomb';
    found.documents.push(document);
  }
  return found;
}

interface Part {
  text: string;
  line: number;
}

// `---` in the first column always ends a document: the content of block scalars is indented (YAML 1.2, 9.1.2).
function splitDocuments(text: string): Part[] {
  const parts: Part[] = [];
  const marker = /^(?:---|\.\.\.)(?=\s|$).*$/gm;
  let from = 0;
  let line = 1;
  const push = (to: number, skip: number): void => {
    const part = text.slice(from, to);
    if (part.trim() !== '') parts.push({ text: part, line });
    for (let i = from; i < to + skip; i++) if (text.charCodeAt(i) === 10) line++;
    from = to + skip;
  };
  for (let match = marker.exec(text); match; match = marker.exec(text)) {
    // `--- {a: b}` carries content on the marker's line.
    const content = /^--- *\S/.test(match[0]) && !/^--- *#/.test(match[0]);
    push(match.index, content ? 3 : match[0].length);
  }
  push(text.length, 0);
  return parts;
}

function readOne(part: Part, parse: (text: string) => unknown, notes: string[]): Document | null {
  try {
    const value = parse(part.text);
    if (value === null || value === undefined) return null;
    return endsInItems(value) ? cutList(part, value, notes) : { value, line: part.line, cut: false };
  } catch (error) {
    const mark = error as { reason?: string; mark?: { line: number; position: number } };
    const where = part.line + (mark.mark?.line ?? 0);
    // kubectl writes list items in the first column; without the broken one the rest may be sound.
    const last = part.text.lastIndexOf('\n- ', mark.mark?.position ?? part.text.length);
    const value = last > 0 ? attempt(() => parse(part.text.slice(0, last + 1))) : null;
    if (value !== null && value !== undefined) {
      notes.push(`YAML breaks off on line ${where} (${mark.reason ?? 'unreadable'}); the objects before it were read.`);
      return { value, line: part.line, cut: true };
    }
    notes.push(`A YAML document was skipped: line ${where}, ${mark.reason ?? 'unreadable'}.`);
    return null;
  }
}

// kubectl ends a list with `kind: List`; without it the text was cut, cleanly by chance, inside the last item.
const endsInItems = (value: unknown): value is { items: unknown[] } =>
  typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items) && !('kind' in value);

function cutList(part: Part, value: { items: unknown[] }, notes: string[]): Document {
  notes.push(`The YAML list that begins on line ${part.line} is cut off; its last object was left out.`);
  return { value: { ...value, items: value.items.slice(0, -1) }, line: part.line, cut: true };
}

// Without aliases a text of n characters cannot hold more than n values.
function withinBudget(value: unknown, budget: number): boolean {
  let left = budget;
  const count = (at: unknown, depth: number): boolean => {
    if (--left < 0 || depth > 2 * MOST_NESTED) return false;
    if (at === null || typeof at !== 'object') return true;
    for (const entry of Array.isArray(at) ? at : Object.values(at)) if (!count(entry, depth + 1)) return false;
    return true;
  };
  return count(value, 0);
}

/** What is read, or null where reading it throws. */
export function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Documents as YAML, each after `---`; a comment stands before its own. */
export async function writeYaml(documents: readonly { comment?: string; value: object }[]): Promise<string> {
  const { dump } = await import('js-yaml');
  return documents
    .map(
      ({ comment, value }) =>
        `---\n${(comment ?? '')
          .split('\n')
          .filter(Boolean)
          .map((line) => `# ${line}\n`)
          .join('')}${dump(value, { lineWidth: -1, noRefs: true })}`,
    )
    .join('');
}
