/** Why the API server could not be asked, as far as the connection itself tells. */
export const CAUSES = ['dns', 'proxy', 'tcp', 'certificate', 'tls', 'http', 'unauthorized', 'etcd', 'unready', 'failing', 'throttled', 'forbidden', ''] as const;
export type Cause = (typeof CAUSES)[number];

interface Words {
  expected: string;
  conclusion: string;
}

/** `{endpoint}`, `{host}` and `{user}` are filled in. */
export const WORDS: Record<Cause, Words> = {
  dns: { expected: 'the name {host} resolves here', conclusion: 'Nothing was sent: the name in the kubeconfig is not known to this machine. The API server itself was not reached and not judged.' },
  proxy: { expected: 'the proxy passes on to {host}', conclusion: 'The proxy between here and the API server does not let the connection through. The API server itself was not reached and not judged.' },
  tcp: { expected: 'something listens at {host}', conclusion: 'The address was found and nobody took the connection: the API server is down, or a firewall or load balancer stands in between.' },
  certificate: { expected: 'a certificate that is valid now, for {host}, by an authority that the kubeconfig trusts', conclusion: 'The server runs and answers; only its certificate is not accepted.' },
  tls: { expected: 'a TLS handshake with {host}', conclusion: 'Something listens there and TLS did not come about.' },
  http: { expected: 'an HTTP answer from {host}', conclusion: 'The connection came about and no answer came over it.' },
  unauthorized: { expected: 'the credential of user {user} is accepted', conclusion: 'The server runs and answers; it does not know who asks. This is identity, not permission: no role would help.' },
  etcd: { expected: 'the API server reaches its etcd', conclusion: 'The API server answers from its caches; its storage does not, so writes fail and what is read may be old.' },
  unready: { expected: '/readyz answers ok', conclusion: 'The API server answers and says itself that it is not ready.' },
  failing: { expected: 'the API server answers what it is asked', conclusion: 'The connection is good; the API server itself fails to answer.' },
  throttled: { expected: 'requests are served', conclusion: 'The API server is reachable and sheds load.' },
  forbidden: { expected: 'user {user} may list something', conclusion: 'The server runs and knows who asks; nothing is permitted. What cannot be seen is not judged.' },
  '': { expected: '', conclusion: '' },
};

/** Groups that the API server serves itself: a failure there is its own, one elsewhere may be an extension's. */
export const OWN_GROUPS = new Set([
  '', 'apps', 'batch', 'autoscaling', 'policy', 'discovery.k8s.io', 'networking.k8s.io', 'storage.k8s.io', 'coordination.k8s.io', 'scheduling.k8s.io',
  'node.k8s.io', 'rbac.authorization.k8s.io', 'admissionregistration.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io', 'certificates.k8s.io', 'events.k8s.io', 'authentication.k8s.io', 'authorization.k8s.io',
]);

/** `/apis/apps/v1/...` to `apps`; `/api/v1/...` and paths that are no resource to the core group. */
export const groupOfPath = (path: string): string => /^\/apis\/([^/]+)\//.exec(path)?.[1] ?? '';
