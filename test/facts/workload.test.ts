import { describe, expect, it } from 'vitest';
import { workFacts } from '../../src/facts/workloads/workload.ts';
import { dueTimes } from '../../src/facts/workloads/schedule.ts';
import type { KubeObject, Pod } from '../../src/model/kinds.ts';
import { Unknown } from '../../src/model/read.ts';
import { before, controlledBy, crashing, deployment, forbidden, job, merge, node, object, type Patch, pod, replicaSet, statefulSet, terminated, unready } from '../build.ts';
import { worldWith } from './texts.ts';

type Built = Parameters<typeof worldWith>[0][number];
const workOf = (about: Built, others: readonly Built[] = [], options: Parameters<typeof worldWith>[1] = {}) =>
  workFacts(worldWith([about, ...others], options), about as unknown as KubeObject);

const owned = (name: string, owner: Built, patch: Patch = {}): Pod => pod(name, merge<Patch>({ metadata: controlledBy(owner) }, patch));
const broken = (name: string, owner: Built, patch: Patch = {}): Pod => owned(name, owner, merge<Patch>({
  status: { conditions: unready(), containerStatuses: [crashing('app', terminated('Error', 1, 30))] },
}, patch));
const fresh = (name: string, owner: Built): Pod => owned(name, owner, {
  metadata: { creationTimestamp: before(10) }, status: { phase: 'Pending', startTime: before(10), conditions: unready(['app'], 8), containerStatuses: [] },
});

const progressing = (status: string, reason: string, age: number, set = 'web-2', more: Patch = {}): Patch => ({
  type: 'Progressing', status, reason, message: `ReplicaSet "${set}" ${status === 'False' ? 'has timed out progressing' : 'is progressing'}.`,
  lastTransitionTime: before(3600), lastUpdateTime: before(age), ...more,
});

/** A Deployment of three in the middle of revision 2, with its ReplicaSets. */
function rollout(patch: Patch = {}): { web: Built; sets: Built[]; next: Built } {
  const web = deployment('web', merge<Patch>({
    metadata: { generation: 2, annotations: { 'deployment.kubernetes.io/revision': '2' } },
    spec: { replicas: 3, template: { spec: { containers: [{ name: 'app', image: 'registry.example/app:2' }] } } },
    status: { observedGeneration: 2, replicas: 4, updatedReplicas: 1, readyReplicas: 3, availableReplicas: 3, conditions: [progressing('True', 'ReplicaSetUpdated', 60)] },
  }, patch));
  const old = replicaSet('web-1', web as never, { spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 3, availableReplicas: 3 } });
  const next = replicaSet('web-2', web as never, {
    metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' }, creationTimestamp: before(300) },
    spec: { template: { spec: { containers: [{ name: 'app', image: 'registry.example/app:2' }] } } }, status: { readyReplicas: 0, availableReplicas: 0 },
  });
  return { web, sets: [old, next], next };
}

