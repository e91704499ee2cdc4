import { describe, expect, it } from 'vitest';
import { podFacts } from '../../src/facts/pods/pod.ts';
import type { ContainerStatus, KubeObject, Pod } from '../../src/model/kinds.ts';
import { Unknown } from '../../src/model/read.ts';
import {
  before, controlledBy, crashing, deployment, event, forbidden, job, merge, node, object, type Patch, pod, replicaSet, running, statefulSet, terminated,
  unready, waiting, worldOf,
} from '../build.ts';

type Extra = (about: Pod) => unknown[];
type Case = [name: string, about: Pod, at: string[], expected?: Patch, others?: Extra];

const here = node('node-1');
const sick = (statuses: ContainerStatus[], more: Patch = {}): Pod =>
  pod('web-1', merge<Patch>({ status: { conditions: unready(), containerStatuses: statuses } }, more));
const condition = (type: string, status: string, seconds = 600, more: Patch = {}): Patch => ({ type, status, lastTransitionTime: before(seconds), ...more });
const creating = (more: Patch = {}): Pod => pod('web-1', merge<Patch>({
  status: {
    phase: 'Pending', podIP: undefined, conditions: [condition('PodReadyToStartContainers', 'False'), condition('PodScheduled', 'True')],
    containerStatuses: [waiting('app', 'ContainerCreating')],
  },
}, more));
const pending = (more: Patch = {}): Pod => pod('web-1', merge<Patch>({
  spec: { nodeName: undefined }, status: { phase: 'Pending', podIP: undefined, startTime: undefined, containerStatuses: undefined, conditions: [] },
}, more));
const leaving = (seconds: number, more: Patch = {}): Pod =>
  pod('web-1', merge<Patch>({ metadata: { deletionTimestamp: before(seconds), deletionGracePeriodSeconds: 30 } }, more));
const probed = { containers: [{ name: 'app', readinessProbe: { tcpSocket: { port: 80 } }, startupProbe: { tcpSocket: { port: 80 } } }] };
const initial = (statuses: ContainerStatus[], more: Patch = {}): Pod => pod('web-1', merge<Patch>({
  spec: { initContainers: [{ name: 'fetch' }, { name: 'proxy', restartPolicy: 'Always' }, { name: 'migrate' }] },
  status: {
    phase: 'Pending',
    conditions: [condition('PodReadyToStartContainers', 'True'), condition('Initialized', 'False'), condition('Ready', 'False'), condition('PodScheduled', 'True')],
    initContainerStatuses: statuses, containerStatuses: [waiting('app', 'PodInitializing')],
  },
}, more));
const lost = node('node-1', { status: { conditions: [condition('Ready', 'Unknown', 60, { reason: 'NodeStatusUnknown' })] } });

