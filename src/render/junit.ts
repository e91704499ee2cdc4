import type { Verdict } from '../model/report.ts';
import { type Case, casesOf, detailOf, effortOf, scopeOf, WORDS } from './cases.ts';
import { visible, visibleLines } from './escape.ts';
import type { Renderer } from './index.ts';

/** JUnit as CI servers read it: one test case an object that was judged. What is not proven to have failed is an error, not a failure. */
export const renderJunit: Renderer = (report) => {
  const cases = casesOf(report);
  const suites = new Map<string, Case[]>();
  for (const each of cases) suites.set(each.namespace, [...(suites.get(each.namespace) ?? []), each]);
  const seconds = report.gate?.seconds ?? report.cost.ms / 1000;
  const total = `${counts(cases)} time="${seconds.toFixed(1)}"`;
  const body = [...suites].map(([namespace, each]) =>
    [
      `  <testsuite name="${attribute(namespace || scopeOf(report))}" ${counts(each)} time="${seconds.toFixed(1)}" timestamp="${(report.gate?.startedAt ?? report.capturedAt).slice(0, 19)}">`,
      '    <properties>',
      `      <property name="server" value="${attribute(report.source.server ?? report.source.name)}"/>`,
      `      <property name="version" value="${attribute(report.source.version ?? '')}"/>`,
      `      <property name="effort" value="${attribute(effortOf(report))}"/>`,
      '    </properties>',
      ...each.flatMap(testCase),
      '  </testsuite>',
    ].join('\n'),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="kubectl strata${report.gate ? ' gate' : ''}" ${total}>\n${body.map((text) => `${text}\n`).join('')}</testsuites>\n`;
};

function counts(cases: readonly Case[]): string {
  const of = (verdict: Verdict): number => cases.filter((each) => !each.aside && each.verdict === verdict).length;
  const failures = of('failed');
  return `tests="${cases.length}" failures="${failures}" errors="${cases.filter(({ aside, verdict }) => !aside && verdict !== 'healthy').length - failures}" skipped="${cases.filter(({ aside }) => aside).length}"`;
}

function testCase(one: Case): string[] {
  const { kind, name, namespace, verdict, says, aside, findings, file, line, seconds, remarks } = one;
  const place = file ? ` file="${attribute(file)}"${line > 0 ? ` line="${line}"` : ''}` : '';
  const [first] = findings;
  const lines = [...(says ? [says] : []), ...findings.flatMap((finding) => ['', ...detailOf(finding)])];
  const tag = verdict === 'failed' ? 'failure' : 'error';
  const inner = aside
    ? [`      <skipped message="${attribute(`broken before: ${says}`)}"/>`]
    : verdict === 'healthy'
      ? []
      : [
          `      <${tag} type="${attribute(first?.rule ?? verdict)}" message="${attribute(first ? `${first.layer.toUpperCase()}: ${first.title}` : WORDS[verdict] === says ? says : `${WORDS[verdict]}: ${says}`)}">${content(lines)}</${tag}>`,
        ];
  const told = verdict === 'healthy' && !aside ? [says, ...remarks] : remarks;
  const out = told.some((text) => text !== '') ? [`      <system-out>${content(told)}</system-out>`] : [];
  const head = `    <testcase name="${attribute(`${kind}/${name}`)}" classname="${attribute(namespace || kind)}" time="${seconds.toFixed(1)}"${place}`;
  return inner.length + out.length === 0 ? [`${head}/>`] : [`${head}>`, ...inner, ...out, '    </testcase>'];
}

// XML 1.0 has no way to write most control characters: they are shown, as everywhere.
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const attribute = (text: string): string => escaped(visible(text));
const content = (lines: readonly string[]): string => lines.flatMap(visibleLines).map(escaped).join('\n');
