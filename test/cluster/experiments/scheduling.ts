import { apply, get, type Obj, remove } from '../api.ts';
import { NODES } from '../layout.ts';
import type { Experiment } from './experiment.ts';
import { container, deployment, service, webContainer } from './objects.ts';
import { condition, pods, untilAvailable, untilPods, untilSlices } from './observe.ts';

const unschedulable = (ns: string): Promise<unknown> =>
  untilPods(ns, 'one unschedulable', (all) => all.some((pod) => condition(pod, 'PodScheduled')?.reason === 'Unschedulable'));

/** In thousandths of a core: "2" is 2000, "1900m" is 1900. */
const millis = (cpu: string): number => (cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1000);

const slowToReady = webContainer({
  command: ['sh', '-c', 'sleep 3; touch /warm; exec httpd -f -p 8080 -h /www'],
  readinessProbe: { exec: { command: ['cat', '/warm'] }, periodSeconds: 1 },
});

let deleted = '';

const deletedPod: Experiment = {
  id: 'E3',
  covers: ['E3', 'K2', 'K3', 'K90'],
  title: 'A pod is deleted and replaced; both had failing probes while they warmed up',
  namespace: 'e3',
  fixture: 'healthy-pod-replaced',
  arrange: async () => {
    await apply([deployment('e3', 'web', { replicas: 2, container: slowToReady }), service('e3', 'web', {})]);
    await untilAvailable('e3', 'web');
    deleted = (await pods('e3', 'web'))[0]?.metadata.name;
    await remove('v1', 'Pod', 'e3', deleted);
  },
  until: async () => {
    await untilPods('e3', `${deleted} gone`, (all) => all.every((pod) => pod.metadata.name !== deleted));
    await untilAvailable('e3', 'web');
    await untilSlices('e3', 'web', 'two ready', ([slice]) => slice?.endpoints?.length === 2 && slice.endpoints.every((e: Obj) => e.conditions.ready));
  },
  expect: { verdict: 'healthy', roots: [] },
};

const selector: Experiment = {
  id: 'E4',
  covers: ['E4', 'K13', 'K52', 'K61'],
  title: 'nodeSelector that no node has',
  namespace: 'e4',
  fixture: 'e4-node-selector',
  lasts: 35,
  arrange: async () => {
    await apply(deployment('e4', 'search', { pod: { nodeSelector: { disktype: 'nvme' } } }));
  },
  until: async () => {
    await unschedulable('e4');
  },
  expect: {
    verdict: 'failed',
    roots: [{ layer: 'scheduler', kind: 'Pod', name: /^search-/, says: [/disktype/, /\b2\b/] }],
  },
};

const tooLarge: Experiment = {
  id: 'E5-large',
  covers: ['E5', 'K13', 'K60', 'K61'],
  title: 'Requests larger than any node',
  namespace: 'e5-large',
  fixture: 'e5-larger-than-any-node',
  lasts: 35,
  arrange: async () => {
    await apply(deployment('e5-large', 'warehouse', { container: container({ resources: { requests: { cpu: '500', memory: '64Mi' } } }) }));
  },
  until: async () => {
    await unschedulable('e5-large');
  },
  expect: { verdict: 'failed', roots: [{ layer: 'scheduler', kind: 'Pod', name: /^warehouse-/, says: [/cpu/i, /500/] }] },
};

const PER_NODE = 2;

const sumTooLarge: Experiment = {
  id: 'E5-sum',
  covers: ['E5', 'K13', 'K60', 'K61'],
  title: 'Each pod fits a node, all together do not',
  namespace: 'e5-sum',
  fixture: 'e5-sum-too-large',
  lasts: 35,
  arrange: async () => {
    const node = await get('v1', 'Node', '', NODES[0]?.name ?? '');
    const cpu = `${Math.floor(millis(node.status.allocatable.cpu) / (PER_NODE + 0.5))}m`;
    const replicas = NODES.length * PER_NODE + 1;
    await apply(deployment('e5-sum', 'pricing', { replicas, container: container({ resources: { requests: { cpu } } }) }));
  },
  until: async () => {
    await unschedulable('e5-sum');
    await untilPods('e5-sum', 'all others ready', (all) => all.filter((pod) => condition(pod, 'Ready')?.status === 'True').length === NODES.length * PER_NODE);
  },
  expect: { verdict: 'failed', roots: [{ layer: 'scheduler', kind: 'Pod', name: /^pricing-/, says: [/cpu/i] }] },
};

export const scheduling: readonly Experiment[] = [deletedPod, selector, tooLarge, sumTooLarge];
