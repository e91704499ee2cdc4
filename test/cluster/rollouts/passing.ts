import { apply, type Obj } from '../api.ts';
import { service } from '../experiments/objects.ts';
import { untilContainer } from '../experiments/observe.ts';
import type { Rollout } from './rollout.ts';
import { daemonSet, job, servesFor, settledDaemonSet, settledStatefulSet, settledWeb, statefulSet, web } from './workloads.ts';

export const AVAILABLE = 'condition=Available';
export const READY_TWO = 'jsonpath={.status.readyReplicas}=2';
/** A soak of ten seconds comes on top of what it takes. */
const PASS: readonly [number, number] = [10, 50];

const deployed: Rollout = {
  id: 'passes-deployment',
  title: 'Deployment passes',
  target: 'deployment/web',
  limit: 60,
  wait: AVAILABLE,
  before: async (ns) => {
    await settledWeb(ns);
    await apply(service(ns, 'web', {}));
  },
  change: (ns) => [web(ns, '2')],
  expect: { verdict: 'healthy', within: PASS, says: [/revision 2: 2 of 2 pods ready, reached by Service web; held for 10s/] },
};

const stateful: Rollout = {
  id: 'passes-statefulset',
  title: 'StatefulSet passes',
  target: 'statefulset/web',
  limit: 60,
  wait: READY_TWO,
  before: settledStatefulSet,
  change: (ns) => [statefulSet(ns, '2')],
  expect: { verdict: 'healthy', within: PASS, says: [/2 of 2 pods ready/] },
};

const daemons: Rollout = {
  id: 'passes-daemonset',
  title: 'DaemonSet passes',
  target: 'daemonset/web',
  limit: 60,
  wait: 'jsonpath={.status.numberReady}=2',
  before: settledDaemonSet,
  change: (ns) => [daemonSet(ns, '2')],
  expect: { verdict: 'healthy', within: PASS, says: [/2 of 2 pods ready/] },
};

const complete: Rollout = {
  id: 'passes-job',
  title: 'Job completes',
  target: 'job/migrate',
  limit: 60,
  wait: 'condition=Complete',
  change: (ns) => [job(ns, 'sleep 3')],
  expect: { verdict: 'healthy', within: [0.5, 40], says: [/complete: 1 of 1 succeeded/] },
};

const forward: Rollout = {
  id: 'roll-forward',
  title: 'Roll-forward out of a crash loop',
  target: 'deployment/web',
  limit: 60,
  wait: AVAILABLE,
  // Of the first revision: broken pods beside good ones of an older revision are ended at once (`cleanupUnhealthyReplicas`, pkg/controller/deployment).
  before: async (ns) => {
    await apply(web(ns, '1', { command: ['sh', '-c', 'exit 3'] }));
    await untilContainer(ns, 'crashing', (status: Obj) => status.state.waiting?.reason === 'CrashLoopBackOff' && status.restartCount >= 2);
  },
  // Long enough on its way for the crash loop to be seen by whoever begins now.
  change: (ns) => [web(ns, '2', { readinessProbe: { httpGet: { path: '/', port: 8080 }, initialDelaySeconds: 10, periodSeconds: 1 } })],
  expect: { verdict: 'healthy', within: [15, 60], says: [/revision 2: 2 of 2 pods ready/, /repaired .*exits with code 3/] },
};

const partitioned: Rollout = {
  id: 'partitioned',
  title: 'StatefulSet with a partition',
  target: 'statefulset/web',
  limit: 60,
  wait: READY_TWO,
  before: (ns) => settledStatefulSet(ns, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }),
  change: (ns) => [statefulSet(ns, '2', {}, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } })],
  expect: { verdict: 'healthy', within: PASS, says: [/1 of 1 new pods ready/, /ordinals below 1 keep their revision by design/] },
};

// What ends later than everything was asked to hold is not seen, and nothing but `--soak` or minReadySeconds can make it seen.
const crashAfterwards: Rollout = {
  id: 'crash-after-soak',
  title: 'Exits 40 s after it became ready',
  target: 'deployment/web',
  limit: 60,
  wait: AVAILABLE,
  before: settledWeb,
  change: (ns) => [web(ns, '2', servesFor(40))],
  expect: { verdict: 'healthy', within: PASS, says: [/held for 10s/] },
};

export const passing: readonly Rollout[] = [deployed, stateful, daemons, complete, forward, partitioned, crashAfterwards];
