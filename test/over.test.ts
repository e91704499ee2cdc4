/** What is over is said where all is well, and holds nothing back. */
import { expect, test } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { before, controlledBy, deployment, event, node, type Patch, pod, replicaSet, running, snapshotOf, terminated } from './build.ts';

const web = deployment('web');
const rs = replicaSet('web-1', web);
const notes = (...pods: Parameters<typeof snapshotOf>[0]) => {
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

test('a container that came back again and again, and again today, is told with its count and by whom it ended', () => {
  const often = (restartCount: number, ago: number, born: number, last: Patch = terminated('Error', 137, ago, 5000)) =>
    well({ status: { startTime: before(born), containerStatuses: [running('app', { restartCount, lastState: last, state: { running: { startedAt: before(ago - 2) } } })] } });
  expect(notes(often(98, 2400, 1_728_000))).toEqual(['healthy', 'Container app of Pod/web-1-a has restarted 98 times in 20d, last 40m ago, with code 137, and runs again.']);
  const killed = event(well(), 'Killing', 'Container app failed liveness probe, will be restarted', 2430, { type: 'Normal', involvedObject: { fieldPath: 'spec.containers{app}' }, count: 4, firstTimestamp: before(50_000) });
  expect(notes(often(98, 2400, 1_728_000), killed)).toEqual(['healthy', 'Container app of Pod/web-1-a has restarted 98 times in 20d, last 40m ago, killed by its liveness probe, and runs again.']);
  expect(notes(often(4, 9000, 100_000, terminated('OOMKilled', 137, 9000, 5000)))).toEqual(['healthy', 'Container app of Pod/web-1-a has restarted 4 times in 1d3h, last 2h30m ago, out of memory, and runs again.']);
  // Seldom, or healed for a day.
  expect(notes(often(3, 9000, 1_728_000))).toEqual(['healthy']);
  expect(notes(often(98, 90_000, 1_728_000))).toEqual(['healthy']);
});

test('where something is wrong it is no news', () => {
  const sick = well({ status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: before(900) }], containerStatuses: [running('app', { ready: false })] } });
  expect(notes(sick, evicted('web-1-x')).filter((line) => line.includes('replaced'))).toEqual([]);
});
