import { apply, get, patch, remove, waitForObject } from '../api.ts';
import { waitFor } from '../wait.ts';
import type { Experiment } from './experiment.ts';
import { container, deployment } from './objects.ts';
import { LIMIT, condition, untilAvailable } from './observe.ts';

const GROUP = 'backup.strata.test';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `archives.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'archives', singular: 'archive', kind: 'Archive', listKind: 'ArchiveList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { bucket: { type: 'string' } } } } } },
      },
    ],
  },
};

const archive = (ns: string): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Archive',
  metadata: { namespace: ns, name: 'nightly', finalizers: [`${GROUP}/bucket-cleanup`] },
  spec: { bucket: 'nightly' },
});

const finalizer: Experiment = {
  id: 'E19-finalizer',
  covers: ['E19', 'K59', 'K76'],
  title: 'A namespace is deleted; in it a custom resource whose controller is gone',
  namespace: 'e19-finalizer',
  fixture: 'e19-finalizer',
  arrange: async () => {
    await apply(definition);
    await waitForObject('apiextensions.k8s.io/v1', 'CustomResourceDefinition', '', definition.metadata.name, (crd) => condition(crd, 'Established')?.status === 'True', LIMIT);
    await waitFor('archives served', async () => ({ done: await apply(archive('e19-finalizer')) }), LIMIT);
    await remove('v1', 'Namespace', '', 'e19-finalizer');
  },
  until: async () => {
    await waitForObject('v1', 'Namespace', '', 'e19-finalizer', (ns) => condition(ns, 'NamespaceFinalizersRemaining')?.status === 'True', LIMIT);
    // Whoever owns a finalizer is given a minute.
    await waitForObject(`${GROUP}/v1`, 'Archive', 'e19-finalizer', 'nightly', (obj) => Date.now() - Date.parse(obj?.metadata.deletionTimestamp) > 65_000, LIMIT);
  },
  expect: {
    verdict: 'failed',
    roots: [{ layer: 'finalizer', kind: 'Archive', name: /^nightly$/, says: [/bucket-cleanup/] }],
    effects: [{ kind: 'Namespace', name: /^e19-finalizer$/ }],
  },
  restore: async () => {
    if (await get(`${GROUP}/v1`, 'Archive', 'e19-finalizer', 'nightly')) {
      await patch(`${GROUP}/v1`, 'Archive', 'e19-finalizer', 'nightly', { metadata: { finalizers: null } });
    }
  },
};

const API = 'v1beta1.usage.strata.test';

const brokenApi: Experiment = {
  id: 'E19-apiservice',
  covers: ['E19', 'K41', 'K59', 'K71'],
  title: 'A namespace is deleted while an APIService has no backend',
  namespace: 'e19-apiservice',
  fixture: 'e19-apiservice',
  alone: true,
  arrange: async () => {
    await apply(deployment('e19-apiservice', 'web', { container: container() }));
    await untilAvailable('e19-apiservice', 'web');
    await apply({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: API },
      spec: {
        group: 'usage.strata.test',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: 'kube-system', name: 'usage', port: 443 },
      },
    });
    await waitForObject('apiregistration.k8s.io/v1', 'APIService', '', API, (api) => condition(api, 'Available')?.status === 'False', LIMIT);
    await remove('v1', 'Namespace', '', 'e19-apiservice');
  },
  until: async () => {
    await waitForObject('v1', 'Namespace', '', 'e19-apiservice', (ns) => condition(ns, 'NamespaceDeletionDiscoveryFailure')?.status === 'True', LIMIT);
  },
  expect: { verdict: 'failed', roots: [{ layer: 'api', kind: 'APIService', name: /^v1beta1\.usage\.strata\.test$/ }] },
  restore: async () => {
    await remove('apiregistration.k8s.io/v1', 'APIService', '', API);
    await waitForObject('v1', 'Namespace', '', 'e19-apiservice', (ns) => ns === undefined, LIMIT);
  },
};

export const namespaces: readonly Experiment[] = [finalizer, brokenApi];
