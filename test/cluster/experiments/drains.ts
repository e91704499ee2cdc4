import { apply, call, get, type Obj, patch, pathOf, type Reply, waitForObject } from '../api.ts';
import { NODES } from '../layout.ts';
import { waitFor } from '../wait.ts';
import type { Experiment } from './experiment.ts';
import { daemonSet, deployment, webContainer } from './objects.ts';
import { condition, LIMIT, pods, untilAvailable, untilNode, untilNodeReady, untilPods } from './observe.ts';

const EMPTIED = 'node-2';

const untilTainted = (name: string): Promise<Obj> => untilNode(name, 'cordoned', (node) => node.spec.taints?.some((taint: Obj) => taint.key === 'node.kubernetes.io/unschedulable'));

async function cordon(...names: string[]): Promise<void> {
  for (const name of names) await patch('v1', 'Node', '', name, { spec: { unschedulable: true } });
  for (const name of names) await untilTainted(name);
}

async function uncordon(): Promise<void> {
  for (const { name } of NODES) await patch('v1', 'Node', '', name, { spec: { unschedulable: null } });
  for (const { name } of NODES) await untilNodeReady(name);
}

/** What `kubectl drain` asks for each pod. */
const evict = async (ns: string, name: string): Promise<Reply> =>
  call('POST', `${await pathOf('v1', 'Pod', ns, name)}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace: ns, name } });

/** One pod of `web` on each node. */
async function spread(ns: string): Promise<void> {
  const topologySpreadConstraints = [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: { app: 'web' } } }];
  await apply(deployment(ns, 'web', { replicas: NODES.length, container: webContainer(), pod: { topologySpreadConstraints } }));
  await untilAvailable(ns, 'web');
}

const on = (all: readonly Obj[], node: string): Obj[] => all.filter((pod) => pod.spec.nodeName === node);

const drained: Experiment = {
  id: 'E24-drained',
  covers: ['E24', 'K86', 'K90'],
  title: 'A node is cordoned and its pod evicted; the pod is made again on the other node',
  namespace: 'e24-drained',
  fixture: 'e24-drained',
  alone: true,
  arrange: async () => {
    await spread('e24-drained');
    await cordon(EMPTIED);
    for (const { metadata } of on(await pods('e24-drained'), EMPTIED)) {
      const { status, text } = await evict('e24-drained', metadata.name);
      if (status !== 201) throw new Error(`eviction of ${metadata.name}: ${status} ${text}`);
    }
  },
  until: async () => {
    await untilPods('e24-drained', `none on ${EMPTIED}`, (all) => on(all, EMPTIED).length === 0);
    await untilAvailable('e24-drained', 'web');
  },
  expect: { verdict: 'healthy', roots: [] },
  restore: uncordon,
};

const cordoned: Experiment = {
  id: 'E24-cordoned',
  covers: ['E24', 'K52', 'K61'],
  title: 'Every node is cordoned, so a new pod has none to go to',
  namespace: 'e24-cordoned',
  fixture: 'e24-every-node-cordoned',
  alone: true,
  arrange: async () => {
    await cordon(...NODES.map(({ name }) => name));
    await apply(deployment('e24-cordoned', 'web', { container: webContainer() }));
  },
  until: async () => {
    await untilPods('e24-cordoned', 'unschedulable', (all) => all.some((pod) => condition(pod, 'PodScheduled')?.reason === 'Unschedulable'));
  },
  expect: { verdict: 'failed', roots: [{ layer: 'scheduler', kind: 'Pod', name: /^web-/, says: [/cordon/, /\b2\b/] }] },
  restore: async () => {
    await uncordon();
    await untilAvailable('e24-cordoned', 'web');
  },
  healed: true,
};

const TAINT = { key: 'strata.test/dedicated', value: 'batch', effect: 'NoSchedule' };

const skipped: Experiment = {
  id: 'E22-daemonset',
  covers: ['E22', 'K77', 'K90'],
  title: 'A DaemonSet leaves out a node with a taint that it does not tolerate',
  namespace: 'e22-daemonset',
  fixture: 'e22-daemonset-on-tainted-nodes',
  alone: true,
  arrange: async () => {
    await patch('v1', 'Node', '', EMPTIED, { spec: { taints: [TAINT] } });
    await apply(daemonSet('e22-daemonset', 'agent'));
  },
  until: async () => {
    await waitForObject('apps/v1', 'DaemonSet', 'e22-daemonset', 'agent', (obj) => obj?.status?.desiredNumberScheduled === 1 && obj.status.numberAvailable === 1, LIMIT);
  },
  expect: { verdict: 'healthy', roots: [] },
  restore: async () => {
    await patch('v1', 'Node', '', EMPTIED, { spec: { taints: null } });
    await untilNodeReady(EMPTIED);
  },
};

const budget: Experiment = {
  id: 'E22-pdb',
  covers: ['E22', 'K78'],
  title: 'A drain waits for an eviction that a PodDisruptionBudget refuses',
  namespace: 'e22-pdb',
  fixture: 'e22-pdb-blocks-drain',
  alone: true,
  arrange: async () => {
    await spread('e22-pdb');
    await apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: 'e22-pdb', name: 'web' },
      spec: { minAvailable: NODES.length, selector: { matchLabels: { app: 'web' } } },
    });
    await waitForObject('policy/v1', 'PodDisruptionBudget', 'e22-pdb', 'web', (obj) => obj?.status?.currentHealthy === NODES.length, LIMIT);
    await cordon(EMPTIED);
  },
  until: async () => {
    const [held] = on(await pods('e22-pdb'), EMPTIED);
    await waitFor(
      'two minutes of refused evictions',
      async () => {
        const { status, text } = await evict('e22-pdb', held.metadata.name);
        if (status !== 429) return { saw: `${status} ${text}` };
        const node = await get('v1', 'Node', '', EMPTIED);
        const since = node.spec.taints.find((taint: Obj) => taint.key === 'node.kubernetes.io/unschedulable').timeAdded;
        return Date.now() - Date.parse(since) > 125_000 ? { done: held } : { saw: `${status}, cordoned since ${since}` };
      },
      180_000,
      5_000,
    );
  },
  expect: {
    verdict: 'failed',
    roots: [{ layer: 'controller', kind: 'PodDisruptionBudget', name: /^web$/, says: [/node-2/, /cordoned/], certainty: 'likely' }],
  },
  restore: uncordon,
};

export const drains: readonly Experiment[] = [drained, cordoned, skipped, budget];
