import { describe, expect, test } from 'vitest';
import { trace } from '../src/engine/trace.ts';
import type { Coverage } from '../src/model/coverage.ts';
import type { KubeObject } from '../src/model/kinds.ts';
import type { TraceNode } from '../src/model/trace.ts';
import { renderTrace } from '../src/render/trace.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { NAMESPACE, type Patch, before, controlledBy, deployment, event, forbidden, object, pod, replicaSet, running, service, snapshotOf, waiting } from './build.ts';
import { fixtures, open } from './fixtures.ts';
import type { Any } from './misleads/judge.ts';
import { validBy, wrongBy } from './schemas.ts';

const web = deployment('web', { metadata: { uid: '1f2e3d4c-0000' } });
const [now, kept] = [
  replicaSet('web-2', web, { metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } } }),
  replicaSet('web-1', web, {
    metadata: { creationTimestamp: before(9000) },
    spec: { replicas: 0 },
    status: { replicas: 0, readyReplicas: 0, availableReplicas: 0 },
  }),
];
const at = (type: string, ago: number, status = 'True'): Patch => ({ type, status, lastTransitionTime: before(ago) });
const made = (name: string, status: Patch = {}): Any =>
  pod(name, {
    metadata: { ...controlledBy(now), creationTimestamp: before(100), labels: { app: 'web' } },
    status: {
      conditions: [
        at('PodScheduled', 100),
        at('PodReadyToStartContainers', 98),
        at('Initialized', 100),
        at('ContainersReady', 82),
        at('Ready', 82),
      ],
      containerStatuses: [running('app', { state: { running: { startedAt: before(91) } } })],
      ...status,
    },
  });

const traced = (objects: readonly Any[], kind = 'Deployment', name = 'web', coverage: Coverage[] = []): TraceNode[] =>
  published(trace(snapshotOf(objects, { coverage }), { namespaces: [NAMESPACE], all: false, targets: [{ kind, namespace: NAMESPACE, name }] }, ruleSet()));
/** As `-o json` prints it, where there is anything to print. */
const wrapped = (objects: TraceNode[]): object => ({ apiVersion: 'kubectl-strata/v1', kind: 'Trace', capturedAt: '2026-03-01T12:00:00Z', objects });
const published = (nodes: TraceNode[]): TraceNode[] => (nodes.length > 0 ? (validBy('trace', wrapped(nodes)), nodes) : nodes);
const page = (nodes: TraceNode[]): string => renderTrace(nodes, { color: false, width: 80, verbose: false });

