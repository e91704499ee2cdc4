/** Tests of rules as data: objects and a clock in, the complete findings out. Sloppy tests are refused. */
import type { KubeObject } from '../model/kinds.ts';
import type { Coverage } from '../model/coverage.ts';
import type { Finding } from '../model/finding.ts';
import type { ApiServer } from '../model/server.ts';
import { kindKey } from '../model/resources.ts';
import { Snapshot } from '../model/snapshot.ts';
import type { Stage } from '../model/layer.ts';
import { inspect } from './index.ts';
import type { RuleSet } from './load.ts';
import type { Rule } from './rule.ts';

export interface RuleTest {
  now: string;
  /** Objects every case starts from. */
  given?: KubeObject[];
  cases: RuleCase[];
}

export interface RuleCase {
  name: string;
  given?: KubeObject[];
  /** Objects of `given` above left out here, as Kind/name. */
  without?: string[];
  /** Changes to shared objects: Kind/name to a merge patch (null removes). */
  patch?: Record<string, unknown>;
  /** Kinds that could not be read: forbidden. */
  forbidden?: string[];
  /** Kinds proven complete though empty. */
  absent?: string[];
  server?: Partial<ApiServer>;
  /** Complete findings of this rule, in order; [] for silence. */
  expect: ExpectedFinding[];
  /** The rule must say that it could not judge: kinds it missed. */
  skipped?: string[];
}

/** Every field that is given must be equal; `says` are texts that must stand in title, actual or conclusion. */
export interface ExpectedFinding {
  title: string;
  layer?: string;
  certainty?: string;
  subjects?: string[];
  actual?: string;
  says?: string[];
  evidence?: string[];
  unread?: string[];
  lacks?: string;
}

const CASE_KEYS = ['name', 'given', 'without', 'patch', 'forbidden', 'absent', 'server', 'expect', 'skipped'];
const EXPECT_KEYS = ['title', 'layer', 'certainty', 'subjects', 'actual', 'says', 'evidence', 'unread', 'lacks'];

/** What is wrong with the test itself, before anything runs. */
export function lintRuleTest(test: RuleTest): string[] {
  const wrong: string[] = [];
  if (Number.isNaN(Date.parse(test.now))) wrong.push('"now" must be an RFC 3339 time');
  if (!Array.isArray(test.cases) || test.cases.length === 0) return [...wrong, '"cases" is missing'];
  for (const each of test.cases) {
    for (const key of Object.keys(each)) if (!CASE_KEYS.includes(key)) wrong.push(`case "${each.name}": unknown key "${key}"`);
    if (!Array.isArray(each.expect)) wrong.push(`case "${each.name}": "expect" is missing; [] says that it must be silent`);
    for (const finding of each.expect ?? []) {
      if (!finding.title) wrong.push(`case "${each.name}": a finding without a title checks nothing`);
      for (const key of Object.keys(finding)) if (!EXPECT_KEYS.includes(key)) wrong.push(`case "${each.name}": unknown key "${key}" in a finding`);
    }
  }
  const names = test.cases.map((each) => each.name);
  if (new Set(names).size !== names.length) wrong.push('two cases have one name');
  const bodies = test.cases.map(({ name: _name, expect: _expect, skipped: _skipped, ...input }) => JSON.stringify(input));
  if (new Set(bodies).size !== bodies.length) wrong.push('two cases have the same input');
  if (!test.cases.some((each) => each.expect?.length > 0)) wrong.push('no case fires');
  if (!test.cases.some((each) => each.expect?.length === 0 && !each.skipped)) wrong.push('no near miss: a case that is silent');
  if (!test.cases.some((each) => each.forbidden)) wrong.push('no case with a needed read forbidden');
  return wrong;
}

/** Runs one case; gives what differs, [] if nothing does. */
export function runRuleCase(rule: string, test: RuleTest, each: RuleCase, rules: RuleSet): string[] {
  const snapshot = snapshotFor(test, each);
  const { report, standing } = inspect(snapshot, { namespaces: [], all: true, targets: [] }, { rules, strict: true, risks: true });
  const found = report.findings.filter((finding) => finding.rule === rule);
  const wrong: string[] = [];
  if (found.length !== each.expect.length) {
    wrong.push(`expected ${each.expect.length} finding(s), got ${found.length}: ${found.map((finding) => finding.title).join(' | ')}`);
    const own = rules.rules.find(({ id }) => id === rule);
    if (found.length === 0 && own) wrong.push(...offRung(snapshot, own, (object) => standing(object).at));
  }
  each.expect.forEach((expected, index) => {
    const actual = found[index];
    if (actual) wrong.push(...compareFinding(expected, actual));
  });
  const skipped = report.skipped.filter((skip) => skip.rule === rule).map((skip) => skip.why.kind);
  for (const kind of each.skipped ?? [])
    if (!skipped.includes(kind)) wrong.push(`expected to be skipped for want of ${kind}; skipped: ${skipped.join(' ') || 'nothing'}`);
  if (!each.skipped && skipped.length > 0 && !each.forbidden) wrong.push(`skipped for want of ${skipped.join(' ')}, which the case does not say`);
  return wrong;
}

