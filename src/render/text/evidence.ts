import type { Evidence } from '../../model/finding.ts';
import { visible, visibleLines } from '../escape.ts';
import { GLUE, columns, wrap } from '../wrap.ts';
import type { Look } from './look.ts';
import { address, clock } from './words.ts';

/** Lines of a quotation before it is cut; `-v` gives all of it. */
const QUOTED = 3;
/** Characters of a text that is quoted in part; nobody counts the lines behind them. */
const LONG = 4096;

/** `[1] Pod/a 9c1f4e02 .status.conditions[2], 13:08:11Z: what stood there`, as lines of the given width. */
export function evidenceLines(look: Look, evidence: Evidence, number: number, width: number): string[] {
  const object = `[${number}] ${objectOf(look, evidence)}`;
  const place = placeOf(look, evidence);
  const long = !look.verbose && evidence.text.length > LONG;
  const [first = '', ...more] = wordsOf(long ? { ...evidence, text: evidence.text.slice(0, LONG) } : evidence);
  const whole = `${object}${place}: ${first}`;
  if (more.length === 0 && columns(whole) <= width) return wrap(whole, width);
  const margin = ' '.repeat(4);
  const fits = columns(`${object}${place}:`) <= width;
  const head = fits ? `${object}${place}:` : object;
  const where = place.replace(/^[, ]+/, '');
  const said = fits || where === '' ? [first, ...more] : [`${where}: ${first}`, ...more];
  const all = said.flatMap((line) => wrap(line, width - margin.length));
  const lines = long ? [...all.slice(0, QUOTED), `(${Math.round(evidence.text.length / 1024)} KiB in all: -v)`] : cut(look, all);
  return [...wrap(head, width), ...lines.map((line) => margin + line)];
}

function objectOf(look: Look, { object }: Evidence): string {
  // An event's name is its own already, and nothing is recreated under it.
  const uid = object.uid && object.kind !== 'APIServer' && object.kind !== 'Event' ? `${GLUE}${visible(object.uid.slice(0, 8))}` : '';
  return address(look, object) + uid;
}

function placeOf(look: Look, { object, pointer, time }: Evidence): string {
  const path = pointer === '' || object.kind === 'Event' ? '' : ` ${visible(jsonPath(pointer))}`;
  return `${path}${time ? `, ${clock(look, time)}` : ''}`;
}

/** A JSON pointer as `kubectl -o jsonpath` takes it: `.status.conditions[2]`. */
export function jsonPath(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((raw) => raw.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key.replace(/[.\\]/g, '\\$&')}`))
    .join('');
}

/** What is said of the value, without the path that stands in front of it already. */
function wordsOf(evidence: Evidence): string[] {
  const { text, pointer } = evidence;
  if (text === '') return [valueInWords(evidence)];
  const path = `${jsonPath(pointer).slice(1)}: `;
  return visibleLines(spaced(pointer !== '' && text.startsWith(path) ? text.slice(path.length) : text));
}

function valueInWords({ value }: Evidence): string {
  return visible(typeof value === 'string' ? value : spaced(JSON.stringify(value ?? null)));
}

/** JSON with room to break a line in. */
const spaced = (text: string): string => (/^[[{]["[{]/.test(text) ? text.replace(/,(?=["[{])/g, ', ') : text);

function cut(look: Look, lines: string[]): string[] {
  if (look.verbose || lines.length <= QUOTED) return lines;
  const rest = lines.length - QUOTED;
  return [...lines.slice(0, QUOTED), `(${rest} more ${rest === 1 ? 'line' : 'lines'}: -v)`];
}
