import { afterAll, describe, it } from 'vitest';
import { arrange, leave, loud } from '../experiments/index.ts';
import { judge, judgeHealed } from './judge.ts';
import { forgetMoments } from './moment.ts';

describe('components that are stopped or broken, one after another', () => {
  for (const experiment of loud) {
    it(`${experiment.id}: ${experiment.title}`, async () => {
      try {
        await arrange(experiment);
        await judge(experiment);
      } finally {
        await experiment.restore?.();
      }
      if (experiment.healed) await judgeHealed(experiment);
      await leave(experiment);
    });
  }
});

afterAll(forgetMoments);
