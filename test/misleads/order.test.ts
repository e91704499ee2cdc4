/** In what order the objects were read is nothing that a report may tell of: discovery and lists give any. */
import { expect, it } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import type { Report } from '../../src/model/report.ts';
import { ruleSet } from '../../tools/rule-files.ts';
import { type Case, loadCases, scopeOf, snapshotOf } from '../cases/case.ts';

const told = ({ verdict, findings }: Report) => ({
  verdict,
  roots: findings.filter(({ role }) => role === 'root').map(({ layer, certainty, title, on }) => `${layer} ${certainty} ${on.kind}/${on.name} ${title}`).sort(),
});

it('is told the same in whatever order it was read', () => {
  const rules = ruleSet();
  const judged = (one: Case) => told(diagnose(snapshotOf(one), scopeOf(one), { rules }));
  const differing = [...loadCases('blind9n'), ...loadCases('fresh')].flatMap((one) => {
    const [there, back] = [judged(one), judged({ ...one, objects: one.objects.toReversed() })];
    return JSON.stringify(there) === JSON.stringify(back) ? [] : [{ id: one.id, there, back }];
  });
  expect(differing).toEqual([]);
}, 60_000);
