import Table from 'cli-table3';
import { visible } from './escape.ts';
import type { Style } from './index.ts';
import { paints } from './paint.ts';

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Rows under their heads, without borders so that they can be cut and pasted. The last column takes what width is left. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[], { color, width }: Style): string {
  const paint = paints(color);
  const cells = rows.map((row) => row.map(visible));
  const widths = head.slice(0, -1).map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const rest = width - widths.reduce((sum, one) => sum + one + 2, 0);
  const table = new Table({
    chars: NO_BORDERS,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    head: head.map(paint.strong),
    colWidths: [...widths, Math.max(20, rest)],
    wordWrap: true,
  });
  table.push(...cells.map((row) => [...row]));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}
