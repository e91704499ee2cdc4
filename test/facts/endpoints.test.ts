import { describe, expect, it } from 'vitest';
import { svcFacts } from '../../src/facts/network/endpoints.ts';
import { hooksFacts } from '../../src/facts/admission/webhooks.ts';
import { Unknown } from '../../src/model/read.ts';
import type { EndpointSlice, KubeObject, Service } from '../../src/model/kinds.ts';
import { before, deployment, event, forbidden, job, object, pod, type Patch, service, unready, worldOf } from '../build.ts';

interface Back { name: string; ready?: boolean; terminating?: boolean }

const slice = (of: string, backs: Back[], ports: Patch[] | null = [{ name: 'http', port: 8080, protocol: 'TCP' }], patch?: Patch): EndpointSlice =>
  object('discovery.k8s.io/v1', 'EndpointSlice', `${of}-abc`, {
    metadata: { labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4', ports,
    endpoints: backs.map(({ name, ready, terminating }) => ({
      addresses: ['10.0.0.5'], nodeName: 'node-1', targetRef: { kind: 'Pod', name, uid: `pod-${name}` },
      conditions: { ...(ready === undefined ? {} : { ready }), ...(terminating ? { terminating } : {}) },
    })),
    ...patch,
  }) as unknown as EndpointSlice;

const web = (name: string, patch?: Patch) => pod(name, { metadata: { labels: { app: 'web' } }, ...patch });
const sick = (name: string) => web(name, { status: { conditions: unready() } });
const of = (world: ReturnType<typeof worldOf>, svc: Service) => svcFacts(world, svc);
const named = (target: string | number, extra: Patch = {}): Service => service('web', { spec: { ports: [{ name: 'http', port: 80, targetPort: target, protocol: 'TCP' }], ...extra } });
const container = (ports: Patch[]): Patch => ({ spec: { containers: [{ name: 'app', ports }] } });

describe('where a Service stands', () => {
  const plain = service('web');
  const cases: [string, Service, KubeObject[], string, Patch][] = [
    ['ready', plain, [web('a'), slice('web', [{ name: 'a', ready: true }])], 'goal', { ready: 1, notReady: 0 }],
    ['ready by a missing condition', plain, [web('a'), slice('web', [{ name: 'a' }])], 'goal', { ready: 1 }],
    ['one of two ready', plain, [web('a'), sick('b'), slice('web', [{ name: 'a', ready: true }, { name: 'b', ready: false }])], 'goal', { ready: 1, notReady: 1 }],
    ['none ready', plain, [sick('a'), slice('web', [{ name: 'a', ready: false }])], 'endpoints', { ready: 0, notReady: 1, young: false }],
    ['pods without any address', plain, [web('a', { status: { phase: 'Pending', podIP: undefined } })], 'endpoints', { endpoints: 0 }],
    ['nothing selected', plain, [pod('other', { metadata: { labels: { app: 'mail' } } })], 'select', { idle: false, near: [] }],
    ['scaled to zero', plain, [deployment('web', { spec: { replicas: 0 } })], 'goal', { idle: true }],
    ['pods missing, workload there', plain, [deployment('web', { spec: { replicas: 2 } })], 'select', { idle: false }],
    ['only a finished pod', plain, [web('a', { status: { phase: 'Succeeded' } })], 'goal', { selected: [] }],
    ['no selector', service('web', { spec: { selector: undefined } }), [], 'goal', { selector: '' }],
    ['ExternalName', service('web', { spec: { type: 'ExternalName', externalName: 'db.example.com', selector: undefined } }), [], 'goal', { external: true }],
    ['too young', service('web', { metadata: { creationTimestamp: before(10) } }), [], 'select', { young: true }],
    [
      'load balancer without an address',
      service('web', { spec: { type: 'LoadBalancer' } }),
      [web('a'), slice('web', [{ name: 'a' }])],
      'answer',
      { pending: true, young: false },
    ],
    [
      'load balancer with one',
      service('web', { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } } }),
      [web('a'), slice('web', [{ name: 'a' }])],
      'goal',
      { pending: false },
    ],
    [
      'two families of one pod',
      plain,
      [
        web('a'),
        slice('web', [{ name: 'a' }]),
        slice('web', [{ name: 'a' }], undefined, {
          metadata: { name: 'web-v6', labels: { 'kubernetes.io/service-name': 'web' } },
          addressType: 'IPv6',
        }),
      ],
      'goal',
      { ready: 1, endpoints: 1 },
    ],
    ['a pod that is ready and listed nowhere', plain, [web('a')], 'endpoints', { unlisted: [{ metadata: { name: 'a' } }], young: false }],
  ];
  it.each(cases)('%s', (_name, svc, objects, at, fields) => {
    const facts = of(worldOf([svc, ...objects]), svc);
    expect(facts.at).toEqual([at]);
    expect(facts).toMatchObject(fields);
  });

  it('reads Endpoints where slices were not read, and is unknown where neither was', () => {
    const old = object('v1', 'Endpoints', 'web', { subsets: [{ addresses: [{ ip: '10.0.0.5', targetRef: { kind: 'Pod', name: 'a', uid: 'pod-a' } }], ports: [{ name: 'http', port: 8080 }] }] });
    expect(of(worldOf([plain, old], { coverage: [forbidden('EndpointSlice')] }), plain)).toMatchObject({ at: ['goal'], ready: 1 });
    const blind = of(worldOf([plain], { coverage: [forbidden('EndpointSlice'), forbidden('Endpoints')] }), plain);
    // Nothing to select is nothing to list, whatever the slices say.
    expect(blind.at).toEqual(['select']);
    const pods = of(worldOf([plain, pod('a', { metadata: { labels: { app: 'web' } } })], { coverage: [forbidden('EndpointSlice'), forbidden('Endpoints')] }), plain);
    expect(pods.at).toEqual(['endpoints']);
    expect(() => pods.unlisted).toThrow(Unknown);
  });

  it('does not call an empty selection empty where pods were not read', () => {
    const blind = of(worldOf([plain], { coverage: [forbidden('Pod')] }), plain);
    // Where rules look and are skipped.
    expect(blind.at).toEqual(['select', 'endpoints']);
    expect(() => blind.selected).toThrow(Unknown);
    expect(of(worldOf([plain, slice('web', [{ name: 'a', ready: false }])], { coverage: [forbidden('Pod')] }), plain).at).toEqual(['endpoints']);
  });
});

