import type { Finding } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { type Case, casesOf, detailOf, effortOf, scopeOf, WORDS } from './cases.ts';
import { visible, visibleLines } from './escape.ts';
import type { Renderer } from './index.ts';

/** A page for a pull request or a job's summary: the verdict, a table of what was judged, each cause with its evidence. */
export const renderMarkdown: Renderer = (report) => {
  const cases = casesOf(report);
  const roots = report.findings.filter(({ role }) => role === 'root');
  const parts = [
    `## ${text(scopeOf(report))}: ${report.gate && report.verdict === 'healthy' ? 'passed' : WORDS[report.verdict]}`,
    report.gate ? `${text(report.gate.says)}.` : `${roots.length} ${roots.length === 1 ? 'cause' : 'causes'}.`,
    ...(cases.length > 0 ? [['| | what | where it stands |', '| --- | --- | --- |', ...cases.map(rowOf)].join('\n')] : []),
    ...roots.flatMap(cause),
    ...asides(report),
    `<sub>${text(`${effortOf(report)}; ${report.source.server ?? report.source.name} ${report.source.version ?? ''}`.trim())}</sub>`,
  ];
  return `${parts.join('\n\n')}\n`;
};

function rowOf({ kind, name, namespace, verdict, says, aside, findings, remarks }: Case): string {
  const state = aside ? 'broken before' : verdict === 'healthy' ? 'ok' : `**${WORDS[verdict]}**`;
  const what = text(`${kind}/${namespace ? `${namespace}/` : ''}${name}`);
  const causes = findings.map(({ layer, title }) => `${layer.toUpperCase()}: ${title}`);
  return `| ${state} | ${what} | ${[says, ...causes, ...remarks].filter(Boolean).map(text).join('<br>')} |`;
}

function cause(finding: Finding, index: number): string[] {
  const fence = '```';
  // A quoted text must not end the quotation.
  const lines = detailOf(finding)
    .slice(1)
    .filter((line) => !line.startsWith('next: '))
    .flatMap(visibleLines)
    .map((line) => line.replaceAll(fence, "'''"));
  return [
    `### ${index + 1}. ${finding.layer.toUpperCase()}: ${text(finding.title)}`,
    `${fence}text\n${lines.join('\n')}\n${fence}`,
    ...(finding.next.length > 0
      ? [
          `${fence}sh\n${finding.next
            .flatMap(visibleLines)
            .map((line) => line.replaceAll(fence, "'''"))
            .join('\n')}\n${fence}`,
        ]
      : []),
  ];
}

function asides({ gate }: Report): string[] {
  if (!gate) return [];
  const row = (word: string, notes: readonly { layer: string; title: string }[]): string[] =>
    notes.length > 0 ? [`${word}: ${notes.map(({ layer, title }) => text(`${layer.toUpperCase()} ${title}`)).join('; ')}`] : [];
  return [...row('There before, and no reason', gate.preexisting), ...row('Repaired by this rollout', gate.repaired)];
}

/** Words of the cluster are words, not markup: what Markdown, HTML and GitHub (mentions, links) would act on is written out. */
const text = (words: string): string =>
  visible(words)
    .replaceAll('&', '&amp;')
    .replace(/[\\`*_{}[\]#|~]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replaceAll('://', '&#58;//');
