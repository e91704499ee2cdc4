import { apply, type Obj, patch, remove, waitForObject } from '../api.ts';
import type { Experiment } from './experiment.ts';
import { container, deployment } from './objects.ts';
import { LIMIT, pods, untilAvailable, untilEvent, untilPods } from './observe.ts';

const GRACE = 600;
const FINALIZER = 'strata.test/deregister';

const pod = (ns: string, name: string, metadata: Obj, spec: Obj): Obj => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: ns, name, ...metadata },
  spec: { terminationGracePeriodSeconds: 1, containers: [container()], ...spec },
});

const untilRunning = (ns: string): Promise<unknown> => untilPods(ns, 'running', (all) => all.length > 0 && all.every((each) => each.status.phase === 'Running'));

const hooked = container({ lifecycle: { preStop: { exec: { command: ['sleep', String(GRACE)] } } } });

/** With `Recreate` the new pod is made only when the old one is gone. */
const recreated = (box: Obj): Obj =>
  deployment('e23-prestop', 'worker', { pod: { terminationGracePeriodSeconds: GRACE, containers: [box] }, spec: { strategy: { type: 'Recreate' } } });

const preStop: Experiment = {
  id: 'E23-prestop',
  passes: true,
  covers: ['E23', 'K59', 'K81', 'K90'],
  title: 'A rollout waits for a pod whose preStop hook takes as long as its grace period',
  namespace: 'e23-prestop',
  fixture: 'e23-prestop-within-grace',
  arrange: async () => {
    await apply(recreated(hooked));
    await untilAvailable('e23-prestop', 'worker');
    await apply(recreated(container()));
  },
  until: async () => {
    await untilEvent('e23-prestop', 'Pod', 'Killing');
    await untilPods('e23-prestop', 'terminating and running', ([each]) => each?.metadata.deletionTimestamp && each.status.phase === 'Running');
  },
  expect: { verdict: 'progressing', roots: [] },
  restore: async () => {
    for (const { metadata } of await pods('e23-prestop')) await remove('v1', 'Pod', 'e23-prestop', metadata.name, { gracePeriodSeconds: 0 });
  },
};

/** Whoever owns a finalizer of a pod is given half a minute past the pod's grace period. */
const untilOverdue = (ns: string, name: string): Promise<Obj> =>
  waitForObject('v1', 'Pod', ns, name, (obj) => Date.now() - Date.parse(obj?.metadata.deletionTimestamp) > 65_000, LIMIT);

async function letGo(ns: string): Promise<void> {
  for (const { metadata } of await pods(ns)) await patch('v1', 'Pod', ns, metadata.name, { metadata: { finalizers: null } });
}

const finalizer: Experiment = {
  id: 'E23-finalizer',
  covers: ['E23', 'K59', 'K76'],
  title: 'A pod is deleted, and nobody removes its finalizer',
  namespace: 'e23-finalizer',
  fixture: 'e23-pod-finalizer',
  arrange: async () => {
    await apply(pod('e23-finalizer', 'worker', { finalizers: [FINALIZER] }, {}));
    await untilRunning('e23-finalizer');
    await remove('v1', 'Pod', 'e23-finalizer', 'worker');
  },
  until: async () => {
    await untilOverdue('e23-finalizer', 'worker');
  },
  expect: { verdict: 'failed', roots: [{ layer: 'finalizer', kind: 'Pod', name: /^worker$/, says: [/strata\.test\/deregister/] }] },
  restore: () => letGo('e23-finalizer'),
};

const foreground: Experiment = {
  id: 'E23-foreground',
  covers: ['E23', 'K59', 'K76'],
  title: 'A Deployment is deleted in the foreground, and a finalizer keeps its pod',
  namespace: 'e23-foreground',
  fixture: 'e23-foreground-deletion',
  arrange: async () => {
    const made = deployment('e23-foreground', 'web');
    made.spec.template.metadata.finalizers = [FINALIZER];
    await apply(made);
    await untilAvailable('e23-foreground', 'web');
    await remove('apps/v1', 'Deployment', 'e23-foreground', 'web', { propagationPolicy: 'Foreground' });
  },
  until: async () => {
    const [held] = await untilPods('e23-foreground', 'marked deleted', (all) => all.length === 1 && all[0]?.metadata.deletionTimestamp);
    await untilOverdue('e23-foreground', held.metadata.name);
    await waitForObject('apps/v1', 'Deployment', 'e23-foreground', 'web', (obj) => obj?.metadata.finalizers?.includes('foregroundDeletion'), LIMIT);
  },
  expect: {
    verdict: 'failed',
    roots: [{ layer: 'finalizer', kind: 'Pod', name: /^web-/, says: [/strata\.test\/deregister/] }],
    effects: [{ kind: 'Deployment', name: /^web$/ }],
  },
  restore: async () => {
    await letGo('e23-foreground');
    await waitForObject('apps/v1', 'Deployment', 'e23-foreground', 'web', (obj) => obj === undefined, LIMIT);
  },
};

export const terminating: readonly Experiment[] = [preStop, finalizer, foreground];