describe('near misses of a selector', () => {
  const wants = (selector: Record<string, string>, name = 'web') => service(name, { spec: { selector } });
  const labelled = (name: string, labels: Record<string, string>) => deployment(name, { spec: { template: { metadata: { labels } } } });
  const cases: [string, Service, KubeObject, string | null][] = [
    ['a slip of the pen', wants({ app: 'web' }), labelled('web', { app: 'webb' }), 'app=web wanted, Deployment/web has app=webb'],
    ['another case', wants({ app: 'web' }), labelled('front', { app: 'Web' }), 'app=web wanted, Deployment/front has app=Web'],
    ['another key', wants({ app: 'web' }), labelled('front', { 'app.kubernetes.io/name': 'web' }), 'app=web wanted, Deployment/front has app.kubernetes.io/name=web instead'],
    ['one label absent', wants({ app: 'web', tier: 'front' }), labelled('x', { app: 'web' }), 'tier=front wanted, Deployment/x has no label tier'],
    ['its own workload under another value', wants({ app: 'web', track: 'canary' }), labelled('web', { app: 'web', track: 'stable' }), 'track=canary wanted, Deployment/web has track=stable'],
    ['a sibling of the release is none', wants({ release: 'r', name: 'redis' }, 'redis'), labelled('mail', { release: 'r', name: 'mail' }), null],
    ['a stranger is none', wants({ app: 'web' }), labelled('mail', { app: 'mail' }), null],
    ['two differences are none', wants({ app: 'web', tier: 'front' }), labelled('web', { app: 'webb', tier: 'back' }), null],
  ];
  it.each(cases)('%s', (_name, svc, other, differs) => {
    expect(of(worldOf([svc, other]), svc).near[0]?.differs ?? null).toBe(differs);
  });

  it('points at the label', () => {
    const svc = wants({ 'app.kubernetes.io/name': 'web' });
    const [near] = of(worldOf([svc, labelled('web', { 'app.kubernetes.io/name': 'wep' })]), svc).near;
    expect(near?.evidence).toMatchObject({ pointer: '/spec/template/metadata/labels/app.kubernetes.io~1name', value: 'wep', object: { kind: 'Deployment' } });
  });
});

