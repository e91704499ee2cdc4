import { apply, call, patch, remove } from '../api.ts';
import { component, components } from '../components.ts';
import { NODES } from '../layout.ts';
import { waitFor } from '../wait.ts';
import type { Experiment, Expectation } from './experiment.ts';
import { deployment, service, webContainer } from './objects.ts';
import { LIMIT, pods, untilAvailable, untilContainer, untilLeaseStale, untilNodeReady, untilPods } from './observe.ts';

const web = (ns: string, replicas = 2): Promise<unknown> =>
  apply([deployment(ns, 'web', { replicas, container: webContainer() }), service(ns, 'web', {})]);

const controllerManager: Experiment = {
  id: 'E10',
  covers: ['E10', 'K11', 'K33', 'K70'],
  title: 'controller-manager stopped, then a pod deleted and the Deployment scaled',
  namespace: 'e10',
  fixture: 'e10-controller-manager-stopped',
  alone: true,
  arrange: async () => {
    await web('e10');
    await untilAvailable('e10', 'web');
    await component('kube-controller-manager').stop();
    await remove('v1', 'Pod', 'e10', (await pods('e10', 'web'))[0]?.metadata.name);
    await patch('apps/v1', 'Deployment', 'e10', 'web', { spec: { replicas: 3 } });
  },
  until: async () => {
    await untilPods('e10', 'one left', (all) => all.length === 1);
    await untilLeaseStale('kube-controller-manager');
  },
  expect: {
    verdict: 'failed',
    roots: [{ layer: 'controller', kind: 'Lease', name: /kube-controller-manager/ }],
    effects: [{ kind: 'Deployment', name: /^web$/ }],
  },
  restore: async () => {
    await component('kube-controller-manager').start();
    await untilAvailable('e10', 'web');
  },
  healed: true,
};

function schedulerGone(id: string, fixture: string, title: string, end: () => Promise<void>): Experiment {
  const ns = id.toLowerCase();
  return {
    id,
    covers: ['E11', 'K13', 'K32'],
    title,
    namespace: ns,
    fixture,
    alone: true,
    arrange: async () => {
      await end();
      await web(ns);
    },
    until: async () => {
      await untilPods(ns, 'two without any condition', (all) => all.length === 2 && all.every((pod) => !pod.spec.nodeName && !pod.status.conditions));
      await untilLeaseStale('kube-scheduler');
    },
    expect: {
      verdict: 'failed',
      roots: [{ layer: 'scheduler', kind: 'Lease', name: /kube-scheduler/ }],
      effects: [{ kind: 'Deployment', name: /^web$/ }],
    },
    restore: async () => {
      await component('kube-scheduler').start();
      await untilAvailable(ns, 'web');
    },
    healed: true,
  };
}

// A scheduler that is told to end gives its Lease back: no holder, and a duration of one second
// (`ReleaseOnCancel`, cmd/kube-scheduler/app/server.go). A killed one does not.
const schedulerKilled = schedulerGone('E11', 'e11-scheduler-killed', 'scheduler killed, then a Deployment made', () => component('kube-scheduler').kill());
const schedulerStopped = schedulerGone('E11-stopped', 'e11-scheduler-stopped', 'scheduler stopped in good order, then a Deployment made', () => component('kube-scheduler').stop());

const unreachable = (...says: RegExp[]): Expectation => ({
  verdict: 'unreachable',
  roots: [{ layer: 'api', kind: 'APIServer', name: /./, says }],
});

const readyz = (status: number): Promise<unknown> =>
  waitFor(
    `/readyz answers ${status}`,
    async () => {
      const reply = await call('GET', '/readyz', undefined, { limitMs: 10_000 });
      return reply.status === status ? { done: reply } : { saw: reply.text };
    },
    LIMIT,
  );

/** The leaders give up their Lease and exit when it cannot be renewed; whoever runs them starts them again. */
async function restartLeaders(): Promise<void> {
  await readyz(200);
  for (const name of ['kube-controller-manager', 'kube-scheduler']) await component(name).stop();
  await Promise.all(['kube-controller-manager', 'kube-scheduler'].map((name) => component(name).start()));
  await Promise.all(NODES.map((node) => untilNodeReady(node.name)));
}

