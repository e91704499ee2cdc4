import { describe, expect, test } from 'vitest';
import { milliseconds } from '../../src/cli/flags.ts';
import { styleOf, told } from '../../src/cli/terminal.ts';

describe('flags', () => {
  test.each([['30', 30_000], ['30s', 30_000], ['1m30s', 90_000], ['500ms', 500], ['1.5h', 5_400_000], ['0', 0], [undefined, undefined]])('--request-timeout %s', (text, ms) => {
    expect(milliseconds(text)).toBe(ms);
  });

  test.each(['', 's', '1x', '1m 3s', '-1s'])('--request-timeout %j is refused', (text) => {
    expect(() => milliseconds(text)).toThrow(/not a duration/);
  });

  test('the page is as wide as the terminal, from 60 to 100 columns', () => {
    const width = (columns?: number): number => styleOf({}, columns ? { isTTY: true, columns } : {}, {}).width;
    expect([width(40), width(72), width(90), width(250), width()]).toEqual([60, 72, 90, 100, 80]);
  });

  test('what goes wrong is told as wide as a terminal, and in one line to a log', () => {
    const sentence = 'There is no kubeconfig: neither $KUBECONFIG nor ~/.kube/config is there, and that is all there is to it.';
    expect(told(sentence, { isTTY: true, columns: 80 }).split('\n').map((line) => line.length)).toEqual([76, 27, 0]);
    expect(told(`${sentence}\u001b`, {})).toBe(`${sentence}\\x1b\n`);
  });

  test.each([
    [{}, { isTTY: true }, {}, true],
    [{}, { isTTY: false }, {}, false],
    [{}, { isTTY: true }, { NO_COLOR: '1' }, false],
    [{}, { isTTY: true }, { NO_COLOR: '' }, true],
    [{}, { isTTY: true }, { TERM: 'dumb' }, false],
    [{}, {}, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{}, { isTTY: true }, { FORCE_COLOR: '0' }, false],
    [{ color: false }, { isTTY: true }, { FORCE_COLOR: '1' }, false],
  ])('colours: flags %j, terminal %j, environment %j', (flags, out, env, wanted) => {
    expect(styleOf(flags, out, env).color).toBe(wanted);
  });
});