describe('a Deployment', () => {
  it('tells the revision, the old pods and how long the rollout may still take', () => {
    const { web, sets, next } = rollout();
    const pods = [fresh('web-2-x', next), ...['a', 'b', 'c'].map((name) => owned(`web-1-${name}`, sets[0] as Built))];
    const work = workOf(web, [...sets, ...pods]);
    expect([work.at, work.young, work.short, work.maxSurge, work.maxUnavailable]).toEqual([['available'], true, 2, 1, 0]);
    expect(work.says).toBe('revision 2, 1 of 3 new pods made, 0 available, 3 old remain, 1m of 10m used');
    expect([work.newest?.metadata.name, work.pods[0]?.metadata.name, work.oldReady]).toEqual(['web-2', 'web-2-x', 3]);
  });

  it.each<[string, Patch, boolean, boolean]>([
    ['passed for the present ReplicaSet', progressing('False', 'ProgressDeadlineExceeded', 60), true, false],
    ['told of an earlier ReplicaSet', progressing('False', 'ProgressDeadlineExceeded', 900, 'web-1'), false, false],
    ['told of an earlier generation', progressing('False', 'ProgressDeadlineExceeded', 60, 'web-2', { observedGeneration: 1 }), false, false],
    ['not passed, but nothing moved for longer', progressing('True', 'ReplicaSetUpdated', 700), false, false],
  ])('deadline %s', (_name, condition, deadline, young) => {
    const { web, sets, next } = rollout({ status: { conditions: [condition] } });
    const work = workOf(web, [...sets, broken('web-2-x', next)]);
    expect([work.deadline, work.young]).toEqual([deadline, young]);
  });

  const observedLate = (writers: Patch[] | undefined): Built => deployment('web', { metadata: { generation: 3, writers }, status: { observedGeneration: 2 } });
  it.each<[string, Built, number | null, boolean]>([
    ['just written', observedLate([{ manager: 'kubectl', operation: 'Update', time: before(2), paths: ['spec.replicas'] }]), 2, true],
    ['written long ago', observedLate([{ manager: 'kubectl', operation: 'Update', time: before(300), paths: ['spec.replicas'] }, { manager: 'kube-controller-manager', operation: 'Update', subresource: 'status', time: before(1), paths: ['status'] }]), 300, false],
    ['written nobody knows when', observedLate(undefined), null, false],
  ])('generation not observed, %s', (_name, web, lag, young) => {
    const work = workOf(web);
    expect([work.at, work.lag, work.young]).toEqual([['observe'], lag, young]);
  });

  it.each<[string, Patch, string, string]>([
    ['paused', { spec: { paused: true }, status: { updatedReplicas: 0 } }, 'goal', 'paused'],
    ['scaled to zero', { spec: { replicas: 0 }, status: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 } }, 'goal', 'scaled to zero'],
    ['being deleted', { metadata: { deletionTimestamp: before(5) }, status: { availableReplicas: 0 } }, 'goal', ''],
    ['without any status', { status: undefined }, 'observe', 'generation 1 is not observed (0) for 1h'],
    ['with pods missing', { status: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 } }, 'create', '0 of 1 pods exist'],
    ['unable to make its new pods beside the old', { status: { updatedReplicas: 0, conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'pods "web-2-" is forbidden: exceeded quota' }] } }, 'create', '1 of 1 pods exist'],
  ])('%s', (_name, patch, at, says) => {
    const work = workOf(deployment('web', patch));
    expect([work.at, work.says]).toEqual([[at], says]);
  });

  it('says which pod has to end before the next is made, for how long it may take, and what runs first', () => {
    const web = deployment('web', { spec: { strategy: { type: 'Recreate' } }, status: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 } });
    const set = replicaSet('web-1', web);
    const leaving = (name: string, seconds: number, hook: Patch = {}): Pod => owned(name, set, merge<Patch>({ metadata: { deletionTimestamp: before(-seconds), deletionGracePeriodSeconds: 600 } }, hook));
    expect(workOf(web, [set, leaving('web-1-a', 500)]).says).toBe('0 of 1 pods exist; web-1-a may take 8m20s more to end (grace 10m)');
    const hooked = { spec: { containers: [{ name: 'app', image: 'a', lifecycle: { preStop: { exec: { command: ['sleep', '600'] } } } }] } };
    expect(workOf(web, [set, leaving('web-1-a', 20), leaving('web-1-b', 500, hooked)]).says)
      .toBe('0 of 1 pods exist; web-1-b and 1 more may take 8m20s more to end (grace 10m, its preStop hook first)');
    expect(workOf(web, [set, leaving('web-1-a', -5)]).says).toBe('0 of 1 pods exist');
  });

  it('is full, and churns, where its pods are evicted one after another', () => {
    const web = deployment('web');
    const set = replicaSet('web-1', web);
    const evicted = (name: string, ago: number): Pod => owned(name, set, { metadata: { creationTimestamp: before(ago) }, status: { phase: 'Failed', reason: 'Evicted', containerStatuses: [] } });
    const many = [100, 200, 300, 400].map((ago) => evicted(`web-1-${ago}`, ago));
    expect(workOf(web, [set, owned('web-1-z', set), ...many]).at).toEqual(['churn']);
    expect(workOf(web, [set, owned('web-1-z', set), ...many.slice(0, 2)]).at).toEqual(['goal']);
    expect(workOf(web, [set, owned('web-1-z', set), ...[7000, 8000, 9000, 9500].map((ago) => evicted(`old-${ago}`, ago))]).at).toEqual(['goal']);
  });

  it('joins pods by the uid of their controller, never by labels', () => {
    const web = deployment('web');
    const set = replicaSet('web-1', web);
    const stranger = pod('web-1-stranger', { metadata: { labels: { app: 'web', 'pod-template-hash': '1' } } });
    expect(workOf(web, [set, stranger, owned('web-1-a', set)]).pods.map((each) => each.metadata.name)).toEqual(['web-1-a']);
  });

  it('stands where its own status says, though its ReplicaSets may not be read', () => {
    const { web } = rollout();
    const work = workOf(web, [], { coverage: [forbidden('ReplicaSet')] });
    expect(work.at).toEqual(['available']);
    expect(() => work.newest).toThrow(Unknown);
  });
});

