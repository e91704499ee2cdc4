import { describe, expect, it } from 'vitest';
import { gatewayFacts } from '../../src/facts/network/ingress-gateway.ts';
import { ingressFacts } from '../../src/facts/network/ingress.ts';
import { Unknown } from '../../src/model/read.ts';
import type { Coverage } from '../../src/model/coverage.ts';
import type { Ingress, KubeObject } from '../../src/model/kinds.ts';
import { before, forbidden, object, type Patch, service } from '../build.ts';
import { worldWith } from './texts.ts';

const to = (name: string, port: Patch) => ({ service: { name, port } });
const ingress = (spec: Patch, patch: Patch = {}): Ingress => object('networking.k8s.io/v1', 'Ingress', 'web', {
  spec: { ingressClassName: 'nginx', rules: [{ host: 'shop.example', http: { paths: [{ path: '/', backend: to('web', { number: 80 }) }] } }], ...spec }, ...patch,
}) as unknown as Ingress;
const nginx = object('networking.k8s.io/v1', 'IngressClass', 'nginx', {});
const web = service('web');
const of = (target: Ingress, objects: KubeObject[], coverage: Coverage[] = []) => ingressFacts(worldWith([target, ...objects], { coverage }), target);

describe('an Ingress', () => {
  const rule = (backend: Patch) => ({ rules: [{ host: 'shop.example', http: { paths: [{ path: '/', backend }] } }] });
  const cases: [string, Ingress, KubeObject[], string, Patch][] = [
    ['leads somewhere', ingress({}), [nginx, web], 'goal', { broken: [], classObject: { metadata: { name: 'nginx' } } }],
    ['its class does not exist', ingress({}), [web], 'select', { classAbsent: true }],
    ['its class does not exist, yet somebody serves it', ingress({}, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }), [web], 'goal', { classAbsent: false, address: true }],
    ['a class that its cloud serves', ingress({ ingressClassName: 'gce' }), [web], 'goal', {}],
    ['a class by annotation is no object', ingress({ ingressClassName: undefined }, { metadata: { annotations: { 'kubernetes.io/ingress.class': 'old' } } }), [web], 'goal', { className: 'old', classAbsent: false }],
    ['no class and no default', ingress({ ingressClassName: undefined }), [nginx, web], 'select', { unclaimed: true }],
    ['the Service is absent', ingress({}), [nginx], 'endpoints', { broken: [{ route: 'shop.example/', service: 'web', absent: true }] }],
    ['the port is absent', ingress(rule(to('web', { number: 8080 }))), [nginx, web], 'answer', { broken: [{ portAbsent: true, has: ['http 80'] }] }],
    ['the port by name', ingress(rule(to('web', { name: 'http' }))), [nginx, web], 'goal', {}],
    ['the old shape', ingress(rule({ serviceName: 'web', servicePort: 81 })), [nginx, web], 'answer', { broken: [{ port: '81' }] }],
    ['a resource backend', ingress(rule({ resource: { kind: 'Bucket', name: 'b' } })), [nginx], 'goal', { backends: [] }],
    ['its certificate is absent', ingress({ tls: [{ hosts: ['shop.example'], secretName: 'tls' }] }), [nginx, web], 'answer', { certificates: [{ secret: 'tls', absent: true }] }],
    ['just created', ingress({}, { metadata: { creationTimestamp: before(5) } }), [nginx], 'endpoints', { young: true }],
  ];
  it.each(cases)('%s', (_name, target, objects, at, fields) => {
    const facts = of(target, objects);
    expect(facts.at).toEqual([at]);
    expect(facts).toMatchObject(fields);
  });

  it('never takes what was not read for absent', () => {
    const blind = of(ingress({ tls: [{ secretName: 'tls' }] }), [], [forbidden('Service'), forbidden('IngressClass'), forbidden('Secret')]);
    expect(blind.at).toEqual(['goal']);
    expect(() => blind.backends[0]?.absent).toThrow(Unknown);
    expect(() => blind.classAbsent).toThrow(Unknown);
  });
});

describe('Gateways and routes', () => {
  const facts = (target: KubeObject, objects: KubeObject[] = [], coverage: Coverage[] = []) => gatewayFacts(worldWith([target, ...objects], { coverage }), target);
  const condition = (type: string, status: string, reason = '') => ({ type, status, reason, lastTransitionTime: before(900) });
  const gateway = (status: Patch): KubeObject => object('gateway.networking.k8s.io/v1', 'Gateway', 'edge', { spec: { gatewayClassName: 'mesh' }, status });
  const mesh = object('gateway.networking.k8s.io/v1', 'GatewayClass', 'mesh', {});
  const route = (port: number, status: Patch = {}): KubeObject => object('gateway.networking.k8s.io/v1', 'HTTPRoute', 'web', { spec: { rules: [{ backendRefs: [{ name: 'web', port }] }] }, status });

  const cases: [string, KubeObject, KubeObject[], string, Patch][] = [
    ['programmed', gateway({ conditions: [condition('Accepted', 'True'), condition('Programmed', 'True')] }), [mesh], 'goal', { silent: false }],
    ['no class', gateway({}), [], 'select', { classAbsent: true, silent: true }],
    ['a listener in conflict', gateway({ listeners: [{ name: 'https', conditions: [condition('Conflicted', 'True', 'HostnameConflict')] }] }), [mesh], 'condition', { failing: [{ type: 'Conflicted', evidence: { pointer: '/status/listeners/0/conditions/0' } }] }],
    ['a route its parent refuses', route(80, { parents: [{ parentRef: { name: 'edge' }, conditions: [condition('Accepted', 'False', 'NotAllowedByListeners')] }] }), [web], 'condition', { failing: [{ reason: 'NotAllowedByListeners' }] }],
    ['a route to an absent port', route(81), [web], 'answer', {}],
    ['a route to an absent Service', route(80), [], 'endpoints', {}],
  ];
  it.each(cases)('%s', (_name, target, objects, at, fields) => {
    expect(facts(target, objects).at).toEqual([at]);
    expect(facts(target, objects)).toMatchObject(fields);
  });
});
