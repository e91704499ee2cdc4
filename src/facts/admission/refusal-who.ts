/** Who said no, and who can change that. A prefix of the class of a text in table `api-refusals`; the longest that fits wins. */
interface Refuser {
  who: Who;
  acts: string;
}

export const WHO = [
  'authentication',
  'rbac',
  'quota',
  'limitrange',
  'pod-security',
  'webhook',
  'webhook-call',
  'mutation',
  'policy',
  'serviceaccount',
  'priorityclass',
  'runtimeclass',
  'namespace',
  'plugin',
  'eviction',
  'conversion',
  'schema',
  'conflict',
  'throttling',
  'storage',
  'timeout',
  'server',
  '',
] as const;
export type Who = (typeof WHO)[number];

const AUTHOR = 'the author of the manifest';
const REFUSERS: Record<string, Refuser> = {
  unauthorized: { who: 'authentication', acts: 'whoever issues the credential' },
  rbac: { who: 'rbac', acts: 'whoever grants roles' },
  'node-authorizer': { who: 'rbac', acts: 'whoever grants roles' },
  'certificate-approval': { who: 'rbac', acts: 'whoever grants roles' },
  'quota-': { who: 'quota', acts: 'the owner of the quota, or whoever can free or ask for less' },
  'quota-must-specify': { who: 'quota', acts: AUTHOR },
  'quota-unknown': { who: 'quota', acts: 'nobody: the quota controller counts it' },
  'quota-timeout': { who: 'quota', acts: 'the cluster administrator' },
  'limitrange-': { who: 'limitrange', acts: `${AUTHOR}, or the owner of the LimitRange` },
  'pod-security': { who: 'pod-security', acts: `${AUTHOR}, or the owner of the namespace` },
  'security-context-constraint': { who: 'pod-security', acts: `${AUTHOR}, or the cluster administrator` },
  psp: { who: 'pod-security', acts: 'the cluster administrator' },
  'image-policy': { who: 'webhook', acts: AUTHOR },
  'webhook-': { who: 'webhook-call', acts: 'the owner of the webhook' },
  'webhook-denied': { who: 'webhook', acts: `${AUTHOR}, or the owner of the webhook's policy` },
  'webhook-not-ready': { who: 'server', acts: 'nobody: the API server is starting' },
  'webhook-dry-run': { who: 'webhook', acts: 'nobody: only a dry run is refused' },
  'mutation-': { who: 'mutation', acts: 'the owner of the mutating webhook' },
  'policy-': { who: 'policy', acts: `${AUTHOR}, or the owner of the policy` },
  'policy-error': { who: 'policy', acts: 'the owner of the policy' },
  'policy-error-of-itself': { who: 'policy', acts: 'the owner of the policy' },
  'serviceaccount-': { who: 'serviceaccount', acts: AUTHOR },
  'serviceaccount-default-missing': { who: 'serviceaccount', acts: 'the cluster administrator: kube-controller-manager makes it' },
  'serviceaccount-unreadable': { who: 'storage', acts: 'the cluster administrator' },
  'priorityclass-': { who: 'priorityclass', acts: `${AUTHOR}, or the cluster administrator` },
  'priority-mismatch': { who: 'priorityclass', acts: AUTHOR },
  'runtimeclass-': { who: 'runtimeclass', acts: `${AUTHOR}, or the cluster administrator` },
  'namespace-': { who: 'namespace', acts: 'the owner of the namespace' },
  'crd-terminating': { who: 'namespace', acts: 'the owner of the CustomResourceDefinition' },
  'eviction-blocked': { who: 'eviction', acts: 'the owner of the PodDisruptionBudget' },
  'conversion-': { who: 'conversion', acts: 'the owner of the CustomResourceDefinition' },
  'api-missing': { who: 'schema', acts: 'whoever installs that API' },
  'service-ip': { who: 'plugin', acts: 'the cluster administrator' },
  'node-port': { who: 'plugin', acts: AUTHOR },
  'annotations-too-long': { who: 'schema', acts: AUTHOR },
  immutable: { who: 'schema', acts: AUTHOR },
  invalid: { who: 'schema', acts: AUTHOR },
  'unknown-field': { who: 'schema', acts: AUTHOR },
  'bad-request': { who: 'schema', acts: AUTHOR },
  'etcd-too-large': { who: 'schema', acts: AUTHOR },
  'too-large': { who: 'schema', acts: AUTHOR },
  'not-found': { who: 'schema', acts: AUTHOR },
  'method-not-allowed': { who: 'schema', acts: AUTHOR },
  'media-type': { who: 'schema', acts: AUTHOR },
  conflict: { who: 'conflict', acts: 'nobody: the writer tries again' },
  'apply-conflict': { who: 'conflict', acts: 'the owners of both manifests' },
  'uid-precondition': { who: 'conflict', acts: 'nobody: the writer tries again' },
  'name-collision': { who: 'conflict', acts: 'nobody: the writer tries again' },
  'already-exists': { who: 'conflict', acts: 'the owner of the object that stands there' },
  throttled: { who: 'throttling', acts: 'the cluster administrator' },
  'limit-event-rate': { who: 'throttling', acts: 'the cluster administrator' },
  'etcd-': { who: 'storage', acts: 'the cluster administrator' },
  'object-unreadable': { who: 'storage', acts: 'the cluster administrator' },
  'server-timeout': { who: 'storage', acts: 'the cluster administrator' },
  timeout: { who: 'timeout', acts: 'the owners of the webhooks on this write, or the cluster administrator' },
  'list-expired': { who: 'server', acts: 'nobody: the client lists again' },
  'watch-expired': { who: 'server', acts: 'nobody: the client lists again' },
  'cache-behind': { who: 'server', acts: 'nobody: the client tries again' },
  'server-unavailable': { who: 'server', acts: 'the owner of the aggregated API' },
  'server-error': { who: 'server', acts: 'the cluster administrator' },
  internal: { who: 'server', acts: 'the cluster administrator' },
  forbidden: { who: 'plugin', acts: 'the cluster administrator' },
};

const OTHER: Refuser = { who: 'plugin', acts: `${AUTHOR}, or the cluster administrator` };
const PREFIXES = Object.keys(REFUSERS).sort((a, b) => b.length - a.length);

/** Who refused, by the class of the text; an unknown text has no author. */
export function refuserOf(textClass: string): Refuser {
  if (textClass === 'unknown' || textClass === '') return { who: '', acts: '' };
  const prefix = PREFIXES.find((each) => textClass.startsWith(each));
  return (prefix ? REFUSERS[prefix] : undefined) ?? OTHER;
}
