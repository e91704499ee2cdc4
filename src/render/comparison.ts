import { fieldOf, movesAlong, withoutAlong } from '../facts/restless.ts';
import { headCut, plural } from '../facts/words.ts';
import type { Change, Comparison } from '../model/comparison.ts';
import { isFields } from '../model/fields.ts';
import type { Finding, Role, Subject } from '../model/finding.ts';
import { visible } from './escape.ts';
import type { Style } from './index.ts';
import { columns, GLUE, wrap } from './wrap.ts';

/** Lines about objects, before they are wrapped. */
const MOST_LINES = 120;
/** Lines that one value may take. */
const VALUE_LINES = 2;

/** One line and how far it is moved in. */
type Line = [indent: number, text: string];

/** What changed between two recordings: verdicts, causes with what follows from them, objects. */
export function renderComparison(comparison: Comparison, { width }: Pick<Style, 'width'>): string {
  const { before, after, objects } = comparison;
  const side = ({ verdict, name, capturedAt }: Comparison['before']): string => `${verdict.toUpperCase()} (${visible(name)}, ${capturedAt})`;
  const sections = [
    ...SECTIONS.map(({ title, roles }) => section(title, findingLines(comparison, roles), title === 'causes' ? 'the same' : null)),
    section('objects', capped(objectLines(objects, width)), objects.unknown.length > 0 ? 'the same, as far as they can be compared' : 'the same'),
    unknownLines(objects),
  ];
  const pages = [[[0, `${side(before)} -> ${side(after)}`] as Line], ...sections].filter((lines) => lines.length > 0);
  return `${pages.map((lines) => lines.flatMap((line) => hung(line, width)).join('\n')).join('\n\n')}\n`;
}

// As on the page of a diagnosis: what follows is no cause.
const SECTIONS: readonly { title: string; roles: readonly Role[] }[] = [
  { title: 'causes', roles: ['root'] },
  { title: 'follows', roles: ['consequence'] },
  { title: 'older', roles: ['preexisting'] },
  { title: 'risks', roles: ['risk'] },
];

function findingLines({ findings: { lost, gained, changed } }: Comparison, roles: readonly Role[]): Line[] {
  const told = (sign: string, { layer, title, on }: Finding): Line => [2, `${sign} ${layer.toUpperCase()}  ${visible(title)} (${nameOf(on)})`];
  const here = ({ role }: Finding): boolean => roles.includes(role);
  return [
    ...lost.filter(here).map((finding) => told('-', finding)),
    ...gained.filter(here).map((finding) => told('+', finding)),
    ...changed
      .filter((change) => here(strongest(change)))
      .flatMap(({ before, after }): Line[] => [
        told('~', after),
        ...(before.title === after.title ? [] : [[6, `was: ${visible(before.title)}`] as Line]),
        ...(before.role === after.role ? [] : [[6, `role: ${before.role} -> ${after.role}`] as Line]),
        ...(before.certainty === after.certainty ? [] : [[6, `certainty: ${before.certainty} -> ${after.certainty}`] as Line]),
      ]),
  ];
}

/** What was a cause on one side is told among the causes. */
const strongest = ({ before, after }: { before: Finding; after: Finding }): Finding => (before.role === 'root' ? before : after);

function objectLines({ removed, added, replaced, changed }: Comparison['objects'], width: number): Line[] {
  return [
    ...removed.map((object): Line => [2, `- ${nameOf(object)}`]),
    ...added.map((object): Line => [2, `+ ${nameOf(object)}`]),
    ...replaced.map((object): Line => [2, `! ${nameOf(object)} was made anew`]),
    ...changed.flatMap(({ object, changes, more }): Line[] => [
      [2, `~ ${nameOf(object)}`],
      ...changes.filter((change) => !movesAlong(change)).map((change): Line => [6, changeInWords(change, width)]),
      ...restLines(changes.filter(movesAlong), more),
    ]),
  ];
}

function changeInWords({ pointer, item, before, after }: Change, width: number): string {
  const value = (one: unknown): string => valueInWords(withoutItem(one, item), width - 10);
  return `${visible(pointer)}${itemInWords(item)}  ${value(before)} ->${GLUE}${value(after)}`;
}

/** Times and ids in one line: that they moved, not from where to where. They stand last, so that what is more is more of them. */
function restLines(along: readonly Change[], more: number): Line[] {
  const rest = more > 0 ? `and ${more} more` : '';
  if (along.length === 0) return rest === '' ? [] : [[6, rest]];
  const names = [...new Set(along.map(({ pointer }) => visible(fieldOf(pointer))))];
  return [[6, `moved along: ${names.join(', ')} ${rest}`.trimEnd()]];
}

/** An item of a list without the name that stands before it already. */
const withoutItem = (value: unknown, item = ''): unknown =>
  isFields(value) ? Object.fromEntries(Object.entries(value).filter(([key, each]) => (key !== 'type' && key !== 'name') || each !== item)) : value;

const itemInWords = (item: string | undefined): string => (item ? ` (${visible(item)})` : '');

/** Prose may take some lines; other values have no spaces to break at, and one. */
function valueInWords(value: unknown, room: number): string {
  if (value === undefined) return `(not${GLUE}there)`;
  const text = visible(typeof value === 'string' ? value : JSON.stringify(withoutAlong(value)));
  if (text === '') return '""';
  const most = text.split(' ').every((word) => columns(word) < room / 2) ? room * VALUE_LINES : room - 3;
  return text.length > most ? headCut(text, most) : text;
}

function unknownLines({ unknown }: Comparison['objects']): Line[] {
  const [first] = unknown;
  return first
    ? [
        [
          0,
          `${plural(unknown.length, 'object')} cannot be compared: the other side did not read where they would be (${nameOf(first)}${unknown.length > 1 ? ', ...' : ''}).`,
        ],
      ]
    : [];
}

function capped(lines: readonly Line[]): Line[] {
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), [2, `and ${lines.length - MOST_LINES} lines more (-o json has all)`]] : [...lines];
}

function section(title: string, lines: readonly Line[], none: string | null): Line[] {
  if (lines.length > 0) return [[0, title], ...lines];
  return none === null ? [] : [[0, `${title}: ${none}`]];
}

/** Wrapped, what does not fit a little further in. */
function hung([indent, text]: Line, width: number): string[] {
  return wrap(text, width - indent - 4).map((line, index) => ' '.repeat(index === 0 ? indent : indent + 4) + line);
}

const nameOf = ({ kind, namespace, name }: Subject): string => visible([kind, namespace, name].filter(Boolean).join('/'));
