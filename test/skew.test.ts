import { describe, expect, it } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import { timeOf } from '../src/facts/time.ts';
import type { KubeObject } from '../src/model/kinds.ts';
import { Snapshot } from '../src/model/snapshot.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { fixtures, open } from './fixtures.ts';

const TIMES = ['firstTimestamp', 'lastTimestamp', 'eventTime'] as const;

/** The event as a writer would have sent it whose clock is so many seconds ahead. */
function ahead(event: KubeObject, seconds: number): KubeObject {
  const moved: KubeObject = { ...event };
  for (const field of TIMES) {
    const time = timeOf(event[field] as string | undefined);
    if (time !== null) moved[field] = new Date(time + seconds * 1000).toISOString();
  }
  return moved;
}

function skewed(snapshot: Snapshot, seconds: number): Snapshot {
  const objects = snapshot.kinds().flatMap((kind) => [...snapshot.seen(kind)]).map((object) => (object.kind === 'Event' ? ahead(object, seconds) : object));
  const { coverage, server, capturedAt, source, cost } = snapshot;
  return new Snapshot({ objects, coverage: [...coverage], server, capturedAt, source, cost });
}

describe('writers whose clock is off', () => {
  for (const fixture of fixtures.filter(({ name }) => !name.startsWith('healthy-'))) {
    it(`${fixture.name} says the same`, async () => {
      const { snapshot, scope } = await open(fixture);
      const judged = (of: Snapshot) => {
        const { verdict, findings } = diagnose(of, scope, { rules: ruleSet() });
        return { verdict, findings: findings.map(({ role, rule, layer, on }) => `${role} ${rule} ${layer} ${on.kind}/${on.name}`).sort() };
      };
      const told = judged(snapshot);
      for (const seconds of [90, -90]) expect(judged(skewed(snapshot, seconds)), `${seconds} s`).toEqual(told);
    });
  }
});
