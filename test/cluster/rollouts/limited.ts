import { apply, type Obj } from '../api.ts';
import { REGISTRY } from '../layout.ts';
import { AVAILABLE } from './passing.ts';
import type { Rollout } from './rollout.ts';
import { settledWeb, web } from './workloads.ts';

const GROUPS = ['apps', 'batch', 'autoscaling', 'policy', 'networking.k8s.io', 'discovery.k8s.io'];
const CORE = ['pods', 'events', 'services', 'persistentvolumeclaims', 'resourcequotas', 'limitranges', 'serviceaccounts', 'replicationcontrollers'];

interface Rights {
  verbs?: readonly string[];
  /** Of the core group. */
  not?: string;
  nodes?: boolean;
}

const roleRef = (kind: string, name: string): Obj => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
const subjects = (name: string): Obj => [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }];

/** What a deployer of one namespace may read, less one thing. */
function rights(ns: string, user: string, { verbs = ['get', 'list', 'watch'], not = '', nodes = true }: Rights): Obj[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = [
    { apiGroups: [''], resources: CORE.filter((resource) => resource !== not), verbs },
    { apiGroups: GROUPS, resources: ['*'], verbs },
  ];
  const ofNodes = [
    { apiVersion, kind: 'ClusterRole', metadata: { name: `${user}-nodes` }, rules: [{ apiGroups: [''], resources: ['nodes'], verbs }] },
    { apiVersion, kind: 'ClusterRoleBinding', metadata: { name: `${user}-nodes` }, roleRef: roleRef('ClusterRole', `${user}-nodes`), subjects: subjects(user) },
  ];
  return [
    { apiVersion, kind: 'Role', metadata: { namespace: ns, name: 'deployer' }, rules },
    { apiVersion, kind: 'RoleBinding', metadata: { namespace: ns, name: 'deployer' }, roleRef: roleRef('Role', 'deployer'), subjects: subjects(user) },
    ...(nodes ? ofNodes : []),
  ];
}

const asked = (user: string, less: Rights, rest: Pick<Rollout, 'title' | 'change' | 'expect'>): Rollout => ({
  id: `rbac-${user}`,
  target: 'deployment/web',
  limit: 45,
  as: user,
  wait: AVAILABLE,
  before: async (ns) => {
    await apply(rights(ns, user, less));
    await settledWeb(ns);
  },
  ...rest,
});

const changed: Rollout['change'] = (ns) => [web(ns, '2')];

const noWatch = asked('no-watch', { verbs: ['get', 'list'] }, {
  title: 'May not watch; passes',
  change: changed,
  expect: { verdict: 'healthy', within: [10, 40], says: [/2 of 2 pods ready/] },
});

const noEvents = asked('no-events', { not: 'events' }, {
  title: 'May not read events; image that is not there',
  change: (ns) => [web(ns, '2', { image: `${REGISTRY}/shop/web:2` })],
  expect: { verdict: 'failed', within: [0.5, 45], root: { layer: 'cri', kind: 'Pod', name: /^web-/, says: [/shop\/web:2/, /not found/] } },
});

const noNodes = asked('no-nodes', { nodes: false }, {
  title: 'May not read nodes; passes',
  change: changed,
  expect: { verdict: 'healthy', within: [10, 40], says: [/2 of 2 pods ready/] },
});

const noPods = asked('no-pods', { not: 'pods' }, {
  title: 'May not read pods: counts alone prove nothing',
  change: changed,
  expect: { verdict: 'inconclusive', within: [1, 45], says: [/no "list" on Pod/] },
});

export const limited: readonly Rollout[] = [noWatch, noEvents, noNodes, noPods];