describe('a trace', () => {
  const ready = made('web-2-a');
  const slice = object('discovery.k8s.io/v1', 'EndpointSlice', 'web-x', {
    metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: [
      {
        addresses: ['10.0.0.5'],
        conditions: { ready: true },
        targetRef: { kind: 'Pod', name: 'web-2-a', namespace: NAMESPACE, uid: 'pod-web-2-a' },
      },
    ],
  });

  test('follows what was made by UID, and tells the seconds of each step', () => {
    const pulled = event(ready as never, 'Pulled', 'Successfully pulled image "registry.example/app:1" in 5.2s (5.2s including waiting)', 92, { type: 'Normal' });
    expect(page(traced([web, now, kept, ready, pulled, service('web'), slice]))).toBe(`${[
      'shop/Deployment/web  uid 1f2e3d4c, generation 1, observed 1',
      '  ReplicaSet/web-2  revision 2, created 2026-03-01T11:00:00Z',
      '    Pod/web-2-a  on node-1',
      '        0s created > 0s scheduled > 2s sandbox and network > 8s image pulled >',
      '        9s started > 18s ready (slowest) > endpoint',
      '  ReplicaSet/web-1  revision 1, kept for rollback, 0 pods, created',
      '    2026-03-01T09:30:00Z',
    ].join('\n')}\n`);
  });

  test('does not show as none what could not be read', () => {
    const said = (coverage: Coverage[]): string[] => traced([web, now], 'Deployment', 'web', coverage)[0]?.made[0]?.says ?? [];
    expect(said([forbidden('Pod', NAMESPACE)])).toContain('its Pods could not all be read');
    expect(said([]).join()).not.toContain('could not');
  });

  test('keeps the sandbox before what runs in it, though its condition is written later', () => {
    const late = made('web-2-a', { conditions: [at('PodScheduled', 100), at('PodReadyToStartContainers', 89), at('Initialized', 100), at('ContainersReady', 82), at('Ready', 82)] });
    expect(page(traced([web, now, late]))).toContain('0s scheduled > 9s sandbox and network (slowest) >\n        9s started > 18s ready');
    const again = made('web-2-a', { containerStatuses: [running('app', { restartCount: 1, state: { running: { startedAt: before(99) } } })] });
    expect(page(traced([web, now, again]))).toContain('2s sandbox and network');
  });

  test('says what a pod waits for, and for how long by now', () => {
    const stuck = made('web-2-a', { phase: 'Pending', podIP: undefined, conditions: [at('PodScheduled', 99), at('PodReadyToStartContainers', 99, 'False'), at('Ready', 99, 'False')], containerStatuses: [waiting('app', 'ContainerCreating')] });
    const [root] = traced([web, now, stuck]);
    expect(root?.made[0]?.made[0]).toMatchObject({ node: 'node-1', waits: { step: 'sandbox', seconds: 99 } });
    expect(page(traced([web, now, stuck]))).toContain('waits for sandbox and network, 1m39s so far');
  });

  test('takes for started what has ended since', () => {
    const last = { terminated: { exitCode: 1, reason: 'Error', startedAt: before(20), finishedAt: before(19) } };
    const crashed = (patch: Patch): TraceNode | undefined => traced([web, now, made('web-2-a', { conditions: [at('PodScheduled', 100), at('PodReadyToStartContainers', 98), at('Ready', 98, 'False')], containerStatuses: [{ ...waiting('app', 'CrashLoopBackOff'), restartCount: 3, ...patch }] })])[0]?.made[0]?.made[0];
    expect(crashed({ lastState: last })).toMatchObject({ steps: [{}, {}, {}, { step: 'started', after: 80 }, { step: 'ended', after: 81, how: 'code 1' }], waits: { step: 'ready', seconds: 20 } });
    expect(crashed({ state: last })).toMatchObject({ waits: { step: 'ready' } });
    // The process of a StartError never was.
    expect(crashed({ lastState: { terminated: { exitCode: 128, reason: 'StartError', startedAt: '1970-01-01T00:00:00Z', finishedAt: before(19) } } })).toMatchObject({ steps: [{}, {}, { step: 'sandbox' }], waits: { step: 'started' } });
  });

  test('says how a pod ended that is over, and nothing of the sort while any of it runs', () => {
    const over = (phase: string, ...ends: [string, Patch][]): TraceNode[] => traced([web, now, made('web-2-a', {
      phase, conditions: [at('PodScheduled', 100), at('PodReadyToStartContainers', 98), at('Ready', 30, 'False')],
      containerStatuses: ends.map(([name, patch]) => ({ ...running(name), state: { terminated: { startedAt: before(91), finishedAt: before(30), ...patch } } })),
    })]);
    const ended = (nodes: TraceNode[]) => nodes[0]?.made[0]?.made[0]?.steps?.at(-1);
    expect(ended(over('Failed', ['app', { exitCode: 2, reason: 'Error' }]))).toEqual({ step: 'ended', at: before(30), after: 70, how: 'code 2' });
    expect(ended(over('Failed', ['app', { exitCode: 137, reason: 'OOMKilled' }]))?.how).toBe('OOMKilled, code 137');
    expect(ended(over('Succeeded', ['app', { exitCode: 0, reason: 'Completed' }]))?.how).toBe('code 0');
    expect(page(over('Failed', ['app', { exitCode: 2, reason: 'Error' }])).replace(/\s+/g, ' ')).toContain('started (slowest) > 1m10s ended (code 2)');
    expect(ended(traced([web, now, ready]))?.step).toBe('ready');
  });

  test('waits for an endpoint only where a Service selects the pod, and slices were read', () => {
    const steps = (nodes: TraceNode[]) => [nodes[0]?.made[0]?.made[0]?.steps?.map(({ step }) => step).includes('endpoint'), nodes[0]?.made[0]?.made[0]?.waits?.step];
    expect(steps(traced([web, now, ready]))).toEqual([false, undefined]);
    expect(steps(traced([web, now, ready, service('web'), slice]))).toEqual([true, undefined]);
    expect(steps(traced([web, now, ready, service('web')]))).toEqual([false, 'endpoint']);
    expect(steps(traced([web, now, ready, service('web')], 'Deployment', 'web', [forbidden('EndpointSlice', NAMESPACE)]))).toEqual([false, undefined]);
  });

  test('does not mix lives: a namesake with another UID made nothing here', () => {
    const other = { ...now, metadata: { ...now.metadata, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'former', controller: true }] } };
    expect(traced([web, other])[0]?.made).toEqual([]);
  });

  test('says that the times are of the last start, and leaves out what is not there', () => {
    const again = made('web-2-a', { containerStatuses: [running('app', { restartCount: 3 })] });
    expect(page(traced([web, now, again]))).toContain('3 restarts: the times are of the last start');
    expect(traced([web], 'Deployment', 'nobody')).toEqual([]);
  });

  test('ends at a ring of owners', () => {
    const [a, b] = [object('v1', 'ConfigMap', 'a'), object('v1', 'ConfigMap', 'b')];
    const ring = [{ ...a, metadata: { ...a.metadata, ...controlledBy(b) } }, { ...b, metadata: { ...b.metadata, ...controlledBy(a) } }];
    expect(page(traced(ring, 'ConfigMap', 'a')).split('\n').length).toBeLessThan(6);
  });
});

