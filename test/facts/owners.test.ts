import { describe, expect, it } from 'vitest';
import { controllerOf, controllerSubject, ownedBy, ownedList, ownerChain, topOwner } from '../../src/facts/owners.ts';
import { controlledBy, deployment, forbidden, node, pod, replicaSet, worldOf } from '../build.ts';

const web = deployment('web');
const set = replicaSet('web-7d8f', web);
const mine = pod('web-7d8f-a', { metadata: controlledBy(set) });
const bare = pod('web-7d8f-b');

describe('owners', () => {
  it('goes up and down by UID', () => {
    const world = worldOf([web, set, mine, bare]);
    expect(topOwner(world, mine)).toBe(web);
    expect(topOwner(world, bare)).toBeNull();
    expect(ownedBy(world, set.metadata.uid, 'Pod')).toEqual([mine]);
    expect(ownedBy(world, web.metadata.uid)).toEqual([set]);
  });

  it('takes a namesake with another UID for another object', () => {
    const later = replicaSet('web-7d8f', web, { metadata: { uid: 'later-life' } });
    const world = worldOf([web, later, mine]);
    expect(controllerOf(world, mine).state).toBe('absent');
    expect(ownedBy(world, 'later-life')).toEqual([]);
  });

  it('tells an owner that is gone from one that could not be read', () => {
    expect(controllerOf(worldOf([mine]), mine).state).toBe('absent');
    const closed = worldOf([mine], { coverage: [forbidden('ReplicaSet')] });
    expect(controllerOf(closed, mine)).toMatchObject({ state: 'unknown', why: { reason: 'forbidden' } });
    expect(ownedList(closed, web, 'ReplicaSet').state).toBe('unknown');
    expect(controllerSubject(mine)).toMatchObject({ kind: 'ReplicaSet', name: 'web-7d8f', namespace: 'shop' });
  });

  it('stops at a ring and finds owners that are cluster-wide', () => {
    const here = node('node-1');
    expect(topOwner(worldOf([here, pod('etcd-node-1', { metadata: controlledBy(here) })]), pod('etcd-node-1', { metadata: controlledBy(here) }))).toBe(here);
    const a = replicaSet('a', null, { metadata: { ownerReferences: [{ controller: true, kind: 'ReplicaSet', name: 'b', uid: 'replicaset-b' }] } });
    const b = replicaSet('b', null, { metadata: controlledBy(a) });
    expect(topOwner(worldOf([a, b]), a)?.metadata.name).toBe('b');
  });

  it('takes the first owner of what has no controller for who answers for it, but never that of a pod', () => {
    const plain = { ownerReferences: [{ kind: 'Deployment', name: 'web', uid: web.metadata.uid ?? '' }] };
    const made = replicaSet('made', null, { metadata: plain });
    const world = worldOf([web, set, mine, made]);
    expect(ownerChain(world, mine)).toEqual([set, web]);
    expect(ownerChain(world, made)).toEqual([web]);
    expect(topOwner(world, made)).toBeNull();
    expect(ownerChain(world, pod('helper', { metadata: plain }))).toEqual([]);
    const a = replicaSet('a', null, { metadata: { ownerReferences: [{ kind: 'ReplicaSet', name: 'b', uid: 'replicaset-b' }] } });
    const b = replicaSet('b', null, { metadata: { ownerReferences: [{ kind: 'ReplicaSet', name: 'a', uid: 'replicaset-a' }] } });
    expect(ownerChain(worldOf([a, b]), a)).toEqual([b]);
  });
});
