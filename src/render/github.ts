import { EXIT } from '../model/report.ts';
import { casesOf, detailOf, effortOf, manifestOf, WORDS } from './cases.ts';
import { visible, visibleLines } from './escape.ts';
import type { Renderer } from './index.ts';

/** An annotation is a box beside a line of code; the whole of an error that quotes itself pushes the next step out of sight. */
const BRIEF = 160;

/** Workflow commands: an annotation a cause, at the manifest's line where one was given, and a line for what has no cause. */
export const renderGithub: Renderer = (report) => {
  const cases = casesOf(report);
  const told = new Set<string>();
  const lines = cases.flatMap(({ findings, kind, name, namespace, verdict, says, aside, file, line }) => {
    if (aside) return [command('notice', `${kind}/${name} in ${namespace}`, [`broken before, not waited for: ${says}`], file, line)];
    if (verdict === 'healthy') return [];
    if (findings.length === 0) return [command('error', `${kind}/${name}${namespace ? ` in ${namespace}` : ''}: ${WORDS[verdict]}`, [says], file, line)];
    return findings
      .filter(({ id }) => !told.has(id) && told.add(id))
      .map((finding) => {
        const place = manifestOf(report, finding);
        return command(
          finding.certainty === 'undetermined' ? 'warning' : 'error',
          `${finding.layer.toUpperCase()}: ${finding.title}`,
          detailOf(finding, BRIEF).slice(1),
          place?.file ?? file,
          place?.line ?? line,
        );
      });
  });
  const sum = report.gate
    ? `${report.verdict === 'healthy' ? 'passed' : WORDS[report.verdict]}, ${report.gate.says} (${effortOf(report)})`
    : WORDS[report.verdict];
  return `${[...lines, `kubectl strata: ${visible(sum)}, exit code ${EXIT[report.verdict]}`].join('\n')}\n`;
};

// What the runner would take apart (actions/toolkit, core/src/command.ts): data and properties have escapes of their own.
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

function command(level: 'error' | 'warning' | 'notice', title: string, lines: readonly string[], file: string, line: number): string {
  const place = file ? `file=${property(visible(file))},${line > 0 ? `line=${line},` : ''}` : '';
  return `::${level} ${place}title=${property(visible(title))}::${data(lines.flatMap(visibleLines).join('\n'))}`;
}
