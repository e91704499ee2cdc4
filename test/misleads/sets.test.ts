/** Containers of one pod, pods of one set, and what their controller says of them. */
import { describe, expect, test } from 'vitest';
import { before, controlledBy, crashing, deployment, node, object, pod, replicaSet, running, terminated, unready, waiting } from '../build.ts';
import { type Any, judge, layers, roots, told } from './judge.ts';

const short = deployment('web', { status: { readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 } });
const set = replicaSet('web-1', short, { status: { readyReplicas: 0, availableReplicas: 0 } });
const two = (...statuses: unknown[]): Any =>
  pod('web-1-a', {
    metadata: controlledBy(set),
    spec: { containers: ['app', 'side'].map((name) => ({ name, image: `registry.example/${name}:1` })) },
    status: { conditions: unready(['app', 'side']), containerStatuses: statuses },
  });
const headings = (report: ReturnType<typeof judge>): string[] =>
  roots(report)
    .map(({ title }) => title)
    .sort();

describe('two containers of one pod', () => {
  test('with two causes are two causes', () => {
    const report = judge([short, set, node('node-1'), two(crashing('app', terminated('Error', 3)), waiting('side', 'ImagePullBackOff', 'Back-off pulling image "registry.example/side:1": ErrImagePull: failed to pull and unpack image "registry.example/side:1": failed to resolve reference "registry.example/side:1": registry.example/side:1: not found'))]);
    expect(layers(report)).toEqual(['application', 'cri']);
  });

  test('of which one is killed by its limit and one exits: each is told of itself', () => {
    const report = judge([short, set, node('node-1'), two(crashing('app', terminated('Error', 3)), crashing('side', terminated('OOMKilled', 137)))]);
    expect(layers(report)).toEqual(['application', 'kubelet']);
    expect(headings(report).join('\n')).toMatch(/app exits with code 3/);
    expect(headings(report).join('\n')).toMatch(/side/);
  });

  test('of which one is well have one cause', () => {
    const report = judge([short, set, node('node-1'), two(running('app'), crashing('side', terminated('Error', 3)))]);
    expect(headings(report)).toHaveLength(1);
    expect(headings(report)[0]).toMatch(/side exits with code 3/);
  });

  test('of which one was killed long ago and one fails now have one cause', () => {
    const once = running('app', { restartCount: 1, state: { running: { startedAt: before(20000) } }, lastState: terminated('OOMKilled', 137, 20010, 4000) });
    expect(layers(judge([short, set, node('node-1'), two(once, waiting('side', 'CreateContainerConfigError', 'secret "db" not found'))]))).toEqual(['kubelet']);
  });
});

describe('churn', () => {
  const full = deployment('tmp');
  const rs = replicaSet('tmp-1', full);
  const evicted = (
    name: string,
    ago: number,
    message = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
  ): Any =>
    pod(name, {
      metadata: { ...controlledBy(rs), creationTimestamp: before(ago + 300) },
      status: {
        phase: 'Failed',
        reason: 'Evicted',
        message,
        podIP: undefined,
        conditions: [
          { type: 'Ready', status: 'False', lastTransitionTime: before(ago) },
          { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message, lastTransitionTime: before(ago) },
        ],
        containerStatuses: [
          {
            name: 'app',
            image: 'a',
            imageID: '',
            ready: false,
            started: false,
            restartCount: 0,
            lastState: {},
            state: terminated('Error', 137, ago, 300),
          },
        ],
      },
    });
  const ready = pod('tmp-1-now', { metadata: { ...controlledBy(rs), creationTimestamp: before(90) } });

  test('behind full replicas is told: evicted again and again', () => {
    const report = judge([full, rs, ready, node('node-1'), ...[120, 500, 900, 1300].map((ago) => evicted(`tmp-1-${ago}`, ago))]);
    expect(layers(report)).toEqual(['kubelet']);
    expect(report.verdict).toBe('failed');
  });

  test.each([
    ['yesterday is history', [80000, 80400, 80800, 81200]],
    ['once is none', [120]],
  ])('%s', (_, agos) => {
    expect(judge([full, rs, ready, node('node-1'), ...agos.map((ago) => evicted(`tmp-1-${ago}`, ago))]).verdict).toBe('healthy');
  });
});

describe('a quota', () => {
  const refused = 'pods "web-1-x" is forbidden: exceeded quota: team, requested: cpu=1, used: cpu=4, limited: cpu=4';
  const quota = (used: string, hard = '4'): Any =>
    object('v1', 'ResourceQuota', 'team', { spec: { hard: { cpu: hard } }, status: { hard: { cpu: hard }, used: { cpu: used } } });
  const wanting = deployment('web', {
    spec: { replicas: 2 },
    status: {
      unavailableReplicas: 1,
      conditions: [
        { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: refused, lastTransitionTime: before(900) },
        {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          lastTransitionTime: before(3600),
          lastUpdateTime: before(3500),
        },
      ],
    },
  });
  const behind = replicaSet('web-1', wanting, {
    spec: { replicas: 2, template: { spec: { containers: [{ name: 'app', image: 'a', resources: { requests: { cpu: '1' } } }] } } },
    status: {
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: refused, lastTransitionTime: before(900) }],
    },
  });
  const have = pod('web-1-a', { metadata: controlledBy(behind) });

  test('without room is the cause, with its sum', () => {
    const report = judge([wanting, behind, have, node('node-1'), quota('4')]);
    expect(layers(report)).toEqual(['admission']);
    expect(roots(report)[0]?.actual).toMatch(/4/);
    expect(report.verdict).toBe('failed');
  });

  test('with room again is told as what the controller waits out', () => {
    const report = judge([wanting, behind, have, node('node-1'), quota('1')]);
    expect(layers(report)).toEqual(['admission']);
    const [root] = roots(report);
    expect(`${root?.title} ${root?.actual} ${root?.conclusion}`).toMatch(/room (?:again|now)|fits now|has room/i);
    expect(roots(judge([wanting, behind, have, node('node-1'), quota('4')]))[0]?.conclusion).not.toMatch(/room again/);
  });

  test('that is used up while nobody asks holds nothing back', () => {
    expect(told(judge([deployment('web'), replicaSet('web-1', deployment('web')), pod('web-1-a', { metadata: controlledBy(replicaSet('web-1', deployment('web'))) }), node('node-1'), quota('4')]))).toEqual([]);
  });
});
