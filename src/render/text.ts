import type { Report } from '../model/report.ts';
import type { Renderer, Style } from './index.ts';
import { paints } from './paint.ts';
import { causeBlock, causeLine } from './text/cause.ts';
import { gateLines } from './text/gate.ts';
import { headLines } from './text/head.ts';
import type { Look } from './text/look.ts';
import { tailLines } from './text/tail.ts';
import { wrap } from './wrap.ts';

/** So many causes are told in full; of more the headings, for nobody reads a page of forty blocks. */
const FULL = 6;

/** The page an engineer reads: verdict first, causes worst first, what could not be seen last. */
export const renderText: Renderer = (report, style) => {
  const look = lookOf(report, style);
  const roots = report.findings.filter(({ role }) => role === 'root');
  const full = style.verbose || roots.length <= FULL + 1 ? roots.length : FULL;
  const causes = roots.slice(0, full).map((finding, index) => causeBlock(look, finding, index + 1));
  const rest = roots.slice(full);
  const others = rest.flatMap((finding, index) => causeLine(look, finding, full + index + 1));
  const more =
    rest.length > 0 ? wrap(`(${rest.length} causes by their headings only: -v, or name one object: TYPE/NAME)`, style.width).map(look.paint.faint) : [];
  const blocks = [report.gate ? gateLines(look) : headLines(look), ...causes, others, more, tailLines(look)].filter((lines) => lines.length > 0);
  return `${blocks.map((lines) => lines.map((line) => line.trimEnd()).join('\n')).join('\n\n')}\n`;
};

function lookOf(report: Report, { color, width, verbose, reach }: Style): Look {
  const [only = null, ...others] = report.scope.namespaces;
  return { report, width, verbose, paint: paints(color), home: report.scope.all || others.length > 0 ? null : only, reach };
}
