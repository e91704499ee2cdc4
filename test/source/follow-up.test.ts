import { describe, expect, test } from 'vitest';
import { type Double, reply, status } from './api-double.ts';
import { RESOURCES } from '../../src/model/resources.ts';
import { followSource } from '../../src/source/index.ts';
import { doubles, meta, pod, node, world, space } from './cluster-world.ts';

const { empty, open, start } = doubles();

describe('reading on where something is wrong', () => {
  const asked = (double: Double) => new Set(double.asked.map((path) => path.replace(/\?.*/, '')));

  test('a webhook that refuses leads to its configuration, its Service and the pods behind it', async () => {
    const double = await start({
      objects: world(
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          metadata: meta('web-1'),
          spec: { replicas: 1 },
          status: { replicas: 0, observedGeneration: 1 },
        },
        {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: meta('e'),
          type: 'Warning',
          reason: 'FailedCreate',
          message: 'Error creating: Internal error occurred: failed calling webhook "guard.example.com": no endpoints',
          involvedObject: { kind: 'ReplicaSet', name: 'web-1', uid: 'uid-web-1' },
        },
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name: 'guard' },
          webhooks: [
            { name: 'guard.example.com', clientConfig: { service: { namespace: 'guards', name: 'guard' } } },
            { name: 'other.example.com', clientConfig: { service: { namespace: 'elsewhere', name: 'x' } } },
          ],
        },
      ),
    });
    const { snapshot } = await open(double);
    for (const path of ['/api/v1/namespaces/guards', '/api/v1/namespaces/guards/services', '/api/v1/namespaces/guards/pods', '/apis/discovery.k8s.io/v1/namespaces/guards/endpointslices', '/apis/coordination.k8s.io/v1/leases']) expect(asked(double)).toContain(path);
    expect(snapshot.get('Service', 'guards', 'guard').state).toBe('absent');
    expect(snapshot.get('Namespace', undefined, 'guards').state).toBe('absent');
    expect([...asked(double)].some((path) => path.includes('elsewhere'))).toBe(false);
  });

  test('nothing behind a webhook that answered, nor behind another of its name that was not called', async () => {
    const hooks = (name: string) => ({ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name }, webhooks: [{ name: 'guard.example.com', clientConfig: { service: { namespace: name, name: 'guard' } } }] });
    const refused = async (message: string) => {
      const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: meta('web-1'), spec: { replicas: 1 }, status: { replicas: 0, observedGeneration: 1 } };
      const event = { apiVersion: 'v1', kind: 'Event', metadata: meta('e'), type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${message}`, involvedObject: { kind: 'ReplicaSet', name: 'web-1', uid: 'uid-web-1' } };
      const double = await start({ objects: world(set, event, hooks('guards'), hooks('elsewhere')) });
      await open(double);
      return [...asked(double)];
    };
    const denied = await refused('admission webhook "guard.example.com" denied the request: no owner');
    expect(denied).toContain('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations');
    expect(denied.filter((path) => /guards|elsewhere/.test(path))).toEqual([]);
    const called = await refused('Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.guards.svc:443/v?timeout=10s": context deadline exceeded');
    expect(called).toContain('/api/v1/namespaces/guards/services');
    expect(called.filter((path) => path.includes('elsewhere'))).toEqual([]);
    const changed = await refused('Pod "web-1-x" is invalid: spec.containers[0].image: Required value');
    expect(changed).toContain('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations');
  });

  test('a pod refused for its configuration: the objects it names, by metadata, and keys only where a key is missing', async () => {
    const waiting = (message: string) => pod('a', {
      spec: { nodeName: 'n1', containers: [{ name: 'c', env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'db', key: 'pw' } } }], envFrom: [{ configMapRef: { name: 'settings' } }] }] },
      status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }], containerStatuses: [{ name: 'c', state: { waiting: { reason: 'CreateContainerConfigError', message } } }] },
    });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: meta('db'), data: { user: 'c2VjcmV0LXVzZXI=' } };
    const missing = await start({ objects: world(waiting('configmap "settings" not found'), secret) });
    const one = (await open(missing)).snapshot;
    expect(one.get('ConfigMap', 'orders', 'settings').state).toBe('absent');
    expect(one.get('Secret', 'orders', 'db').state).toBe('known');
    expect(one.get('Secret', 'orders', 'other').state).toBe('unknown');
    const key = await start({ objects: world(waiting('couldn\'t find key pw in Secret orders/db'), secret) });
    const two = (await open(key)).snapshot;
    expect(two.seen('Secret')[0]).toMatchObject({ data: { user: '' } });
    expect(JSON.stringify(two.seen('Secret'))).not.toContain('c2VjcmV0');
  });

  test('unscheduled pods ask for the room on all nodes; lost nodes for what runs there', async () => {
    const pending = pod('a', { spec: { containers: [{ name: 'c' }] }, status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available: 1 Insufficient cpu.' }] } });
    const double = await start({ objects: world(pending, pod('x', {}, { namespace: 'kube-system' })) });
    expect((await open(double)).snapshot.list('Pod').state).toBe('known');
    const lost = await start({ objects: world(node('n2', 'Unknown'), pod('b', { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } })) });
    await open(lost);
    expect(lost.asked).toContain('/api/v1/pods?limit=500&fieldSelector=spec.nodeName%3Dn2');
    expect(asked(lost)).toContain('/api/v1/namespaces/default/events');
  });

  test('an object read twice is there once, as it was last', async () => {
    let lists = 0;
    const pending = (phase: string) => pod('a', { status: { phase, conditions: [{ type: 'Ready', status: 'False' }] } });
    const double = await start({
      objects: world(pending('Pending'), pod('z')),
      intercept: (url, response) =>
        url.searchParams.has('fieldSelector')
          ? (lists++, reply(response, 200, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [pending('Running')] }))
          : undefined,
    });
    const { snapshot } = await open(double);
    expect(lists).toBeGreaterThan(0);
    expect(snapshot.seen('Pod').map((one) => [one.metadata.name, one.status?.phase])).toEqual([['a', 'Running'], ['z', 'Running']]);
  });

  test('a terminating namespace: what remains in it, found by discovery', async () => {
    const resources = [...RESOURCES, { group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true }];
    const double = await start({ resources, objects: [
      ...world().slice(1),
      { ...space('orders', { deletionTimestamp: '2026-01-01T00:00:00Z' }), status: { phase: 'Terminating', conditions: [
        { type: 'NamespaceContentRemaining', status: 'True', message: 'Some resources are remaining: secrets. has 1 resource instances, widgets.example.com has 1 resource instances' },
        { type: 'NamespaceFinalizersRemaining', status: 'True', message: 'Some content in the namespace has finalizers remaining: example.com/cleanup in 1 resource instances' },
      ] } },
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: meta('w', { finalizers: ['example.com/cleanup'], deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    ] });
    const { snapshot } = await open(double);
    expect(snapshot.seen('Widget.example.com').map((one) => one.metadata.finalizers)).toEqual([['example.com/cleanup']]);
    expect(asked(double)).toContain('/apis/apps/v1/deployments');
    expect(asked(double)).toContain('/apis/apiregistration.k8s.io/v1/apiservices');
  });

  test('a target of a type that only the server knows', async () => {
    const resources = [...RESOURCES, { group: 'db.example.com', version: 'v1', resource: 'databases', kind: 'Database', namespaced: true, short: ['db'] }];
    const double = await start({ resources, objects: world({ apiVersion: 'db.example.com/v1', kind: 'Database', metadata: meta('main') }) });
    const { snapshot, scope } = await open(double, { targets: ['db/main'] });
    expect(scope.targets).toEqual([{ kind: 'Database.db.example.com', name: 'main', namespace: 'orders' }]);
    expect(snapshot.seen('Database.db.example.com').length).toBe(1);
    await expect(open(double, { targets: ['frobs/x'] })).rejects.toThrow(/frobs/);
    await expect(open(double, { targets: ['frobs.db.example.com/x'] })).rejects.toThrow('This server serves the API group "db.example.com", and no resource type "frobs" in it');
    await expect(open(double, { targets: ['queues.v1.mq.example.com/x'] })).rejects.toThrow('This server does not serve the API group "mq.example.com"');
  });

  test('whoever follows one reads its definition too, once, and takes a refusal for what it is', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.db.example.com';
    const resources = [...RESOURCES, { group: 'db.example.com', version: 'v1', resource: 'databases', kind: 'Database', namespaced: true, short: ['db'] }];
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'databases.db.example.com', annotations: { 'krane.shopify.io/instance-rollout-conditions': 'true' } }, spec: { group: 'db.example.com', names: { kind: 'Database', plural: 'databases' } } };
    const objects = world({ apiVersion: 'db.example.com/v1', kind: 'Database', metadata: meta('main') }, crd);
    const follow = async (double: Double, ...targets: string[]) => {
      const followed = await followSource({ namespaces: ['orders'], kube: { kubeconfig: empty(), server: double.url }, targets, watch: false });
      try {
        return (await followed.next()).snapshot;
      } finally {
        followed.close();
      }
    };
    const double = await start({ resources, objects });
    expect((await follow(double, 'db/main')).seen('CustomResourceDefinition')[0]?.metadata.annotations).toEqual(crd.metadata.annotations);
    expect(double.asked.filter((each) => each.startsWith(path))).toHaveLength(1);
    const other = await start({ resources, objects });
    await follow(other, 'pod/web');
    await open(other, { targets: ['db/main'] });
    expect(asked(other)).not.toContain(path);
    const refusing = await start({ resources, objects, intercept: (url, response) => url.pathname === path && reply(response, 403, status(403, 'Forbidden', 'no')) });
    expect((await follow(refusing, 'db/main')).get('CustomResourceDefinition', undefined, 'databases.db.example.com')).toMatchObject({ state: 'unknown', why: { reason: 'forbidden' } });
  });

  test('a pending claim leads to its class, its driver and the driver\'s pods', async () => {
    const claim = (more: object = {}) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: meta('data'), spec: { storageClassName: 'fast' }, status: { phase: 'Pending' }, ...more });
    const fast = (mode: string) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'disk.example.com', volumeBindingMode: mode });
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'external-resizer-disk-example-com', namespace: 'storage' } };
    const held = await start({ objects: world(claim(), fast('Immediate'), lease) });
    await open(held);
    for (const path of ['/api/v1/persistentvolumes', '/apis/storage.k8s.io/v1/csidrivers', '/apis/storage.k8s.io/v1/csinodes', '/api/v1/namespaces/storage/pods']) expect(asked(held)).toContain(path);
    expect(asked(held)).not.toContain('/api/v1/pods');
    const silent = await start({ objects: world(claim(), fast('Immediate'), { ...lease, metadata: { name: 'other', namespace: 'x' } }) });
    expect((await open(silent)).snapshot.list('Pod').state).toBe('known');
    const waiting = await start({ objects: world(claim(), fast('WaitForFirstConsumer')) });
    await open(waiting);
    expect(asked(waiting)).not.toContain('/api/v1/persistentvolumes');
  });

  test('a control plane that renews no Lease: its pods', async () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta('web', { generation: 2 }),
      spec: { replicas: 1 },
      status: { observedGeneration: 1, availableReplicas: 1, updatedReplicas: 1 },
    };
    const lease = (renewTime: string) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'kube-controller-manager', namespace: 'kube-system' },
      spec: { renewTime },
    });
    const dead = await start({ objects: world(deployment, lease('2026-01-01T00:00:00.000000Z')) });
    await open(dead);
    expect(asked(dead)).toContain('/api/v1/namespaces/kube-system/pods');
    const alive = await start({ objects: world(deployment, lease(new Date().toISOString())) });
    await open(alive);
    expect(asked(alive)).not.toContain('/api/v1/namespaces/kube-system/pods');
  });

  test('certificates of an Ingress by one list of metadata; the budget holds with everything healthy at once', async () => {
    const ingress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: meta('web'),
      spec: { ingressClassName: 'x', tls: [{ secretName: 'cert' }] },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    };
    const kinds = ['Alpha', 'Beta', 'Gamma'];
    const resources = [...RESOURCES, ...kinds.map((kind) => ({ group: 'db.example.com', version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced: true }))];
    const owned = kinds.map((kind, i) => pod(`p${i}`, {}, { ownerReferences: [{ apiVersion: 'db.example.com/v1', kind, name: 'x', uid: 'x', controller: true }] }));
    const double = await start({ objects: world(ingress), resources });
    const { snapshot } = await open(double);
    expect(snapshot.get('Secret', 'orders', 'cert').state).toBe('absent');
    expect(double.asked.length).toBeLessThanOrEqual(25);
    const full = await start({ objects: world(ingress, ...owned), resources });
    await open(full);
    expect(full.asked.length).toBe(25);
  });

  test('slices that may not be read: the older Endpoints instead', async () => {
    const double = await start({ objects: world({ apiVersion: 'v1', kind: 'Endpoints', metadata: meta('web') }), intercept: (url, response) =>
      url.pathname.endsWith('/endpointslices') ? reply(response, 403, status(403, 'Forbidden', 'no')) : undefined });
    expect((await open(double)).snapshot.seen('Endpoints').length).toBe(1);
  });
});