/** Members of etcd that are killed. With more than half of them gone nothing is stored any more. */
function storage(id: string, title: string, fixture: string, dead: () => readonly string[], expect: Expectation): Experiment {
  const ns = id.toLowerCase();
  return {
    id,
    covers: ['E12', 'K31', 'K42', 'K51'],
    title,
    namespace: ns,
    fixture,
    alone: true,
    arrange: async () => {
      await web(ns);
      await untilAvailable(ns, 'web');
      for (const name of dead()) await component(name).kill();
    },
    until: async () => {
      await readyz(expect.verdict === 'unreachable' ? 500 : 200);
      if (expect.verdict !== 'unreachable') {
        // A write that goes through all of them, and is answered.
        await waitFor('a write', async () => ({ done: await patch('apps/v1', 'Deployment', ns, 'web', { spec: { replicas: 3 } }) }), LIMIT);
        await untilAvailable(ns, 'web');
      }
    },
    expect,
    restore: async () => {
      await Promise.all(dead().map((name) => component(name).start()));
      await restartLeaders();
      await untilAvailable(ns, 'web');
    },
    healed: true,
  };
}

const etcdMembers = (): string[] => components().map(({ name }) => name).filter((name) => /^etcd(-\d+)?$/.test(name));
const healthy: Expectation = { verdict: 'healthy', roots: [] };

const storages: readonly Experiment[] = [
  storage('E12', 'Every member of etcd is stopped', 'e12-etcd-stopped', etcdMembers, unreachable(/etcd does not answer/)),
  storage('E12-member', 'One of three members of etcd is stopped', 'e12-member-lost', () => etcdMembers().slice(0, 1), healthy),
  storage('E12-quorum', 'Two of three members of etcd are stopped', 'e12-quorum-lost', () => etcdMembers().slice(0, 2), unreachable(/etcd has no leader/)),
];

const stopped: Experiment = {
  id: 'E13-stopped',
  covers: ['E13', 'K30', 'K50'],
  title: 'The API server is stopped',
  namespace: 'e13-stopped',
  fixture: 'e13-api-server-stopped',
  alone: true,
  arrange: async () => {
    await component('kube-apiserver').stop();
  },
  until: async () => {
    await waitFor('the port closed', () => call('GET', '/livez').then((reply) => ({ saw: reply.status }), () => ({ done: true })), LIMIT);
  },
  expect: unreachable(/refused/i),
  restore: async () => {
    await component('kube-apiserver').start();
    await restartLeaders();
  },
};

/** Nothing is done to the cluster: only who asks, and how, is wrong. */
const wrongAccess = (id: string, title: string, as: string, ...says: RegExp[]): Experiment => ({
  id,
  covers: ['E13', 'K50', 'K51'],
  title,
  namespace: 'default',
  fixture: id.toLowerCase(),
  as,
  arrange: () => Promise.resolve(),
  until: () => Promise.resolve(),
  expect: unreachable(...says),
});

const wrong: readonly Experiment[] = [
  wrongAccess('E13-token', 'A token that the server does not know', 'wrong-token', /401|unauthori[sz]ed/i),
  wrongAccess('E13-expired', 'A client certificate that has expired', 'expired-certificate', /certificate/i, /\bexpired\b(?!-)/i),
  wrongAccess('E13-ca', 'A kubeconfig with another authority', 'wrong-ca', /authority|issuer|self.signed|certificate/i),
  wrongAccess('E13-name', 'A certificate for another name', 'wrong-name', /api\.elsewhere\.test/),
  wrongAccess('E13-port', 'A port where nothing listens', 'closed-port', /refused/i),
  wrongAccess('E13-host', 'A host name that nobody knows', 'unknown-host', /api\.strata\.invalid/),
];

const limited: Experiment = {
  id: 'E13-limited',
  covers: ['E13', 'K51', 'K90'],
  title: 'A user who may view one namespace only, in which a container exits',
  namespace: 'e13-limited',
  fixture: 'e13-limited-user',
  as: 'limited',
  arrange: async () => {
    await apply([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { namespace: 'e13-limited', name: 'limited-view' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'limited' }],
      },
      deployment('e13-limited', 'web', { container: webContainer({ command: ['sh', '-c', 'sleep 1; exit 3'] }) }),
    ]);
  },
  until: async () => {
    await untilContainer('e13-limited', 'backing off', (status) => status.state.waiting?.reason === 'CrashLoopBackOff' && status.restartCount >= 2);
  },
  expect: { verdict: 'failed', roots: [{ layer: 'application', kind: 'Pod', name: /^web-/, says: [/\b3\b/] }] },
};

export const controlPlane: readonly Experiment[] = [controllerManager, schedulerKilled, schedulerStopped, ...storages, stopped, ...wrong, limited];
