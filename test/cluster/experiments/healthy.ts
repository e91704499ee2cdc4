import { apply, type Obj, patch, waitForObject } from '../api.ts';
import type { Experiment } from './experiment.ts';
import { container, deployment, service, webContainer } from './objects.ts';
import { condition, LIMIT, untilAvailable, untilPods } from './observe.ts';

const slow = webContainer({ readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, initialDelaySeconds: 2 } });

const follow: Experiment = {
  id: 'E1',
  covers: ['E1', 'K4', 'K10', 'K19'],
  title: 'Two replicas, then three, and a Service',
  namespace: 'e1',
  arrange: async () => {
    await apply([deployment('e1', 'web', { replicas: 2, container: slow }), service('e1', 'web', {})]);
    await untilAvailable('e1', 'web');
    await patch('apps/v1', 'Deployment', 'e1', 'web', { spec: { replicas: 3 } });
  },
  until: async () => {
    await untilAvailable('e1', 'web');
  },
  expect: { verdict: 'healthy', roots: [] },
};

/** A pod counts as available only after two minutes, so that the rollout still moves whenever it is looked at. */
const rollout: Experiment = {
  id: 'H-rollout',
  covers: ['K77', 'K90'],
  title: 'In the middle of a rollout that moves',
  namespace: 'h-rollout',
  arrange: async () => {
    await apply(deployment('h-rollout', 'web', { replicas: 3, container: webContainer() }));
    await untilAvailable('h-rollout', 'web');
    const next = webContainer({ env: [{ name: 'RELEASE', value: '2' }] });
    await apply(deployment('h-rollout', 'web', { replicas: 3, container: next, spec: { minReadySeconds: 240 } }));
  },
  until: async () => {
    await untilPods('h-rollout', 'an old and a new ready pod', (all) => {
      const ready = all.filter((pod) => condition(pod, 'Ready')?.status === 'True');
      return new Set(ready.map((pod) => pod.metadata.labels['pod-template-hash'])).size === 2 && ready.length === all.length;
    });
  },
  expect: { verdict: 'progressing', roots: [] },
};

const job = (name: string, spec: Obj, fields: Obj): Obj => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'h-jobs', name },
  spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [container(fields)] } } },
});

const source = { configMapKeyRef: { name: 'import-source', key: 'url', optional: true } };

const finished: Experiment = {
  id: 'H-jobs',
  covers: ['K77', 'K90'],
  title: 'Jobs that are done: one at once, one after a failed try',
  namespace: 'h-jobs',
  arrange: async () => {
    await apply([
      job('migrate', {}, { command: ['sh', '-c', 'echo done'] }),
      job('import', { backoffLimit: 4 }, { command: ['sh', '-c', 'test -n "$SOURCE"'], env: [{ name: 'SOURCE', valueFrom: source }] }),
    ]);
    await untilPods('h-jobs', 'the first try failed', (all) => all.some((pod) => pod.status.phase === 'Failed'));
    await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'h-jobs', name: 'import-source' }, data: { url: 'tables' } });
  },
  until: async () => {
    for (const name of ['migrate', 'import']) {
      await waitForObject('batch/v1', 'Job', 'h-jobs', name, (obj) => condition(obj, 'Complete')?.status === 'True', LIMIT);
    }
  },
  expect: { verdict: 'healthy', roots: [] },
};

export const healthy: readonly Experiment[] = [follow, rollout, finished];
