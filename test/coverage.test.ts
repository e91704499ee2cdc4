import { expect, it } from 'vitest';
import { coverage, isHole } from '../tools/coverage-knowledge.ts';

const rows = coverage();

it('each row of the checklist is covered, each experiment by one that is done', () => {
  expect(rows.length).toBeGreaterThan(650);
  expect(rows.filter(isHole).map(({ id }) => id)).toEqual([]);
});

it('a hole is told', () => {
  expect(isHole({ id: 'K10', what: '', by: [] })).toBe(true);
  expect(isHole({ id: 'E1', what: '', by: ['rule unschedulable'] })).toBe(true);
});
