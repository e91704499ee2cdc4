/**
 * Events expire after an hour, and may be forbidden. For every rule that likes one: without it the cause may be less sure, or not
 * be told at all, and never another one, nor is all well.
 */
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import { type RuleCase, type RuleTest, snapshotFor } from '../../src/engine/tester.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import type { Report } from '../../src/model/report.ts';
import { files, ruleId, ruleSet, ruleTest } from '../../tools/rule-files.ts';
import { roots } from './judge.ts';

const isEvent = ({ kind, apiVersion }: KubeObject): boolean => kind === 'Event' && apiVersion === 'v1';

const judge = (testOf: RuleTest, each: RuleCase): Report => diagnose(snapshotFor(testOf, each), { namespaces: [], all: true, targets: [] }, { rules: ruleSet(), strict: true });

function bereft(testOf: RuleTest, each: RuleCase, how: 'expired' | 'forbidden'): Report {
  const kept = (list: readonly KubeObject[] | undefined): KubeObject[] => (list ?? []).filter((object) => !isEvent(object));
  const rest = { ...each, given: kept(each.given) };
  return judge({ ...testOf, given: kept(testOf.given) }, how === 'expired' ? { ...rest, absent: [...(each.absent ?? []), 'Event'] } : { ...rest, forbidden: [...(each.forbidden ?? []), 'Event'] });
}

/** Every case of a rule that fires with an event in it. */
const likes = files.rules.flatMap(({ file }) => {
  const testOf = ruleTest(file);
  return (testOf?.cases ?? []).filter((each) => each.expect.length > 0 && !each.forbidden?.includes('Event') && [...(testOf?.given ?? []), ...(each.given ?? [])].some(isEvent))
    .map((each) => ({ rule: ruleId(file), name: each.name, each, testOf: testOf as RuleTest }));
});

/** What only events tell of workloads that are in their place. */
const REMAINS = new Set([
  'field-fight',
  // A load balancer that is there does not tell by any field whether it follows its Service.
  'load-balancer-not-kept',
  // A CronJob whose runs are deleted leaves nothing but the lack of a success, which a young one has, too.
  'cronjob-keeps-no-run',
  // Many controllers never write an address into an Ingress that works: the lack of one proves nothing.
  'ingress-not-made',
]);
/** Of an object whose status judges nothing, a complaint is all that tells; without it nothing says that anything is wrong, or that it is not. */
const MUTE = 'its status judges nothing, and its controller complains again and again';
/** The refusal stands in the event alone; what is left is the scheduler's own sentence about what it waits for. */
const SURFACE = new Set(['resource-claim-not-made']);

test('many rules like an event', () => {
  expect(new Set(likes.map(({ rule }) => rule)).size).toBeGreaterThan(20);
});

describe.each(['expired', 'forbidden'] as const)('with events %s', (how) => {
  test.each(likes)('$rule: $name', ({ rule, name, each, testOf }) => {
    const [whole, less] = [judge(testOf, each), bereft(testOf, each, how)];
    const told = new Set(roots(whole).map(({ layer }) => layer));
    expect(roots(less).filter(({ certainty, layer }) => certainty === 'proven' && !told.has(layer) && !SURFACE.has(rule)).map(({ layer, title }) => `${layer}: ${title}`)).toEqual([]);
    // What only events tell leaves a workload that is in its place; forbidden, the first line says so.
    if (whole.verdict === 'failed' && !REMAINS.has(rule) && name !== MUTE) expect(less.verdict).not.toBe('healthy');
  });
});
