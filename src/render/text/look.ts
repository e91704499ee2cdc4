import type { Report } from '../../model/report.ts';
import type { Paint } from '../paint.ts';
import { columns, padEnd, wrap } from '../wrap.ts';

/** What every part of the page needs to know. */
export interface Look {
  report: Report;
  width: number;
  verbose: boolean;
  paint: Paint;
  /** The one namespace that need not be repeated in addresses; null where several are in scope. */
  home: string | null;
  /** Flags that reach the cluster that was asked. */
  reach: string | undefined;
}

const plain = (line: string): string => line;

export interface Label {
  /** Columns before the label, and of the label itself. */
  indent: number;
  size: number;
}

/** Labels inside a cause, and those that close the page. */
export const INNER: Label = { indent: 2, size: 12 };
export const OUTER: Label = { indent: 0, size: 10 };

/** `label   text`, each text on its own line, wrapped under itself. Texts are escaped already; colour comes after the wrapping. */
export function labelled(look: Pick<Look, 'width' | 'paint'>, { indent, size }: Label, label: string, texts: readonly string[], ink = plain): string[] {
  const margin = indent + size;
  const lines = texts.flatMap((text) => wrap(text, look.width - margin)).map(ink);
  return lines.map((line, index) => {
    if (index > 0) return line === '' ? '' : ' '.repeat(margin) + line;
    return ' '.repeat(indent) + look.paint.faint(padEnd(label, size)) + line;
  });
}

/** Left text wrapped, `right` at the end of its last line; where that has no room, the text is wrapped narrower. */
export function spread(left: string, right: string, width: number): string[] {
  const room = width - columns(right) - 2;
  const wide = wrap(left, width);
  const lines = columns(wide.at(-1) ?? '') <= room ? wide : wrap(left, room);
  const last = lines.pop() ?? '';
  return [...lines, `${padEnd(last, width - columns(right) - 1)} ${right}`];
}
