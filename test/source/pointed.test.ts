import { describe, expect, test } from 'vitest';
import { RESOURCES } from '../../src/model/resources.ts';
import { reply } from './api-double.ts';
import { doubles, meta, pod, world } from './cluster-world.ts';

const { open, start } = doubles();

const resources = [...RESOURCES, { group: 'db.example.com', version: 'v1', resource: 'databases', kind: 'Database', namespaced: true }];
const LEFT = { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['db.example.com/cleanup'] };
const database = (name: string, more: object = {}) => ({ apiVersion: 'db.example.com/v1', kind: 'Database', metadata: meta(name, more), spec: { size: 3 }, status: { phase: 'Deleting' } });
const now = () => new Date().toISOString();
const warning = (apiVersion: string, kind: string, name: string, lastTimestamp = now()) =>
  ({ apiVersion: 'v1', kind: 'Event', metadata: meta(`e-${name}`), type: 'Warning', reason: 'Failed', message: 'no', lastTimestamp, involvedObject: { apiVersion, kind, namespace: 'orders', name, uid: `uid-${name}` } });

describe('what no scope is read for', () => {
  test('is not asked for while nothing points at it', async () => {
    const quiet = await start({ resources, objects: world(pod('a'), database('stuck', LEFT)) });
    await open(quiet);
    const old = await start({ resources, objects: world(pod('a'), database('stuck', LEFT), warning('db.example.com/v1', 'Database', 'main', '2026-01-01T00:00:00Z'), warning('v1', 'Pod', 'a')) });
    await open(old);
    expect(old.asked.length).toBe(quiet.asked.length);
    expect(old.asked.length).toBeLessThanOrEqual(25);
    expect(old.asked.some((path) => path.includes('databases'))).toBe(false);
  });

  test('is read where a warning is about one of its kind: that one whole, of the others what is being deleted', async () => {
    const double = await start({ resources, objects: world(pod('a'), database('main'), database('well'), database('stuck', LEFT), warning('db.example.com/v1', 'Database', 'main')) });
    const { snapshot } = await open(double);
    expect(snapshot.seen('Database.db.example.com').map(({ metadata, spec }) => [metadata.name, spec])).toEqual([['main', { size: 3 }], ['stuck', { size: 3 }]]);
    expect(double.asked).toContain('/apis/db.example.com/v1/namespaces/orders/databases?limit=500');
    // A list that leaves out the rest proves nothing of the rest.
    expect(snapshot.get('Database.db.example.com', 'orders', 'gone').state).toBe('unknown');
    expect(snapshot.gap('Database.db.example.com', 'orders')?.reason).toBe('not-collected');
    expect(double.asked.some((path) => path.startsWith('/apis/apps/v1/deployments'))).toBe(true);
  });

  test('a ConfigMap is never read with its content', async () => {
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('settings', LEFT), data: { password: 'c2VjcmV0' } };
    const double = await start({ objects: world(pod('a'), settings, warning('v1', 'ConfigMap', 'other')) });
    const { snapshot } = await open(double);
    expect(snapshot.seen('ConfigMap').map(({ metadata }) => metadata.name)).toEqual(['settings']);
    expect(JSON.stringify(snapshot.seen('ConfigMap'))).not.toContain('c2VjcmV0');
  });

  test('a definition that is being deleted leads to its instances, where everything is asked for', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'databases.db.example.com', uid: 'crd', deletionTimestamp: LEFT.deletionTimestamp, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] }, spec: { group: 'db.example.com', scope: 'Namespaced', names: { kind: 'Database', plural: 'databases' }, versions: [{ name: 'v1', served: true, storage: true }] } };
    const other = { ...crd, metadata: { name: 'others.db.example.com', uid: 'crd2' } };
    const double = await start({ resources, objects: world(pod('a'), crd, other, database('well'), database('stuck', LEFT)) });
    const { snapshot } = await open(double, { all: true });
    expect(snapshot.seen('CustomResourceDefinition').map(({ metadata }) => metadata.name)).toEqual(['databases.db.example.com']);
    expect(snapshot.seen('Database.db.example.com').map(({ metadata, spec }) => [metadata.name, spec])).toEqual([['stuck', { size: 3 }]]);
  });

  test('a refused list of them hides nothing else', async () => {
    const double = await start({ resources, objects: world(pod('a'), warning('v1', 'ConfigMap', 'other')), intercept: (url, response) =>
      (url.pathname.includes('/configmaps') ? reply(response, 403, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message: 'configmaps is forbidden', code: 403 }) : undefined) });
    const { snapshot } = await open(double);
    expect(snapshot.gap('Pod', 'orders')).toBe(null);
  });
});
