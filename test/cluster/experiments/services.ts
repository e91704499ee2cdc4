import { apply } from '../api.ts';
import type { Experiment } from './experiment.ts';
import { deployment, service, webContainer } from './objects.ts';
import { untilAvailable, untilSlices } from './observe.ts';

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

export const services: readonly Experiment[] = [selector, portName];
