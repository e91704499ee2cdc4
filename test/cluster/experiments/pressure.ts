import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apply, waitForObject } from '../api.ts';
import { nodeByName } from '../layout.ts';
import { kubeletRoot } from '../parts/kubelet.ts';
import type { Experiment } from './experiment.ts';
import { deployment, webContainer } from './objects.ts';
import { condition, LIMIT, untilAvailable, untilNode, untilNodeReady, untilPods } from './observe.ts';

const FULL = 'node-2';
const MiB = 1024 * 1024;
const filler = join(kubeletRoot(nodeByName(FULL)), 'filler');

/** The kubelet looks every ten seconds (`monitoringInterval`, pkg/kubelet/eviction), and evicts one pod each time. */
const disk: Experiment = {
  id: 'E24-disk',
  covers: ['E24', 'K58', 'K65', 'K71'],
  title: "A node's disk is full: its pod is evicted, and the replacement may not go there",
  namespace: 'e24-disk',
  fixture: 'e24-disk-pressure',
  alone: true,
  arrange: async () => {
    await apply(deployment('e24-disk', 'web', { container: webContainer(), pod: { nodeSelector: { 'kubernetes.io/hostname': FULL } } }));
    await untilAvailable('e24-disk', 'web');
    writeFileSync(filler, Buffer.alloc(225 * MiB, 1));
  },
  until: async () => {
    await untilNode(FULL, 'under disk pressure', (node) => condition(node, 'DiskPressure')?.status === 'True');
    await untilPods('e24-disk', 'one evicted, one unschedulable', (all) =>
      all.some((pod) => pod.status.reason === 'Evicted') && all.some((pod) => /taint/.test(condition(pod, 'PodScheduled')?.message ?? '')));
  },
  expect: {
    verdict: 'failed',
    roots: [{ layer: 'kubelet', kind: 'Node', name: /^node-2$/, says: [/DiskPressure/] }],
    effects: [{ kind: 'Pod', name: /^web-/ }, { kind: 'Deployment', name: /^web$/ }],
  },
  restore: async () => {
    rmSync(filler, { force: true });
    await untilNodeReady(FULL);
    // The evicted pod stays where it is, as its own memorial.
    await waitForObject('apps/v1', 'Deployment', 'e24-disk', 'web', (obj) => obj?.status?.availableReplicas === 1, LIMIT);
  },
  healed: 'healthy-after-disk-pressure',
};

export const pressures: readonly Experiment[] = [disk];
