import { visible, visibleLines } from './escape.ts';
import type { Style } from './index.ts';
import { paints } from './paint.ts';
import { INNER, labelled } from './text/look.ts';
import { whole } from './text/words.ts';
import { wrap } from './wrap.ts';

/** A heading and labelled texts under it, as a cause is printed; empty texts are left out. */
export function renderSheet(title: string, fields: readonly (readonly [label: string, texts: readonly string[]])[], { color, width }: Style): string {
  const look = { width, paint: paints(color) };
  const rows = fields.flatMap(([label, texts]) => {
    const lines = texts.flatMap(visibleLines).map(whole);
    return lines.some((line) => line !== '') ? labelled(look, INNER, label, lines) : [];
  });
  return `${[...wrap(visible(title), width).map(look.paint.strong), ...rows].map((line) => line.trimEnd()).join('\n')}\n`;
}
