import { apply, type Obj } from '../api.ts';
import { DEAD_REGISTRY, REGISTRY } from '../layout.ts';
import type { Experiment, Expectation } from './experiment.ts';
import { container, deployment, service, webContainer } from './objects.ts';
import { condition, untilContainer, untilEvent, untilPods, untilSlices } from './observe.ts';

const failed = (layer: Expectation['roots'][number]['layer'], kind: string, name: RegExp, ...says: RegExp[]): Expectation => ({
  verdict: 'failed',
  roots: [{ layer, kind, name, says }],
});

const readiness: Experiment = {
  id: 'E6',
  covers: ['E6', 'E21', 'K18', 'K19', 'K54', 'K57'],
  title: 'The readiness probe asks for a path that is not there',
  namespace: 'e6',
  fixture: 'e6-readiness-path',
  lasts: 45,
  arrange: async () => {
    // A busy machine may not answer within a second, and then that is what the probe fails at.
    const probed = webContainer({ readinessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1, timeoutSeconds: 5 } });
    await apply([deployment('e6', 'storefront', { replicas: 2, container: probed }), service('e6', 'storefront', { })]);
  },
  until: async () => {
    await untilEvent('e6', 'Pod', 'Unhealthy', /404/);
    await untilPods('e6', 'running, not ready', (all) => all.length === 2 && all.every((pod) => pod.status.phase === 'Running' && condition(pod, 'Ready')?.status === 'False'));
    await untilSlices('e6', 'storefront', 'both endpoints unready', ([slice]) => slice?.endpoints?.length === 2 && slice.endpoints.every((e: Obj) => e.conditions.ready === false));
  },
  expect: { ...failed('application', 'Pod', /^storefront-/, /404/, /\/healthz/), effects: [{ kind: 'Service', name: /^storefront$/ }] },
};

/** One Deployment whose only container does not stay up. */
function crash(id: string, title: string, fields: Obj, wanted: (status: Obj) => boolean, expect: Expectation, after?: () => Promise<unknown>): Experiment {
  const ns = id.toLowerCase();
  return {
    id,
    covers: ['E7', 'K16', 'K17', 'K55', 'K56'],
    title,
    namespace: ns,
    fixture: ns,
    lasts: 30,
    arrange: async () => {
      await apply(deployment(ns, 'payments', { container: container(fields) }));
    },
    until: async () => {
      await after?.();
      await untilContainer(ns, title, wanted);
    },
    expect,
  };
}

const loops = (status: Obj): boolean => status.state.waiting?.reason === 'CrashLoopBackOff' && status.restartCount >= 2;

const exits = crash(
  'E7-exit',
  'The command exits 1',
  { command: ['sh', '-c', 'echo "cannot read /etc/payments.conf" >&2; exit 1'], terminationMessagePolicy: 'FallbackToLogsOnError' },
  (status) => loops(status) && status.lastState.terminated?.exitCode === 1,
  failed('application', 'Pod', /^payments-/, /\b1\b/),
);

const liveness = crash(
  'E7-liveness',
  'The liveness probe kills the container: exit 137 without any lack of memory',
  {
    command: ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done'],
    livenessProbe: { exec: { command: ['cat', '/alive'] }, periodSeconds: 1, timeoutSeconds: 20, failureThreshold: 2, initialDelaySeconds: 1 },
  },
  (status) => loops(status) && status.lastState.terminated?.exitCode === 137,
  failed('kubelet', 'Pod', /^payments-/, /liveness/i),
  () => untilEvent('e7-liveness', 'Pod', 'Killing', /failed liveness probe/),
);

/** The kubelet tells of one object 25 times at once; from the sixth kill or so on no event tells of it any more. */
const obeyed = crash(
  'E7-liveness-obeyed',
  'The liveness probe kills a program that obeys SIGTERM, for longer than events are let through',
  { livenessProbe: { exec: { command: ['cat', '/alive'] }, periodSeconds: 1, timeoutSeconds: 20, failureThreshold: 2, initialDelaySeconds: 1 } },
  (status) => status.restartCount >= 9 && status.lastState.terminated?.exitCode === 0,
  failed('kubelet', 'Pod', /^payments-/, /liveness/i),
);

const hook = crash(
  'E7-hook',
  'The postStart hook fails',
  { lifecycle: { postStart: { exec: { command: ['cat', '/warm'] } } } },
  (status) => loops(status) && status.lastState.terminated?.exitCode === 0,
  failed('kubelet', 'Pod', /^payments-/, /postStart hook \(exec cat \/warm\) failed/),
);

const outOfMemory = crash(
  'E7-oom',
  'The container needs more memory than its limit',
  { command: ['tail', '/dev/zero'], resources: { limits: { memory: '32Mi' } } },
  (status) => loops(status) && status.lastState.terminated?.reason === 'OOMKilled',
  failed('kubelet', 'Pod', /^payments-/, /OOM|memory/i, /32Mi/),
);

const noEntryPoint = crash(
  'E7-command',
  'The command is not in the image',
  { command: ['/app/payments', '--serve'] },
  (status) => /no such file or directory/.test(JSON.stringify([status.state, status.lastState])) && status.restartCount >= 1,
  failed('cri', 'Pod', /^payments-/, /\/app\/payments/),
);

const notFoundInShell = crash(
  'E7-shell',
  'The shell does not find the command: exit 127',
  { command: ['sh', '-c', 'payments --serve'] },
  (status) => loops(status) && status.lastState.terminated?.exitCode === 127,
  failed('application', 'Pod', /^payments-/, /127/),
);

function pull(id: string, title: string, image: string, message: RegExp): Experiment {
  const ns = id.toLowerCase();
  return {
    id,
    covers: ['E8', 'K16', 'K53'],
    title,
    namespace: ns,
    fixture: ns,
    lasts: 30,
    arrange: async () => {
      await apply(deployment(ns, 'cart', { container: container({ image }) }));
    },
    until: async () => {
      await untilEvent(ns, 'Pod', 'Failed', message);
      await untilContainer(ns, 'backing off', (status) => status.state.waiting?.reason === 'ImagePullBackOff');
    },
    expect: failed('cri', 'Pod', /^cart-/, message),
  };
}

const noImage = pull('E8-missing', 'An image that does not exist', `${REGISTRY}/shop/cart:9.9`, /not found/);
const noRegistry = pull('E8-unreachable', 'A registry that cannot be reached', `${DEAD_REGISTRY}/shop/cart:9.9`, /connection refused/);
const noLogin = pull('E8-denied', 'An image that asks for a login', `${REGISTRY}/private/cart:9.9`, /401|unauthori[sz]ed|no basic auth/i);

export const containers: readonly Experiment[] = [
  readiness,
  exits,
  liveness,
  obeyed,
  hook,
  outOfMemory,
  noEntryPoint,
  notFoundInShell,
  noImage,
  noRegistry,
  noLogin,
];
