// Everything from a cluster is untrusted: names in hand-made dumps, messages, annotations, termination logs.
// Cc: ANSI, OSC, backspaces, C1. Cf and the default-ignorable: bidi overrides, zero-width, tag characters. Cs: half a pair.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One line that shows every character a terminal would act on or hide: `\x1b`, `\u202e`, `\n`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, spelled);
}

/** Like `visible`, but line breaks stay breaks and tabs become two spaces: for quoted text of several lines. */
export function visibleLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => visible(line.replaceAll('\t', '  ')));
}

function spelled(char: string): string {
  const named = NAMED[char];
  if (named) return named;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
