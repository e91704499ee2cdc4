/**
 * Incidents as objects, and what must be said of them. Cases that the rules do not get right yet stand in `cases/open.txt`
 * (written by `node --import tsx test/cases/score.ts --open`); all others must stay right.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ruleSet } from '../tools/rule-files.ts';
import { loadCases } from './cases/case.ts';
import { judged } from './cases/reported.ts';
import { type Ran, runCases } from './cases/run.ts';
import { wrongBy } from './schemas.ts';

const open = new Set(readFileSync(join(import.meta.dirname, 'cases', 'open.txt'), 'utf8').split('\n').filter(Boolean));
const cases = loadCases();
const ran = runCases(cases, ruleSet());

const miss = ({ one, report, assessment, misread }: Ran): string =>
  [
    `${one.group}/${one.id}: ${assessment.outcome}, ${assessment.why}`,
    `want ${JSON.stringify(one.expect)}`,
    `got ${report.verdict}`,
    ...assessment.got,
    ...misread.map(({ text, wanted, got }) => `text ${got}, wanted ${wanted}: ${text}`),
  ].join('\n    ');

describe('the cases', () => {
  it('are named after their files, each once', () => {
    expect(cases.filter(({ id, file }) => !file.endsWith(`/${id}.yaml`)).map(({ file }) => file)).toEqual([]);
    expect(cases.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) !== index)).toEqual([]);
    expect([...open].filter((id) => !cases.some((one) => one.id === id))).toEqual([]);
  });

  it('hold objects that belong together', () => {
    // Hostile ones do so on purpose.
    const wrong = cases.filter(({ group }) => group !== 'hostile').flatMap((one) => {
      const uids = one.objects.map(({ metadata }) => metadata.uid);
      const twice = uids.filter((uid, index) => uid === undefined || uids.indexOf(uid) !== index);
      const future = one.objects.filter(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') > Date.parse(one.now));
      return [...twice.map((uid) => `${one.id}: uid ${uid}`), ...future.map(({ kind, metadata }) => `${one.id}: ${kind}/${metadata.name} is from the future`)];
    });
    expect(wrong).toEqual([]);
  });

  it('break no rule', () => {
    expect([...new Set(ran.flatMap(({ one, report }) => report.broken.map(({ rule, message }) => `${rule} on ${one.id}: ${message}`)))]).toEqual([]);
  });

  it('give reports that are what the published schema says', () => {
    expect(ran.flatMap(({ one, report }) => wrongBy('report', report) && `${one.id}: ${wrongBy('report', report)}`).filter(Boolean)).toEqual([]);
  });

  it('name the layer of the public report they retell, or say why not', () => {
    const reported = ran.flatMap(({ one, report }) => (one.report ? [{ one, said: one.report, answer: judged(one.report, report) }] : []));
    expect(reported.length).toBe(190);
    expect(new Set(reported.map(({ said }) => said.id)).size).toBe(190);
    expect(reported.filter(({ said, answer }) => answer !== 'named' && answer !== 'honest' && !said.but).map(({ one, answer }) => `${one.id}: ${answer}`)).toEqual([]);
    expect(reported.filter(({ said, answer }) => answer === 'named' && said.but).map(({ one }) => `${one.id} needs no excuse`)).toEqual([]);
    const tempting = reported.filter(({ said: { layer, also = [], surface, but } }) => surface && ![layer, ...also].includes(surface) && !but);
    expect(tempting.filter(({ one, said }) => one.expect.layer && one.expect.not !== said.surface).map(({ one, said }) => `${one.id}: not ${said.surface}`)).toEqual([]);
  });

  it('that were right stay right', () => {
    const lost = ran.filter(({ one, assessment, misread }) => !open.has(one.id) && (assessment.outcome !== 'right' || misread.length > 0));
    expect(lost.map(miss).join('\n')).toBe('');
  });
});