const cases: Case[] = [
  ['a healthy pod', pod('web-1'), ['goal'], { young: false, ready: true, since: '' }],
  ['no node yet', pending(), ['schedule'], { node: '', scheduled: null, acknowledged: false, young: false }],
  ['no node yet, just created', pending({ metadata: { creationTimestamp: before(5) } }), ['schedule'], { young: true }],
  ['a node, and its kubelet took no notice', pending({ spec: { nodeName: 'node-1' } }), ['sandbox'], { acknowledged: false }],
  ['no complaint, with volumes to mount', creating({ spec: { volumes: [{ name: 'c', configMap: { name: 'c' } }] } }), ['volumes', 'sandbox'], { young: false }],
  ['no complaint, nothing to mount', creating({ spec: { volumes: [{ name: 'tmp', emptyDir: {} }] } }), ['sandbox'], { since: before(600) }],
  ['a mount fails', creating(), ['volumes'], {}, (about) => [event(about, 'FailedMount', 'no')]],
  ['a mount failed and the sandbox fails now', creating(), ['sandbox'], {},
    (about) => [event(about, 'FailedMount', 'no', 500), event(about, 'FailedCreatePodSandBox', 'no', 5)]],
  ['a mount fails, and something normal was told since', creating(), ['volumes'], {}, (about) => [event(about, 'FailedMount', 'no', 60), event(about, 'SandboxChanged', 'changed', 5)]],
  ['an older pod of that name failed to mount', creating(), ['sandbox'], {}, (about) => [event(about, 'FailedMount', 'no', 5, { involvedObject: { uid: 'old' } })]],
  ['no condition for sandboxes, but an address', creating({ status: { podIP: '10.0.0.5', conditions: [condition('PodScheduled', 'True')] } }), ['image']],
  ['an address on the host network proves nothing', creating({ spec: { hostNetwork: true }, status: { podIP: '192.0.2.1', conditions: [condition('PodScheduled', 'True')] } }), ['sandbox']],
  ['the image is being pulled', sick([waiting('app', 'ContainerCreating')]), ['image'], { young: false }],
  ['the image is there and the container is not', sick([waiting('app', 'ContainerCreating')]), ['start'], {},
    (about) => [event(about, 'Pulled', 'Container image already present', 60, { involvedObject: { fieldPath: 'spec.containers{app}' } })]],
  ['the image cannot be pulled', sick([waiting('app', 'ImagePullBackOff', 'Back-off pulling image "x"')]), ['image']],
  ['a container is refused', sick([waiting('app', 'CreateContainerConfigError', 'configmap "c" not found')]), ['start']],
  ['a container in back-off', sick([crashing('app', terminated('Error', 1))]), ['start'], { young: false }],
  ['two containers, two rungs', sick([crashing('app', terminated('Error', 1)), waiting('log', 'ErrImagePull', 'x')], { spec: { containers: [{ name: 'app' }, { name: 'log' }] } }), ['start', 'image']],
  ['running and not ready', sick([running('app', { ready: false })], { spec: probed }), ['ready'], { young: false, since: before(600) }],
  ['not ready for less than its probe may take', pod('web-1', {
    spec: { containers: [{ name: 'app', readinessProbe: { initialDelaySeconds: 60 } }] },
    status: { conditions: unready(['app'], 80), containerStatuses: [running('app', { ready: false, state: { running: { startedAt: before(80) } } })] },
  }), ['ready'], { young: true }],
  ['not past its startup probe', sick([running('app', { ready: false, started: false })], { spec: probed }), ['startup']],
  ['containers ready, a readiness gate is not', pod('web-1', {
    spec: { readinessGates: [{ conditionType: 'lb/ready' }] },
    status: { conditions: [condition('ContainersReady', 'True'), condition('Ready', 'False', 500, { reason: 'ReadinessGatesNotReady' })] },
  }), ['ready'], { gates: [{ name: 'lb/ready', status: '' }] }],
  ['a loop that is ready at the moment', pod('web-1', { status: { containerStatuses: [
    running('app', { restartCount: 6, state: { running: { startedAt: before(10) } }, lastState: terminated('Error', 137, 100, 40) })] } }), ['start'], { ready: true, boxes: [{ looping: true }] }],
  ['restarts long healed', pod('web-1', { status: { containerStatuses: [
    running('app', { restartCount: 6, state: { running: { startedAt: before(3000) } }, lastState: terminated('Error', 1, 3000) })] } }), ['goal']],
  ['one crash at the start, outlived since', pod('web-1', { status: { containerStatuses: [
    running('app', { restartCount: 1, state: { running: { startedAt: before(50) } }, lastState: terminated('Error', 1, 60) })] } }), ['goal']],
  ['a restart after days, as after a reboot', pod('web-1', { status: { containerStatuses: [
    running('app', { restartCount: 4, state: { running: { startedAt: before(50) } }, lastState: terminated('Unknown', 255, 60, 90000) })] } }), ['goal']],
  ['the first init container that is not through', initial([terminatedInit('fetch', 0), running('proxy'), crashing('migrate', terminated('Error', 1))]), ['init']],
  ['an init container whose image is missing', initial([waiting('fetch', 'ErrImagePull', 'x'), waiting('proxy', 'PodInitializing'), waiting('migrate', 'PodInitializing')]), ['image', 'init']],
  ['a sidecar that does not start holds back the rest', initial([terminatedInit('fetch', 0), crashing('proxy', terminated('Error', 2)), waiting('migrate', 'PodInitializing')]), ['start', 'init']],
  ['a long init container at work', initial([running('fetch', { ready: false, state: { running: { startedAt: before(100) } } })]), ['init'], { young: true }],
  ['past init, whose statuses were collected', pod('web-1', { spec: { initContainers: [{ name: 'fetch' }] } }), ['goal']],
  [
    'a sidecar that crashes later',
    sick([running('app')], {
      spec: { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] },
      status: { initContainerStatuses: [crashing('proxy', terminated('Error', 1))] },
    }),
    ['start'],
  ],
  [
    'completed',
    pod('web-1', {
      status: {
        phase: 'Succeeded',
        conditions: [condition('Ready', 'False', 9, { reason: 'PodCompleted' })],
        containerStatuses: [done('app', 0)],
      },
    }),
    ['goal'],
  ],
  [
    'one of two is done with its work',
    sick([done('app', 0), running('log')], { spec: { restartPolicy: 'Never', containers: [{ name: 'app' }, { name: 'log' }] } }),
    ['goal'],
  ],
  [
    'one of two failed for good',
    sick([done('app', 3), running('log')], { spec: { restartPolicy: 'Never', containers: [{ name: 'app' }, { name: 'log' }] } }),
    ['finish'],
    { young: false },
  ],
  [
    'a proxy keeps a finished pod',
    sick([done('app', 0), running('istio-proxy')], {
      spec: { restartPolicy: 'Never', containers: [{ name: 'app' }, { name: 'istio-proxy' }] },
      status: { containerStatuses: [{ ...done('app', 0), state: terminated('Completed', 0, 300) }, running('istio-proxy')] },
    }),
    ['finish'],
    {
      boxes: [
        { at: 'goal', ended: '' },
        { at: 'finish', ended: 'running' },
      ],
    },
  ],
  [
    'a success that was a kill by the probe',
    pod('web-1', {
      spec: { restartPolicy: 'OnFailure', containers: [{ name: 'app', livenessProbe: {} }] },
      status: { phase: 'Succeeded', conditions: [], containerStatuses: [done('app', 0)] },
    }),
    ['finish'],
    { boxes: [{ ended: 'probe' }] },
    (about) => [
      event(about, 'Killing', 'Container app failed liveness probe, will be restarted', 62, {
        involvedObject: { fieldPath: 'spec.containers{app}' },
      }),
    ],
  ],
  [
    'out of memory once, minutes ago, and ready again',
    pod('web-1', {
      status: {
        containerStatuses: [
          running('app', {
            restartCount: 1,
            state: { running: { startedAt: before(200) } },
            lastState: terminated('OOMKilled', 137, 202, 90),
          }),
        ],
      },
    }),
    ['start'],
    { boxes: [{ ended: 'oom', looping: true }] },
  ],
  [
    'out of memory an hour ago',
    pod('web-1', {
      status: {
        containerStatuses: [
          running('app', {
            restartCount: 1,
            state: { running: { startedAt: before(3000) } },
            lastState: terminated('OOMKilled', 137, 3002, 90),
          }),
        ],
      },
    }),
    ['goal'],
  ],
  [
    'a bare pod that failed',
    pod('web-1', { spec: { restartPolicy: 'Never' }, status: { phase: 'Failed', containerStatuses: [done('app', 1)] } }),
    ['finish'],
    { ended: null, boxes: [{ ended: 'exit', at: 'finish' }] },
  ],
  [
    'an evicted bare pod',
    pod('web-1', {
      status: {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'The node was low on resource: memory.',
        containerStatuses: [done('app', 137)],
      },
    }),
    ['finish'],
    { ended: { message: 'The node was low on resource: memory.' }, boxes: [{ ended: '', exit: { code: 137 } }] },
  ],
  ['on its way out within its grace', leaving(-10), ['goal'], { terminating: true, overdue: 0 }],
  ['on its way out for too long', leaving(300), ['terminate'], { overdue: 300, young: false, grace: 30 }],
  ['a finalizer holds a completed pod', leaving(300, { status: { phase: 'Succeeded' } }), ['terminate']],
  ['on a lost node: what it says is from the past', sick([running('app')], { status: { conditions: [condition('ContainersReady', 'True'), condition('Ready', 'False', 60)] } }), ['lost'], { trusted: false }, () => [lost]],
  ['deleted on a lost node', leaving(-10), ['lost'], {}, () => [lost]],
  ['overdue on a lost node', leaving(300), ['terminate', 'lost'], {}, () => [lost]],
  ['its node is gone', sick([running('app', { ready: false })], { spec: { nodeName: 'node-9' } }), ['lost'], { trusted: false }],
  ['without any status', object('v1', 'Pod', 'web-1', { spec: { nodeName: 'node-1', containers: [{ name: 'app' }] } }) as Pod, ['sandbox']],
  ['only statuses, no spec of containers', sick([crashing('app', terminated('Error', 1))], { spec: { containers: undefined } }), ['start']],
];

