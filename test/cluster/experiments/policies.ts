import { apply, type Obj, remove } from '../api.ts';
import type { Experiment } from './experiment.ts';
import { refusedPods } from './refused-pods.ts';

const REGISTRATION = 'admissionregistration.k8s.io/v1';

/** A ValidatingAdmissionPolicy for the pods of one namespace, and the binding that makes it count. */
const policyFor = (ns: string, name: string, validation: object): Obj[] => [
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
];

function policy(id: string, title: string, fixture: string | null, validation: object, event: RegExp, says: readonly RegExp[]): Experiment {
  const nameFor = (ns: string): string => `${ns}.strata.test`;
  return refusedPods({
    id,
    covers: ['E20', 'K12', 'K51'],
    title,
    ...(fixture === null ? {} : { fixture }),
    guard: (ns) => apply(policyFor(ns, nameFor(ns), validation)),
    kind: 'ValidatingAdmissionPolicy',
    event,
    says,
    restore: async (ns) => {
      for (const kind of ['ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy']) await remove(REGISTRATION, kind, '', nameFor(ns));
    },
  });
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
