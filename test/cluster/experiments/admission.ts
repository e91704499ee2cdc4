import { apply, remove } from '../api.ts';
import type { Experiment, Root } from './experiment.ts';
import { container, deployment, namespace } from './objects.ts';
import { untilEvent } from './observe.ts';

const refused = (root: Omit<Root, 'layer'>): Experiment['expect'] => ({
  verdict: 'failed',
  roots: [{ layer: 'admission', ...root }],
});

const owner = { kind: 'ReplicaSet|Deployment|ResourceQuota|LimitRange|ValidatingWebhookConfiguration|Namespace', name: /./ };

const quota: Experiment = {
  id: 'E20-quota',
  covers: ['E20', 'K12', 'K51'],
  title: 'A quota leaves no room for the third pod',
  namespace: 'e20-quota',
  fixture: 'e20-quota',
  arrange: async () => {
    await apply([
      { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { namespace: 'e20-quota', name: 'team' }, spec: { hard: { 'requests.cpu': '25m' } } },
      deployment('e20-quota', 'reports', { replicas: 3, container: container({ resources: { requests: { cpu: '10m' } } }) }),
    ]);
  },
  until: async () => {
    await untilEvent('e20-quota', 'ReplicaSet', 'FailedCreate', /exceeded quota: team/);
  },
  expect: refused({ ...owner, says: [/quota/i, /team/, /25m/] }),
};

const limitRange: Experiment = {
  id: 'E20-limitrange',
  covers: ['E20', 'K12', 'K51'],
  title: 'A LimitRange allows less than the container asks for',
  namespace: 'e20-limitrange',
  fixture: 'e20-limit-range',
  arrange: async () => {
    await apply([
      {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { namespace: 'e20-limitrange', name: 'sizes' },
        spec: { limits: [{ type: 'Container', max: { memory: '64Mi' } }] },
      },
      deployment('e20-limitrange', 'reports', { container: container({ resources: { limits: { memory: '128Mi' } } }) }),
    ]);
  },
  until: async () => {
    await untilEvent('e20-limitrange', 'ReplicaSet', 'FailedCreate', /maximum memory usage per Container/);
  },
  expect: refused({ ...owner, says: [/64Mi/, /128Mi/] }),
};

const podSecurity: Experiment = {
  id: 'E20-podsecurity',
  covers: ['E20', 'K12', 'K51'],
  title: 'The namespace enforces the restricted Pod Security level',
  namespace: 'e20-podsecurity',
  fixture: 'e20-pod-security',
  arrange: async () => {
    await apply([
      namespace('e20-podsecurity', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
      deployment('e20-podsecurity', 'reports'),
    ]);
  },
  until: async () => {
    await untilEvent('e20-podsecurity', 'ReplicaSet', 'FailedCreate', /violates PodSecurity/);
  },
  expect: refused({ ...owner, says: [/restricted/] }),
};

const HOOK = 'e20-webhook-gone.strata.test';

const webhookGone: Experiment = {
  id: 'E20-webhook-gone',
  covers: ['E20', 'K12', 'K40', 'K51'],
  title: 'A validating webhook whose Service is gone',
  namespace: 'e20-webhook-gone',
  fixture: 'e20-webhook-gone',
  arrange: async () => {
    await apply([
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: HOOK },
        webhooks: [
          {
            name: 'pods.policy.strata.test',
            clientConfig: { service: { namespace: 'e20-webhook-gone', name: 'policy', path: '/validate', port: 443 } },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'e20-webhook-gone' } },
            failurePolicy: 'Fail',
            timeoutSeconds: 3,
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      },
      deployment('e20-webhook-gone', 'reports'),
    ]);
  },
  until: async () => {
    await untilEvent('e20-webhook-gone', 'ReplicaSet', 'FailedCreate', /failed calling webhook.*policy/);
  },
  expect: refused({ ...owner, says: [/webhook/i, /policy/] }),
  restore: () => remove('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', '', HOOK),
};

export const admission: readonly Experiment[] = [quota, limitRange, podSecurity, webhookGone];
