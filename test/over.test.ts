/** What is over is said where all is well, and holds nothing back. */
import { expect, test } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { before, controlledBy, deployment, node, type Patch, pod, replicaSet, running, snapshotOf, terminated } from './build.ts';

const web = deployment('web');
const rs = replicaSet('web-1', web);
const notes = (...pods: ReturnType<typeof pod>[]) => {
  const { verdict, notes: said } = diagnose(snapshotOf([node('node-1'), web, rs, ...pods]), { namespaces: ['shop'], all: false, targets: [] }, { rules: ruleSet(), strict: true });
  return [verdict, ...said];
};
const well = (patch: Patch = {}) => pod('web-1-a', { metadata: controlledBy(rs), ...patch });
const evicted = (name: string) => pod(name, {
  metadata: { ...controlledBy(rs), creationTimestamp: before(90_000) },
  status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.', startTime: before(90_000), conditions: [], containerStatuses: [] },
});
const restarted = (ran: number, ago: number) =>
  well({ status: { containerStatuses: [running('app', { restartCount: 1, lastState: terminated('Error', 139, ago, ran), state: { running: { startedAt: before(ago - 1) } } })] } });

test('pods that were replaced stay to be seen', () => {
  expect(notes(well())).toEqual(['healthy']);
  expect(notes(well(), evicted('web-1-x'))).toEqual(['healthy', 'Pod/web-1-x has ended and was replaced; it stays until somebody deletes it.']);
  expect(notes(well(), evicted('web-1-x'), evicted('web-1-y'))).toEqual(['healthy', 'Pod/web-1-x, Pod/web-1-y have ended and were replaced; they stay until somebody deletes them.']);
});

test('a container that ended just now, after hours, runs again', () => {
  expect(notes(restarted(40_000, 180))).toEqual(['healthy', 'Container app of Pod/web-1-a ended with code 139 3m ago, after 11h6m, and runs again.']);
  expect(notes(restarted(40_000, 4000))).toEqual(['healthy']);
});

test('where something is wrong it is no news', () => {
  const sick = well({ status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: before(900) }], containerStatuses: [running('app', { ready: false })] } });
  expect(notes(sick, evicted('web-1-x')).filter((line) => line.includes('replaced'))).toEqual([]);
});
