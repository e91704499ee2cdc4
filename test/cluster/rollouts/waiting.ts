import { READY_TWO, AVAILABLE } from './passing.ts';
import type { Rollout } from './rollout.ts';
import { daemonSet, settledDaemonSet, settledStatefulSet, settledWeb, statefulSet, web } from './workloads.ts';

const LIMIT = 15;
/** Nothing is wrong and nothing moves: told at the time limit, with who has to act. */
const WAITS: readonly [number, number] = [LIMIT - 1, LIMIT + 10];

const paused: Rollout = {
  id: 'paused',
  title: 'Deployment paused',
  target: 'deployment/web',
  limit: LIMIT,
  wait: AVAILABLE,
  before: (ns) => settledWeb(ns, { spec: { paused: false } }),
  change: (ns) => [web(ns, '2', {}, { spec: { paused: true } })],
  expect: { verdict: 'progressing', within: WAITS, says: [/paused: the template is not rolled out; it goes on with: kubectl rollout resume/] },
};

const onDelete = { updateStrategy: { type: 'OnDelete' } };

const statefulOnDelete: Rollout = {
  id: 'ondelete-sts',
  title: 'StatefulSet OnDelete',
  target: 'statefulset/web',
  limit: LIMIT,
  wait: READY_TWO,
  before: (ns) => settledStatefulSet(ns, onDelete),
  change: (ns) => [statefulSet(ns, '2', {}, onDelete)],
  expect: { verdict: 'progressing', within: WAITS, says: [/OnDelete: 2 pods of 2 keep the older revision until deleted/] },
};

const daemonOnDelete: Rollout = {
  id: 'ondelete-ds',
  title: 'DaemonSet OnDelete',
  target: 'daemonset/web',
  limit: LIMIT,
  wait: 'jsonpath={.status.numberReady}=2',
  before: (ns) => settledDaemonSet(ns, onDelete),
  change: (ns) => [daemonSet(ns, '2', onDelete)],
  expect: { verdict: 'progressing', within: WAITS, says: [/OnDelete: 2 pods of 2 keep the older revision until deleted/] },
};

export const waiting: readonly Rollout[] = [paused, statefulOnDelete, daemonOnDelete];
