import { apply, remove } from '../api.ts';
import type { Experiment } from './experiment.ts';
import { deployment } from './objects.ts';
import { untilEvent, untilRefused } from './observe.ts';

const REGISTRATION = 'admissionregistration.k8s.io/v1';

/** A ValidatingAdmissionPolicy for the pods of one namespace, and the binding that makes it count. */
function policy(id: string, title: string, fixture: string | null, validation: object, event: RegExp, says: readonly RegExp[]): Experiment {
  const ns = id.toLowerCase();
  const name = `${ns}.strata.test`;
  return {
    id,
    covers: ['E20', 'K12', 'K51'],
    title,
    namespace: ns,
    ...(fixture === null ? {} : { fixture }),
    arrange: async () => {
      await apply([
        {
          apiVersion: REGISTRATION,
          kind: 'ValidatingAdmissionPolicy',
          metadata: { name },
          spec: {
            failurePolicy: 'Fail',
            matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] },
            validations: [validation],
          },
        },
        {
          apiVersion: REGISTRATION,
          kind: 'ValidatingAdmissionPolicyBinding',
          metadata: { name },
          spec: {
            policyName: name,
            validationActions: ['Deny'],
            matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } } },
          },
        },
      ]);
      await untilRefused(ns);
      await apply(deployment(ns, 'reports'));
    },
    until: async () => {
      await untilEvent(ns, 'ReplicaSet', 'FailedCreate', event);
    },
    expect: {
      verdict: 'failed',
      roots: [{ layer: 'admission', kind: 'ValidatingAdmissionPolicy', name: new RegExp(`^${ns}`), says }],
      effects: [{ kind: 'Deployment', name: /^reports$/ }],
    },
    restore: async () => {
      for (const kind of ['ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy']) await remove(REGISTRATION, kind, '', name);
    },
  };
}

export const policies: readonly Experiment[] = [
  policy(
    'E20-policy', 'A ValidatingAdmissionPolicy refuses the pods with a message made of the object', 'e20-policy-denies',
    { expression: 'has(object.metadata.labels.team)', messageExpression: '"pod of " + object.metadata.labels.app + " has no label team"' },
    /ValidatingAdmissionPolicy/, [/pod of reports has no label team/, /binding/],
  ),
  policy(
    'E20-policy-error', 'A ValidatingAdmissionPolicy cannot be evaluated', null,
    { expression: 'object.metadata.labels["team"] == "shop"', message: 'only team shop' },
    /ValidatingAdmissionPolicy/, [/no such key/],
  ),
];
