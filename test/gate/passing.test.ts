/** What passes by itself must not fail a rollout, what has not moved must not hold one up, and no other revision may be taken for the new one. */
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../src/model/kinds.ts';
import { controlledBy, crashing, event, merge, node, object, type Patch, running, terminated, waiting } from '../build.ts';
import { at, options, play, ready, rollout, short, target, type Timeline } from './play.ts';

const web = options([target('Deployment', 'web')]);
const outcome = ({ verdict, after }: { verdict: string; after: number }): string => `${verdict} at ${after}`;
const older = (): Pod[] => [ready('web-1-0', -3000, -2990)];
const creating = (name: string): Pod => short(name, 2, [waiting('app', 'ContainerCreating')]);

describe('a trouble that passes', () => {
  test('a registry that does not answer for a while, however often it is asked', () => {
    const timeout = 'failed to pull and unpack image "registry.example/app:2": failed to resolve reference "registry.example/app:2": failed to do request: Head "https://registry.example/v2/app/manifests/2": dial tcp 192.0.2.7:443: i/o timeout';
    const pulling = (second: number): Pod => {
      const asks = Math.floor(second / 10) % 2 === 0;
      return short('web-2-a', 2, [waiting('app', asks ? 'ErrImagePull' : 'ImagePullBackOff', asks ? timeout : `Back-off pulling image "registry.example/app:2": ErrImagePull: ${timeout}`, { image: 'registry.example/app:2' })]);
    };
    const timeline: Timeline = [[0, (second) => ({ objects: rollout({ fresh: [pulling(second)], old: older() }) })], [200, { objects: rollout({ fresh: [ready('web-2-a', 2, 200)] }) }]];
    expect(outcome(play(web, timeline))).toBe('healthy at 210');
  });

  test('an init container that fails twice and then succeeds', () => {
    const template = { initContainers: [{ name: 'wait-for-db', image: 'registry.example/wait:1' }] };
    const initial = (box: Patch): Pod => short('web-2-a', 2, [waiting('app', 'PodInitializing')], {
      spec: template,
      status: {
        initContainerStatuses: [box],
        conditions: [
          ...['PodReadyToStartContainers', 'PodScheduled'].map((type) => ({ type, status: 'True', lastTransitionTime: at(2) })),
          { type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized', message: 'containers with incomplete status: [wait-for-db]', lastTransitionTime: at(2) },
          ...['ContainersReady', 'Ready'].map((type) => ({ type, status: 'False', reason: 'ContainersNotReady', message: 'containers with unready status: [app]', lastTransitionTime: at(2) })),
        ],
      },
    });
    const failed = (restarts: number, ended: number): Pod => {
      const end = { terminated: { exitCode: 1, reason: 'Error', startedAt: at(ended - 2), finishedAt: at(ended), containerID: `containerd://${ended}` } };
      return initial(crashing('wait-for-db', end, restarts) as unknown as Patch);
    };
    const done = merge<Pod>(ready('web-2-a', 2, 60), { spec: template, status: { initContainerStatuses: [{ ...running('wait-for-db'), ready: true, restartCount: 2, state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: at(44), finishedAt: at(58) } }, lastState: {} }] } });
    const played = play(web, [
      [0, { objects: rollout({ template, fresh: [creating('web-2-a')], old: older() }) }],
      [6, { objects: rollout({ template, fresh: [failed(1, 5)], old: older() }) }],
      [20, { objects: rollout({ template, fresh: [failed(2, 19)], old: older() }) }],
      [60, { objects: rollout({ template, fresh: [done] }) }],
    ]);
    expect(played.verdict).toBe('healthy');
  });

  test('a proxy beside the program that is started twice', () => {
    const both = (proxy: Patch, up: boolean): Pod => {
      const pod = up ? ready('web-2-a', 2, 30) : short('web-2-a', 2, [], { status: { phase: 'Running' } });
      return merge<Pod>(pod, { spec: { containers: [{ name: 'app', image: 'registry.example/app:2' }, { name: 'proxy', image: 'registry.example/proxy:1' }] }, status: { containerStatuses: [running('app', { state: { running: { startedAt: at(5) } } }), proxy] } });
    };
    const end = { terminated: { exitCode: 255, reason: 'Error', startedAt: at(5), finishedAt: at(8), containerID: 'containerd://8' } };
    const again = running('proxy', { restartCount: 1, lastState: end, state: { running: { startedAt: at(28) } } });
    const played = play(web, [
      [0, { objects: rollout({ fresh: [creating('web-2-a')], old: older() }) }],
      [9, { objects: rollout({ fresh: [both(crashing('proxy', end, 1) as unknown as Patch, false)], old: older() }) }],
      [30, { objects: rollout({ fresh: [both(again as unknown as Patch, true)] }) }],
    ]);
    expect(played.verdict).toBe('healthy');
    // It is told that it had to hold longer for the restart.
    expect(played.after).toBeGreaterThanOrEqual(50);
  });
});

