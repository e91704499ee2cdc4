import { apply, type Obj, patch, waitForObject } from '../api.ts';
import { NODES, REGISTRY } from '../layout.ts';
import type { Experiment } from './experiment.ts';
import { container, daemonSet, deployment, job, service, statefulSet, webContainer } from './objects.ts';
import { condition, LIMIT, untilAvailable, untilEvent, untilPods, untilSlices } from './observe.ts';

const slow = webContainer({ readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, initialDelaySeconds: 2 } });

const follow: Experiment = {
  id: 'E1',
  covers: ['E1', 'K4', 'K10', 'K19'],
  title: 'Two replicas, then three, and a Service',
  namespace: 'e1',
  fixture: 'e1-scaled-up',
  arrange: async () => {
    await apply([deployment('e1', 'web', { replicas: 2, container: slow }), service('e1', 'web', {})]);
    await untilAvailable('e1', 'web');
    await patch('apps/v1', 'Deployment', 'e1', 'web', { spec: { replicas: 3 } });
  },
  until: async () => {
    await untilAvailable('e1', 'web');
    await untilSlices('e1', 'web', 'three ready', ([slice]) => slice?.endpoints?.filter((e: Obj) => e.conditions.ready).length === 3);
  },
  expect: { verdict: 'healthy', roots: [] },
  // Three pods of one revision, each with the time of its steps, the last of them its endpoint.
  trace: {
    target: 'deploy/web',
    says: [/Deployment\/web uid \w+, generation 2, observed 2/, /ReplicaSet\/web-\w+ revision 1/, /(?:Pod\/web-\S+ on node-\d \S+ created > .*? ready (?:\(slowest\) )?> endpoint ?){3}$/],
  },
};

/** A pod counts as available only after two minutes, so that the rollout still moves whenever it is looked at. */
const rollout: Experiment = {
  id: 'H-rollout',
  passes: true,
  covers: ['K77', 'K90'],
  title: 'In the middle of a rollout that moves',
  namespace: 'h-rollout',
  fixture: 'healthy-mid-rollout',
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

const source = { configMapKeyRef: { name: 'import-source', key: 'url', optional: true } };

const finished: Experiment = {
  id: 'H-jobs',
  covers: ['K77', 'K90'],
  title: 'Jobs that are done: one at once, one after a failed try',
  namespace: 'h-jobs',
  fixture: 'healthy-finished-jobs',
  arrange: async () => {
    await apply([
      job('h-jobs', 'migrate', { container: container({ command: ['sh', '-c', 'echo done'] }) }),
      job('h-jobs', 'import', { container: container({ command: ['sh', '-c', 'test -n "$SOURCE"'], env: [{ name: 'SOURCE', valueFrom: source }] }), spec: { backoffLimit: 4 } }),
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

const config = (name: string): Obj => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'h-recovered', name }, data: { mode: 'fast' } });

const recovered: Experiment = {
  id: 'H-recovered',
  covers: ['K3', 'K90'],
  title: 'Well again after a missing ConfigMap, a node selector that no node had, and an image that was not there',
  namespace: 'h-recovered',
  fixture: 'healthy-recovered',
  arrange: async () => {
    await apply([
      deployment('h-recovered', 'api', { container: webContainer({ envFrom: [{ configMapRef: { name: 'api-settings' } }] }) }),
      deployment('h-recovered', 'worker', { pod: { nodeSelector: { disktype: 'nvme' } } }),
      deployment('h-recovered', 'cart', { container: container({ image: `${REGISTRY}/shop/cart:9.9` }) }),
      service('h-recovered', 'api', {}),
    ]);
    await untilEvent('h-recovered', 'Pod', 'Failed', /api-settings/);
    await untilEvent('h-recovered', 'Pod', 'Failed', /not found/);
    await untilEvent('h-recovered', 'Pod', 'FailedScheduling');
    await apply([
      config('api-settings'),
      deployment('h-recovered', 'worker', {}),
      deployment('h-recovered', 'cart', {}),
    ]);
  },
  until: async () => {
    for (const name of ['api', 'worker', 'cart']) await untilAvailable('h-recovered', name);
    await untilSlices('h-recovered', 'api', 'ready', ([slice]) => slice?.endpoints?.[0]?.conditions.ready === true);
  },
  expect: { verdict: 'healthy', roots: [] },
};

const meta = (name: string): Obj => ({ namespace: 'h-plain', name, labels: { app: name } });
const labels = (app: string): Obj => ({ matchLabels: { app } });

/** One of each kind that a namespace usually has, and what is at rest on purpose. */
const plainObjects: readonly Obj[] = [
  deployment('h-plain', 'web', { replicas: 2, container: webContainer() }),
  service('h-plain', 'web', {}),
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: meta('web'), spec: { minAvailable: 2, selector: labels('web') } },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: meta('web'), spec: { podSelector: labels('web'), ingress: [{}] } },
  statefulSet('h-plain', 'queue', 2, { container: webContainer() }),
  service('h-plain', 'queue', { clusterIP: 'None' }),
  daemonSet('h-plain', 'agent'),
  { apiVersion: 'batch/v1', kind: 'CronJob', metadata: meta('yearly'), spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job('h-plain', 'yearly')['spec'] } } },
  job('h-plain', 'later', { spec: { suspend: true } }),
  deployment('h-plain', 'standby', { replicas: 0 }),
  { apiVersion: 'v1', kind: 'ResourceQuota', metadata: meta('team'), spec: { hard: { pods: '50' } } },
];

const plain: Experiment = {
  id: 'H-plain',
  covers: ['K90'],
  title: 'A namespace in which everything is as it should be, or at rest on purpose',
  namespace: 'h-plain',
  fixture: 'healthy-plain',
  arrange: async () => {
    await apply(plainObjects);
  },
  until: async () => {
    await untilAvailable('h-plain', 'web');
    await waitForObject('apps/v1', 'StatefulSet', 'h-plain', 'queue', (obj) => obj?.status?.availableReplicas === 2, LIMIT);
    await waitForObject('apps/v1', 'DaemonSet', 'h-plain', 'agent', (obj) => obj?.status?.numberAvailable === NODES.length, LIMIT);
    await waitForObject('policy/v1', 'PodDisruptionBudget', 'h-plain', 'web', (obj) => obj?.status?.currentHealthy === 2, LIMIT);
    for (const name of ['web', 'queue']) {
      await untilSlices('h-plain', name, 'two ready', ([slice]) => slice?.endpoints?.filter((e: Obj) => e.conditions.ready).length === 2);
    }
  },
  expect: { verdict: 'healthy', roots: [] },
};

export const healthy: readonly Experiment[] = [follow, rollout, finished, recovered, plain];
