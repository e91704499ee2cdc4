import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/model/errors.ts';
import type { Coverage } from '../../src/model/coverage.ts';
import type { KubeObject, Pod } from '../../src/model/kinds.ts';
import { wishOf } from '../../src/gate/conditions.ts';
import { event, forbidden, object, type Patch } from '../build.ts';
import { at, options, play, ready as up, rollout, short, target, type Timeline } from './play.ts';

const database = (status: object, generation = 2): KubeObject => ({
  ...object('db.example.com/v1', 'Database', 'main'),
  metadata: { name: 'main', namespace: 'shop', uid: 'db-1', generation, creationTimestamp: at(-600) },
  spec: { size: 3 },
  status,
});
const gone = (name: string): Pod => up(name, -3000, -2990, { metadata: { deletionTimestamp: at(-1), deletionGracePeriodSeconds: 400 } });
const ready = {
  observedGeneration: 2,
  phase: 'Running',
  members: [
    { name: 'a', state: 'up' },
    { name: 'b', state: 'down' },
  ],
  readyMembers: 3,
  conditions: [{ type: 'Ready', status: 'True', observedGeneration: 2, reason: 'AllUp' }],
};

describe('a condition as typed', () => {
  test.each([
    ['condition=Ready', true], ['condition=ready=true', true], ['condition=Ready=False', false], ['condition=Synced', false],
    ['jsonpath={.status.phase}=Running', true], ['jsonpath=.status.phase=Failed', false], ['jsonpath={.status.phase}', true], ['jsonpath={.status.address}', false],
    ['jsonpath={.status.members[?(@.name=="b")].state}=down', true], ['jsonpath={.status.members[0].state}=up', true], ["jsonpath=$.status['phase']=Running", true], ['jsonpath={.status.members[*].state}=down', true],
    ['jsonpath={.status.conditions[?(@.type == "Ready")].status}=True', true],
    ['cel=object.status.phase == "Running"', true], ['cel=self.status.readyMembers >= self.spec.size', true], ['cel=status.readyMembers + 1 == 4', true],
    ['cel=status.conditions.exists(c, c.type == "Ready" && c.status == "True")', true], ['cel=has(status.address)', false], ['cel=status.missing == 1', false], ['cel=status.phase', false],
  ])('%s holds: %s', (text, holds) => expect(wishOf(text)(database(ready)).holds).toBe(holds));

  test('says what is there instead', () => {
    const says = (text: string): string => wishOf(text)(database(ready)).says;
    expect(says('condition=Synced')).toBe('no condition Synced yet');
    expect(says('condition=Ready=False')).toBe('Ready=True (AllUp)');
    expect(says('jsonpath={.status.phase}=Failed')).toBe('{.status.phase} is Running');
    expect(says('cel=status.phase')).toBe('status.phase: gives string Running, and neither true nor false');
    expect(says('cel=status.missing == 1')).toMatch(/^status\.missing == 1: .*missing/);
    // A word for an older generation is none for this one, as kubectl wait has it.
    expect(wishOf('condition=Ready')(database(ready, 3))).toEqual({ holds: false, says: 'Ready=True is of an older generation' });
  });

  test.each([
    ['cel=object.status.phase = "Running"', /is no CEL expression: .* at character \d+, "/],
    ['cel=(', /is no CEL expression: .* at character \d+/],
    ['jsonpath={.status..phase}=x', /"\{\.status\.\.phase\}" is no path that is understood here/],
    ['Ready', /says nothing that can be waited for/], ['condition=', /says nothing that can be waited for/],
  ])('%s is refused', (text, words) => {
    expect(() => wishOf(text)).toThrow(UserError);
    expect(() => wishOf(text)).toThrow(words);
  });
});

describe('a pod that no node takes', () => {
  const CPU = '0/1 nodes are available: 1 Insufficient cpu.';
  const LABEL = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
  const unplaced = (message: string): Pod => short('web-2-a', 2, [], {
    spec: { nodeName: null }, status: { startTime: null, containerStatuses: [], conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: at(3) }] },
  } as Patch);
  const outcome = (message: string, said: [reason: string, words: string, component?: string] | null, old: Pod[] = []): string => {
    const fresh = unplaced(message);
    const events = said ? [event(fresh, said[0], said[1], -10, { source: { component: said[2] ?? 'cluster-autoscaler' } })] : [];
    const { verdict, after } = play(options([target('Deployment', 'web')]), [[0, { objects: rollout({ old }) }], [4, { objects: [...rollout({ fresh: [fresh], old }), ...events] }]], 180);
    return `${verdict} at ${after}`;
  };
  const declined: [string, string] = ['NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max node group size reached"];
  test('waits while room may be made, or is on its way', () => {
    expect(outcome(CPU, null)).toBe('none at 180');
    expect(outcome(CPU, ['TriggeredScaleUp', 'pod triggered scale-up: [{pool-a 2->3 (max: 10)}]'])).toBe('none at 180');
    expect(outcome(LABEL, ['TriggeredScaleUp', 'pod triggered scale-up: [{pool-a 2->3 (max: 10)}]'])).toBe('none at 180');
  });
  test('fails early where nothing brings any', () => {
    expect(outcome(CPU, declined)).toMatch(/^failed at [678]\d$/);
    expect(outcome(LABEL, null)).toMatch(/^failed at [678]\d$/);
    expect(outcome(CPU, ['FailedScheduling', 'Failed to schedule pod, incompatible with nodepool "default", daemonset overhead={"cpu":"180m"}, did not tolerate dedicated=db:NoSchedule', 'karpenter'])).toMatch(/^failed at [678]\d$/);
  });
  test('waits for the old revision to leave room, where room is what is short', () => {
    const old = [0, 1, 2, 3].map((index) => gone(`web-1-${index}`));
    expect(outcome(CPU, declined, old)).toBe('none at 180');
    expect(outcome(LABEL, null, old)).toMatch(/^failed at [678]\d$/);
  });
});

