import { describe, expect, it } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import type { Pod } from '../src/model/kinds.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { fixtures, opened } from './fixtures.ts';
import { rebuilt } from './honesty.ts';

describe('a pod for which no agent comes', () => {
  // The pod itself is young, too: it is what waits, and gives itself nothing.
  it.each(['e16-inline', 'e16-driver', 'e16-csi-node'])('has failed while it is young: %s', async (name) => {
    const { snapshot, scope } = await opened(fixtures.find((each) => each.name === name) as (typeof fixtures)[number]);
    const pod = snapshot.seen('Pod', scope.namespaces[0]).find((each: Pod) => each.status?.phase === 'Pending') as Pod;
    const capturedAt = new Date(Date.parse(String(pod.metadata.creationTimestamp)) + 30_000).toISOString();
    const { verdict, findings } = diagnose(rebuilt(snapshot, () => ({ capturedAt })), scope, { rules: ruleSet() });
    expect([verdict, ...findings.map(({ rule, certainty, permanence }) => `${rule} ${certainty} ${permanence}`)]).toEqual(['failed', 'driver-not-on-node proven corroborated']);
  });
});