/** Where nothing of the rule's kinds stands where it looks, its conditions are never asked. */
function offRung(snapshot: Snapshot, { kind, at }: Rule, rungsOf: (object: KubeObject) => readonly string[]): string[] {
  const objects = kind.filter((each) => each !== '*' && each !== 'APIServer').flatMap((each) => [...snapshot.seen(each as string)]);
  if (objects.length === 0 || objects.some((object) => rungsOf(object).some((rung) => at.includes(rung as Stage)))) return [];
  return [
    `it looks at ${at.join(', ')}, and ${objects.map((object) => `${object.kind}/${object.metadata.name} stands at ${rungsOf(object).join(', ')}`).join('; ')}`,
  ];
}

function compareFinding(expected: ExpectedFinding, actual: Finding): string[] {
  const wrong: string[] = [];
  const equal = (field: string, want: unknown, got: unknown): void => {
    if (want !== undefined && JSON.stringify(want) !== JSON.stringify(got))
      wrong.push(`${field}: expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
  };
  equal('title', expected.title, actual.title);
  equal('layer', expected.layer, actual.layer);
  equal('certainty', expected.certainty, actual.certainty);
  equal('actual', expected.actual, actual.actual);
  equal('lacks', expected.lacks, actual.lacks);
  equal(
    'subjects',
    expected.subjects,
    actual.subjects.map((subject) => `${subject.kind}/${subject.name}`),
  );
  equal(
    'evidence',
    expected.evidence,
    actual.evidence.map((item) => `${item.object.kind}/${item.object.name}${item.pointer}`),
  );
  equal(
    'unread',
    expected.unread,
    actual.unread.map((gap) => gap.kind),
  );
  const text = `${actual.title}\n${actual.actual}\n${actual.conclusion}\n${actual.next.join('\n')}`;
  for (const piece of expected.says ?? []) if (!text.includes(piece)) wrong.push(`does not say "${piece}" in: ${text}`);
  return wrong;
}

/** Kinds present are complete, kinds named `absent` are complete and empty, kinds named `forbidden` were refused. */
export function snapshotFor(test: RuleTest, each: RuleCase): Snapshot {
  const dropped = new Set(each.without ?? []);
  const objects = [...(test.given ?? []), ...(each.given ?? [])]
    .filter((object) => !dropped.has(`${object.kind}/${object.metadata.name}`))
    .map((object) => mergePatch(object, each.patch?.[`${object.kind}/${object.metadata.name}`]) as KubeObject);
  const forbidden = new Set(each.forbidden ?? []);
  const kept = objects.filter((object) => !forbidden.has(kindKey(object.apiVersion, object.kind)));
  const kinds = new Set([...kept.map((object) => kindKey(object.apiVersion, object.kind)), ...(each.absent ?? [])]);
  const coverage: Coverage[] = [
    ...[...kinds].map((kind): Coverage => ({ kind, namespace: null, state: 'complete', count: 0 })),
    ...[...forbidden].map((kind): Coverage => ({ kind, namespace: null, state: 'forbidden', count: 0, code: 403, message: `cannot list ${kind}` })),
  ];
  const server: ApiServer = {
    kind: 'APIServer',
    apiVersion: 'kubectl-strata/v1',
    metadata: { name: 'test' },
    endpoint: 'https://test:6443',
    reached: true,
    connection: [],
    health: [],
    failures: [],
    ...each.server,
  };
  return new Snapshot({
    objects: kept,
    coverage,
    server,
    capturedAt: test.now,
    source: { kind: 'recording', name: 'test' },
    cost: { requests: 0, bytes: 0, ms: 0 },
  });
}

/** RFC 7386. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (patch === undefined) return target;
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = target !== null && typeof target === 'object' && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
