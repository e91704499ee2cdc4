/** Why the API server could not be asked, as far as the connection itself tells. */
export const CAUSES = [
  'dns',
  'proxy',
  'tcp',
  'certificate',
  'tls',
  'http',
  'unauthorized',
  'etcd',
  'unready',
  'failing',
  'throttled',
  'forbidden',
  '',
] as const;
export type Cause = (typeof CAUSES)[number];

/** Groups that the API server serves itself: a failure there is its own, one elsewhere may be an extension's. */
export const OWN_GROUPS = new Set([
  '',
  'apps',
  'batch',
  'autoscaling',
  'policy',
  'discovery.k8s.io',
  'networking.k8s.io',
  'storage.k8s.io',
  'coordination.k8s.io',
  'scheduling.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'certificates.k8s.io',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
]);

/** `/apis/apps/v1/...` to `apps`; `/api/v1/...` and paths that are no resource to the core group. */
export const groupOfPath = (path: string): string => /^\/apis\/([^/]+)\//.exec(path)?.[1] ?? '';
