/** What is over is no cause, what goes on is one though it looks well, and what has just begun is neither. */
import { describe, expect, test } from 'vitest';
import { type Patch, before, controlledBy, crashing, deployment, event, node, pod, replicaSet, running, terminated, unready, waiting } from '../build.ts';
import { type Any, judge, layers, roots, told } from './judge.ts';

const web = deployment('web');
const rs = replicaSet('web-1', web);
const around: Any[] = [web, rs, node('node-1')];
const one = (status: Patch, more: Patch = {}): Any =>
  pod('web-1-a', {
    metadata: { ...controlledBy(rs), ...(more['metadata'] as Patch) },
    ...(more['spec'] ? { spec: more['spec'] } : {}),
    status,
  });
const runs = (seconds: number, restarts: number, last: Patch): Any =>
  one({
    containerStatuses: [running('app', { restartCount: restarts, state: { running: { startedAt: before(seconds) } }, lastState: last })],
  });

describe('restarts', () => {
  test('long healed are history, however many', () => {
    expect(judge([...around, runs(3 * 3600, 98, terminated('Error', 1, 3 * 3600 + 5, 30))]).verdict).toBe('healthy');
    expect(judge([...around, runs(26 * 3600, 4, terminated('OOMKilled', 137, 26 * 3600 + 5, 90))]).verdict).toBe('healthy');
  });

  test('of a loop that is ready at the moment of reading are not', () => {
    const report = judge([...around, runs(20, 98, terminated('Error', 1, 330, 30))]);
    expect(told(report)).toEqual(['application Pod/web-1-a']);
    expect(report.verdict).toBe('failed');
  });

  test('of a loop are counted, too, where the record of the last run was collected', () => {
    const bare = (born: number, seconds: number, restarts: number): Any =>
      one({ startTime: before(born), containerStatuses: [running('app', { restartCount: restarts, state: { running: { startedAt: before(seconds) } }, lastState: {} })] });
    const report = judge([...around, bare(400, 5, 38)]);
    expect([report.verdict, roots(report).length, report.open.length]).toEqual(['inconclusive', 0, 1]);
    // A few at its birth, long ago; a few in ten days, the newest of them now.
    expect(judge([...around, bare(3700, 3600, 3)]).verdict).toBe('healthy');
    expect(judge([...around, bare(10 * 86_400, 60, 5)]).verdict).toBe('healthy');
  });

  test('by a limit that is too small come again, and are told while it runs', () => {
    expect(layers(judge([...around, runs(60, 5, terminated('OOMKilled', 137, 240, 90))]))).toEqual(['kubelet']);
  });

  test('once at the start of a node are no loop', () => {
    expect(judge([...around, runs(1800, 1, terminated('Error', 255, 1830, 40000))]).verdict).toBe('healthy');
  });
});

