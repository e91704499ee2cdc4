import { apply, type Obj, waitForObject } from '../api.ts';
import type { Experiment } from './experiment.ts';
import { container, deployment, job, service, statefulSet, webContainer } from './objects.ts';
import { condition, LIMIT, untilAvailable, untilContainer, untilEvent, untilPods } from './observe.ts';

const BROKEN = { command: ['sh', '-c', 'echo "no such volume group" >&2; exit 3'], terminationMessagePolicy: 'FallbackToLogsOnError' };

/** Without a probe a container is ready while it runs, and a StatefulSet that sees one ready for a moment goes on. */
const NEVER_READY = { ...BROKEN, readinessProbe: { exec: { command: ['true'] }, initialDelaySeconds: 60 } };

const loops = (status: Obj): boolean => status.state.waiting?.reason === 'CrashLoopBackOff' && status.restartCount >= 2;

const firstBroken: Experiment = {
  id: 'E22-ordinal',
  covers: ['E22', 'K55', 'K77'],
  title: 'The first pod of a StatefulSet exits, so the others are never made',
  namespace: 'e22-ordinal',
  fixture: 'e22-ordinal-0-exits',
  arrange: async () => {
    await apply([service('e22-ordinal', 'db', { clusterIP: 'None' }), statefulSet('e22-ordinal', 'db', 3, { container: container(NEVER_READY) })]);
  },
  until: async () => {
    await untilContainer('e22-ordinal', 'crash loop', loops);
    await untilPods('e22-ordinal', 'only the first', (all) => all.length === 1 && all[0]?.metadata.name === 'db-0');
  },
  expect: {
    verdict: 'failed',
    roots: [{ layer: 'application', kind: 'Pod', name: /^db-0$/, says: [/exit(s|ed)?\b.*\b3\b/i] }],
    effects: [{ kind: 'StatefulSet', name: /^db$/ }],
  },
};

const trap: Experiment = {
  id: 'E22-trap',
  covers: ['E22', 'K77'],
  title: 'A StatefulSet was rolled back, and keeps the broken pod of the revision between',
  namespace: 'e22-trap',
  fixture: 'e22-rollback-trap',
  arrange: async () => {
    const available = (): Promise<Obj> => waitForObject('apps/v1', 'StatefulSet', 'e22-trap', 'db', (obj) => obj?.status?.availableReplicas === 2, LIMIT);
    await apply([service('e22-trap', 'db', { clusterIP: 'None' }), statefulSet('e22-trap', 'db', 2, { container: webContainer() })]);
    await available();
    await apply(statefulSet('e22-trap', 'db', 2, { container: webContainer(NEVER_READY) }));
    await untilContainer('e22-trap', 'crash loop', loops);
    await apply(statefulSet('e22-trap', 'db', 2, { container: webContainer() }));
  },
  until: async () => {
    const set = await waitForObject('apps/v1', 'StatefulSet', 'e22-trap', 'db', (obj) => obj?.status?.observedGeneration === obj?.metadata.generation, LIMIT);
    await untilPods('e22-trap', 'the last one of another revision', (all) =>
      all.some((pod) => pod.metadata.name === 'db-1' && pod.metadata.labels['controller-revision-hash'] !== set.status.updateRevision && condition(pod, 'Ready')?.status === 'False'));
    await untilContainer('e22-trap', 'crash loop goes on', (status) => status.state.waiting?.reason === 'CrashLoopBackOff' && status.restartCount >= 3);
  },
  expect: { verdict: 'failed', roots: [{ layer: 'controller', kind: 'StatefulSet', name: /^db$/, says: [/db-1/] }] },
};

const spent: Experiment = {
  id: 'E22-job',
  covers: ['E22', 'K55', 'K77'],
  title: 'A Job is out of retries',
  namespace: 'e22-job',
  fixture: 'e22-job-out-of-retries',
  arrange: async () => {
    await apply(job('e22-job', 'migrate', { container: container(BROKEN), spec: { backoffLimit: 1 } }));
  },
  until: async () => {
    await waitForObject('batch/v1', 'Job', 'e22-job', 'migrate', (obj) => condition(obj, 'Failed')?.reason === 'BackoffLimitExceeded', LIMIT);
  },
  expect: { verdict: 'failed', roots: [{ layer: 'application', kind: 'Pod', name: /^migrate-/, says: [/\b3\b/] }], effects: [{ kind: 'Job', name: /^migrate$/ }] },
};

const autoscaler: Obj = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { namespace: 'e22-hpa', name: 'web' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }],
  },
};

const noMetrics: Experiment = {
  id: 'E22-hpa',
  covers: ['E22', 'K41', 'K78'],
  title: 'A HorizontalPodAutoscaler on a cluster without the metrics API',
  namespace: 'e22-hpa',
  fixture: 'e22-hpa-without-metrics',
  arrange: async () => {
    await apply([deployment('e22-hpa', 'web', { container: webContainer({ resources: { requests: { cpu: '1m' } } }) }), autoscaler]);
    await untilAvailable('e22-hpa', 'web');
  },
  until: async () => {
    await untilEvent('e22-hpa', 'HorizontalPodAutoscaler', 'FailedGetResourceMetric');
    // A metrics server that has just been installed needs its time as well.
    await waitForObject(
      autoscaler.apiVersion,
      autoscaler.kind,
      'e22-hpa',
      'web',
      (obj) => condition(obj, 'ScalingActive')?.status === 'False' && Date.now() - Date.parse(condition(obj, 'ScalingActive')?.lastTransitionTime) > 125_000,
      180_000,
    );
  },
  expect: { verdict: 'failed', roots: [{ layer: 'api', kind: 'HorizontalPodAutoscaler', name: /^web$/, says: [/metrics\.k8s\.io/] }] },
};

const paused: Experiment = {
  id: 'E2-paused',
  covers: ['E2', 'K77'],
  title: 'A Deployment is made as paused',
  namespace: 'e2-paused',
  fixture: 'e2-paused',
  arrange: async () => {
    await apply(deployment('e2-paused', 'web', { spec: { paused: true } }));
  },
  until: async () => {
    await waitForObject('apps/v1', 'Deployment', 'e2-paused', 'web', (obj) => condition(obj ?? {}, 'Progressing')?.reason === 'DeploymentPaused', LIMIT);
  },
  expect: { verdict: 'progressing', roots: [{ layer: 'controller', kind: 'Deployment', name: /^web$/, says: [/is paused/] }] },
};

export const workloads: readonly Experiment[] = [paused, firstBroken, trap, spent, noMetrics];
