import { describe, expect, it } from 'vitest';
import type { Box } from '../../src/facts/pods/box.ts';
import { podFacts } from '../../src/facts/pods/pod.ts';
import type { Event, Pod } from '../../src/model/kinds.ts';
import { Unknown } from '../../src/model/read.ts';
import { before, crashing, event, forbidden, merge, node, object, type Patch, pod, running, terminated, type TestTexts, unready, waiting, worldOf } from '../build.ts';

const texts: TestTexts = {
  'image-pulls': [[/not found/, 'not-found']],
  containers: [[/configmap "(?<name>[^"]+)" not found/, 'configmap-missing'], [/no such file/, 'exec-missing'], [/hook/i, 'hook-failed']],
  probes: [[/statuscode: 500/, 'http-status'], [/connection refused/, 'refused']],
};

const liveness = { httpGet: { path: '/healthz', port: 'web' }, periodSeconds: 5 };
const spec = (container: Patch = {}): Patch => ({ containers: [merge<Patch>({ name: 'app', image: 'registry.example/app:1' }, container)] });
const sick = (status: unknown, more: Patch = {}): Pod => pod('web-1', merge<Patch>({ status: { conditions: unready(), containerStatuses: [status] } }, more));
const about = (target: Pod, reason: string, message: string, ago: number, patch: Patch = {}): Event =>
  event(target, reason, message, ago, merge<Patch>({ involvedObject: { fieldPath: 'spec.containers{app}' } }, patch));

function boxOf(target: Pod, events: Event[] = [], coverage = [] as ReturnType<typeof forbidden>[]): Box {
  const box = podFacts(worldOf([target, node('node-1'), ...events], { texts, coverage }), target).boxes[0];
  if (!box) throw new Error('no container');
  return box;
}

const killed = (ago = 60, ran = 20, restarts = 4) => crashing('app', terminated('Error', 137, ago, ran), restarts);
const probed = spec({ livenessProbe: liveness, ports: [{ name: 'web', containerPort: 8080 }] });
const KILL = 'Container app failed liveness probe, will be restarted';

describe('the log of the run that ended', () => {
  const ended = (restarts: number, policy: string, code: number) =>
    boxOf(sick({ ...crashing('app', {}, restarts), state: terminated('Error', code), lastState: restarts > 0 ? terminated('Error', 1, 400) : {} }, { spec: { restartPolicy: policy } }));
  it.each([
    ['waits for its next start', boxOf(sick(crashing('app', terminated('Error', 1)))), ' --previous'],
    ['is over and not started again: kubectl finds no previous one', ended(0, 'Never', 137), ''],
    ['is over for good after retries: the run before it was another one', ended(2, 'OnFailure', 0), ''],
    ['is about to be started again, not for the first time', ended(2, 'OnFailure', 1), ' --previous'],
    ['is about to be started again for the first time', ended(0, 'Always', 1), ''],
  ])('%s', (_, box, logs) => {
    expect(box.logs).toBe(logs);
  });
});

describe('since when a container ends again and again', () => {
  const since = (born: number, restarts: number, ago: number, ran: number): string => boxOf(sick(crashing('app', terminated('Error', 1, ago, ran), restarts), { status: { startTime: before(born) } })).endsSince;
  it.each([
    ['its runs and pauses fill all the time since it was set up', since(1300, 6, 60, 2), before(1300)],
    ['it ran for a day before', since(90_000, 6, 60, 2), before(60)],
    ['once is no loop', since(100, 1, 60, 2), before(60)],
  ])('%s', (_, told, expected) => {
    expect(told).toBe(expected);
  });

  it('by its kills alone where no record of a run is left', () => {
    const restless = pod('web-1', { spec: probed, status: { startTime: before(400), containerStatuses: [running('app', { restartCount: 38, state: { running: { startedAt: before(5) } }, lastState: {} })] } });
    const events = [about(restless, 'Killing', KILL, 200, { count: 9 }), about(restless, 'Started', 'Started container app', 190, { count: 10 })];
    expect(boxOf(restless, events).ended).toBe('probe');
    expect(boxOf(restless, events.slice(1)).ended).toBe('');
  });
});