describe('an old warning', () => {
  const mount = (about: Any, ago: number): Any => event(about as never, 'FailedMount', 'MountVolume.SetUp failed for volume "c" : configmap "settings" not found', ago, { count: 40 });

  test('on a pod that runs is history', () => {
    const well = one({});
    expect(judge([...around, well, mount(well, 2400), event(well as never, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', 1800, { count: 300 })]).verdict).toBe('healthy');
  });

  test('is none while the pod still waits', () => {
    const held = one(
      {
        phase: 'Pending',
        podIP: null,
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: before(3000) }],
        containerStatuses: [waiting('app', 'ContainerCreating')],
      },
      { spec: { volumes: [{ name: 'c', configMap: { name: 'settings' } }] } },
    );
    const report = judge([
      deployment('web', { status: { readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 } }),
      replicaSet('web-1', web, { status: { readyReplicas: 0, availableReplicas: 0 } }),
      node('node-1'),
      held,
      mount(held, 40),
    ]);
    expect(layers(report)).toEqual(['kubelet']);
  });

  test('of a former life is not the new one\'s', () => {
    const reborn = one({});
    const former = { ...reborn, metadata: { ...reborn.metadata, uid: 'somebody-else' } };
    expect(judge([...around, reborn, event(former as never, 'BackOff', 'Back-off restarting failed container app in pod', 30, { count: 500 })]).verdict).toBe('healthy');
  });
});

describe('noise', () => {
  const loud = (about: Any): Any => event(about as never, 'Synced', 'status written', 5, { type: 'Normal', count: 90000, firstTimestamp: before(3600), source: { component: 'web-operator' } });

  test('alone is no cause, however loud', () => {
    const well = one({});
    expect(judge([...around, well, loud(well), loud(web as never)]).verdict).toBe('healthy');
  });

  test('is where to look first once the API server sheds load', () => {
    const throttled = 'the server has received too many requests and has asked us to try again later (post pods)';
    const wanting = deployment('web', {
      status: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 },
    });
    const refused = replicaSet('web-1', wanting, {
      status: {
        replicas: 0,
        fullyLabeledReplicas: 0,
        readyReplicas: 0,
        availableReplicas: 0,
        conditions: [
          { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: throttled, lastTransitionTime: before(900) },
        ],
      },
    });
    const [root] = roots(judge([wanting, refused, node('node-1'), loud(wanting as never)]));
    expect(root?.layer).toBe('api');
    expect(root?.conclusion).toContain('web-operator says Synced of Deployment/shop/web');
    expect(roots(judge([wanting, refused, node('node-1')]))[0]?.conclusion).not.toContain('look there first');
  });
});

describe('an object that is young', () => {
  const short = [
    deployment('web', {
      metadata: { creationTimestamp: before(12) },
      status: {
        readyReplicas: 0,
        availableReplicas: 0,
        unavailableReplicas: 1,
        conditions: [
          { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', lastTransitionTime: before(12), lastUpdateTime: before(10) },
        ],
      },
    }),
    replicaSet('web-1', web, { metadata: { creationTimestamp: before(12) }, status: { readyReplicas: 0, availableReplicas: 0 } }),
    node('node-1'),
  ];
  const at = (seconds: number, scheduled: boolean): Any =>
    pod('web-1-a', {
      metadata: { ...controlledBy(rs), creationTimestamp: before(seconds) },
      spec: { nodeName: scheduled ? 'node-1' : undefined },
      status: {
        phase: 'Pending',
        podIP: undefined,
        startTime: scheduled ? before(seconds - 1) : undefined,
        conditions: scheduled ? [{ type: 'PodScheduled', status: 'True', lastTransitionTime: before(seconds - 1) }] : [],
        containerStatuses: scheduled ? [waiting('app', 'ContainerCreating')] : [],
      },
    });

  test.each([
    [3, false],
    [8, true],
  ])('%d s old is progress: neither failed nor well', (seconds, scheduled) => {
    const report = judge([...short, at(seconds, scheduled)]);
    expect(report.verdict).toBe('progressing');
    expect(roots(report)).toEqual([]);
  });

  test('is no excuse an hour later', () => {
    const old = [
      deployment('web', { status: { readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 } }),
      replicaSet('web-1', web, { status: { readyReplicas: 0, availableReplicas: 0 } }),
      node('node-1'),
    ];
    expect(['failed', 'inconclusive']).toContain(judge([...old, at(3500, false)]).verdict);
    expect(['failed', 'inconclusive']).toContain(judge([...old, at(3500, true)]).verdict);
  });

  test('fails at once by what no patience mends', () => {
    const broken = pod('web-1-a', {
      metadata: { ...controlledBy(rs), creationTimestamp: before(12) },
      status: {
        phase: 'Pending',
        startTime: before(11),
        conditions: unready(['app'], 11),
        containerStatuses: [
          waiting(
            'app',
            'InvalidImageName',
            'Failed to apply default image tag "Shop/Web": couldn\'t parse image name "Shop/Web": invalid reference format: repository name (library/Shop/Web) must be lowercase',
          ),
        ],
      },
    });
    expect(layers(judge([...short, broken]))).toEqual(['kubelet']);
  });
});

describe('a crash', () => {
  test('of the revision that is being replaced is not why the new one is slow', () => {
    const newer = replicaSet('web-2', web, {
      metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' }, creationTimestamp: before(20) },
      status: { readyReplicas: 0, availableReplicas: 0 },
    });
    const rolling = deployment('web', {
      metadata: { generation: 2, annotations: { 'deployment.kubernetes.io/revision': '2' } },
      status: {
        observedGeneration: 2,
        replicas: 2,
        updatedReplicas: 1,
        readyReplicas: 0,
        availableReplicas: 0,
        unavailableReplicas: 2,
        conditions: [
          { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', lastTransitionTime: before(20), lastUpdateTime: before(10) },
        ],
      },
    });
    const old = pod('web-1-a', {
      metadata: controlledBy(rs),
      status: { conditions: unready(), containerStatuses: [crashing('app', terminated('Error', 1))] },
    });
    const fresh = pod('web-2-a', {
      metadata: { ...controlledBy(newer), creationTimestamp: before(10) },
      status: {
        phase: 'Pending',
        startTime: before(9),
        podIP: undefined,
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: before(9) }],
        containerStatuses: [waiting('app', 'ContainerCreating')],
      },
    });
    const report = judge([rolling, rs, newer, old, fresh, node('node-1')]);
    expect(roots(report).flatMap(({ subjects }) => subjects.map(({ name }) => name))).not.toContain('web-2-a');
    expect(report.verdict).not.toBe('healthy');
  });
});
