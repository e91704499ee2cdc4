import { apply, type Obj, remove } from '../api.ts';
import { certificate } from '../certificates.ts';
import { authority } from '../credentials.ts';
import { HOST_IP, WEBHOOK_PORT } from '../layout.ts';
import type { Experiment } from './experiment.ts';
import { deployment, reachedAt } from './objects.ts';
import { untilAvailable } from './observe.ts';
import { type RefusedPods, refusedPods } from './refused-pods.ts';

const REGISTRATION = 'admissionregistration.k8s.io/v1';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface WebhookOptions {
  /** What the server is asked; it decides how it answers. */
  path: string;
  kind?: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';
  /** Called by the name of a Service in its namespace; by the address of the host where there is none. */
  service?: string;
  /** PEM; that of the cluster if not said. */
  ca?: string;
  failurePolicy?: 'Fail' | 'Ignore';
}

/** A webhook that is asked for every pod of one namespace. */
export function webhook(ns: string, { path, kind = 'ValidatingWebhookConfiguration', service, ca = authority().cert, failurePolicy = 'Fail' }: WebhookOptions): Obj[] {
  const target = service === undefined ? { url: `https://${HOST_IP}:${WEBHOOK_PORT}${path}` } : { service: { namespace: ns, name: service, path, port: 443 } };
  return [
    ...(service === undefined ? [] : reachedAt(ns, service, HOST_IP, WEBHOOK_PORT)),
    {
      apiVersion: REGISTRATION,
      kind,
      metadata: { name: `${ns}.strata.test` },
      webhooks: [
        {
          name: 'pods.policy.strata.test',
          clientConfig: { ...target, caBundle: base64(ca) },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
          failurePolicy,
          timeoutSeconds: 1,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  ];
}

interface Refused extends Omit<WebhookOptions, 'ca'>, Pick<RefusedPods, 'id' | 'title' | 'fixture' | 'event' | 'says' | 'certainty'> {
  /** Its certificate is to be of an authority that did not sign the server's. */
  otherAuthority?: true;
}

function refused({ id, title, fixture, event, says, certainty, otherAuthority, ...options }: Refused): Experiment {
  const { kind = 'ValidatingWebhookConfiguration' } = options;
  return refusedPods({
    id,
    covers: ['E20', 'K12', 'K40', 'K51'],
    title,
    ...(fixture === undefined ? {} : { fixture }),
    guard: async (ns) => {
      const ca = otherAuthority ? { ca: certificate({ commonName: 'another authority', ca: true }).cert } : {};
      await apply(webhook(ns, { ...options, ...ca }));
    },
    kind,
    event,
    says,
    ...(certainty === undefined ? {} : { certainty }),
    restore: (ns) => remove(REGISTRATION, kind, '', `${ns}.strata.test`),
  });
}

const NAME = /pods\.policy\.strata\.test/;

const refusals: readonly Experiment[] = [
  refused({
    id: 'E20-webhook-denies', title: 'A validating webhook refuses the pods and says why', fixture: 'e20-webhook-denies',
    path: '/deny', service: 'policy', event: /denied the request: pods need/, says: [NAME, /pods need a label "team"/],
  }),
  refused({
    id: 'E20-webhook-silent', title: 'A validating webhook refuses the pods and does not say why',
    path: '/deny-silently', event: /without explanation/, says: [NAME, /no reason/],
  }),
  refused({
    id: 'E20-webhook-timeout', title: 'A validating webhook does not answer in time',
    path: '/never', service: 'policy', event: /context deadline exceeded/, says: [NAME, /\b1 ?s\b/],
  }),
  refused({
    id: 'E20-webhook-name', title: 'The certificate of a webhook is for another name', fixture: 'e20-webhook-certificate',
    path: '/allow', service: 'renamed', event: /x509/, says: [NAME, /policy\.elsewhere\.svc/, /renamed\.e20-webhook-name\.svc/],
  }),
  refused({
    id: 'E20-webhook-expired', title: 'The certificate of a webhook has expired',
    path: '/allow', service: 'expired', event: /x509/, says: [NAME, /expired|validity/],
  }),
  refused({
    id: 'E20-webhook-authority', title: 'The caBundle of a webhook is of another authority',
    path: '/allow', otherAuthority: true, event: /x509/, says: [NAME, /caBundle/],
  }),
  refused({
    id: 'E20-webhook-error', title: 'A webhook answers 500',
    path: '/fail', service: 'policy', event: /failed calling webhook/, says: [NAME, /policy store is not loaded/],
  }),
  refused({
    id: 'E20-webhook-breaks', title: 'A mutating webhook takes the image out of the pods', fixture: 'e20-webhook-breaks',
    path: '/empty-image', kind: 'MutatingWebhookConfiguration', service: 'policy', event: /image: Required value/, says: [NAME, /spec\.containers\[0\]\.image/], certainty: 'likely',
  }),
  refused({
    id: 'E20-webhook-patch', title: 'A mutating webhook answers with a patch that does not fit',
    path: '/patch-nothing', kind: 'MutatingWebhookConfiguration', event: /./, says: [NAME], certainty: 'likely',
  }),
];

const IGNORED = 'e20-webhook-ignored';

const ignored: Experiment = {
  id: 'E20-webhook-ignored',
  covers: ['E20', 'K40'],
  title: 'A webhook that does not answer, and may be left out',
  namespace: IGNORED,
  arrange: async () => {
    await apply([...webhook(IGNORED, { path: '/never', service: 'policy', failurePolicy: 'Ignore' }), deployment(IGNORED, 'reports')]);
  },
  until: async () => {
    await untilAvailable(IGNORED, 'reports');
  },
  expect: { verdict: 'healthy', roots: [] },
  restore: () => remove(REGISTRATION, 'ValidatingWebhookConfiguration', '', `${IGNORED}.strata.test`),
};

export const webhooks: readonly Experiment[] = [...refusals, ignored];