describe('what a container waits for', () => {
  const waits = sick(waiting('app', 'CreateContainerConfigError', 'configmap "settings" not found'));
  const settings = (ago: number, written = ago) => object('v1', 'ConfigMap', 'settings', { metadata: { creationTimestamp: before(ago), writers: [{ manager: 'x', operation: 'Update', time: before(written), paths: ['data'] }] } });
  const named: TestTexts = { containers: [[/configmap "(?<configmap>[^"]+)" not found/, 'configmap-missing']] };
  it.each([
    ['is not there', [], null, false],
    ['has come just now', [settings(20)], 'settings', false],
    ['was changed just now', [settings(90_000, 20)], 'settings', false],
    ['has been there all along: the kubelet overlooks it', [settings(90_000)], 'settings', true],
  ])('%s', (_, there, arrived, overlooked) => {
    const box = podFacts(worldOf([waits, node('node-1'), ...there], { texts: named }), waits).boxes[0];
    expect([box?.arrived?.metadata.name ?? null, box?.overlooked]).toEqual([arrived, overlooked]);
  });
});

describe('why a container does not run', () => {
  const cases: [string, Pod, (target: Pod) => Event[], Patch][] = [
    ['the image, by its own message', sick(waiting('app', 'ImagePullBackOff', 'Back-off pulling image "x": ErrImagePull: x: not found')), () => [], { ended: 'image', text: { class: 'not-found' } }],
    ['the image, where only the event has the reason', sick(waiting('app', 'ImagePullBackOff', 'Back-off pulling image "x"')),
      (pod) => [about(pod, 'Failed', 'Error: ImagePullBackOff', 5), about(pod, 'Failed', 'Failed to pull image "x": rpc error: x: not found', 30)], { ended: 'image', text: { class: 'not-found' } }],
    ['configuration', sick(waiting('app', 'CreateContainerConfigError', 'configmap "c" not found')), () => [], { ended: 'refused', waiting: 'CreateContainerConfigError', text: { captures: { name: 'c' } } }],
    ['a start that failed, now in back-off', sick(crashing('app', terminated('StartError', 128, 60, 0, { startedAt: '1970-01-01T00:00:00Z', message: 'exec: "run": no such file' }))), () => [],
      { ended: 'refused', text: { class: 'exec-missing' }, exit: { ran: 0, started: '', code: 128 } }],
    ['a hook, while it is told', sick(waiting('app', 'PostStartHookError', 'hook failed')), () => [], { ended: 'hook', text: { class: 'hook-failed' } }],
    ['a hook, once in back-off', sick(killed(), { spec: spec({ lifecycle: { postStart: {} } }) }), (pod) => [about(pod, 'FailedPostStartHook', 'Exec lifecycle hook failed', 62)], { ended: 'hook' }],
    ['a hook whose every event is of earlier runs, as many as there were starts', sick(crashing('app', terminated('Completed', 0, 60, 5)), { spec: spec({ lifecycle: { postStart: {} } }) }),
      (pod) => [about(pod, 'FailedPostStartHook', 'PostStartHook failed', 900, { count: 5, firstTimestamp: before(1200) }), about(pod, 'Started', 'Started container app', 890, { count: 6 })], { ended: 'hook' }],
    ['a hook that failed at one of many starts long ago', sick(crashing('app', terminated('Completed', 0, 60, 5)), { spec: spec({ lifecycle: { postStart: {} } }) }),
      (pod) => [about(pod, 'FailedPostStartHook', 'PostStartHook failed', 900), about(pod, 'Started', 'Started container app', 65, { count: 6 })], { ended: 'exit', doubt: '' }],
    ['memory, by its reason', sick(crashing('app', terminated('OOMKilled', 137)), { spec: spec({ resources: { limits: { memory: '64Mi' } } }) }), () => [], { ended: 'oom', memoryLimit: 67108864 }],
    ['137 alone is not memory', sick(killed()), () => [], { ended: 'killed', exit: { name: 'SIGKILL', ran: 20 } }],
    ['the node ran out of memory at that moment', sick(killed()), () => [event(node('node-1'), 'SystemOOM', 'System OOM encountered, victim process: app, pid: 7', 61)], { ended: 'killed', systemOom: { reason: 'SystemOOM', count: 1 } }],
    ['the node ran out of memory at another time', sick(killed()), () => [event(node('node-1'), 'SystemOOM', 'System OOM encountered, victim process: app, pid: 7', 500)], { ended: 'killed', systemOom: null }],
    ['143 alone is a kill', sick(crashing('app', terminated('Error', 143))), () => [], { ended: 'killed', exit: { name: 'SIGTERM' } }],
    ['a probe, by the Killing event of that run', sick(killed(), { spec: probed }), (pod) => [about(pod, 'Killing', KILL, 70, { type: 'Normal' })], { ended: 'probe', probe: { type: 'liveness', what: 'GET :8080/healthz', count: 0, text: { class: '' } } }],
    ['a probe, though the program answered SIGTERM with its own code', sick(crashing('app', terminated('Error', 3, 60, 20)), { spec: probed }), (pod) => [about(pod, 'Killing', KILL, 65)], { ended: 'probe' }],
    ['a kill of an earlier run says nothing of this one', sick(killed(), { spec: probed }), (pod) => [about(pod, 'Killing', KILL, 900)], { ended: 'killed' }],
    ['a kill of an earlier run, and this one exits', sick(crashing('app', terminated('Error', 1, 60, 5)), { spec: probed }), (pod) => [about(pod, 'Killing', KILL, 900, { count: 5, firstTimestamp: before(1200) })], { ended: 'exit' }],
    ['many kills, the later ones beyond the allowance of events', sick(killed(), { spec: probed }), (pod) => [about(pod, 'Killing', KILL, 900, { count: 5, firstTimestamp: before(1200) })], { ended: 'probe' }],
    ['every start ended by the probe as long as events came, and the program obeys SIGTERM', sick(crashing('app', terminated('Completed', 0, 60, 20)), { spec: probed }),
      (pod) => [about(pod, 'Killing', KILL, 900, { count: 5, firstTimestamp: before(1200) }), about(pod, 'Started', 'Started container app', 890, { count: 6 })], { ended: 'probe', probe: { type: 'liveness' } }],
    ['some starts ended by the probe, most did not', sick(crashing('app', terminated('Completed', 0, 60, 20)), { spec: probed }),
      (pod) => [about(pod, 'Killing', KILL, 900, { count: 3, firstTimestamp: before(1200) }), about(pod, 'Started', 'Started container app', 80, { count: 9 })], { ended: 'exit', doubt: '' }],
    ['no event of that run is kept, not even of its start, and the probe had the time', sick(crashing('app', terminated('Completed', 0, 60, 20)), { spec: probed }), () => [], { ended: 'exit', doubt: 'liveness' }],
    ['the allowance of events is used up, and the probe had the time', sick(crashing('app', terminated('Completed', 0, 60, 20)), { spec: probed }),
      (pod) => [about(pod, 'Unhealthy', 'Liveness probe failed: connection refused', 900, { count: 20, firstTimestamp: before(1200) }), about(pod, 'Started', 'Started container app', 890, { count: 9 })], { ended: 'exit', doubt: 'liveness' }],
    ['the allowance of events is used up, but it ended too soon for the probe', sick(crashing('app', terminated('Completed', 1, 60, 2)), { spec: probed }),
      (pod) => [about(pod, 'BackOff', 'Back-off restarting failed container', 900, { count: 40, firstTimestamp: before(1200) })], { ended: 'exit', doubt: '' }],
    ['no event of that run is kept, and it ended as what is stopped with its sandbox ends', sick(crashing('app', terminated('Completed', 0, 60, 2))), () => [], { ended: 'exit', doubt: 'sandbox' }],
    ['it ended so, and its events tell of no new sandbox', sick(crashing('app', terminated('Completed', 0, 60, 2))), (pod) => [about(pod, 'Started', 'Started container app', 62, { count: 9 })], { ended: 'exit', doubt: '' }],
    ['failures of the probe right before the kill', sick(killed(), { spec: probed }), (pod) => [about(pod, 'Unhealthy', 'Liveness probe failed: Get "http://10.0.0.5:8080/healthz": connection refused', 66, { count: 9, firstTimestamp: before(500) })],
      { ended: 'probe', probe: { type: 'liveness', count: 9, text: { class: 'refused' }, last: before(66), period: 5, failures: 3, timeout: 1 } }],
    ['failures of readiness kill nobody', sick(killed(), { spec: probed }), (pod) => [about(pod, 'Unhealthy', 'Readiness probe failed: connection refused', 66)], { ended: 'killed' }],
    ['a probe of another container', sick(killed(), { spec: probed }), (pod) => [about(pod, 'Killing', 'Container log failed liveness probe, will be restarted', 70, { involvedObject: { fieldPath: 'spec.containers{log}' } })], { ended: 'killed' }],
    ['the startup probe', sick(killed(), { spec: spec({ startupProbe: { exec: { command: ['cat', '/up'] } } }) }), (pod) => [about(pod, 'Killing', 'Container app failed startup probe, will be restarted', 70)], { ended: 'probe', probe: { type: 'startup', what: 'exec cat /up' } }],
    ['lost by the kubelet', sick(crashing('app', terminated('ContainerStatusUnknown', 137, 60, 5, { startedAt: null, finishedAt: null }))), () => [], { ended: 'kubelet', exit: { finished: '', ran: 0 } }],
    ['its own exit', sick(crashing('app', terminated('Error', 1, 60, 5, { message: 'no config\n' }))), () => [], { ended: 'exit', looping: true, exit: { code: 1, message: 'no config\n', ran: 5, evidence: { pointer: '/status/containerStatuses/0/lastState/terminated' } } }],
    ['a server that ends without an error', sick(crashing('app', terminated('Completed', 0))), () => [], { ended: 'exit', exit: { code: 0 } }],
    ['a crash by its own signal', sick(crashing('app', terminated('Error', 139))), () => [], { ended: 'exit', exit: { name: 'SIGSEGV' } }],
    [
      'back-off with nothing of the last run left',
      sick(waiting('app', 'CrashLoopBackOff')),
      () => [],
      { ended: '', exit: null, at: 'start', looping: true },
    ],
    [
      'back-off, and only an event says that it never started',
      sick(waiting('app', 'CrashLoopBackOff')),
      (pod) => [about(pod, 'Failed', 'Error: failed to start container "app": exec: no such file', 9)],
      { ended: 'refused', text: { class: 'exec-missing' } },
    ],
    [
      'just ended, before the back-off',
      sick({ name: 'app', restartCount: 3, state: terminated('Error', 1, 1) }),
      () => [],
      { ended: 'exit', exit: { evidence: { pointer: '/status/containerStatuses/0/state/terminated' } } },
    ],
    [
      'a loop caught running',
      sick(
        running('app', { restartCount: 5, state: { running: { startedAt: before(9) } }, lastState: terminated('OOMKilled', 137, 60, 30) }),
      ),
      () => [],
      { ended: 'oom', looping: true, at: 'start' },
    ],
    [
      'current state before last state',
      sick(
        waiting('app', 'CreateContainerConfigError', 'configmap "c" not found', {
          restartCount: 2,
          lastState: terminated('OOMKilled', 137),
        }),
      ),
      () => [],
      { ended: 'refused' },
    ],
    ['it runs', pod('web-1'), () => [], { ended: 'running', at: 'goal', probe: null, exit: null, text: { class: '' } }],
    ['not tried yet', sick(waiting('app', 'ContainerCreating')), () => [], { ended: '', at: 'image' }],
  ];
  it.each(cases)('%s', (_name, target, events, expected) => {
    expect(boxOf(target, events(target))).toMatchObject(expected);
  });
});

describe('where the sentence stands that says why', () => {
  const pulled = 'Failed to pull image "x": rpc error: x: not found';
  const backoff = sick(waiting('app', 'ImagePullBackOff', 'Back-off pulling image "x"'));
  it('in the field of the status that quotes it', () => {
    expect(boxOf(sick(waiting('app', 'CreateContainerConfigError', 'configmap "c" not found'))).said?.evidence).toMatchObject({
      pointer: '/status/containerStatuses/0/state/waiting/message', value: 'configmap "c" not found', text: 'container app waiting CreateContainerConfigError: configmap "c" not found',
    });
  });

  it('in the end of the run that quotes it', () => {
    const target = sick(crashing('app', terminated('StartError', 128, 60, 0, { message: 'exec: "run": no such file' })));
    expect(boxOf(target).said?.evidence.pointer).toBe('/status/containerStatuses/0/lastState/terminated');
  });

  it('in the event that holds it, not in the newest one', () => {
    const said = boxOf(backoff, [about(backoff, 'Failed', 'Error: ImagePullBackOff', 5), about(backoff, 'Failed', pulled, 30)]).said;
    expect(said?.evidence).toMatchObject({ object: { kind: 'Event' }, pointer: '/message', value: pulled });
  });

  it('nobody knows where only events could tell and they were not read', () => {
    expect(() => boxOf(backoff, [], [forbidden('Event')]).said).toThrow(Unknown);
    expect(boxOf(backoff).said?.evidence.pointer).toBe('/status/containerStatuses/0/state/waiting/message');
    expect(boxOf(sick(killed())).said).toBeNull();
  });
});

describe('a probe that fails while the container runs', () => {
  const readiness = spec({ readinessProbe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTPS' }, periodSeconds: 10, failureThreshold: 3 } });
  const target = sick(running('app', { ready: false }), { spec: readiness });
  const failure = (ago: number, patch: Patch = {}) => about(target, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 500', ago, patch);

  it('is told by structured fields alone', () => {
    for (const coverage of [[], [forbidden('Event')]]) {
      expect(boxOf(target, [], coverage)).toMatchObject({
        ended: 'running', at: 'ready', since: before(600),
        probe: { type: 'readiness', what: 'GET https://:8080/ready', count: 0, text: { class: '' }, evidence: { pointer: '/status/containerStatuses/0/ready', value: false } },
      });
    }
  });

  it('takes words and counts from the events of this run', () => {
    const found = boxOf(target, [failure(20, { count: 12, firstTimestamp: before(620) }), failure(30, { count: 2 })]);
    expect(found.probe).toMatchObject({ count: 14, first: before(620), last: before(20), text: { class: 'http-status' }, evidence: { object: { kind: 'Event' } } });
  });

  it('does not take a failure from before it was last ready for one of now', () => {
    expect(boxOf(target, [failure(3000)]).probe).toMatchObject({ count: 0, text: { class: '' } });
  });

  it('has none where the container has no such probe', () => {
    expect(boxOf(sick(running('app', { ready: false }))).probe).toBeNull();
  });

  it('is the startup probe until the container has started', () => {
    const starting = sick(running('app', { ready: false, started: false }), { spec: spec({ startupProbe: { tcpSocket: { port: 5432 } }, readinessProbe: { grpc: { port: 9090 } } }) });
    expect(boxOf(starting)).toMatchObject({ at: 'startup', probe: { type: 'startup', what: 'tcp :5432', evidence: { pointer: '/status/containerStatuses/0/started' } } });
  });
});
