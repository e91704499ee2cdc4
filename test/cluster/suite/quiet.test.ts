import { afterAll, beforeAll, describe, it } from 'vitest';
import { get } from '../api.ts';
import type { Experiment } from '../experiments/experiment.ts';
import { arrange, leave, quiet } from '../experiments/index.ts';
import { waitFor } from '../wait.ts';
import { judge } from './judge.ts';
import { forgetMoments } from './moment.ts';

const titleOf = ({ id, title }: Experiment): string => `${id}: ${title}`;

const arranged = new Map<Experiment, Promise<void>>();

describe('states that break nothing else, all at the same time', () => {
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern, and the suite comes second
  beforeAll(({}, suite) => {
    // Only what `-t` leaves.
    const chosen = suite.tasks.filter(({ mode }) => mode === 'run' || mode === 'queued').map(({ name }) => name);
    for (const experiment of quiet.filter((each) => chosen.includes(titleOf(each)))) {
      const state = arrange(experiment);
      // Reported by the test that waits for it.
      state.catch(() => undefined);
      arranged.set(experiment, state);
    }
  });

  for (const experiment of quiet) {
    it(titleOf(experiment), async () => {
      await arranged.get(experiment);
      await judge(experiment);
    });
  }

  afterAll(async () => {
    forgetMoments();
    for (const experiment of arranged.keys()) await experiment.restore?.();
    for (const experiment of arranged.keys()) await leave(experiment);
    const names = [...arranged.keys()].map(({ namespace }) => namespace).filter((name) => name !== 'default');
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
});
