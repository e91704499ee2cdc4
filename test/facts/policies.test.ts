import { expect, test } from 'vitest';
import type { NetworkPolicy } from '../../src/model/kinds.ts';
import { wallsAround } from '../../src/facts/network/policies.ts';
import { forbidden, node, object, type Patch, pod, type SnapshotOptions, worldOf } from '../build.ts';

const web = pod('web-1', {
  metadata: { labels: { app: 'web' } },
  spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'i', ports: [{ name: 'http', containerPort: 8080 }] }] },
});
const host = node('node-1', {
  spec: { podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24', 'fd00:244:1::/64'] },
  status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }, { type: 'InternalIP', address: '2001:db8::11' }, { type: 'Hostname', address: 'node-1' }] },
});
const policy = (spec: Patch, name = 'p'): NetworkPolicy => object('networking.k8s.io/v1', 'NetworkPolicy', name, { spec: { podSelector: {}, ...spec } }) as NetworkPolicy;

const walls = (specs: Patch[], { of = web, nodes = [host], ...options }: SnapshotOptions & { of?: typeof web; nodes?: ReturnType<typeof node>[] } = {}): string[] =>
  wallsAround(worldOf([of, ...nodes, ...specs.map((spec, index) => policy(spec, `p${index}`))], options), of, 8080, 'TCP').map(({ object: { metadata } }) => metadata.name);

test('one that lets nothing in stands before the node, by whatever types it is one of ingress', () => {
  expect(walls([{}])).toEqual(['p0']);
  expect(walls([{ policyTypes: ['Ingress', 'Egress'] }])).toEqual(['p0']);
  expect(walls([{ policyTypes: ['Egress'], egress: [{}] }])).toEqual([]);
});

test('it must select the pod, which has a network of its own', () => {
  expect(walls([{ podSelector: { matchLabels: { app: 'db' } } }])).toEqual([]);
  expect(walls([{ podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } }])).toEqual(['p0']);
  expect(walls([{}], { of: pod('web-1', { spec: { hostNetwork: true } }) })).toEqual([]);
});

test('peers by labels are pods, and no node', () => {
  expect(walls([{ ingress: [{ from: [{ podSelector: {} }, { namespaceSelector: {} }] }] }])).toEqual(['p0']);
  expect(walls([{ ingress: [{}] }])).toEqual([]);
  expect(walls([{ ingress: [{ from: [] }] }])).toEqual([]);
});

test('a rule counts for its ports: number, name, range and protocol', () => {
  const by = (...ports: Patch[]): string[] => walls([{ ingress: [{ ports }] }]);
  expect(by({ port: 9090 })).toEqual(['p0']);
  expect(by({ port: 8080, protocol: 'UDP' })).toEqual(['p0']);
  expect(by({ port: 8080 })).toEqual([]);
  expect(by({ port: 'http' })).toEqual([]);
  expect(by({ port: 'metrics' })).toEqual(['p0']);
  expect(by({ port: 8000, endPort: 8100 })).toEqual([]);
  expect(by({ protocol: 'TCP' })).toEqual([]);
});

test('a range of addresses lets the node in by its own address or that of its bridge, of both families', () => {
  const from = (cidr: unknown, except: string[] = []): string[] => walls([{ ingress: [{ from: [{ ipBlock: { cidr, except } }] }] }]);
  expect(from('0.0.0.0/0')).toEqual([]);
  expect(from('192.0.2.0/24')).toEqual([]);
  expect(from('10.244.0.0/16')).toEqual([]);
  expect(from('2001:db8::/32')).toEqual([]);
  expect(from('fd00:244::/32')).toEqual([]);
  expect(from('198.51.100.0/24')).toEqual(['p0']);
  expect(from('0.0.0.0/0', ['192.0.2.0/24', '10.0.0.0/8'])).toEqual(['p0']);
  expect(from('no address')).toEqual(['p0']);
  expect(from(null)).toEqual(['p0']);
});

test('one that lets it in is enough, whatever the others say', () => {
  expect(walls([{}, { ingress: [{ ports: [{ port: 8080 }] }] }])).toEqual([]);
  expect(walls([{}, { ingress: [{ ports: [{ port: 9090 }] }] }])).toEqual(['p0', 'p1']);
});

test('what was not read says nothing: the policies, or where the node is', () => {
  expect(walls([{}], { coverage: [forbidden('NetworkPolicy', 'shop')] })).toEqual([]);
  expect(walls([{ ingress: [{ from: [{ ipBlock: { cidr: '198.51.100.0/24' } }] }] }], { nodes: [] })).toEqual([]);
});
