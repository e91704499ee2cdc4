/**
 * How the rules of the working tree do on the cases: `node --import tsx test/cases/score.ts [filter] [-v] [-a]`.
 * The filter is a part of a case's path (`kubelet`, `traps/`, `fin-04`). -v prints each report; -a lists the right ones, too.
 * --reports judges the public reports by their own labels, whatever the cases expect, and lists those whose layer is not named.
 * --open writes test/cases/open.txt, the cases that the rules do not get right yet.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderText } from '../../src/render/text.ts';
import { ruleSet } from '../../tools/rule-files.ts';
import { MEANING, OUTCOMES, type Outcome } from './assess.ts';
import { loadCases } from './case.ts';
import { ANSWER, ANSWERS, judged } from './reported.ts';
import { type Ran, runCases } from './run.ts';

// A pager that has seen enough is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => { if (error.code !== 'EPIPE') throw error; });

const flags = process.argv.slice(2).filter((word) => word.startsWith('-'));
const [filter = ''] = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const ran = runCases(loadCases(filter), ruleSet());

const wantedBy = ({ one: { expect } }: Ran): string => {
  const layers = expect.layer ? `${[expect.layer, ...(expect.also ?? [])].join('|')} on ${expect.subject?.map(({ kind, name }) => `${kind}/${name}`).join(' ')} /${expect.cause}/ ` : '';
  return `${layers}${[expect.verdict].flat().join('|')}${expect.certainty && expect.certainty !== 'proven' ? `, ${expect.certainty}` : ''}`;
};

for (const each of flags.includes('--reports') ? [] : ran) {
  const { one, assessment, report, misread } = each;
  if (assessment.outcome === 'right' && misread.length === 0 && !flags.includes('-a')) continue;
  console.log(`\n${assessment.outcome.toUpperCase().padEnd(7)} ${one.group}/${one.id}${assessment.why ? `: ${assessment.why}` : ''}`);
  console.log(`        want ${wantedBy(each)}`);
  console.log(`        got  ${report.verdict}${assessment.got.map((line) => `\n             ${line}`).join('')}`);
  for (const { text, wanted, got } of misread) console.log(`        text ${got}, wanted ${wanted}: ${text.slice(0, 160)}`);
  for (const { rule, message } of report.broken) console.log(`        BROKEN RULE ${rule}: ${message}`);
  if (flags.includes('-v')) console.log(`        note ${one.note}\n${renderText(report, { color: false, width: 110, verbose: false })}`);
}

const groups = [...new Set(ran.map(({ one }) => one.group))];
const count = (group: string | null, outcome: Outcome): number =>
  ran.filter(({ one, assessment }) => (group === null || one.group === group) && assessment.outcome === outcome).length;
const line = (name: string, group: string | null): string =>
  `${name.padEnd(12)}${OUTCOMES.map((outcome) => String(count(group, outcome)).padStart(8)).join('')}${String(ran.filter(({ one }) => group === null || one.group === group).length).padStart(8)}`;
console.log(`\n${''.padEnd(12)}${[...OUTCOMES, 'all'].map((word) => word.padStart(8)).join('')}`);
for (const group of groups) console.log(line(group, group));
if (groups.length > 1) console.log(line('all', null));
const texts = ran.reduce((sum, { one }) => sum + one.explain.length, 0);
console.log(`texts read  ${texts - ran.reduce((sum, { misread }) => sum + misread.length, 0)} of ${texts}`);
for (const outcome of OUTCOMES) if (count(null, outcome) > 0) console.log(`  ${outcome.padEnd(8)}${MEANING[outcome]}`);

if (flags.includes('--reports')) {
  const answers = ran.flatMap(({ one, report, assessment }) => (one.report ? [{ one, said: one.report, assessment, answer: judged(one.report, report) }] : []));
  for (const { one, said: { layer, also = [], surface, decidable, but = '' }, assessment, answer } of answers) {
    if (answer === 'named' && !flags.includes('-a')) continue;
    const label = `${[layer, ...also].join('|')}${surface ? `, looks like ${surface}` : ''}${decidable ? `, in the API: ${decidable}` : ''}`;
    console.log(`\n${answer.padEnd(8)} ${one.group}/${one.id}: ${label}\n         got ${assessment.verdict}${assessment.got.map((got) => `\n             ${got}`).join('')}\n         ${but}`);
  }
  console.log(`\n${answers.length} reports`);
  for (const name of ANSWERS) console.log(`${String(answers.filter(({ answer }) => answer === name).length).padStart(5)} ${name.padEnd(8)} ${ANSWER[name]}`);
}

if (flags.includes('--open')) {
  const open = ran.filter(({ assessment, misread }) => assessment.outcome !== 'right' || misread.length > 0).map(({ one }) => one.id);
  writeFileSync(join(import.meta.dirname, 'open.txt'), open.map((id) => `${id}\n`).join(''));
}