describe('the published schema of a trace', () => {
  test('holds for every workload and pod of every fixture', async () => {
    const wrong: string[] = [];
    let traced = 0;
    for (const fixture of fixtures) {
      const { snapshot } = await open(fixture);
      const targets = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Pod', 'Service', 'Namespace'].flatMap((kind) =>
        (snapshot.seen(kind) as readonly KubeObject[]).slice(0, 20).map(({ metadata: { name, namespace } }) => ({ kind, name, ...(namespace ? { namespace } : {}) })));
      const nodes = trace(snapshot, { namespaces: [], all: true, targets }, ruleSet());
      traced += nodes.length;
      if (nodes.length > 0 && wrongBy('trace', wrapped(nodes)) !== '') wrong.push(`${fixture.name}: ${wrongBy('trace', wrapped(nodes)).slice(0, 400)}`);
    }
    expect(wrong).toEqual([]);
    expect(traced).toBeGreaterThan(100);
  });

  test('refuses what it does not know and what is missing', () => {
    const node: TraceNode = { kind: 'Pod', name: 'a', says: [], made: [], steps: [{ step: 'created', at: '', after: null }] };
    expect(wrongBy('trace', wrapped([node]))).toBe('');
    expect(wrongBy('trace', wrapped([]))).toContain('minItems');
    expect(wrongBy('trace', wrapped([{ ...node, steps: [{ step: 'born', at: '', after: 1 }] }]))).toContain('enum');
    expect(wrongBy('trace', { ...wrapped([node]), more: 1 })).toContain('additionalProperties');
    expect(wrongBy('trace', wrapped([{ ...node, made: [{ kind: 'Pod' } as TraceNode] }]))).toContain('required');
  });
});

test('a ReplicaSet that was resized by hand tells who put it back', () => {
  const turn = (message: string, ago: number): Any =>
    event(web, 'ScalingReplicaSet', message, ago);
  const first = turn('Scaled up replica set web-2 from 0 to 2', 100);
  const back = turn('Scaled down replica set web-2 from 4 to 2', 40);
  const says = (objects: readonly Any[]): string => JSON.stringify(traced(objects)[0]?.made.find(({ name }) => name === 'web-2')?.says);
  expect(says([web, now, first, back])).toContain('set to 4 by another hand and put back to 2 by its Deployment');
  // The Deployment's own turns.
  expect(says([web, now, first, turn('Scaled up replica set web-2 from 2 to 4', 60), back])).not.toContain('another hand');
  // As often in an hour apart, with what it said between them gone.
  const often = (first: number): Any => ({ ...back, count: 4, firstTimestamp: before(first) }) as Any;
  expect(says([web, now, often(400)])).toContain('4 times');
  expect(says([web, now, often(20_000)])).not.toContain('another hand');
  // What came before is not told any more.
  expect(says([web, now, back])).not.toContain('another hand');
});
