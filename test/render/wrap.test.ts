import { describe, expect, test } from 'vitest';
import { visible, visibleLines } from '../../src/render/escape.ts';
import { GLUE, columns, wrap } from '../../src/render/wrap.ts';

describe('wrapping', () => {
  test('breaks at spaces only, keeps indents and columns', () => {
    expect(wrap('one two three', 9)).toEqual(['one two', 'three']);
    expect(wrap('    one two three four', 14)).toEqual(['    one two', '    three four']);
    expect(wrap('a   b', 80)).toEqual(['a   b']);
    expect(wrap('', 80)).toEqual(['']);
  });

  test('an address stays whole, glued words too', () => {
    const image = 'registry.example/team/a-very-long-name/of-an-image@sha256:0123456789';
    expect(wrap(`image ${image} fails`, 30)).toEqual(['image', image, 'fails']);
    expect(wrap(`see kubectl${GLUE}get${GLUE}pods now`, 12)).toEqual(['see', 'kubectl get pods', 'now']);
  });

  test('what nobody could read as one word is cut at the margin, in linear time', () => {
    const started = performance.now();
    const lines = wrap('x'.repeat(1_000_000), 50);
    expect(lines).toHaveLength(20_000);
    wrap('word '.repeat(200_000), 50);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('counts columns as terminals do', () => {
    expect(columns('abc')).toBe(3);
    expect(columns('中文')).toBe(4);
    expect(columns('e\u0301')).toBe(1);
    expect(columns('🚀')).toBe(2);
    expect(wrap('中文 中文 中文', 9)).toEqual(['中文 中文', '中文']);
  });
});

describe('escaping', () => {
  test.each([
    ['\u001b[31mred', '\\x1b[31mred'],
    ['\u009b31m', '\\x9b31m'],
    ['a\u202eb', 'a\\u202eb'],
    ['a\u200b\u200d\ufeffb', 'a\\u200b\\u200d\\ufeffb'],
    ['a\u2028b', 'a\\u2028b'],
    ['\ud800', '\\ud800'],
    ['\u{e0041}', '\\u{e0041}'],
    ['a\nb\rc\td\0', 'a\\nb\\rc\\td\\x00'],
    ['ünïcødé 中文 🚀 "quoted"', 'ünïcødé 中文 🚀 "quoted"'],
  ])('%j becomes %s', (from, to) => {
    expect(visible(from)).toBe(to);
  });

  test('lines stay lines, a lone carriage return does not', () => {
    expect(visibleLines('a\r\nb\nc\rd\te')).toEqual(['a', 'b', 'c\\rd  e']);
  });
});
