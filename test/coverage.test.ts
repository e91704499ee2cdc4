import { expect, it } from 'vitest';
import { exercised } from '../tools/exercised.ts';
import { coverage, isHole } from '../tools/coverage-knowledge.ts';

const rows = coverage();

it('each row of the checklist is covered, each experiment by one that is done', () => {
  expect(rows.length).toBeGreaterThan(780);
  expect(rows.filter(isHole).map(({ id }) => id)).toEqual([]);
});

it('a hole is told', () => {
  expect(isHole({ id: 'K10', what: '', by: [] })).toBe(true);
  expect(isHole({ id: 'E1', what: '', by: ['rule unschedulable'] })).toBe(true);
});

it('a file that is not tried covers nothing', () => {
  expect(exercised('src/facts/pods/ladder.ts')).toMatch(/ladder\.ts \(.+\)/);
  expect(exercised('test/trace.test.ts#(slowest)')).toBe('test/trace.test.ts#(slowest)');
  expect(exercised('test/trace.test.ts#words that no test holds')).toBe('');
  // Without a test in it, without words to look for, or not there.
  expect([exercised('test/build.ts'), exercised('README.md'), exercised('src/facts/gone.ts')]).toEqual(['', '', '']);
});

it('a case, a recording and the case of a rule cover where they are there and right', () => {
  expect(exercised('test/cases/traps/gated-pod.yaml')).toBe('test/cases/traps/gated-pod.yaml');
  expect(exercised('fixtures/e7-oom')).toBe('fixtures/e7-oom');
  expect(exercised('rules/application/workload-risk.test.yaml#all pods on one node')).not.toBe('');
  expect(['test/cases/traps/gone.yaml', 'fixtures/gone', 'rules/application/workload-risk.test.yaml#no such case', 'rules/gone.test.yaml'].map(exercised)).toEqual(['', '', '', '']);
  // Words of a comment are no test.
  expect(exercised('test/gate/passing.test.ts#Its own deadline is long past')).toBe('');
});