describe('ports', () => {
  const listed = (ports: Patch[] | null) => slice('web', [{ name: 'a', ready: true }], ports);
  const cases: [string, Service, KubeObject[], string[], string[]][] = [
    ['a name no container declares', named('http'), [web('a', container([{ name: 'web', containerPort: 8080 }])), listed(null)], ['http/TCP'], []],
    ['a name of another protocol', named('dns', { ports: [{ port: 53, targetPort: 'dns', protocol: 'UDP' }] }), [web('a', container([{ name: 'dns', containerPort: 53 }])), listed(null)], ['dns/UDP'], []],
    ['a name that resolves', named('http'), [web('a', container([{ name: 'http', containerPort: 8080 }])), listed([{ name: 'http', port: 8080 }])], [], []],
    ['a number nobody declares is a hint only', named(9090), [web('a', container([{ name: 'http', containerPort: 8080 }])), listed([{ name: 'http', port: 9090 }])], [], ['9090/TCP']],
    ['no port declared at all', named(9090), [web('a'), listed([{ name: 'http', port: 9090 }])], [], []],
    ['pods not ready, name absent all the same', named('http'), [sick('a')], ['http/TCP'], []],
  ];
  it.each(cases)('%s', (_name, svc, objects, lost, hints) => {
    const facts = of(worldOf([svc, ...objects]), svc);
    expect(facts.lostPorts.map((port) => port.wanted)).toEqual(lost);
    expect(facts.undeclared.map((port) => port.wanted)).toEqual(hints);
  });

  it('stands at answer where back ends are ready and a port leads nowhere, also without sight of the pods', () => {
    const svc = named('http');
    expect(of(worldOf([svc, listed(null)], { coverage: [forbidden('Pod')] }), svc)).toMatchObject({ at: ['answer'], lostPorts: [{ target: 'http', has: [] }] });
  });

  it('finds the port of a native sidecar', () => {
    const svc = named('metrics');
    const withSidecar = web('a', {
      spec: {
        initContainers: [{ name: 's', restartPolicy: 'Always', ports: [{ name: 'metrics', containerPort: 1 }] }],
        containers: [{ name: 'app' }],
      },
      status: { conditions: unready() },
    });
    expect(of(worldOf([svc, withSidecar]), svc).lostPorts).toEqual([]);
  });
});

describe('around a Service', () => {
  it('names its namesakes, the nodes that answer, and policies that let nothing in', () => {
    const svc = service('web', { spec: { externalTrafficPolicy: 'Local' } });
    const policy = (name: string, spec: Patch) => object('networking.k8s.io/v1', 'NetworkPolicy', name, { spec: { podSelector: {}, ...spec } });
    const world = (extra: KubeObject[]) => worldOf([svc, service('web', { metadata: { namespace: 'other', uid: 'x' } }), web('a'), slice('web', [{ name: 'a' }]), ...extra]);
    expect(of(world([policy('deny', {})]), svc)).toMatchObject({
      elsewhere: [{ metadata: { namespace: 'other' } }], local: true, nodes: ['node-1'], isolating: [{ metadata: { name: 'deny' } }],
    });
    expect(of(world([policy('deny', {}), policy('allow', { ingress: [{}] })]), svc).isolating).toEqual([]);
    expect(of(world([policy('egress', { policyTypes: ['Egress'] })]), svc).isolating).toEqual([]);
  });

  it('says what the cloud says of the load balancer', () => {
    const svc = service('web', { spec: { type: 'LoadBalancer' } });
    const world = worldOf([svc, event(svc, 'SyncLoadBalancerFailed', 'Error syncing load balancer: no subnets')], { texts: { services: [[/no subnets/, 'no-subnet']] } });
    expect(of(world, svc).text?.class).toBe('no-subnet');
  });

  it('calls a webhook dead only when it refuses and has nothing behind it', () => {
    const config = (failurePolicy: string, name = 'guard') => object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', name, {
      webhooks: [{ name: 'guard.example.com', failurePolicy, clientConfig: { ...(name === 'guard' ? { caBundle: 'LS0tLS1CRUdJTg==' } : {}), service: { name: 'guard', namespace: 'shop' } } }],
    });
    const guard = service('guard');
    const at = (objects: KubeObject[], target: KubeObject, options = {}) => hooksFacts(worldOf([...objects, target], options), target).at;
    expect(at([guard, pod('g', { metadata: { labels: { app: 'guard' } } }), slice('guard', [{ name: 'g' }])], config('Fail'))).toEqual(['goal']);
    expect(at([guard, pod('g', { metadata: { labels: { app: 'guard' } } }), slice('guard', [{ name: 'g' }])], config('Fail', 'untrusted'))).toEqual(['answer']);
    expect(at([guard, deployment('guard')], config('Fail'))).toEqual(['answer']);
    expect(at([], config('Fail'))).toEqual(['answer']);
    expect(at([], config('Ignore'))).toEqual(['goal']);
    // Not to be judged: rules that look at it are skipped and say so.
    expect(at([], config('Fail'), { coverage: [forbidden('Service')] })).toEqual(['answer']);
    expect(at([], config('Ignore'), { coverage: [forbidden('Service')] })).toEqual(['goal']);
  });

  it('takes a selector that only meets Jobs for idle', () => {
    const svc = service('batch');
    const batch = job('batch', { spec: { template: { metadata: { labels: { app: 'batch' } } } } });
    expect(of(worldOf([svc, batch]), svc)).toMatchObject({ at: ['goal'], idle: true });
  });
});
