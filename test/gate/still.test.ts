import { afterEach, expect, test, vi } from 'vitest';
import { watchGate } from '../../src/gate/loop.ts';
import { snapshotOf } from '../build.ts';
import { options, rollout, short, target } from './play.ts';

afterEach(() => vi.restoreAllMocks());

test('a server whose clock stands still is a recording, and nothing to wait for', async () => {
  let elapsed = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => elapsed);
  const scope = { namespaces: ['shop'], all: false, targets: [] };
  const followed = { next: async () => ({ snapshot: snapshotOf(rollout({ fresh: [short('web-2-a', 2, [])] })), scope }), close: () => undefined };
  const gate = watchGate(followed, () => options([target('Deployment', 'web')], { timeout: 3600 }), { onStep: () => undefined, wait: async (ms) => (elapsed += ms) }, {});
  await expect(gate).rejects.toThrow(/clock stands still/);
});

test('one that says so itself is refused before anything is told', async () => {
  const scope = { namespaces: ['shop'], all: false, targets: [] };
  const followed = { next: async () => ({ snapshot: snapshotOf(rollout({ fresh: [short('web-2-a', 2, [])] })), scope, still: true }), close: () => undefined };
  const told: unknown[] = [];
  const gate = watchGate(followed, () => options([target('Deployment', 'web')]), { onStep: (step) => told.push(step), wait: async () => undefined }, {});
  await expect(gate).rejects.toThrow(/clock stands still/);
  expect(told).toEqual([]);
});
