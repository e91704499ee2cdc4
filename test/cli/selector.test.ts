import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import { selectorOf } from '../../src/cli/flags.ts';
import { openSource } from '../../src/source/index.ts';
import { ruleSet } from '../../tools/rule-files.ts';
import { FIXTURES } from '../fixtures.ts';

const verdict = async (selector: string): Promise<string> => {
  const { snapshot, scope } = await openSource({ from: [`${FIXTURES}/e6-readiness-path`], selector });
  return diagnose(snapshot, scope, { rules: ruleSet() }).verdict;
};

describe('-l', () => {
  it('judges what has the labels, and what belongs to it', async () => {
    expect(await verdict('app=storefront')).toBe('failed');
    expect(await verdict('app=another')).toBe('nothing-matched');
  });
  it('refuses what is no selector in one sentence', () => {
    expect(() => selectorOf('app in storefront')).toThrow('"app in storefront" is no label selector.');
    expect(selectorOf('app in (storefront, api),!legacy')).toBe('app in (storefront, api),!legacy');
  });
});
