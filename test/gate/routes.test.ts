import { describe, expect, test } from 'vitest';
import { forbidden, merge, object, type Patch, pod, service } from '../build.ts';
import { at, options, play, target } from './play.ts';

const CLASS = object('networking.k8s.io/v1', 'IngressClass', 'nginx', { metadata: { namespace: undefined } });
const ingress = (spec: Patch = {}, more: Patch = {}) => object('networking.k8s.io/v1', 'Ingress', 'web', merge<Patch>({
  metadata: { generation: 1, creationTimestamp: at(-100) },
  spec: { ingressClassName: 'nginx', rules: [{ host: 'shop.example', http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }] } }], ...spec },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } },
}, more));
const slice = (ready: boolean) => object('discovery.k8s.io/v1', 'EndpointSlice', 'web-x', {
  metadata: { labels: { 'kubernetes.io/service-name': 'web' } }, addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.5'], conditions: { ready }, targetRef: { kind: 'Pod', name: 'web-1', uid: 'pod-web-1' } }], ports: [{ name: 'http', port: 8080 }],
});
const behind = (ready: boolean) => [service('web'), pod('web-1', { metadata: { labels: { app: 'web' } } }), slice(ready)];
type Timeline = Parameters<typeof play>[1];
const run = (kind: string, timeline: Timeline) => {
  const { verdict, after, says, log } = play(options([target(kind, 'web')], { timeout: 60 }), timeline);
  return { ended: `${verdict} at ${after}`, says, log: log.join('\n') };
};

describe('an Ingress', () => {
  const at0 = (...objects: Parameters<typeof play>[1][number][1][]): Timeline => objects.map((frame, index) => [index * 20, frame] as const);

  test('passes when what is behind each of its routes is ready, and not before', () => {
    const played = run('Ingress', at0({ objects: [CLASS, ingress(), ...behind(false)] }, { objects: [CLASS, ingress(), ...behind(true)] }));
    expect(played.ended).toBe('healthy at 30');
    expect(played.log).toContain('0 shop/web: shop.example/ leads to Service web, which has no ready endpoint');
    expect(played.log).toContain('20 shop/web: 1 route, ready behind each');
  });

  test('does not pass by being there: no such Service, no such port, no such class', () => {
    expect(run('Ingress', at0({ objects: [CLASS, ingress()] }))).toMatchObject({ ended: expect.stringMatching(/^failed at \d$/), says: expect.stringContaining('leads to Service web, which does not exist') });
    const port = { defaultBackend: { service: { name: 'web', port: { name: 'grpc' } } }, rules: [] };
    expect(run('Ingress', at0({ objects: [CLASS, ingress(port), ...behind(true)] })).says).toContain('has no port grpc');
    const nowhere = ingress({ ingressClassName: 'traefik' }, { status: { loadBalancer: { ingress: null } } });
    expect(run('Ingress', at0({ objects: [CLASS, nowhere, ...behind(true)] })).says).toContain('names class traefik, which does not exist');
  });

  test('whose Services may not be read proves nothing', () => {
    expect(run('Ingress', at0({ objects: [CLASS, ingress()], coverage: [forbidden('Service', 'shop'), forbidden('EndpointSlice', 'shop')] })).ended).toMatch(/^inconclusive/);
  });
});

describe('a route of a Gateway', () => {
  const route = (conditions: Patch[], generation = 1) => object('gateway.networking.k8s.io/v1', 'HTTPRoute', 'web', {
    metadata: { generation, creationTimestamp: at(-5) },
    spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] },
    status: { parents: [{ parentRef: { name: 'edge' }, controllerName: 'example.com/edge', conditions }] },
  });
  const gateway = object('gateway.networking.k8s.io/v1', 'Gateway', 'edge', {});
  const judged = (status: string, more: Patch = {}): Patch[] => [{ type: 'Accepted', status: 'True', observedGeneration: 1 }, { type: 'ResolvedRefs', status, observedGeneration: 1, ...more }];
  const seen = (conditions: Patch[], generation?: number) => run('HTTPRoute', [[0, { objects: [route(conditions, generation), gateway, ...behind(true)] }]]);

  test('passes when it is accepted, of its present generation', () => {
    expect(seen(judged('True')).ended).toBe('healthy at 10');
    expect(seen(judged('True'), 2)).toMatchObject({ ended: 'progressing at 60', log: expect.stringContaining('its conditions are of an older generation') });
  });

  test('does not pass by being there: not judged yet, or refused', () => {
    expect(seen([])).toMatchObject({ ended: 'progressing at 60', log: expect.stringContaining('no controller has judged it yet') });
    expect(seen(judged('False', { reason: 'RefNotPermitted', message: 'no ReferenceGrant' })).log).toContain('ResolvedRefs=False (RefNotPermitted)');
    expect(seen(judged('False', { reason: 'RefNotPermitted', message: 'no ReferenceGrant' })).ended).toMatch(/^failed/);
  });
});
