import { afterAll, beforeAll, describe, it } from 'vitest';
import { get } from '../api.ts';
import type { Experiment } from '../experiments/experiment.ts';
import { arrange, leave, quiet } from '../experiments/index.ts';
import { waitFor } from '../wait.ts';
import { judge } from './judge.ts';
import { forgetMoments } from './moment.ts';
import { turns } from './side-by-side.ts';

const titleOf = ({ id, title }: Experiment): string => `${id}: ${title}`;

const arranged = new Map<Experiment, Promise<void>>();

/** As many as are brought about at once, in the order in which they are judged: all of them together would starve a small machine. */
const AT_ONCE = 24;

describe('states that break nothing else, all at the same time', () => {
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern, and the suite comes second
  beforeAll(({}, suite) => {
    // Only what `-t` leaves.
    const chosen = suite.tasks.filter(({ mode }) => mode === 'run' || mode === 'queued').map(({ name }) => name);
    const turn = turns(AT_ONCE);
    for (const experiment of quiet.filter((each) => chosen.includes(titleOf(each)) && !each.passes)) {
      const state = turn(() => arrange(experiment));
      // Reported by the test that waits for it.
      state.catch(() => undefined);
      arranged.set(experiment, state);
    }
  });

  for (const experiment of quiet) {
    it(titleOf(experiment), async () => {
      const state = arranged.get(experiment) ?? arrange(experiment);
      arranged.set(experiment, state);
      await state.catch((error: unknown) => {
        // A second try waits on, and does not break again what is broken.
        const later = new Promise<void>((resolve) => resolve(experiment.until()));
        later.catch(() => undefined);
        arranged.set(experiment, later);
        throw error;
      });
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
