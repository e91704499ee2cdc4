import { apply, remove, waitForObject } from '../api.ts';
import { CLUSTER_DNS_IP } from '../layout.ts';
import type { Experiment } from './experiment.ts';
import { container, deployment, service, webContainer } from './objects.ts';
import { LIMIT, untilAvailable, untilContainer, untilSlices } from './observe.ts';

const selector: Experiment = {
  id: 'E21-selector',
  covers: ['E21', 'K19', 'K57'],
  title: "The Service's selector matches no pod",
  namespace: 'e21-selector',
  fixture: 'e21-selector',
  arrange: async () => {
    await apply([
      deployment('e21-selector', 'catalog', { replicas: 2, container: webContainer() }),
      service('e21-selector', 'catalog', { selector: { app: 'catalog', tier: 'web' } }),
    ]);
  },
  until: async () => {
    await untilAvailable('e21-selector', 'catalog');
    await untilSlices('e21-selector', 'catalog', 'empty', (slices) => slices.every((slice) => (slice.endpoints ?? []).length === 0));
  },
  expect: { verdict: 'failed', roots: [{ layer: 'service', kind: 'Service', name: /^catalog$/, says: [/tier/] }] },
};

const portName: Experiment = {
  id: 'E21-port',
  covers: ['E21', 'K19', 'K57'],
  title: 'The Service names a port that no container has',
  namespace: 'e21-port',
  fixture: 'e21-port-name',
  arrange: async () => {
    await apply([
      deployment('e21-port', 'catalog', { replicas: 2, container: webContainer() }),
      service('e21-port', 'catalog', { ports: [{ name: 'web', port: 80, targetPort: 'web' }] }),
    ]);
  },
  until: async () => {
    await untilAvailable('e21-port', 'catalog');
    await untilSlices('e21-port', 'catalog', 'no port', (slices) => slices.every((slice) => (slice.ports ?? []).length === 0));
  },
  expect: { verdict: 'failed', roots: [{ layer: 'service', kind: 'Service', name: /^catalog$/, says: [/web/] }] },
};

const labels = { 'k8s-app': 'kube-dns' };

const noDns: Experiment = {
  id: 'E21-dns',
  covers: ['E21', 'K39', 'K57', 'K85'],
  title: 'The cluster DNS is scaled to zero, and a container ends because a name does not resolve',
  namespace: 'e21-dns',
  fixture: 'e21-no-dns',
  // Every other pod of the cluster would be without names, too.
  alone: true,
  // A Service without endpoints is given a minute.
  lasts: 65,
  arrange: async () => {
    await apply([
      { ...deployment('kube-system', 'coredns', { replicas: 0 }), spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container()] } } } },
      {
        ...service('kube-system', 'kube-dns', { clusterIP: CLUSTER_DNS_IP, selector: labels, ports: [{ name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 }] }),
        metadata: { namespace: 'kube-system', name: 'kube-dns', labels },
      },
      service('e21-dns', 'orders', { selector: { app: 'catalog' } }),
      deployment('e21-dns', 'catalog', {
        container: webContainer({ command: ['sh', '-c', 'wget -q -O - http://orders.e21-dns.svc.cluster.local/'], terminationMessagePolicy: 'FallbackToLogsOnError' }),
      }),
    ]);
  },
  until: async () => {
    await untilSlices('kube-system', 'kube-dns', 'empty', (slices) => slices.every((slice) => (slice.endpoints ?? []).length === 0));
    await untilContainer('e21-dns', 'backing off', (status) => status.state.waiting?.reason === 'CrashLoopBackOff' && status.restartCount >= 2);
  },
  expect: {
    verdict: 'failed',
    roots: [{ layer: 'service', kind: 'Service', name: /^kube-dns$/, says: [/scaled to zero/] }],
    effects: [{ kind: 'Pod', name: /^catalog-/ }, { kind: 'Deployment', name: /^catalog$/ }],
  },
  restore: async () => {
    await remove('v1', 'Service', 'kube-system', 'kube-dns');
    await remove('apps/v1', 'Deployment', 'kube-system', 'coredns');
    await waitForObject('apps/v1', 'Deployment', 'kube-system', 'coredns', (obj) => obj === undefined, LIMIT);
  },
};

export const services: readonly Experiment[] = [selector, portName, noDns];