describe('a custom resource by the words of whoever waits for it', () => {
  const main = target('Database.db.example.com', 'main');
  const gate = (wishes: { for?: string[]; fail?: string[] }, timeline: Timeline): string => {
    const { verdict, after, says } = play(options([main], { timeout: 120, wishes: { for: wishes.for ?? [], fail: wishes.fail ?? [] } }), timeline);
    return `${verdict} at ${after}: ${says}`;
  };
  const until = (second: number, status: object): Timeline => [[0, { objects: [database({ observedGeneration: 2, phase: 'Creating' })] }], [second, { objects: [database(status)] }]];

  test('is done when they hold, and not because it says so itself', () => {
    expect(gate({ for: ['cel=status.phase == "Running"'] }, until(20, ready))).toMatch(/^healthy at 30: cel=status\.phase == "Running" holds/);
    expect(gate({ for: ['cel=status.readyMembers == 5'] }, until(0, ready))).toMatch(/^progressing at 120: .*status\.readyMembers == 5 is false/);
  });

  test('its status must be of the present generation', () => {
    expect(gate({ for: ['cel=status.phase == "Running"'] }, until(0, { ...ready, observedGeneration: 1 }))).toMatch(/^progressing at 120: .*generation 2 is not observed yet/);
  });

  test('has failed when they say so', () => {
    expect(gate({ for: ['condition=Ready'], fail: ['jsonpath={.status.phase}=Broken'] }, until(15, { observedGeneration: 2, phase: 'Broken' }))).toMatch(/^failed at 16: CONTROLLER, Database main has failed, as jsonpath=\{\.status\.phase\}=Broken holds/);
  });
});