describe('a StatefulSet', () => {
  const set = (patch: Patch = {}): Built => statefulSet('db', merge<Patch>({ spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3 } }, patch));
  const member = (of: Built, ordinal: number, revision: string, patch: Patch = {}): Pod =>
    owned(`db-${ordinal}`, of, merge<Patch>({ metadata: { labels: { 'controller-revision-hash': revision } } }, patch));

  it('names the first broken ordinal, which keeps the next from being made', () => {
    const db = set({ status: { replicas: 1, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 1 } });
    const work = workOf(db, [broken('db-0', db)]);
    expect([work.at, work.broken?.metadata.name, work.missing, work.says]).toEqual([['available'], 'db-0', ['db-1', 'db-2'], '0 of 3 ready, held at db-0']);
  });

  it('makes pods in parallel, so a missing one is missing', () => {
    expect(workOf(set({ spec: { podManagementPolicy: 'Parallel' }, status: { replicas: 1, readyReplicas: 0, availableReplicas: 0 } })).at).toEqual(['create']);
  });

  it.each<[string, Patch, string, boolean]>([
    ['OrderedReady waits for the broken pod of another revision', {}, 'db-2', true],
    ['Parallel replaces it', { spec: { podManagementPolicy: 'Parallel' } }, 'db-2', false],
    ['below the partition it keeps its revision', { spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 3 } } } }, 'db-2', false],
  ])('the rollback trap: %s', (_name, patch, name, trap) => {
    const db = set(merge<Patch>({ status: { readyReplicas: 2, availableReplicas: 2, currentRevision: 'db-1', updateRevision: 'db-1' } }, patch));
    const work = workOf(db, [member(db, 0, 'db-1'), member(db, 1, 'db-1'), broken('db-2', db, { metadata: { labels: { 'controller-revision-hash': 'db-9' } } })]);
    expect([work.broken?.metadata.name, work.trap]).toEqual([name, trap]);
  });

  it.each<[string, Patch, string]>([
    ['a rolling update under way', {}, 'available'],
    ['an update that ends at the partition', { spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } } }, 'goal'],
    ['an update that waits for a person', { spec: { updateStrategy: { type: 'OnDelete' } } }, 'goal'],
  ])('%s', (_name, patch, at) => {
    expect(workOf(set(merge<Patch>({ status: { currentRevision: 'db-1', updateRevision: 'db-2', updatedReplicas: 1 } }, patch))).at).toEqual([at]);
  });

  it('counts ready pods as available where the version does not count them itself', () => {
    const old = set();
    expect(workOf(merge(old, { status: { availableReplicas: undefined } })).at).toEqual(['goal']);
    expect(workOf(merge(old, { status: { availableReplicas: 0 } })).at).toEqual(['available']);
  });
});

describe('a DaemonSet', () => {
  const agent = (status: Patch, spec: Patch = {}): Built => object('apps/v1', 'DaemonSet', 'agent', {
    metadata: { generation: 1 }, spec: { template: { spec: {} }, ...spec },
    status: { observedGeneration: 1, currentNumberScheduled: 1, desiredNumberScheduled: 1, numberReady: 1, numberAvailable: 1, updatedNumberScheduled: 1, numberMisscheduled: 0, ...status },
  });

  it('is well without the nodes it leaves out, and says why it does', () => {
    const nodes = [
      node('a'), node('gpu', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } }),
      node('cordoned', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } }),
    ];
    const work = workOf(agent({}), nodes);
    expect([work.at, work.skipped.map((each) => `${each.node}: ${each.why}`), work.missing]).toEqual([['goal'], ['gpu: taint gpu=yes:NoSchedule is not tolerated'], ['a', 'cordoned']]);
  });

  it.each<[string, Patch, Patch, string]>([
    ['a node without its pod', { desiredNumberScheduled: 2 }, {}, 'create'],
    ['a broken pod', { numberReady: 0, numberAvailable: 0 }, {}, 'available'],
    ['an update under way', { updatedNumberScheduled: 0 }, {}, 'available'],
    ['an update that waits for a person', { updatedNumberScheduled: 0 }, { updateStrategy: { type: 'OnDelete' } }, 'goal'],
    ['no node at all', { desiredNumberScheduled: 0, currentNumberScheduled: 0, numberReady: 0, numberAvailable: 0, updatedNumberScheduled: 0 }, {}, 'goal'],
  ])('%s', (_name, status, spec, at) => {
    expect(workOf(agent(status, spec)).at).toEqual([at]);
  });
});

