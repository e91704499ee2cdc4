/**
 * What a rule is worth without a kind: found by refusing it. Every case of a rule's test that fires is judged again with each
 * kind it holds forbidden: `blind` where the finding is gone in all of them, `weaker` where it says less, or is gone in some.
 */
import { diagnose } from '../src/engine/index.ts';
import type { RuleNeeds, RuleSet } from '../src/engine/load.ts';
import { type RuleCase, type RuleTest, snapshotFor } from '../src/engine/tester.ts';
import type { Finding } from '../src/model/finding.ts';
import type { Scope, Snapshot } from '../src/model/snapshot.ts';
import { kindKey } from '../src/model/resources.ts';

const SCOPE: Scope = { namespaces: [], all: true, targets: [] };

/** Kinds that a rule needs, by its id. */
export function needsOf(ruleSet: RuleSet, testOf: (file: string) => RuleTest | null): Record<string, RuleNeeds> {
  return Object.fromEntries(ruleSet.rules.map((rule) => [rule.id, needsOfRule(rule.id, testOf(rule.file), { ...ruleSet, rules: [rule] })]));
}

function needsOfRule(id: string, test: RuleTest | null, alone: RuleSet): RuleNeeds {
  const said = new Map<string, ('gone' | 'less' | 'same')[]>();
  for (const each of test?.cases ?? []) {
    if (!test || each.expect.length === 0) continue;
    const snapshot = snapshotFor(test, each);
    const whole = findings(snapshot, id, alone);
    if (whole.length === 0) continue;
    for (const { kind, state } of snapshot.coverage) {
      if (state !== 'complete') continue;
      const less = findings(without(test, each, kind), id, alone);
      const list = said.get(kind) ?? [];
      list.push(less.length < whole.length ? 'gone' : weight(less) === weight(whole) ? 'same' : 'less');
      said.set(kind, list);
    }
  }
  return Object.fromEntries(
    [...said]
      .filter(([, list]) => list.some((one) => one !== 'same'))
      .map(([kind, list]) => [kind, list.every((one) => one === 'gone') ? 'blind' : 'weaker'])
      .sort(),
  );
}

const findings = (snapshot: Snapshot, id: string, rules: RuleSet): Finding[] =>
  diagnose(snapshot, SCOPE, { rules, risks: true }).findings.filter(({ rule }) => rule === id);

const weight = (list: readonly Finding[]): string =>
  JSON.stringify(list.map(({ title, certainty, actual, conclusion, unread }) => [title, certainty, actual, conclusion, unread.length]));

function without(test: RuleTest, each: RuleCase, kind: string): Snapshot {
  const forbidden = [...(each.forbidden ?? []), kind];
  return snapshotFor(
    { ...test, given: (test.given ?? []).filter((object) => kindKey(object.apiVersion, object.kind) !== kind) },
    {
      ...each,
      forbidden,
      given: (each.given ?? []).filter((object) => kindKey(object.apiVersion, object.kind) !== kind),
      absent: (each.absent ?? []).filter((absent) => absent !== kind),
    },
  );
}
