import { describe, expect, test } from 'vitest';
import { parseTargets } from '../../src/source/targets.ts';

const read = (...texts: string[]): string[] => parseTargets(texts).map(({ type, name }) => `${type}|${name}`);

describe('targets as typed', () => {
  test('TYPE and then names, as kubectl takes them', () => {
    expect(read('pods', 'web-1', 'web-2')).toEqual(['pods|web-1', 'pods|web-2']);
    expect(read('deploy', 'web')).toEqual(['deploy|web']);
  });
  test('TYPE/NAME, and names alone', () => {
    expect(read('deploy/web', 'svc/web')).toEqual(['deploy|web', 'svc|web']);
    expect(read('web', 'api')).toEqual(['|web', '|api']);
    expect(read('jobs')).toEqual(['|jobs']);
  });
  test('what is neither is refused', () => {
    expect(() => read('a/b/c')).toThrow('is not a target');
  });
});
