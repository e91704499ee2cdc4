import { apply, list } from '../api.ts';
import { breakCni, removeCni, writeCni } from '../cni.ts';
import { component } from '../components.ts';
import { NODES, nodeByName } from '../layout.ts';
import { waitFor } from '../wait.ts';
import type { Experiment, Root } from './experiment.ts';
import { deployment, service, webContainer } from './objects.ts';
import { LIMIT, untilAvailable, untilEvent, untilNode, untilNodeReady, untilPods } from './observe.ts';

const SICK = 'node-2';

const apart = (app: string): object => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' }],
    },
  },
});

/** One pod on each node, behind a Service. */
async function spread(ns: string): Promise<void> {
  await apply([deployment(ns, 'web', { replicas: NODES.length, container: webContainer(), pod: apart('web') }), service(ns, 'web', {})]);
  await untilAvailable(ns, 'web');
}

const sickNode = (layer: Root['layer'], ...says: RegExp[]): Experiment['expect'] => ({
  verdict: 'failed',
  roots: [{ layer, kind: 'Node', name: new RegExp(`^${SICK}$`), says }],
});

const kubelet: Experiment = {
  id: 'E14',
  covers: ['E14', 'K34', 'K58', 'K59'],
  title: 'A kubelet is killed: node lost, its pod marked deleted, the replacement has no node to go to',
  namespace: 'e14',
  fixture: 'e14-kubelet-killed',
  alone: true,
  arrange: async () => {
    await spread('e14');
    await component(`kubelet@${SICK}`).kill();
  },
  until: async () => {
    await untilNode(SICK, 'Ready Unknown', (_node, ready) => ready.status === 'Unknown');
    await untilPods('e14', 'one marked deleted, one pending', (all) => all.some((pod) => pod.metadata.deletionTimestamp) && all.some((pod) => pod.status.phase === 'Pending'));
  },
  expect: { ...sickNode('kubelet'), effects: [{ kind: 'Pod', name: /^web-/ }] },
  restore: async () => {
    await component(`kubelet@${SICK}`).start();
    await untilNodeReady(SICK);
    await untilAvailable('e14', 'web');
  },
  healed: 'healthy-after-node-lost',
};

const runtime: Experiment = {
  id: 'E15-containerd',
  covers: ['E15', 'K35', 'K58'],
  title: 'containerd of a node is killed',
  namespace: 'e15-containerd',
  fixture: 'e15-containerd-killed',
  alone: true,
  arrange: async () => {
    await spread('e15-containerd');
    await component(`containerd@${SICK}`).kill();
  },
  until: async () => {
    await untilNode(SICK, 'runtime down', (_node, ready) => ready.status === 'False' && /container runtime is down/.test(ready.message));
  },
  expect: sickNode('cri', /runtime/i),
  restore: async () => {
    await component(`containerd@${SICK}`).start();
    await untilNodeReady(SICK);
    await untilAvailable('e15-containerd', 'web');
  },
  healed: true,
};

const noNetwork: Experiment = {
  id: 'E15-cni-missing',
  covers: ['E15', 'K36', 'K58'],
  title: 'The CNI configuration of a node is gone',
  namespace: 'e15-cni-missing',
  fixture: 'e15-cni-missing',
  alone: true,
  arrange: async () => {
    await spread('e15-cni-missing');
    removeCni(nodeByName(SICK));
  },
  until: async () => {
    // A node that has joined within the last two minutes is rightly given time: in a cluster that has just come up it is still one.
    await untilNode(SICK, 'no new node any more', ({ metadata }) => Date.now() - Date.parse(metadata.creationTimestamp) > 125_000);
    await untilNode(SICK, 'network not ready', (_node, ready) => ready.status === 'False' && /NetworkPluginNotReady/.test(ready.message));
    await untilPods('e15-cni-missing', 'one pending', (all) => all.some((pod) => pod.status.phase === 'Pending'));
  },
  expect: sickNode('cni', /network/i),
  restore: async () => {
    writeCni(nodeByName(SICK));
    await untilNodeReady(SICK);
    await untilAvailable('e15-cni-missing', 'web');
  },
  healed: true,
};

const failingPlugin: Experiment = {
  id: 'E15-cni-failing',
  covers: ['E15', 'K15', 'K36'],
  title: 'A CNI plugin refuses every pod of a node',
  namespace: 'e15-cni-failing',
  fixture: 'e15-cni-failing',
  alone: true,
  arrange: async () => {
    breakCni(nodeByName(SICK), 'strata-policy', 'policy agent: dial unix /run/strata-policy.sock: connect: connection refused');
    await apply(deployment('e15-cni-failing', 'web', { replicas: 2, container: webContainer(), pod: { nodeSelector: { 'kubernetes.io/hostname': SICK } } }));
  },
  until: async () => {
    await untilEvent('e15-cni-failing', 'Pod', 'FailedCreatePodSandBox', /policy agent/);
    await untilPods('e15-cni-failing', 'both without a sandbox', (all) => all.length === 2 && all.every((pod) => pod.status.phase === 'Pending' && pod.spec.nodeName));
    // Each failure is its own event, because the sandbox's id is in the text. The first one may be that of a node that only just starts.
    await waitFor(
      'two refusals of each pod',
      async () => {
        const events = (await list('v1', 'Event', 'e15-cni-failing')).filter((e) => e.reason === 'FailedCreatePodSandBox');
        const counts = new Map<string, number>();
        for (const { involvedObject } of events) counts.set(involvedObject.uid, (counts.get(involvedObject.uid) ?? 0) + 1);
        return counts.size === 2 && [...counts.values()].every((count) => count >= 2) ? { done: true } : { saw: [...counts] };
      },
      LIMIT,
    );
  },
  expect: { verdict: 'failed', roots: [{ layer: 'cni', kind: 'Pod', name: /^web-/, says: [/policy agent/] }] },
  restore: async () => {
    writeCni(nodeByName(SICK));
    await untilAvailable('e15-cni-failing', 'web');
  },
  healed: 'healthy-after-sandbox-failures',
};

export const nodes: readonly Experiment[] = [kubelet, runtime, noNetwork, failingPlugin];
