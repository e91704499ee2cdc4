import { apply, call, type Obj, patch, pathOf, waitForObject } from '../api.ts';
import { component } from '../components.ts';
import { LIMIT, pods, untilNode, untilNodeReady, untilPods } from '../experiments/observe.ts';
import { sleep, waitFor } from '../wait.ts';
import { AVAILABLE } from './passing.ts';
import type { Rollout } from './rollout.ts';
import { settledWeb, web } from './workloads.ts';

const LOST = 'node-2';

const onOne = { pod: { nodeSelector: { 'kubernetes.io/hostname': LOST } }, spec: { progressDeadlineSeconds: 30 } };

const nodeLost: Rollout = {
  id: 'fails-node-lost',
  title: 'Its only node is lost while rolling',
  target: 'deployment/web',
  limit: 60,
  wait: AVAILABLE,
  before: (ns) => settledWeb(ns, onOne),
  change: (ns) => [web(ns, '2', { readinessProbe: { httpGet: { path: '/', port: 8080 }, initialDelaySeconds: 5, periodSeconds: 1 } }, onOne)],
  during: () => component(`kubelet@${LOST}`).kill(),
  restore: async () => {
    await component(`kubelet@${LOST}`).start();
    await untilNodeReady(LOST);
  },
  expect: { verdict: 'failed', within: [15, 60], root: { layer: 'kubelet', kind: 'Node', name: /^node-2$/ } },
};

const apart = {
  pod: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }] } } },
  spec: { progressDeadlineSeconds: 25 },
};

/** What `kubectl drain` does: it asks again every five seconds for as long as the budget refuses. */
async function drain(ns: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const pod of (await pods(ns)).filter(({ spec }) => spec.nodeName === LOST)) {
      const path = `${await pathOf('v1', 'Pod', ns, pod.metadata.name)}/eviction`;
      const { status, text } = await call('POST', path, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace: ns, name: pod.metadata.name } });
      if (status !== 429) throw new Error(`the budget should refuse the eviction: ${status} ${text}`);
    }
    await sleep(5_000);
  }
}

/** Other rollouts find their place on the other node meanwhile. */
export const drained: Rollout = {
  id: 'fails-drain',
  title: 'Drain that a budget refuses; one pod a node',
  target: 'deployment/web',
  limit: 60,
  wait: AVAILABLE,
  before: async (ns) => {
    await settledWeb(ns, apart);
    await apply({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { namespace: ns, name: 'web' }, spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } } });
    await waitForObject('policy/v1', 'PodDisruptionBudget', ns, 'web', (obj) => obj?.status?.currentHealthy === 2, LIMIT);
    await patch('v1', 'Node', '', LOST, { spec: { unschedulable: true } });
    await untilNode(LOST, 'cordoned', (node) => node.spec.taints?.some((taint: Obj) => taint.key === 'node.kubernetes.io/unschedulable'));
  },
  change: (ns) => [web(ns, '2', {}, apart)],
  during: (ns) => drain(ns, 4),
  restore: async () => {
    await patch('v1', 'Node', '', LOST, { spec: { unschedulable: null } });
    await untilNodeReady(LOST);
  },
  expect: { verdict: 'failed', within: [15, 60], root: { layer: 'scheduler', kind: 'Pod', name: /^web-/, says: [/cordon/] } },
};

const slow = { replicas: 4, spec: { minReadySeconds: 6 } };

const restarted: Rollout = {
  id: 'api-restarted',
  title: 'API server restarted in the middle',
  target: 'deployment/web',
  limit: 90,
  wait: AVAILABLE,
  before: (ns) => settledWeb(ns, slow),
  change: (ns) => [web(ns, '2', {}, slow)],
  during: async (ns) => {
    await untilPods(ns, 'the second wave of the new revision made', (all) => all.filter((pod) => pod.spec.containers[0].env[0].value === '2').length > 2);
    await component('kube-apiserver').stop();
    await sleep(3_000);
    await component('kube-apiserver').start();
    await waitFor('/readyz answers 200', async () => ((await call('GET', '/readyz')).status === 200 ? { done: true } : { saw: 'not ready' }), LIMIT);
  },
  expect: { verdict: 'healthy', within: [15, 90], says: [/4 of 4 pods available/, /blind for \d+s/] },
};

export const disturbed: readonly Rollout[] = [nodeLost, restarted];