const condition = (type: string, reason = ''): Patch => ({ type, status: 'True', reason, message: `${reason} it is`, lastTransitionTime: before(60) });

describe('a Job', () => {
  it.each<[string, Patch, string, boolean]>([
    ['under way', { status: { active: 1, ready: 1 } }, 'goal', false],
    ['its pod not ready yet', { status: { active: 1, ready: 0 } }, 'finish', true],
    ['complete after retries', { status: { active: undefined, succeeded: 1, failed: 4, conditions: [condition('Complete')] } }, 'goal', false],
    ['done, its last pods ending', { status: { active: undefined, succeeded: 1, failed: 1, conditions: [condition('SuccessCriteriaMet', 'CompletionsReached')] } }, 'goal', false],
    ['out of retries', { status: { active: undefined, failed: 7, conditions: [condition('Failed', 'BackoffLimitExceeded')] } }, 'finish', false],
    ['past its deadline, pods still ending', { status: { active: 1, conditions: [condition('FailureTarget', 'DeadlineExceeded')] } }, 'finish', false],
    ['between two retries', { status: { active: undefined, failed: 2 } }, 'finish', true],
    ['suspended', { spec: { suspend: true }, status: { active: undefined, conditions: [condition('Suspended', 'JobSuspended')] } }, 'goal', false],
    ['without a pod', { status: { active: undefined } }, 'create', false],
    ['a queue whose first pod is done', { spec: { completions: undefined, parallelism: 3 }, status: { active: 2, ready: 2, succeeded: 1 } }, 'goal', false],
    ['one of several done a moment ago', { spec: { completions: 5 }, status: { active: undefined, succeeded: 2 } }, 'create', true],
    ['somebody else\'s', { spec: { managedBy: 'kueue.x-k8s.io/multikueue' }, status: { active: undefined } }, 'goal', false],
  ])('%s', (_name, patch, at, young) => {
    const importer = merge(job('import'), patch);
    const done = owned('import-1', importer, { status: { phase: 'Succeeded', conditions: [{ type: 'Ready', status: 'False', reason: 'PodCompleted', lastTransitionTime: before(4) }] } });
    const work = workOf(importer, importer.status?.succeeded === 2 ? [done] : []);
    expect([work.at, work.young]).toEqual([[at], young]);
  });

  it('is held by a sidecar after its work is done', () => {
    const importer = job('import', { status: { active: 1, ready: 0 } });
    const done = owned('import-x', importer, { status: { conditions: unready(['app']), containerStatuses: [
      { name: 'app', ready: false, restartCount: 0, state: terminated('Completed', 0, 500) }, { name: 'proxy', ready: true, restartCount: 0, state: { running: { startedAt: before(3000) } } },
    ] } });
    const work = workOf(importer, [done]);
    const draining = merge(done, { status: { containerStatuses: [{ name: 'app', state: terminated('Completed', 0, 5) }, { name: 'proxy', state: { running: {} } }] } });
    expect(workOf(importer, [draining]).job?.held).toEqual([]);
    expect([work.at, work.job?.held.map((each) => each.metadata.name), work.says]).toEqual([['finish'], ['import-x'], '1 pod kept running by a sidecar after the work was done']);
  });

  it('is history once its CronJob has finished another', () => {
    const tick = object('batch/v1', 'CronJob', 'tick', { spec: { schedule: '0 * * * *' }, status: { lastScheduleTime: before(3600) } });
    const failed = job('tick-1', { metadata: { ...controlledBy(tick), creationTimestamp: before(7200) }, status: { active: undefined, failed: 7, conditions: [condition('Failed', 'BackoffLimitExceeded')] } });
    const next = job('tick-2', { metadata: { ...controlledBy(tick), creationTimestamp: before(3600) }, status: { active: undefined, succeeded: 1, conditions: [condition('Complete')] } });
    expect([workOf(failed, [tick, next]).at, workOf(failed, [tick]).at]).toEqual([['goal'], ['finish']]);
  });
});

