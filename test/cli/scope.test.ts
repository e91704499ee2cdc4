import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import type { Report } from '../../src/model/report.ts';
import { selectorOf } from '../../src/cli/flags.ts';
import { renderText } from '../../src/render/text.ts';
import { type SourceOptions, openSource } from '../../src/source/index.ts';
import { ruleSet } from '../../tools/rule-files.ts';
import { FIXTURES } from '../fixtures.ts';

const reportOf = async (fixture: string, options: SourceOptions): Promise<Report> => {
  const { snapshot, scope } = await openSource({ from: [`${FIXTURES}/${fixture}`], ...options });
  return diagnose(snapshot, scope, { rules: ruleSet() });
};
const page = (report: Report): string => renderText(report, { color: false, width: 80, verbose: false }).replace(/\s+/g, ' ');

describe('-l', () => {
  const verdict = async (selector: string): Promise<string> => (await reportOf('e6-readiness-path', { selector })).verdict;
  it('judges what has the labels, and what belongs to it', async () => {
    expect(await verdict('app=storefront')).toBe('failed');
    expect(await verdict('app=another')).toBe('nothing-matched');
  });
  it('refuses what is no selector in one sentence', () => {
    expect(() => selectorOf('app in storefront')).toThrow('"app in storefront" is no label selector.');
    expect(selectorOf('app in (storefront, api),!legacy')).toBe('app in (storefront, api),!legacy');
  });
});

describe('-n on a recording of another namespace', () => {
  const note = 'Of namespace default the recording holds no list; it is of e16-attacher.';
  // Agents of nodes were listed over all namespaces, so daemon sets of this one are known: none of them tells how it is.
  it('is no verdict, and says of what it is', async () => {
    const report = await reportOf('e16-attacher', { namespaces: ['default'] });
    expect(report).toMatchObject({ verdict: 'inconclusive', findings: [], notes: [note] });
    expect(page(report)).toMatch(/^default INCONCLUSIVE the recording is of something else .* next without -n, -l and names all of it is judged/);
  });
  it('is told beside the one that it holds', async () => {
    expect(await reportOf('e16-attacher', { namespaces: ['default', 'e16-attacher'] })).toMatchObject({ verdict: 'failed', notes: [note] });
  });
  it('is not told of what it holds', async () => {
    expect(await reportOf('e16-attacher', { namespaces: ['e16-attacher'] })).toMatchObject({ verdict: 'failed', notes: [] });
  });
});
