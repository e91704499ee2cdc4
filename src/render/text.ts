import type { Report } from '../model/report.ts';
import type { Renderer, Style } from './index.ts';
import { paints } from './paint.ts';
import { causeBlock } from './text/cause.ts';
import { headLines } from './text/head.ts';
import type { Look } from './text/look.ts';
import { tailLines } from './text/tail.ts';

/** The page an engineer reads: verdict first, causes worst first, what could not be seen last. */
export const renderText: Renderer = (report, style) => {
  const look = lookOf(report, style);
  const causes = report.findings.filter(({ role }) => role === 'root').map((finding, index) => causeBlock(look, finding, index + 1));
  const blocks = [headLines(look), ...causes, tailLines(look)].filter((lines) => lines.length > 0);
  return `${blocks.map((lines) => lines.map((line) => line.trimEnd()).join('\n')).join('\n\n')}\n`;
};

function lookOf(report: Report, { color, width, verbose }: Style): Look {
  const [only = null, ...others] = report.scope.namespaces;
  return { report, width, verbose, paint: paints(color), home: report.scope.all || others.length > 0 ? null : only };
}
