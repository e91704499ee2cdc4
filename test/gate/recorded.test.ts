import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { replayGate } from '../../src/gate/loop.ts';
import type { GateOptions } from '../../src/gate/options.ts';
import { readTimeline } from '../../src/source/index.ts';
import { ruleSet } from '../../tools/rule-files.ts';
import { decidedIn, gateFixtures } from '../gate-fixtures.ts';

describe('gates that were recorded on a real cluster', () => {
  it('are there, and small', () => {
    expect(gateFixtures.length).toBeGreaterThanOrEqual(2);
    expect(gateFixtures.filter(({ path }) => statSync(join(path, 'timeline.jsonl')).size > 300_000).map(({ name }) => name)).toEqual([]);
  });
  for (const { name, path, expected } of gateFixtures) {
    it(`${name} comes to the same verdict at the same second`, async () => {
      const { asked, looks } = await readTimeline(path);
      const replayed = await replayGate(looks, () => asked as GateOptions, () => undefined, { rules: ruleSet(), strict: true });
      const decided = replayed ? decidedIn(replayed.report) : null;
      if (process.env['UPDATE_EXPECTED']) writeFileSync(join(path, 'expected.yaml'), stringify(decided, { lineWidth: 0 }));
      else expect(decided).toEqual(expected);
    });
  }
});