describe("a custom resource by its CRD's annotation (krane.shopify.io/instance-rollout-conditions)", () => {
  const crd = (annotation: string | null): KubeObject => ({
    ...object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'databases.db.example.com'),
    metadata: { name: 'databases.db.example.com', uid: 'crd-1', ...(annotation === null ? {} : { annotations: { 'krane.shopify.io/instance-rollout-conditions': annotation } }) },
    spec: { group: 'db.example.com', names: { kind: 'Database', plural: 'databases' }, scope: 'Namespaced' },
  });
  const gate = (
    annotation: string | null,
    timeline: readonly (readonly [number, object])[],
    more: { coverage?: Coverage[]; for?: string[]; timeout?: number; without?: boolean } = {},
  ) => {
    const frames: Timeline = timeline.map(([from, status]) => [
      from,
      { objects: [database(status), ...(more.without ? [] : [crd(annotation)])], ...(more.coverage ? { coverage: more.coverage } : {}) },
    ]);
    const played = play(
      options([target('Database.db.example.com', 'main')], {
        timeout: more.timeout ?? 60,
        ...(more.for ? { wishes: { for: more.for, fail: [] } } : {}),
      }),
      frames,
    );
    return { said: `${played.verdict} at ${played.after}: ${played.says}`, report: played.report };
  };
  const OWN = JSON.stringify({
    success_conditions: [{ path: '$.status.phase', value: 'Running' }, { path: '$.status.readyMembers', value: 3 }],
    failure_conditions: [{ path: '$.status.phase', value: 'Broken', error_msg_path: '$.status.why' }, { path: "$.status.conditions[?(@.type == 'Lost')].status", value: 'True', custom_error_msg: 'ask the database team' }],
  });
  const starting = { observedGeneration: 2, phase: 'Creating', conditions: [{ type: 'Ready', status: 'True' }] };

  test('is done when its conditions hold, and not because it is Ready', () => {
    expect(gate(OWN, [[0, starting], [20, ready]]).said).toMatch(/^healthy at 30: \$\.status\.phase=Running and \$\.status\.readyMembers=3 holds, as its CRD asks/);
    expect(gate(OWN, [[0, starting]]).said).toMatch(/^progressing at 60: shop\/main: \$\.status\.phase is Creating; its CRD asks for \$\.status\.phase=Running/);
    // A number is no text, as krane compares them.
    expect(gate(OWN, [[0, { ...ready, readyMembers: '3' }]]).said).toMatch(/^progressing at 60: .*readyMembers is 3; its CRD asks for/);
    expect(gate(null, [[0, starting]]).said).toMatch(/^healthy at 10: Ready/);
  });

  test('has failed when they say so, in the words they give', () => {
    expect(gate(OWN, [[0, starting], [15, { observedGeneration: 2, phase: 'Broken', why: 'disk is full' }]]).said).toMatch(/^failed at 16: CONTROLLER, Database main has failed by its CRD's .*, as \$\.status\.phase is Broken: disk is full$/);
    expect(gate(OWN, [[0, { ...starting, conditions: [{ type: 'Lost', status: 'True' }] }]]).said).toMatch(/^failed at 1: .*: ask the database team$/);
  });

  test('"true" stands for the conditions Ready and Failed', () => {
    expect(gate('true', [[0, { observedGeneration: 2 }], [12, ready]]).said).toMatch(/^healthy at 22: .*holds, as its CRD asks/);
    expect(gate('True', [[0, { observedGeneration: 2, conditions: [{ type: 'Failed', status: 'True', message: 'no quorum' }] }]]).said).toMatch(/^failed at 1: .*: no quorum$/);
  });

  test('must be of the present generation, and gives way to what is said on the command line', () => {
    expect(gate(OWN, [[0, { ...ready, observedGeneration: 1 }]]).said).toMatch(/^progressing at 60: .*generation 2 is not observed yet/);
    expect(gate(OWN, [[0, starting]], { for: ['condition=Ready'] }).said).toMatch(/^healthy at 10: condition=Ready holds/);
  });

  test.each([
    ['{', 'is no JSON'],
    ['{}', 'names no success_conditions'],
    [JSON.stringify({ success_conditions: [{ path: '$..phase', value: 'x' }] }), 'has a path that is not understood here: $..phase'],
    [JSON.stringify({ success_conditions: [{ path: '$.a' }] }), 'has a condition without path or value'],
  ])('that nobody understands (%s) passes nothing', (annotation, says) => {
    expect(gate(annotation, [[0, ready]]).said).toBe(
      `inconclusive at 1: shop/main: its CRD's krane.shopify.io/instance-rollout-conditions ${says}`,
    );
  });

  test('that may not be read is not known to be absent, and a pass says so', () => {
    const { said, report } = gate(OWN, [[0, ready]], { without: true, coverage: [{ ...forbidden('CustomResourceDefinition'), selector: 'metadata.name=databases.db.example.com' }] });
    expect(said).toMatch(/^healthy at 10: Ready/);
    expect(report?.gate?.targets[0]?.remarks).toEqual(['whether its CRD asks for more (krane.shopify.io/instance-rollout-conditions) could not be read: forbidden']);
    expect(gate(OWN, [[0, ready]], { without: true }).report?.gate?.targets[0]?.remarks).toEqual([]);
  });
});