function done(name: string, code: number): ContainerStatus {
  return { name, ready: false, restartCount: 0, state: terminated(code === 0 ? 'Completed' : 'Error', code) };
}
function terminatedInit(name: string, code: number): ContainerStatus {
  return { ...done(name, code), ready: code === 0 };
}

describe('the ladder of a pod', () => {
  it.each(cases)('%s', (_name, about, at, expected = {}, others = () => []) => {
    const extra = others(about) as KubeObject[];
    const nodes = extra.includes(lost as unknown as KubeObject) ? [] : [here];
    const facts = podFacts(worldOf([about, ...nodes, ...extra]), about);
    expect(facts.at).toEqual(at);
    expect(facts).toMatchObject(expected);
  });

  it('stands on its own status where events and nodes may not be read', () => {
    const world = worldOf([creating()], { coverage: [forbidden('Event'), forbidden('Node')] });
    expect(podFacts(world, world.snapshot.seen('Pod')[0] as Pod)).toMatchObject({ at: ['sandbox'], trusted: true });
  });
});

describe('failed pods of a controller', () => {
  const failed = (name: string, owner: Parameters<typeof controlledBy>[0], seconds = 300): Pod => pod(name, {
    metadata: { ...controlledBy(owner), creationTimestamp: before(seconds + 10) }, spec: { restartPolicy: 'Never' },
    status: { phase: 'Failed', conditions: [], containerStatuses: [{ name: 'app', state: terminated('Error', 1, seconds) }] },
  });
  const live = (name: string, owner: Parameters<typeof controlledBy>[0], more: Patch = {}): Pod => pod(name, merge<Patch>({ metadata: controlledBy(owner) }, more));
  const set = replicaSet('web-1', null, { spec: { replicas: 2 } });
  const evicted = (name: string, seconds: number): Pod => merge(failed(name, set, seconds), { status: { reason: 'Evicted', message: 'usage exceeds the limit 1Gi' } });
  const work = job('mail');
  const complete = job('mail', { status: { conditions: [condition('Complete', 'True')] } });
  const over = job('mail', { status: { conditions: [condition('Failed', 'True')] } });
  const cron = object('batch/v1', 'CronJob', 'nightly', { status: { lastSuccessfulTime: before(60) } });
  const table: [string, unknown[], string, boolean?][] = [
    ['a Job that is complete', [complete, failed('mail-a', complete)], 'goal'],
    ['a Job that gave up', [over, failed('mail-a', over)], 'finish'],
    ['a Job between two tries', [work, failed('mail-a', work)], 'finish'],
    ['a Job whose first retry runs', [work, failed('mail-a', work), live('mail-b', work)], 'goal'],
    ['a Job whose retries fail too', [work, failed('mail-a', work), failed('mail-z', work, 900), live('mail-b', work)], 'finish'],
    ['an older failure of the same Job', [work, failed('mail-a', work, 900), failed('mail-b', work, 300)], 'goal'],
    ['a Job whose CronJob has succeeded since', [cron, job('mail', { metadata: controlledBy(cron) }), failed('mail-a', job('mail'))], 'goal'],
    ['a Job that was not read', [failed('mail-a', work)], 'finish', true],
    ['a Job that was not read, with a success beside it', [failed('mail-a', work), live('mail-b', work, { status: { phase: 'Succeeded' } })], 'goal', true],
    ['a Job that is gone', [failed('mail-a', work)], 'goal'],
    ['a ReplicaSet that has its replicas', [set, failed('web-a', set), live('web-b', set), live('web-c', set)], 'goal'],
    ['a ReplicaSet that is short', [set, failed('web-a', set), live('web-b', set)], 'finish'],
    ['a ReplicaSet whose pods fail one after another', [set, failed('web-a', set, 10), failed('web-x', set, 60), failed('web-y', set, 90),
      live('web-b', set, { status: { conditions: unready() } }), live('web-c', set)], 'finish'],
    ['a ReplicaSet whose pods are evicted one after another for the same reason', [set, evicted('web-a', 100), evicted('web-x', 1000), evicted('web-y', 2000), live('web-b', set), live('web-c', set)], 'finish'],
    ['a ReplicaSet that loses a pod a minute, more than it wants', [set, evicted('web-a', 10), evicted('web-x', 70), evicted('web-y', 130), live('web-b', set), live('web-c', set)], 'finish'],
    ['a ReplicaSet that lost pods to one eviction', [set, evicted('web-a', 100), evicted('web-x', 101), evicted('web-y', 102), live('web-b', set), live('web-c', set)], 'goal'],
    ['a ReplicaSet scaled to zero', [replicaSet('web-1', null, { spec: { replicas: 0 } }), failed('web-a', set)], 'goal'],
  ];
  it.each(table)('%s', (_name, objects, at, unread = false) => {
    const world = worldOf(objects as KubeObject[], unread ? { coverage: [forbidden('Job')] } : {});
    const about = (objects as KubeObject[]).find((each) => each.kind === 'Pod') as Pod;
    expect(podFacts(world, about).at).toEqual([at]);
  });
});

