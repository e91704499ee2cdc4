import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/model/kinds.ts';
import { identify } from '../../src/source/identities.ts';

const object = (kind: string, name: string, more: Record<string, unknown> = {}): KubeObject =>
  ({ apiVersion: kind === 'Pod' || kind === 'Event' ? 'v1' : 'apps/v1', kind, metadata: { name, namespace: 'shop', ...more } });
const owner = (kind: string, name: string, more: Record<string, unknown> = {}) => ({ apiVersion: 'apps/v1', kind, name, ...more });

describe('objects without uid', () => {
  it('take the uid that a reference to them tells', () => {
    const set = object('ReplicaSet', 'web-1');
    identify([set, object('Pod', 'web-1-a', { uid: 'p1', ownerReferences: [owner('ReplicaSet', 'web-1', { uid: 'r1', controller: true })] })]);
    expect(set.metadata.uid).toBe('r1');
  });

  it('are left without one where references differ: the name has had several lives', () => {
    const set = object('ReplicaSet', 'web-1');
    identify([set, ...['r1', 'r2'].map((uid, i) => object('Pod', `web-1-${i}`, { ownerReferences: [owner('ReplicaSet', 'web-1', { uid, controller: true })] }))]);
    expect(set.metadata.uid).toBeUndefined();
  });

  it('are joined by kind and name where nothing tells one, and their sole maker is the controller', () => {
    const set = object('ReplicaSet', 'web-1');
    const pod = object('Pod', 'web-1-a', { ownerReferences: [owner('ReplicaSet', 'web-1')] });
    identify([pod, set]);
    expect(pod.metadata.ownerReferences).toEqual([{ ...owner('ReplicaSet', 'web-1'), uid: set.metadata.uid, controller: true }]);
    expect(set.metadata.uid).toBe('ReplicaSet/shop/web-1');
  });

  it('keep to their namespace and their group', () => {
    const elsewhere = object('ReplicaSet', 'web-1', { namespace: 'other' });
    const namesake = { ...object('ReplicaSet', 'web-1'), apiVersion: 'acme.example/v1' };
    identify([elsewhere, namesake, object('Pod', 'web-1-a', { ownerReferences: [owner('ReplicaSet', 'web-1', { uid: 'r1' })] })]);
    expect([elsewhere.metadata.uid, namesake.metadata.uid]).toEqual([undefined, undefined]);
  });

  it('take what their events tell, and damaged references say nothing', () => {
    const pod = object('Pod', 'web-1-a', { ownerReferences: [null, 7, {}] });
    identify([pod, { ...object('Event', 'e'), involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-1-a', uid: 'p9' } }]);
    expect(pod.metadata.uid).toBe('p9');
  });
});

it('objects that carry their uid are left as they are', () => {
  const pod = object('Pod', 'web-1-a', { uid: 'p1', ownerReferences: [owner('ReplicaSet', 'web-1', { uid: 'old', controller: true })] });
  const set = object('ReplicaSet', 'web-1', { uid: 'new' });
  const before = structuredClone([pod, set]);
  identify([pod, set]);
  expect([pod, set]).toEqual(before);
});
