import { apply, type Obj, remove } from '../api.ts';
import { untilContainer } from '../experiments/observe.ts';
import { REGISTRY } from '../layout.ts';
import { AVAILABLE, READY_TWO } from './passing.ts';
import type { Rollout } from './rollout.ts';
import { job, release, servesFor, settledStatefulSet, settledWeb, statefulSet, web } from './workloads.ts';

const MISSING = `${REGISTRY}/shop/web:2`;

const image: Rollout = {
  id: 'fails-image',
  title: 'Image that is not there',
  target: 'deployment/web',
  limit: 45,
  byManifest: true,
  wait: AVAILABLE,
  before: settledWeb,
  change: (ns) => [web(ns, '2', { image: MISSING })],
  expect: { verdict: 'failed', within: [0.5, 45], root: { layer: 'cri', kind: 'Pod', name: /^web-/, says: [/shop\/web:2/, /not found/] }, says: [/the revision before still serves with 2 ready/] },
};

const crash: Rollout = {
  id: 'fails-crash',
  title: 'Ready, then exits after 6 s',
  target: 'deployment/web',
  limit: 100,
  wait: AVAILABLE,
  before: settledWeb,
  change: (ns) => [web(ns, '2', servesFor(6))],
  expect: { verdict: 'failed', within: [20, 90], root: { layer: 'application', kind: 'Pod', name: /^web-/, says: [/code 3/] } },
  fixture: 'fails-crash',
};

const lateCrash: Rollout = {
  id: 'fails-crash-40s',
  title: 'Exits after 40 s, --soak 60s',
  target: 'deployment/web',
  limit: 170,
  flags: ['--soak', '60s'],
  wait: AVAILABLE,
  before: settledWeb,
  change: (ns) => [web(ns, '2', servesFor(40))],
  expect: { verdict: 'failed', within: [60, 165], root: { layer: 'application', kind: 'Pod', name: /^web-/, says: [/code 3/] } },
};

const readiness: Rollout = {
  id: 'fails-readiness',
  title: 'Never becomes ready, progressDeadlineSeconds 20',
  target: 'deployment/web',
  limit: 60,
  wait: AVAILABLE,
  before: (ns) => settledWeb(ns, { spec: { progressDeadlineSeconds: 20 } }),
  change: (ns) => [web(ns, '2', { readinessProbe: { httpGet: { path: '/missing', port: 8080 }, periodSeconds: 1, timeoutSeconds: 10 } }, { spec: { progressDeadlineSeconds: 20 } })],
  expect: { verdict: 'failed', within: [0.5, 50], root: { layer: 'application', kind: 'Pod', name: /^web-/, says: [/404/] } },
  fixture: 'fails-readiness',
};

const cpu = (amount: string): Obj => ({ resources: { requests: { cpu: amount } } });

const quota: Rollout = {
  id: 'fails-quota',
  title: 'No quota for the new pod',
  target: 'deployment/web',
  limit: 45,
  wait: AVAILABLE,
  before: async (ns) => {
    await apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { namespace: ns, name: 'team' }, spec: { hard: { 'requests.cpu': '20m' } } });
    await settledWeb(ns, { container: release('1', cpu('10m')) });
  },
  change: (ns) => [web(ns, '2', cpu('10m'))],
  expect: { verdict: 'failed', within: [0.5, 45], root: { layer: 'admission', kind: 'ReplicaSet|Deployment', name: /^web/, says: [/quota/i, /team/] } },
};

const HOOK = 'fails-webhook.strata.test';

const webhook: Rollout = {
  id: 'fails-webhook',
  title: 'Webhook whose Service is gone',
  target: 'deployment/web',
  limit: 45,
  wait: AVAILABLE,
  before: async (ns) => {
    await settledWeb(ns);
    await apply({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: HOOK },
      webhooks: [
        {
          name: 'pods.policy.strata.test',
          clientConfig: { service: { namespace: ns, name: 'policy', path: '/validate', port: 443 } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
          failurePolicy: 'Fail',
          timeoutSeconds: 3,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
  },
  change: (ns) => [web(ns, '2')],
  restore: () => remove('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', '', HOOK),
  expect: { verdict: 'failed', within: [0.5, 45], root: { layer: 'admission', kind: 'ReplicaSet|Deployment|ValidatingWebhookConfiguration', name: /^(web|fails-webhook)/, says: [/webhook/i, /policy/] } },
};

// A StatefulSet never replaces a pod that is not ready by a rollback alone (kubernetes.io, "Forced rollback").
const deadlock: Rollout = {
  id: 'fails-sts-deadlock',
  title: 'StatefulSet: broken pod blocks the rollback',
  target: 'statefulset/web',
  limit: 45,
  wait: READY_TWO,
  before: async (ns) => {
    await settledStatefulSet(ns);
    await apply(statefulSet(ns, '2', { image: MISSING }));
    await untilContainer(ns, 'backing off', (status: Obj) => status.state.waiting?.reason === 'ImagePullBackOff');
  },
  change: (ns) => [statefulSet(ns, '1')],
  expect: { verdict: 'failed', within: [0.5, 45], root: { layer: 'controller', kind: 'StatefulSet|Pod', name: /^web/, says: [/web-1/] } },
};

const outOfRetries: Rollout = {
  id: 'fails-job',
  title: 'Job out of retries (backoffLimit 1)',
  target: 'job/migrate',
  limit: 45,
  wait: 'condition=Complete',
  change: (ns) => [job(ns, 'sleep 1; exit 4', { backoffLimit: 1 })],
  expect: { verdict: 'failed', within: [3, 50], root: { layer: 'application', kind: 'Pod|Job', name: /^migrate/, says: [/code 4/] } },
  fixture: 'fails-job',
};

export const failing: readonly Rollout[] = [image, crash, lateCrash, readiness, quota, webhook, deadlock, outOfRetries];
