import { expect, test } from 'vitest';
import { effectsOf } from '../src/engine/effects.ts';
import { deployment, job, pod, service } from './build.ts';
import { worldWith } from './facts/texts.ts';

const says = (...args: Parameters<typeof deployment>): (string | undefined)[] => {
  const web = deployment(...args);
  return effectsOf(worldWith([web, pod('web-1', { metadata: { labels: { app: 'web' } } }), service('web', { spec: { selector: { app: 'web' } } })]), [web]).map((effect) => effect.says);
};

test('an owner that is short is told in numbers', () => {
  expect(
    says('web', {
      spec: { replicas: 3 },
      metadata: { generation: 2 },
      status: { observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 1, availableReplicas: 1 },
    }),
  ).toEqual(['1/3 ready']);
});

test('where nobody has seen its newest generation the old numbers are not the point', () => {
  expect(
    says('web', {
      spec: { replicas: 3 },
      metadata: { generation: 2 },
      status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
    }),
  ).toEqual(['2 of 3 pods, generation 2 not observed']);
});

test('a Job that has given up is not told as if it still tried', () => {
  const told = (conditions: object[]) => {
    const migrate = job('migrate', { status: { conditions } });
    return effectsOf(worldWith([migrate]), [migrate]).map((effect) => effect.says);
  };
  expect(told([{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }])).toEqual(['failed: BackoffLimitExceeded']);
  expect(told([])).toEqual(['not complete']);
});
