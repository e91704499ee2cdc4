import { describe, expect, it } from 'vitest';
import { componentFacts, family as components } from '../../src/facts/control-plane/components.ts';
import { family as events, told } from '../../src/facts/events/events.ts';
import type { Family } from '../../src/facts/family.ts';
import { family as general, see } from '../../src/facts/general.ts';
import { conditionOf } from '../../src/facts/address.ts';
import { family as nodes, nodeFacts } from '../../src/facts/nodes.ts';
import { family as pods, podFacts } from '../../src/facts/pods/pod.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { crashing, event, lease, node, pod, terminated, unready, worldOf } from '../build.ts';

const here = node('node-1', { status: { conditions: [{ type: 'Ready', status: 'False', message: 'no' }] } });
const sick = pod('web-1', {
  spec: { readinessGates: [{ conditionType: 'lb' }], containers: [{ name: 'app', livenessProbe: {} }] },
  status: { reason: 'x', conditions: unready(), containerStatuses: [crashing('app', terminated('Error', 137))] },
});
const killing = event(sick, 'Killing', 'Container app failed liveness probe, will be restarted', 61);
const world = worldOf([here, sick, killing, lease('kube-node-lease', 'node-1', 3), lease('kube-system', 'kube-scheduler', 3)]);
const object = sick as unknown as KubeObject;
const facts = podFacts(world, sick);
const box = facts.boxes[0];

const records: [string, Family, unknown][] = [
  ['Pod', pods, facts], ['Box', pods, box], ['Exit', pods, box?.exit], ['ProbeFact', pods, box?.probe], ['Gate', pods, facts.gates[0]],
  ['Node', nodes, nodeFacts(world, here)], ['Lease', components, nodeFacts(world, here).lease], ['Component', components, componentFacts(world, 'kube-scheduler')],
  ['Told', events, told(world, object, [])], ['Condition', general, conditionOf(object, 'Ready')], ['Text', general, facts.ended], ['Seen', general, see(object, '')],
];

describe('what families say of their records', () => {
  it.each(records)('%s', (type, family, record) => {
    expect(Object.keys(family.types?.[type] ?? {}).sort()).toEqual(Object.keys(record as object).sort());
    for (const [field, { type: of, oneOf }] of Object.entries(family.types?.[type] ?? {})) {
      const value = (record as Record<string, unknown>)[field];
      const expected = { string: 'string', double: 'number', bool: 'boolean' }[of];
      if (expected) expect(typeof value, `${type}.${field}`).toBe(expected);
      if (of.startsWith('list<')) expect(Array.isArray(value), `${type}.${field}`).toBe(true);
      if (oneOf) for (const each of [value].flat()) expect(oneOf).toContain(each);
    }
  });
});
