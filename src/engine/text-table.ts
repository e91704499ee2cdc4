import { classifier, compileTable } from '../facts/texts.ts';
import { UserError } from '../model/errors.ts';
import { CAPABILITIES, LAYERS, PERMANENCES } from '../model/layer.ts';
import type { TextRow, TextTable } from '../model/text.ts';

const TABLE = new Set(['family', 'doc', 'peel', 'rows']);
const NEEDED = ['class', 'match', 'layer', 'says', 'from', 'example'];
const ALLOWED = new Set([...NEEDED, 'flags', 'lacks', 'permanence', 'covers', 'next']);

/** Whether a parsed file is a text table and no rule. */
export const isTextTable = (raw: unknown): boolean => raw !== null && typeof raw === 'object' && 'family' in raw && 'rows' in raw;

/** Checks the shape of a parsed text table. Errors name the file and the row. */
export function readTextTable(raw: unknown, file: string): TextTable {
  const fail = (what: string): never => {
    throw new UserError(`${file}: ${what}`, 'see CONTRIBUTING.md, "A text"');
  };
  const { family, doc = '', peel = [], rows, ...rest } = raw as Record<string, unknown>;
  for (const key of Object.keys(rest)) if (!TABLE.has(key)) fail(`unknown key "${key}"`);
  if (typeof family !== 'string' || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(family)) return fail('"family" must be a name in kebab-case');
  if (!Array.isArray(peel) || !peel.every((each) => typeof each === 'string')) return fail('"peel" must be a list of regular expressions');
  if (!Array.isArray(rows)) return fail('"rows" must be a list');
  for (const row of rows as unknown[]) {
    if (row === null || typeof row !== 'object') return fail('a row must be a mapping');
    const fields = row as Record<string, unknown>;
    const name = typeof fields['class'] === 'string' ? fields['class'] : '(without class)';
    for (const key of Object.keys(fields)) if (!ALLOWED.has(key)) fail(`${name}: unknown key "${key}"`);
    for (const key of NEEDED) if (typeof fields[key] !== 'string' || fields[key] === '') fail(`${name}: "${key}" must be a text`);
    const among = (key: string, values: readonly string[]): void => {
      if (fields[key] !== undefined && !values.includes(String(fields[key]))) fail(`${name}: "${key}" must be one of ${values.join(', ')}`);
    };
    among('layer', LAYERS);
    among('lacks', CAPABILITIES);
    among('permanence', PERMANENCES);
  }
  const table: TextTable = { family, doc: String(doc), peel: peel as string[], rows: rows as TextRow[] };
  try {
    compileTable(table);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  return table;
}

/** Tables of one's own before those that ship: of one family their rows are tried first, and their wrappers, too. */
export function joinTables(shipped: readonly TextTable[], own: readonly TextTable[]): TextTable[] {
  const families = new Map(shipped.map((table) => [table.family, table]));
  for (const table of own) {
    const base = families.get(table.family);
    families.set(table.family, base ? { ...base, peel: [...table.peel, ...base.peel], rows: [...table.rows, ...base.rows] } : table);
  }
  return [...families.values()];
}

/** What is wrong with the rows of a table: each must be reached by its own example, in a class of its own. */
export function wrongRows(table: TextTable, all: readonly TextTable[]): string[] {
  const classify = classifier(all);
  return table.rows.flatMap((row, index) => {
    if (table.rows.findIndex((other) => other.class === row.class) !== index) return [`${row.class}: a second row of this class`];
    const text = classify(table.family, row.example);
    return text.family === table.family && text.class === row.class
      ? []
      : [`${row.class}: its example is taken by ${text.class === 'unknown' ? 'no row' : `${text.family}/${text.class}`}`];
  });
}
