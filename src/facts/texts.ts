import type { Text, TextRow, TextTable } from '../model/text.ts';
import { needlesOf } from './needle.ts';
import { cut } from './words.ts';

export type Classify = (family: string, message: string) => Text;

interface Pattern {
  readonly match: RegExp;
  readonly needles: readonly string[];
}

interface Row extends Pattern {
  readonly row: TextRow;
}

interface Table {
  readonly peel: readonly Pattern[];
  readonly rows: readonly Row[];
}

interface Level {
  readonly family: string;
  readonly text: string;
}

// A cause stands at one end of a long message or at the other: kubelet and the API server put wrappers in front,
// mount(8), fsck and scripts put their last words at the back.
const HEAD = 6144;
const TAIL = 2048;
const DEPTH = 12;
const SAYS = 400;
const CAPTURE = 240;

/**
 * The function that classifies a message by the rows of a family.
 * Wrappers are peeled from the outside in; the deepest level that a row recognises wins, the first row of a table first.
 * A wrapper hands on its group `rest`, or a group that bears a family's name (`api_refusals`), whose rows then decide;
 * one with neither gives its captures and ends the peeling.
 * A table is compiled when it is first asked for: most runs need two or three of them. Throws on a family that has no table.
 */
export function classifier(tables: readonly TextTable[]): Classify {
  const sources = new Map(tables.map((table) => [table.family, table]));
  const compiled = new Map<string, Table>();
  const tableOf = (family: string): Table => {
    let table = compiled.get(family);
    if (table) return table;
    const source = sources.get(family);
    if (!source) throw new Error(`no text table ${family}`);
    compiled.set(family, (table = compileTable(source)));
    return table;
  };
  return (family, message) => classify({ tableOf, has: (name) => sources.has(name) }, family, message);
}

interface Families {
  tableOf(family: string): Table;
  has(family: string): boolean;
}

/** Throws on a regular expression that does not compile, and names its row. */
export function compileTable(table: TextTable): Table {
  return {
    peel: table.peel.map((source) => pattern(table.family, source, source, '')),
    rows: table.rows.map((row) => ({ row, ...pattern(table.family, row.class, row.match, row.flags ?? '') })),
  };
}

