import { appendFile } from 'node:fs/promises';
import type { Report } from '../model/report.ts';
import type { Style } from '../render/index.ts';

/** GitHub shows what stands in this file on the run's own page. Elsewhere nothing is written. */
export async function stepSummary(report: Report, style: Style, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const path = env['GITHUB_STEP_SUMMARY'];
  if (!path) return;
  const { renderMarkdown } = await import('../render/markdown.ts');
  await appendFile(path, renderMarkdown(report, style)).catch(() => process.stderr.write('The step summary could not be written.\n'));
}
