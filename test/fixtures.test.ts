import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { diagnose } from '../src/engine/index.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { fixtures, open, summary } from './fixtures.ts';

describe('fixtures', () => {
  it('are there, and healthy ones among them', () => {
    expect(fixtures.length).toBeGreaterThan(20);
    expect(fixtures.filter(({ name }) => name.startsWith('healthy-')).length).toBeGreaterThanOrEqual(3);
  });
  for (const fixture of fixtures) {
    it(fixture.name, async () => {
      const { snapshot, scope } = await open(fixture);
      const report = diagnose(snapshot, scope, { rules: ruleSet(), strict: true });
      expect(report.findings.filter(({ next }) => new Set(next).size < next.length).map(({ title }) => title), 'a step told twice').toEqual([]);
      const found = summary(report);
      if (process.env['UPDATE_EXPECTED']) writeFileSync(join(fixture.path, 'expected.yaml'), stringify(found, { lineWidth: 0 }));
      else expect(found).toEqual(fixture.expected);
    });
    if (fixture.name.startsWith('healthy-')) {
      it(`${fixture.name} stays silent`, () => expect(fixture.expected.findings).toEqual([]));
    }
  }
});