describe('what has not moved', () => {
  test('a Deployment that was applied without a change passes as soon as it has held', () => {
    // Its own deadline is long past, and nothing of it has moved for an hour.
    const calm = rollout({ fresh: [ready('web-2-a', -3500, -3490)], patch: { metadata: { writers: [{ manager: 'kubectl', operation: 'Apply', time: at(-3550), paths: ['spec.template'] }] } }, status: { conditions: [
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', lastTransitionTime: at(-3490) },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', lastTransitionTime: at(-3500), lastUpdateTime: at(-3490) }] } });
    expect(outcome(play(web, [[0, { objects: calm }]]))).toBe('healthy at 10');
  });
});

describe('the revision that is waited for', () => {
  test('back to a template of before: its old ReplicaSet is the new one', () => {
    // The Deployment takes web-1 up again, which is older than web-2 and has the higher revision now (deployment/util, SetNewReplicaSetAnnotations).
    const back = (fresh: Pod[], old: Pod[]) => rollout({ fresh: old, old: fresh, patch: { metadata: { generation: 3, annotations: { 'deployment.kubernetes.io/revision': '3' } }, spec: { template: { spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] } } } }, status: { observedGeneration: 3, updatedReplicas: fresh.length, replicas: fresh.length + old.length } })
      .map((each) => (each.kind === 'ReplicaSet' && each.metadata.name === 'web-1' ? merge(each, { metadata: { annotations: { 'deployment.kubernetes.io/revision': '3' } }, spec: { replicas: 1 } })
        : each.kind === 'ReplicaSet' ? merge(each, { spec: { replicas: old.length } }) : each));
    const broken = short('web-2-a', -600, [crashing('app', terminated('Error', 1), 9)], { status: { phase: 'Running' } });
    const played = play(web, [
      [0, { objects: back([], [broken]) }],
      [4, { objects: back([creating('web-1-n')], [broken]) }],
      [9, { objects: back([ready('web-1-n', 4, 9)], []) }],
    ]);
    expect(outcome(played)).toBe('healthy at 19');
    expect(played.report?.gate?.targets).toMatchObject([{ revision: '3', desired: 1, ready: 1 }]);
  });

  test('a DaemonSet with OnDelete waits for whoever deletes the pods', () => {
    const owner = object('apps/v1', 'DaemonSet', 'agent', {
      metadata: { generation: 2, annotations: { 'deprecated.daemonset.template.generation': '2' }, writers: [{ manager: 'kubectl', operation: 'Apply', time: at(-2), paths: ['spec.template'] }] },
      spec: { selector: { matchLabels: { app: 'agent' } }, updateStrategy: { type: 'OnDelete' }, template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'app', image: 'registry.example/agent:2' }] } } },
      status: { observedGeneration: 2, desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1, numberAvailable: 1, updatedNumberScheduled: 0 },
    });
    const old = merge<Pod>(ready('agent-x', -3000, -2990), { metadata: { ...controlledBy(owner), labels: { app: 'agent', 'controller-revision-hash': 'a', 'pod-template-generation': '1' } } });
    const played = play(options([target('DaemonSet', 'agent')]), [[0, { objects: [node('node-1'), owner, old] }]], 200);
    expect(played.verdict).not.toBe('healthy');
    expect(played.says).toContain('OnDelete');
  });
});

test('an old warning about the new pods is no cause any more once they are ready', () => {
  const up = ready('web-2-a', 2, 20);
  const warning = event(up, 'Failed', 'Error: ErrImagePull', -4, { count: 2 });
  expect(outcome(play(web, [[0, { objects: rollout({ old: older() }) }], [22, { objects: [...rollout({ fresh: [up] }), warning] }]]))).toBe('healthy at 32');
});
