import { apply, type Obj } from '../api.ts';
import type { Experiment, Root } from './experiment.ts';
import { container, deployment } from './objects.ts';
import { condition, untilContainer, untilEvent, untilPods } from './observe.ts';

function missing(id: string, title: string, root: Omit<Root, 'kind' | 'name'>, setup: Obj[], pod: Obj, until: (ns: string) => Promise<unknown>): Experiment {
  const ns = id.toLowerCase();
  return {
    id,
    covers: ['E9', 'K14', 'K53', 'K82'],
    title,
    namespace: ns,
    fixture: ns,
    // A volume is given a minute.
    lasts: 65,
    arrange: async () => {
      for (const obj of setup) obj.metadata.namespace = ns;
      await apply([...setup, deployment(ns, 'billing', { pod })]);
    },
    until: async () => {
      await until(ns);
    },
    expect: { verdict: 'failed', roots: [{ kind: 'Pod', name: /^billing-/, ...root }] },
  };
}

const configError = (ns: string): Promise<unknown> =>
  untilContainer(ns, 'cannot be configured', (status) => status.state.waiting?.reason === 'CreateContainerConfigError');

const configMap = missing(
  'E9-configmap',
  'The ConfigMap of the environment is not there',
  { layer: 'kubelet', says: [/billing-settings/] },
  [],
  { containers: [container({ envFrom: [{ configMapRef: { name: 'billing-settings' } }] })] },
  configError,
);

const secretKey = missing(
  'E9-secret-key',
  'The Secret is there, the key is not',
  { layer: 'kubelet', says: [/billing-db/, /password/] },
  [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'billing-db' }, stringData: { user: 'billing' } }],
  { containers: [container({ env: [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'billing-db', key: 'password' } } }] })] },
  configError,
);

const volume = missing(
  'E9-volume',
  'The ConfigMap of a volume is not there',
  { layer: 'kubelet', says: [/billing-files/] },
  [],
  {
    containers: [container({ volumeMounts: [{ name: 'files', mountPath: '/etc/billing' }] })],
    volumes: [{ name: 'files', configMap: { name: 'billing-files' } }],
  },
  (ns) => untilEvent(ns, 'Pod', 'FailedMount', /configmap "billing-files" not found/),
);

const claim = missing(
  'E9-pvc',
  'The PersistentVolumeClaim is not there',
  { layer: 'scheduler', says: [/billing-data/] },
  [],
  {
    containers: [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'billing-data' } }],
  },
  (ns) => untilPods(ns, 'unschedulable', (all) => all.some((pod) => /billing-data/.test(condition(pod, 'PodScheduled')?.message ?? ''))),
);

export const references: readonly Experiment[] = [configMap, secretKey, volume, claim];