/** Every expression is read with `s`: messages quote the output of programs, newlines included. */
function pattern(family: string, what: string, source: string, flags: string): Pattern {
  try {
    const match = new RegExp(source, flags.includes('s') ? flags : `${flags}s`);
    return { match, needles: needlesOf(match) };
  } catch (error) {
    throw new Error(`texts/${family}: ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const found = ({ match, needles }: Pattern, text: string): RegExpExecArray | null =>
  needles.length === 0 || needles.some((needle) => text.includes(needle)) ? match.exec(text) : null;

// `pod "no-quota-left-7d9c" is invalid` speaks of no quota: what stands within a hyphenated name is no word of the sentence.
const WITHIN_NAME = /[a-z0-9]-$/;
const GOES_ON = /^-[a-z0-9]/;

/** The first match that does not begin or end within a name. */
function spoken(row: Row, text: string): RegExpExecArray | null {
  let from = 0;
  for (let match = found(row, text); match; match = row.match.exec(text.slice(from))) {
    const [start, end] = [from + match.index, from + match.index + match[0].length];
    if (!/^[a-z]/.test(match[0]) || (!WITHIN_NAME.test(text.slice(Math.max(0, start - 2), start)) && !GOES_ON.test(text.slice(end, end + 2)))) return match;
    from = end + 1;
  }
  return null;
}

function classify(families: Families, family: string, message: string): Text {
  const captures: Record<string, string> = {};
  const levels = peel(families, { family, text: plain(message) }, captures);
  for (const level of levels.toReversed()) {
    for (const row of families.tableOf(level.family).rows) {
      const match = spoken(row, level.text);
      if (match) return recognised(row.row, level, message, match[0], merge(captures, match.groups));
    }
  }
  const inner = levels.at(-1)?.text ?? '';
  return {
    class: 'unknown',
    family,
    layer: '',
    says: cut(oneLine(inner), SAYS),
    lacks: '',
    permanence: '',
    captures,
    next: '',
    inner,
    core: '',
    message,
  };
}

function recognised(row: TextRow, level: Level, message: string, core: string, captures: Record<string, string>): Text {
  return {
    class: row.class,
    family: level.family,
    layer: row.layer,
    says: cut(oneLine(fill(row.says, (name) => (captures[name] ? cut(oneLine(captures[name]), CAPTURE) : undefined))), SAYS).replace(/\.$/, ''),
    lacks: row.lacks ?? '',
    permanence: row.permanence ?? '',
    captures,
    next: command(row.next ?? '', captures),
    inner: level.text,
    core,
    message,
  };
}

function peel(families: Families, outer: Level, captures: Record<string, string>): Level[] {
  const levels = [outer];
  let next = inside(families, outer, captures);
  while (next && levels.length < DEPTH) {
    levels.push(next);
    next = inside(families, next, captures);
  }
  return levels;
}

function inside(families: Families, { family, text }: Level, captures: Record<string, string>): Level | undefined {
  for (const wrapper of families.tableOf(family).peel) {
    const groups = found(wrapper, text)?.groups;
    if (!groups) continue;
    const handed = Object.keys(groups).find((group) => group === 'rest' || families.has(familyOf(group)));
    merge(captures, Object.fromEntries(Object.entries(groups).filter(([group]) => group !== handed)));
    const rest = handed === undefined ? '' : (groups[handed] ?? '').trim();
    if (handed === undefined || rest === '') return undefined;
    return { family: handed === 'rest' ? family : familyOf(handed), text: rest };
  }
  return undefined;
}

const familyOf = (group: string): string => group.replaceAll('_', '-');

/** A group may end in a digit where two wordings name the same thing (`secret`, `secret2`): JavaScript wants them distinct. */
function merge(captures: Record<string, string>, groups: Record<string, string | undefined> | undefined): Record<string, string> {
  for (const [group, value] of Object.entries(groups ?? {})) {
    if (value !== undefined) captures[group.replace(/\d$/, '')] = value;
  }
  return captures;
}

// CSI and OSC sequences; a pasted escape must not hide a sentence from its row.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPES = /\u001b(?:\[[0-9;?]{0,16}[@-~]|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)?)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The message as rows see it: bounded, without control characters, and with the quotes unescaped that each wrapper of a Go error adds. */
function plain(message: string): string {
  const bounded = message.length > HEAD + TAIL ? `${message.slice(0, HEAD)} … ${message.slice(-TAIL)}` : message;
  return bounded
    .replace(ESCAPES, '')
    .replace(CONTROLS, '')
    .replace(/\\{1,15}"/g, '"')
    .trim();
}

/** Fills {name} and {name|otherwise}; what is empty takes the space before it along, and a remark in brackets that misses a word is left out. */
function fill(template: string, value: (name: string) => string | undefined): string {
  const misses = (words: string): boolean => [...words.matchAll(/\{(\w+)\}/g)].some(([, name = '']) => value(name) === undefined);
  return template
    .replace(/ \([^()]*\)/g, (remark) => (misses(remark) ? '' : remark))
    .replace(/( ?)\{(\w+)(?:\|([^{}]*))?\}/g, (_, space: string, name: string, otherwise: string | undefined) => {
      const found = value(name) ?? otherwise ?? '?';
      return found === '' ? '' : space + found;
    });
}

/** Where the rule knows better than the text: its object's own names. */
const OWN = new Set(['ns', 'name', 'node']);

/** A line to paste. What the cluster wrote is quoted for the shell; a line that would miss a word is no line. */
function command(template: string, captures: Record<string, string>): string {
  let whole = true;
  const line = template.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = captures[name];
    if (value === undefined || value === '') {
      if (!OWN.has(name)) whole = false;
      return hole;
    }
    if (!/^[\x20-\x7e]{1,200}$/.test(value)) whole = false;
    return /^[\w./:@=,+-]+$/.test(value) && !value.startsWith('-') ? value : `'${value.replaceAll("'", `'\\''`)}'`;
  });
  return whole ? line : '';
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
