/** Joins words that belong together (an address and its uid); never in escaped text, a space when printed. */
export const GLUE = '\u0001';

/** Words longer than this are no address that a person would copy whole, and are cut at the margin. */
const UNBREAKABLE = 240;

// Terminals give these two columns (Unicode East Asian Width W and F, and emoji shown as pictures).
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const MARK = /\p{M}/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the glue is one of them
const NARROW = /^[\u0001\x20-\x7e]*$/;

/** Columns that a text takes in a terminal. */
export function columns(text: string): number {
  if (NARROW.test(text)) return text.length;
  let sum = 0;
  for (const char of text) sum += MARK.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return sum;
}

/** To so many columns, wide characters counted as two. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/**
 * Breaks one line of escaped text at its spaces. Leading spaces are kept and repeated on every line of it, runs of spaces
 * inside are kept (columns stay columns). A word that does not fit stands alone and whole.
 */
export function wrap(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const room = Math.max(8, width - indent.length);
  const lines: string[] = [];
  let line = '';
  let used = 0;
  let gap = '';
  for (const part of text.slice(indent.length).match(/ +|[^ ]+/g) ?? []) {
    if (part.startsWith(' ')) {
      gap = part;
      continue;
    }
    for (const word of pieces(part, room)) {
      const size = columns(word);
      if (line !== '' && used + gap.length + size > room) {
        lines.push(line);
        line = '';
        used = 0;
      }
      if (line !== '') {
        line += gap;
        used += gap.length;
      }
      line += word;
      used += size;
      gap = '';
    }
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines.map((one) => indent + one.replaceAll(GLUE, ' '));
}

function pieces(word: string, room: number): string[] {
  if (word.length <= UNBREAKABLE || word.includes(GLUE)) return [word];
  const out: string[] = [];
  let piece = '';
  let used = 0;
  for (const char of word) {
    const size = columns(char);
    if (used + size > room) {
      out.push(piece);
      piece = '';
      used = 0;
    }
    piece += char;
    used += size;
  }
  return piece === '' ? out : [...out, piece];
}
