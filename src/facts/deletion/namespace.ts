/** What the namespace controller writes into its conditions (pkg/controller/namespace/deletion/status_condition_utils.go). */

export interface Content {
  /** `databases.db.example.com`, `pods`. */
  resource: string;
  count: number;
}

export interface Remaining {
  finalizer: string;
  count: number;
}

/** Conditions of a Namespace are bad when True; each turn of the controller writes all five. */
export const NAMESPACE_CONDITIONS = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
] as const;

/** `Some resources are remaining: pods. has 2 resource instances, ...`; a core resource has an empty group behind its dot. */
export const contentOf = (message: string): Content[] =>
  [...message.matchAll(/([a-z0-9][a-z0-9.-]*) has (\d+) resource instances?/g)].map(([, resource = '', count]) => ({
    resource: resource.replace(/\.$/, ''),
    count: Number(count),
  }));

/** `... has finalizers remaining: db.example.com/cleanup in 3 resource instances, ...` */
export const remainingOf = (message: string): Remaining[] =>
  [...message.matchAll(/([A-Za-z0-9][\w./:-]*) in (\d+) resource instances?/g)].map(([, finalizer, count]) => ({
    finalizer: finalizer ?? '',
    count: Number(count),
  }));

/** `...server APIs: metrics.k8s.io/v1beta1: the server is currently unable..., custom.metrics.k8s.io/v1beta1: ...` as group/version. */
export const failedGroupsOf = (message: string): string[] => [
  ...new Set([...message.matchAll(/\b((?:[a-z0-9-]+\.)+[a-z0-9-]+\/v\d[a-z0-9]*)(?=: )/g)].map(([, group]) => group ?? '')),
];

/** `metrics.k8s.io/v1beta1` as the name of its APIService. */
export const apiServiceNameOf = (groupVersion: string): string => groupVersion.split('/').reverse().join('.');

/** The first error behind `Failed to delete all resource types, 2 remaining: `. */
export const contentFailureOf = (message: string): string => /^Failed to delete all resource types, \d+ remaining: (.+)$/s.exec(message)?.[1] ?? message;
