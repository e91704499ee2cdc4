import type { ServedResource } from './resources.ts';

const VERBS = ['get', 'list', 'watch'];
const REVIEWS = ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'] as const;
const REVIEW_KINDS: Record<(typeof REVIEWS)[number], string> = {
  selfsubjectaccessreviews: 'SelfSubjectAccessReview',
  selfsubjectrulesreviews: 'SelfSubjectRulesReview',
};
const AUTHORIZATION = 'authorization.k8s.io';

/** Groups and their resources, in both of Kubernetes' forms. */
export interface Discovery {
  /** /api and /apis as aggregated discovery (apidiscovery.k8s.io), `v2` or `v2beta1`. */
  aggregated(root: 'api' | 'apis', version: string): object;
  versions(address: string): object;
  groups(): object;
  /** /apis/GROUP; null where there is none. */
  group(name: string): object | null;
  /** /api/v1 or /apis/GROUP/VERSION; null where there is none. */
  resources(group: string, version: string): object | null;
}

/** The discovery documents, plain and aggregated, of what is served. */
export function createDiscovery(served: readonly ServedResource[]): Discovery {
  const groups = new Map<string, Set<string>>([['', new Set(['v1'])]]);
  for (const { group, version } of [...served].sort((a, b) => (a.group < b.group ? -1 : 1))) {
    groups.set(group, (groups.get(group) ?? new Set()).add(version));
  }
  groups.set(AUTHORIZATION, new Set(['v1']));
  const inVersion = (group: string, version: string): readonly ServedResource[] => served.filter((each) => each.group === group && each.version === version);
  const apiGroup = (name: string): object => {
    const versions = [...(groups.get(name) ?? [])].map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions, preferredVersion: versions[0] };
  };
  return {
    versions: (address) => ({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }] }),
    groups: () => ({ kind: 'APIGroupList', apiVersion: 'v1', groups: [...groups.keys()].filter((name) => name !== '').map(apiGroup) }),
    group: (name) => (name !== '' && groups.has(name) ? { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(name) } : null),
    resources(group, version) {
      if (!groups.get(group)?.has(version)) return null;
      const resources = inVersion(group, version).map((each) => ({
        name: each.resource,
        singularName: each.singular,
        namespaced: each.namespaced,
        kind: each.kind,
        verbs: VERBS,
        ...(each.short?.length ? { shortNames: each.short } : {}),
        ...(each.categories.length > 0 ? { categories: each.categories } : {}),
      }));
      const reviews =
        group === AUTHORIZATION ? REVIEWS.map((name) => ({ name, singularName: '', namespaced: false, kind: REVIEW_KINDS[name], verbs: ['create'] })) : [];
      const logs = group === '' ? [{ name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] }] : [];
      return {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: group === '' ? version : `${group}/${version}`,
        resources: [...resources, ...logs, ...reviews],
      };
    },
    aggregated(root, version) {
      const names = [...groups.keys()].filter((name) => (root === 'api') === (name === ''));
      return {
        kind: 'APIGroupDiscoveryList',
        apiVersion: `apidiscovery.k8s.io/${version}`,
        metadata: {},
        items: names.map((name) => ({
          metadata: { name, creationTimestamp: null },
          versions: [...(groups.get(name) ?? [])].map((each) => ({ version: each, freshness: 'Current', resources: discovered(name, each) })),
        })),
      };
    },
  };

  function discovered(group: string, version: string): object[] {
    const resources = inVersion(group, version).map((each) => ({
      resource: each.resource,
      responseKind: { group, version, kind: each.kind },
      scope: each.namespaced ? 'Namespaced' : 'Cluster',
      singularResource: each.singular,
      verbs: VERBS,
      ...(each.short?.length ? { shortNames: each.short } : {}),
      ...(each.categories.length > 0 ? { categories: each.categories } : {}),
    }));
    const reviews =
      group === AUTHORIZATION
        ? REVIEWS.map((name) => ({
            resource: name,
            responseKind: { group, version, kind: REVIEW_KINDS[name] },
            scope: 'Cluster',
            singularResource: '',
            verbs: ['create'],
          }))
        : [];
    return [...resources, ...reviews];
  }
}
