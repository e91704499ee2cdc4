import { afterAll, describe, it } from 'vitest';
import { get } from '../api.ts';
import type { Experiment } from '../experiments/experiment.ts';
import { arrange, leave, quiet } from '../experiments/index.ts';
import { waitFor } from '../wait.ts';
import { judge } from './judge.ts';
import { forgetMoments } from './moment.ts';
import { turns } from './turns.ts';

const titleOf = ({ id, title }: Experiment): string => `${id}: ${title}`;

/** Each judgement runs the program three times. */
const judging = turns(2);

/** A state is there only until it has been judged: what goes on crashing for the others' sake takes the machine from them. */
async function stand(experiment: Experiment): Promise<void> {
  try {
    await arrange(experiment);
    await judging(() => judge(experiment));
  } catch (error) {
    // What it failed by is told, not what cannot be healed then.
    await experiment.restore?.().catch(() => undefined);
    await leave(experiment);
    throw error;
  }
  await experiment.restore?.();
  await leave(experiment);
}

const [lasting, passing] = [quiet.filter(({ passes }) => !passes), quiet.filter(({ passes }) => passes)];

// As many at a time as `maxConcurrency` allows.
describe.concurrent('states that break nothing else, several at the same time', () => {
  for (const experiment of lasting) it(titleOf(experiment), () => stand(experiment));
});

describe('states that go by, one after another', () => {
  for (const experiment of passing) it(titleOf(experiment), () => stand(experiment));
});

afterAll(async () => {
  forgetMoments();
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
