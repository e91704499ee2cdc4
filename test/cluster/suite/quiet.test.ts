import { afterAll, beforeAll, describe, it } from 'vitest';
import { get } from '../api.ts';
import { arrange, leave, quiet } from '../experiments/index.ts';
import { waitFor } from '../wait.ts';
import { judge } from './judge.ts';
import { forgetMoments } from './moment.ts';

const arranged = new Map<string, Promise<void>>();

beforeAll(() => {
  for (const experiment of quiet) {
    const state = arrange(experiment);
    // Reported by the test that waits for it.
    state.catch(() => undefined);
    arranged.set(experiment.id, state);
  }
});

describe('states that break nothing else, all at the same time', () => {
  for (const experiment of quiet) {
    it(`${experiment.id}: ${experiment.title}`, async () => {
      await arranged.get(experiment.id);
      await judge(experiment);
    });
  }
});

afterAll(async () => {
  forgetMoments();
  for (const experiment of quiet) await experiment.restore?.();
  for (const experiment of quiet) await leave(experiment);
  const names = quiet.map(({ namespace }) => namespace).filter((name) => name !== 'default');
  await waitFor(
    'namespaces gone',
    async () => {
      const rest = [];
      for (const name of names) if (await get('v1', 'Namespace', '', name)) rest.push(name);
      return rest.length === 0 ? { done: undefined } : { saw: rest };
    },
    120_000,
    1_000,
  );
});