describe('owner and revision', () => {
  const web = deployment('web', { metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } } });
  const first = replicaSet('web-1', web);
  const second = replicaSet('web-2', web, { metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } } });
  const db = statefulSet('db', { status: { updateRevision: 'db-2' } });
  const daemon = object('apps/v1', 'DaemonSet', 'agent', { metadata: { annotations: { 'deprecated.daemonset.template.generation': '3' } } });
  const of = (owner: Parameters<typeof controlledBy>[0], labels: Patch = {}): Pod => pod('p', { metadata: { ...controlledBy(owner), labels } });
  it.each([
    ['the newest ReplicaSet', of(second), true], ['an older ReplicaSet', of(first), false], ['no controller', pod('p'), true],
    ['the update revision', of(db, { 'controller-revision-hash': 'db-2' }), true], ['an older revision', of(db, { 'controller-revision-hash': 'db-1' }), false],
    ['the template of a DaemonSet', of(daemon, { 'pod-template-generation': '3' }), true], ['an older template', of(daemon, { 'pod-template-generation': '2' }), false],
  ])('%s', (_name, about, current) => {
    expect(podFacts(worldOf([web, first, second, db, daemon, about]), about).current).toBe(current);
  });

  it('does not guess a revision it could not read', () => {
    const about = of(first);
    const facts = podFacts(worldOf([about], { coverage: [forbidden('ReplicaSet')] }), about);
    expect(() => facts.current).toThrow(Unknown);
    expect(facts).toMatchObject({ owner: null, controller: { kind: 'ReplicaSet', name: 'web-1' } });
  });
});

