import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lintRuleTest, runRuleCase } from '../src/engine/tester.ts';
import { REFERENCE, reference } from '../tools/reference.ts';
import { files, ruleId, ruleSet, ruleTest } from '../tools/rule-files.ts';

const { rules } = files;

describe('rules', () => {
  it('have ids that are their own', () => {
    const ids = rules.map(({ file }) => ruleId(file));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  for (const { file } of rules) {
    describe(file, () => {
      const test = ruleTest(file);
      it('has a test beside it that is worth its name', () => {
        expect(test, `${file} has no test beside it`).not.toBeNull();
        if (test) expect(lintRuleTest(test)).toEqual([]);
      });
      for (const each of test?.cases ?? []) {
        it(each.name, () => {
          if (test) expect(runRuleCase(ruleId(file), test, each, ruleSet())).toEqual([]);
        });
      }
    });
  }
});

it('the reference is as the rule files say (npm run reference)', () => {
  expect(readFileSync(REFERENCE, 'utf8')).toBe(reference());
});

it('a rule that does not fire is told where its objects stand', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'b' }, spec: { containers: [{ name: 'c' }] }, status: { phase: 'Succeeded' } };
  const test = { now: '2026-03-01T10:00:00Z', given: [pod], cases: [] };
  const wrong = runRuleCase('container-exits', test, { name: 'over', expect: [{ title: 'x' }] }, ruleSet());
  expect(wrong.join('\n')).toMatch(/it looks at .+, and Pod\/a stands at goal/);
});
