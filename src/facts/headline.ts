import { cut, headCut, levelsOf, REQUEST } from './words.ts';

/** Where a heading loses its last remark in brackets, and where it is cut: two lines of a terminal. A long name is given more. */
const REMARK = 110;
const HEADING = 130;
/** What a line may have more than that before it is cut: its last word or two are often the ones that matter. */
const OVER = 14;
const NAME = 24;

// Sentences of ours that stand behind a colon; a kind, a name or a quotation keeps its capital.
const OPENINGS =
  /(: )(The|A|An|No(?! such)|Nothing|Nobody|None|Neither|Something|Someone|Somebody|Some|Several|What|Whoever|Which|This|That|These|It|Its|Another|One|Two|Only|More|There|Each|Every|All|Still|Stored|Not|Objects(?= of))(?= )/g;

// What the AWS SDK puts behind each of its errors; the error is before it.
const AWS = /,? ?status code: \d{3}(?:, request id: [\w-]+)?(?: \S+)??(?=$|[\s)\]])/g;

/** A heading: one sentence, short enough to be read at a glance, never cut inside a name, a quotation or a bracket. */
export function headline(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(AWS, '')
    .trim()
    .replace(/(?<=[^.])\.$/, '')
    .replace(OPENINGS, (_, colon: string, word: string) => colon + word.toLowerCase());
  let room = roomFor(line);
  let short = shorten(line, room);
  // A long name that was cut off gives no room.
  for (; short.length > roomFor(short) && room > HEADING; short = shorten(line, room)) room = Math.max(HEADING, Math.min(room - 1, roomFor(short)));
  return short;
}

function roomFor(line: string): number {
  const names = line
    .split(' ')
    .filter((word) => word.length > NAME)
    .slice(0, 3);
  return HEADING + names.reduce((sum, name) => sum + name.length - NAME, 0);
}

function shorten(line: string, room: number): string {
  const bare = line.length > REMARK + room - HEADING ? line.replace(/(?<=.{40}) \([^()]*\)$/, '') : line;
  return bare.length <= room + OVER ? bare : (innermost(bare, room) ?? cut(bare, room));
}

/** What is ours stands in front: so much of a line, or less where nothing would be left for the words behind it. */
const OURS = 56;
const FRONT = 72;
const WORDS = 24;

/** `ours: … theirs`: the last words of an error that wraps another are its cause. Null where the line is not made like that. */
function innermost(line: string, room: number): string | null {
  const levels = levelsOf(line);
  const front = (count: number): string => levels.slice(0, count).join(': ');
  const counts = levels.map((_, index) => index).slice(1);
  const ours = counts.find((count) => front(count).length >= OURS);
  const short = counts.findLast((count) => front(count).length <= FRONT);
  for (const count of [ours, short, counts[0]]) {
    if (count === undefined || front(count).length > room) continue;
    if (front(count).length > room - WORDS - 4) {
      if (count === ours) return front(count);
      continue;
    }
    const said = lastWords(levels.slice(count).join(': '), room - front(count).length - 2);
    if (said !== '') return `${front(count)}: ${said}`;
  }
  return null;
}

// A status of gRPC or of a cloud's API is no word of whoever wrote it; Vault lists its errors behind the request.
const STATUS = /^(?:rpc error|code = \w+ desc = |desc = |- )|^\d{3}, RequestID: [^,]+, (?:\w+ ){0,3}?api error /g;
const LISTED = /^.{0,400}\bErrors: \* /;

// A lone word, and what stands behind such a word, belongs to what is before it: `is not authorized to perform: ec2:RunInstances`.
const GOES_ON = /\b(?:perform|namespace|gvr|is|are|was|of|for|with|in|by)$/;
const WORD = /^\S+$/;

/** Of several sentences the first one, of errors in one another the innermost that fit. */
function lastWords(text: string, room: number): string {
  const sentence = firstSentence(
    text
      .replace(/^(?:… ?)+/, '')
      .replaceAll('\\"', '"')
      .replace(LISTED, ''),
  );
  const levels: string[] = [];
  for (const part of levelsOf(sentence)) {
    const before = levels.at(-1);
    if (before !== undefined && (GOES_ON.test(before) || (WORD.test(part) && !REQUEST.test(before)))) levels[levels.length - 1] = `${before}: ${part}`;
    else levels.push(part);
  }
  const said = levels.map((level) => level.trim().replace(STATUS, '')).filter((level) => level !== '' && !REQUEST.test(level));
  const last = said.at(-1);
  if (last === undefined) return '';
  const left = (count: number): string => (count < said.length ? '… ' : '');
  const fitting = said.map((_, index) => index + 1).findLast((count) => left(count).length + said.slice(-count).join(': ').length <= room);
  const words = fitting === undefined ? headCut(last, room - left(1).length) : said.slice(-fitting).join(': ');
  const kept = whole(words.replace(/^… /, ''));
  return kept === '' ? '' : left(fitting ?? 1) + kept;
}

/** Up to the first full stop that ends a sentence: none within a number, a name or `e.g.`. */
function firstSentence(text: string): string {
  const end = /(?<=[\w)\]"'`]{3})[.;] (?=\S)/.exec(text);
  return end && end.index >= WORDS ? text.slice(0, end.index) : text;
}

const PAIRS: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
];

/** Without the half of a pair of brackets or quotation marks whose other half was cut off. */
function whole(text: string): string {
  let words = text;
  for (const [open, close] of PAIRS) {
    const depth = words.split(open).length - words.split(close).length;
    if (depth > 0) words = words.startsWith(open) ? words.slice(1) : words.slice(0, words.lastIndexOf(open));
    if (depth < 0 && words.endsWith(close)) words = words.slice(0, -1);
  }
  for (const mark of ['"', '`', "'"]) {
    if (words.split(mark).length % 2 === 1) continue;
    if (words.endsWith(mark)) words = words.slice(0, -1);
    else if (words.startsWith(mark)) words = words.slice(1);
    else if (mark !== "'") words = words.slice(0, words.lastIndexOf(mark));
  }
  return words.replace(/[\s,;:(&]+$/, '');
}