describe('pruned pods', () => {
  const paths = (value: unknown, at: string[] = []): string[][] =>
    value !== null && typeof value === 'object' ? Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...paths(inner, [...at, key])]) : [];
  const without = (value: unknown, [key = '', ...rest]: string[]): unknown => {
    if (Array.isArray(value)) return rest.length === 0 ? value.toSpliced(Number(key), 1) : value.map((item, index) => (index === Number(key) ? without(item, rest) : item));
    const copy = { ...(value as Record<string, unknown>) };
    if (rest.length === 0) delete copy[key];
    else copy[key] = without(copy[key], rest);
    return copy;
  };
  it('never throws and never leaves a field undefined, whichever part is missing', () => {
    const kept = ([top, second]: string[]): boolean => top === 'kind' || top === 'apiVersion' || (top === 'metadata' && (second === undefined || second === 'name'));
    const missing: string[] = [];
    for (const [name, about] of cases.filter((_each, index) => index % 3 === 0)) {
      const variants = paths(about).filter((path) => !kept(path)).map((path): [string, Pod] => [path.join('.'), without(about, path) as Pod]);
      const world = worldOf([here, ...variants.map(([, pruned]) => pruned)]);
      for (const [path, pruned] of variants) {
        const facts = podFacts(world, pruned);
        for (const record of [facts, ...facts.boxes]) {
          for (const [field, value] of Object.entries(record)) if (value === undefined) missing.push(`${name} without ${path}: ${field}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });
});