describe('a CronJob', () => {
  const cron = (spec: Patch, status: Patch = { lastScheduleTime: before(3600) }): Built => object('batch/v1', 'CronJob', 'tick', {
    metadata: { creationTimestamp: before(90_000), generation: 1 }, spec: { schedule: '0 * * * *', ...spec }, status,
  });
  const runOf = (owner: Built, name: string, age: number, status: Patch): Built => job(name, { metadata: { ...controlledBy(owner), creationTimestamp: before(age) }, status });

  it.each<[string, Patch, Patch, string, number]>([
    ['one start due a moment ago', {}, { lastScheduleTime: before(3600) }, 'goal', 0],
    ['five starts missed', {}, { lastScheduleTime: before(6 * 3600) }, 'create', 5],
    ['suspended', { suspend: true }, { lastScheduleTime: before(6 * 3600) }, 'goal', 0],
    ['a schedule that is none', { schedule: 'every hour' }, {}, 'create', 0],
    ['a time zone that is none', { timeZone: 'Mars/Olympus' }, {}, 'create', 0],
    ['counted from the controller\'s start', { schedule: '@every 5m' }, { lastScheduleTime: before(6 * 3600) }, 'goal', 0],
  ])('%s', (_name, spec, status, at, missed) => {
    const work = workOf(cron(spec, status));
    expect([work.at, work.cron?.missed]).toEqual([[at], missed]);
  });

  it('names the run that keeps others from starting', () => {
    const tick = cron({ concurrencyPolicy: 'Forbid' }, { lastScheduleTime: before(6 * 3600) });
    const stuck = runOf(tick, 'tick-1', 6 * 3600, { active: 1, ready: 0 });
    const work = workOf(tick, [stuck]);
    expect([work.at, work.cron?.blockedBy?.metadata.name, work.says]).toEqual([['create'], 'tick-1', 'Job tick-1 has run for 6h; 5 starts skipped (Forbid)']);
  });

  it('fails with the last run that finished, and recovers with the next success', () => {
    const tick = cron({});
    const lost = runOf(tick, 'tick-1', 7200, { active: undefined, failed: 7, conditions: [condition('Failed', 'BackoffLimitExceeded')] });
    const under = runOf(tick, 'tick-2', 30, { active: 1, ready: 1 });
    expect([workOf(tick, [lost]).at, workOf(tick, [lost, under]).at]).toEqual([['finish'], ['finish']]);
    expect(workOf(cron({}, { lastScheduleTime: before(3600), lastSuccessfulTime: before(3000) }), [lost]).at).toEqual(['goal']);
  });

  it('is not judged where its Jobs may not be read', () => {
    expect(() => workOf(cron({}), [], { coverage: [forbidden('Job')] }).at).toThrow(Unknown);
  });
});

const NOON = Date.parse('2026-03-01T12:00:00Z');
describe('a schedule', () => {
  it.each<[string, string | null, string[] | null]>([
    ['*/15 * * * *', null, ['12:00', '11:45', '11:30']],
    ['30 9-17/4 * * mon-fri', null, ['2026-02-27 17:30', '2026-02-27 13:30', '2026-02-27 09:30']],
    ['0 6 1,15 * *', null, ['2026-03-01 06:00', '2026-02-15 06:00', '2026-02-01 06:00']],
    ['0 0 13 * 5', null, ['2026-02-27 00:00', '2026-02-20 00:00', '2026-02-13 00:00']],
    ['0 6 * * *', 'America/New_York', ['2026-03-01 11:00', '2026-02-28 11:00', '2026-02-27 11:00']],
    ['@daily', null, ['2026-03-01 00:00', '2026-02-28 00:00', '2026-02-27 00:00']],
    ['0 0 * * 7', null, ['2026-03-01 00:00', '2026-02-22 00:00', '2026-02-15 00:00']],
    ['60 * * * *', null, null],
    ['* * * *', null, null],
    ['0 0 5-1 * *', null, null],
  ])('%s in %s', (schedule, zone, want) => {
    const times = dueTimes(schedule, zone, 0, NOON, 3)?.map((time) => new Date(time).toISOString().slice(0, 16).replace('T', ' ')) ?? null;
    expect(times).toEqual(want?.map((time) => (time.length === 5 ? `2026-03-01 ${time}` : time)) ?? null);
  });
});
