import { cut } from '../../facts/words.ts';
import type { Evidence } from '../../model/finding.ts';
import { visible, visibleLines } from '../escape.ts';
import { GLUE, columns, wrap } from '../wrap.ts';
import type { Look } from './look.ts';
import { address, clock } from './words.ts';

/** Lines of a quotation before it is cut; `-v` gives all of it. */
export const QUOTED = 3;
/** Characters of a text that is quoted in part; nobody counts the lines behind them. */
const LONG = 4096;
const MARGIN = ' '.repeat(4);
const ALL = ' (all: -v)';

/**
 * `[1] Pod/a 9c1f4e02 .status.conditions[2], 13:08:11Z: what stood there`, as lines of the given width. Of a text that does not
 * fit in `quoted` lines the telling part is kept.
 */
export function evidenceLines(look: Look, evidence: Evidence, number: number, width: number, quoted = QUOTED): string[] {
  const room = width - MARGIN.length;
  const all = wordsOf(evidence);
  const [first = '', ...more] = look.verbose ? all : shortened(all, evidence.text.length, quoted, room);
  const object = objectOf(look, evidence);
  // An address longer than a line is broken before its uid.
  const lines = [`${columns(object) > room ? object.replaceAll(GLUE, ' ') : object}${placeOf(look, evidence)}: ${first}`, ...more].flatMap((line) =>
    wrap(line, room),
  );
  return lines.map((line, index) => (index === 0 ? padded(number) : MARGIN) + line);
}

const padded = (number: number): string => `[${number}]`.padEnd(MARGIN.length);

function objectOf(look: Look, { object }: Evidence): string {
  // The name of an event is that of its object with the time in hexadecimal; nothing is recreated under it.
  if (object.kind === 'Event')
    return look.verbose ? address(look, object) : `Event of ${address(look, { ...object, kind: '', name: object.name.replace(/\.[0-9a-f]+$/, '') })}`;
  const uid = object.uid && object.kind !== 'APIServer' ? `${GLUE}${visible(object.uid.slice(0, 8))}` : '';
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
  return visibleLines(spaced(pointer !== '' && text.startsWith(path) ? text.slice(path.length) : text).trimEnd());
}

function valueInWords({ value }: Evidence): string {
  return visible(typeof value === 'string' ? value : spaced(JSON.stringify(value ?? null)));
}

/** JSON with room to break a line in. */
const spaced = (text: string): string => (/^[[{]["[{]/.test(text) ? text.replace(/,(?=["[{])/g, ', ') : text);

/** One text keeps its cause, several lines (a log, a traceback) their first and their last. */
function shortened(lines: readonly string[], size: number, most: number, room: number): string[] {
  const [only = ''] = lines;
  if (lines.length === 1) {
    if (only.length > LONG) return [`${cut(only.slice(0, LONG), (most - 1) * room)} (${Math.round(size / 1024)} KiB in all: -v)`];
    const short = cut(only, Math.round((most + 0.5) * room) - ALL.length);
    // A few words less are no gain.
    return only.length - short.length < 2 * ALL.length ? [only] : [`${short}${ALL}`];
  }
  const kept = lines.map((line) => cut(line, room));
  if (kept.length <= most) return kept;
  const rest = kept.length - most;
  return [...kept.slice(0, 1), `(${rest} more ${rest === 1 ? 'line' : 'lines'}: -v)`, ...kept.slice(1 - most)];
}
