import { describe, expect, test } from 'vitest';
import type { GateRef } from '../../src/model/gate.ts';
import type { Pod } from '../../src/model/kinds.ts';
import { apiServer, controlledBy, crashing, deployment, event, forbidden, job, merge, node, type Patch, pod, replicaSet, running, service, statefulSet, terminated, waiting } from '../build.ts';
import { at, options, play, ready, rollout, short, target, type Timeline } from './play.ts';

const web = options([target('Deployment', 'web')]);
const outcome = ({ verdict, after }: { verdict: string; after: number }): string => `${verdict} at ${after}`;
const older = (count = 1): Pod[] => Array.from({ length: count }, (_, index) => ready(`web-1-${index}`, -3000, -2990));

const MISSING = 'failed to pull and unpack image "registry.example/app:2": failed to resolve reference "registry.example/app:2": registry.example/app:2: not found';
/** The kubelet asks the registry, backs off, asks again. */
const pulling = (name: string, second: number): Pod => {
  const asks = Math.floor(second / 10) % 2 === 0;
  return short(name, 2, [waiting('app', asks ? 'ErrImagePull' : 'ImagePullBackOff', asks ? `rpc error: code = NotFound desc = ${MISSING}` : `Back-off pulling image "registry.example/app:2": ErrImagePull: ${MISSING}`, { image: 'registry.example/app:2' })]);
};
const creating = (name: string): Pod => short(name, 2, [waiting('app', 'ContainerCreating')]);

describe('a Deployment', () => {
  test('passes when its new pods are ready, the old ones are gone, and both have held for ten seconds', () => {
    const played = play(web, [
      [0, { objects: rollout({ old: older() }) }],
      [3, { objects: rollout({ fresh: [creating('web-2-a')], old: older() }) }],
      [8, { objects: rollout({ fresh: [ready('web-2-a', 2, 8)], old: older() }) }],
      [9, { objects: rollout({ fresh: [ready('web-2-a', 2, 8)] }) }],
    ]);
    expect(outcome(played)).toBe('healthy at 19');
    expect(played.log).toEqual([
      '0 shop/web: Deployment, generation 2, revision 2, image registry.example/app:2',
      '0 : deadline 10m30s: 10m progressDeadlineSeconds + 30s soak',
      '0 shop/web: revision 2: 0 of 1 new pods ready, 1 old remains, none of the new made yet',
      '3 shop/web: revision 2: 0 of 1 new pods ready, 1 old remains',
      '8 shop/web: revision 2: 1 of 1 new pods ready, 1 old remains',
      '9 shop/web: revision 2: 1 of 1 pods ready',
      '9 : everything is ready; it has to hold for 10s without a change',
    ]);
    expect(played.report?.gate?.targets).toMatchObject([{ state: 'done', verdict: 'healthy', doneAfter: 9, desired: 1, ready: 1, generation: 2, revision: '2' }]);
  });

  test('does not pass by counts that no pod stands behind', () => {
    // The status counts the old pods of a controller that has not looked yet.
    const played = play(options([target('Deployment', 'web')], { timeout: 60 }), [
      [0, { objects: rollout({ old: older(), status: { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 } }) }],
    ]);
    expect(outcome(played)).toBe('progressing at 60');
  });

  test('does not pass before its newest generation was observed', () => {
    const played = play(options([target('Deployment', 'web')], { timeout: 20 }), [
      [0, { objects: rollout({ fresh: [ready('web-2-a', -50, -40)], patch: { metadata: { generation: 3 } } }) }],
    ]);
    expect(outcome(played)).toBe('progressing at 20');
    expect(played.says).toContain('generation 3 is not observed yet');
  });

  test('fails when an image was asked for three times and nobody has it', () => {
    const played = play(web, [
      [0, { objects: rollout({ old: older() }) }],
      [3, (second) => ({ objects: rollout({ fresh: [pulling('web-2-a', second)], old: older() }) })],
    ]);
    expect(outcome(played)).toBe('failed at 23');
    expect(played.says).toMatch(/^CRI, Image registry\.example\/app:2 cannot be pulled: the registry has no /);
    expect(played.report?.findings[0]).toMatchObject({ rule: 'image-pull', role: 'root' });
    expect(played.report?.gate?.targets[0]?.says).toContain('the revision before still serves with 1 ready');
  });

  test('waits while one pod of many cannot have its image', () => {
    const others = Array.from({ length: 9 }, (_, index) => ready(`web-2-${index}`, 2, 6));
    const timeline: Timeline = [
      [0, { objects: rollout({ replicas: 10, old: older(10) }) }],
      [3, (second) => ({ objects: rollout({ replicas: 10, fresh: [...others, pulling('web-2-x', second)] }) })],
    ];
    expect(outcome(play(web, timeline, 500))).toBe('none at 500');
    expect(outcome(play(web, [...timeline, [200, { objects: rollout({ replicas: 10, fresh: [...others, ready('web-2-x', 2, 200)] }) }]]))).toBe('healthy at 210');
  });

  test('a cause that lasts to the computed deadline fails, and to a shorter --timeout does not', () => {
    const others = Array.from({ length: 9 }, (_, index) => ready(`web-2-${index}`, 2, 6));
    const timeline: Timeline = [[0, (second) => ({ objects: rollout({ replicas: 10, fresh: [...others, pulling('web-2-x', second)] }) })]];
    expect(outcome(play(web, timeline))).toMatch(/^failed at 6\d\d$/);
    const cut = play(options([target('Deployment', 'web')], { timeout: 90 }), timeline);
    expect(outcome(cut)).toBe('progressing at 90');
    expect(cut.says).toContain('(not every new pod has it)');
  });

  const crashed = (restarts: number, died: number): Pod => short('web-2-a', 2, [crashing('app', { terminated: { exitCode: 3, reason: 'Error', startedAt: at(died - 40), finishedAt: at(died), containerID: 'containerd://old' } }, restarts, { image: 'registry.example/app:2' })], { status: { phase: 'Running' } });
  const restarted = (restarts: number, died: number, up: number): Pod => ready('web-2-a', 2, up, { status: { containerStatuses: [running('app', { restartCount: restarts, state: { running: { startedAt: at(up) } }, lastState: { terminated: { exitCode: 3, reason: 'Error', startedAt: at(died - 40), finishedAt: at(died) } } })] } });

  test('a crash after 40 s is not seen by a soak of ten, and is by one of 45', () => {
    const timeline: Timeline = [
      [0, { objects: rollout({ old: older() }) }],
      [5, { objects: rollout({ fresh: [ready('web-2-a', 2, 5)] }) }],
      // The kubelet restarts at once, and backs off only after the second run.
      [45, { objects: rollout({ fresh: [restarted(1, 45, 45)] }) }],
      [86, { objects: rollout({ fresh: [crashed(1, 85)] }) }],
      [96, { objects: rollout({ fresh: [restarted(2, 85, 96)] }) }],
      [137, { objects: rollout({ fresh: [crashed(2, 136)] }) }],
    ];
    expect(outcome(play(web, timeline))).toBe('healthy at 15');
    const played = play(options([target('Deployment', 'web')], { soak: 45 }), timeline);
    expect(played.verdict).toBe('failed');
    // Three crashes; the runs of 40 s between them were ready, and no soak let them pass.
    expect(played.after).toBeGreaterThanOrEqual(137);
    expect(played.after).toBeLessThan(160);
    expect(played.log.filter((line) => line.includes('APPLICATION')).map((line) => line.replace(/^.*; /, ''))).toEqual(expect.arrayContaining([expect.stringMatching(/^fails: 3 runs ended so in \d+s$/)]));
    expect(played.report?.gate?.targets[0]?.remarks).toContain('2 restarts since the gate began');
    expect(played.says).toMatch(/^APPLICATION, Container app exits with code 3/);
    expect(played.log.join('\n')).toContain('it has to hold for 1m without a change, as the last run ended after 40s');
  });

  test('two pods that crash in turns, one ready while the other is not, are a revision that crashes', () => {
    const named = (name: string, each: Pod): Pod => ({ ...each, metadata: { ...each.metadata, name, uid: name } });
    const both = (a: Pod, b: Pod) => ({ objects: rollout({ replicas: 2, fresh: [named('web-2-a', a), named('web-2-b', b)] }) });
    const timeline = (times: number): Timeline => [
      [0, { objects: rollout({ replicas: 2, old: older() }) }],
      [5, both(ready('web-2-a', 2, 5), ready('web-2-a', 2, 5))],
      ...Array.from({ length: times }, (_, n) => n + 1).flatMap((n): Timeline => [
        [n * 50, both(crashed(n, n * 50), restarted(n - 1, n * 50 - 55, n * 50 - 40))],
        [n * 50 + 8, both(restarted(n, n * 50, n * 50 + 8), crashed(n, n * 50 + 8))],
        [n * 50 + 16, both(restarted(n, n * 50, n * 50 + 8), restarted(n, n * 50 + 8, n * 50 + 16))],
      ]),
    ];
    const web2 = options([target('Deployment', 'web')], { soak: 60, timeout: 400 });
    const often = play(web2, timeline(5));
    expect(often.says).toMatch(/^APPLICATION, Container app exits with code 3/);
    // The second crash of each: four of the same kind.
    expect(often.after).toBeGreaterThanOrEqual(100);
    expect(often.after).toBeLessThanOrEqual(160);
    // One crash of each, and then both run.
    expect(play(web2, timeline(1)).verdict).toBe('healthy');
  });

  test('after a restart it has to hold for 30 s', () => {
    const once = ready('web-2-a', 2, 9, { status: { containerStatuses: [running('app', { restartCount: 1, state: { running: { startedAt: at(9) } }, lastState: { terminated: { exitCode: 1, reason: 'Error', startedAt: at(4), finishedAt: at(6) } } })] } });
    const played = play(web, [
      [0, { objects: rollout({ old: older() }) }],
      [3, { objects: rollout({ fresh: [creating('web-2-a')] }) }],
      [9, { objects: rollout({ fresh: [once] }) }],
    ]);
    expect(outcome(played)).toBe('healthy at 39');
  });

  test('restarts from before the gate ask for nothing', () => {
    const old = ready('web-2-a', -500, -100, { status: { containerStatuses: [running('app', { restartCount: 7 })] } });
    expect(outcome(play(web, [[0, { objects: rollout({ fresh: [old] }) }]]))).toBe('healthy at 10');
  });

  test('a program that does not become ready is failed by the deadline alone', () => {
    const unready = short('web-2-a', 2, [running('app', { ready: false, image: 'registry.example/app:2', state: { running: { startedAt: at(4) } } })], { status: { phase: 'Running' } });
    const probe = { containers: [{ name: 'app', image: 'registry.example/app:2', readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5, failureThreshold: 3 } }] };
    const withProbe = merge<Pod>(unready, { spec: probe });
    const objects = [...rollout({ fresh: [withProbe], old: older(), template: probe, patch: { spec: { progressDeadlineSeconds: 120 } } })];
    const failing = event(withProbe, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', -140, { count: 20, involvedObject: { fieldPath: 'spec.containers{app}' }, firstTimestamp: at(10), lastTimestamp: at(140) });
    const played = play(web, [[0, { objects: [...objects, failing] }]]);
    expect(outcome(played)).toBe('failed at 150');
    expect(played.says).toMatch(/^APPLICATION, Container app runs but fails its readiness probe.*still so at the deadline of 2m30s$/);
  });

  const refusal = (message: string, count: number, second: number) => ({
    set: { status: { replicas: 0, conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message, lastTransitionTime: at(1) }] } },
    status: { conditions: [
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetCreated', message: 'Created new replica set "web-2"', lastTransitionTime: at(-1), lastUpdateTime: at(-1) },
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message, lastTransitionTime: at(1) },
    ], unavailableReplicas: count + second * 0 },
  });
  const told = (message: string, second: number) => event(replicaSet('web-2', null), 'FailedCreate', `Error creating: ${message}`, 0, { count: Math.floor(second / 5) + 1, firstTimestamp: at(1), lastTimestamp: at(second), source: { component: 'replicaset-controller' } });
  const QUOTA = 'pods "web-2-x" is forbidden: exceeded quota: team, requested: requests.cpu=500m, used: requests.cpu=900m, limited: requests.cpu=1';

  const team = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team', namespace: 'shop', uid: 'quota', creationTimestamp: at(-9000) }, spec: { hard: { 'requests.cpu': '1' } }, status: { hard: { 'requests.cpu': '1' }, used: { 'requests.cpu': '900m' } } };

  test('fails when a quota lets no pod of the new revision be made, and nothing of the old one is going to end', () => {
    const played = play(web, [[0, (second) => ({ objects: [...rollout({ old: older(), ...refusal(QUOTA, 1, second) }), told(QUOTA, second), team] })]]);
    expect(played.verdict).toBe('failed');
    expect(played.after).toBeGreaterThanOrEqual(20);
    expect(played.after).toBeLessThanOrEqual(60);
    expect(played.says).toMatch(/^ADMISSION, /);
  });

  test('waits when the end of the old revision will make room in the quota', () => {
    const shape = { old: older(4), replicas: 4, patch: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } } } };
    const played = play(web, [
      [0, (second) => ({ objects: [...rollout({ ...shape, ...refusal(QUOTA, 1, second) }), told(QUOTA, second), team] })],
      [120, { objects: rollout({ replicas: 4, fresh: Array.from({ length: 4 }, (_, index) => ready(`web-2-${index}`, 110, 118)) }) }],
    ]);
    expect(outcome(played)).toBe('healthy at 130');
  });

  test('fails at once when a webhook denies its pods', () => {
    const denied = 'admission webhook "policy.example.com" denied the request: image tag "2" is not signed';
    const played = play(web, [[0, (second) => ({ objects: [...rollout({ old: older(), ...refusal(denied, 1, second) }), told(denied, second)] })]]);
    expect(played.verdict).toBe('failed');
    expect(played.after).toBeLessThanOrEqual(30);
    expect(played.says).toMatch(/^ADMISSION, /);
  });

  test('a roll-forward out of a crash loop passes, and tells what it repaired', () => {
    const broken = short('web-1-0', -3000, [crashing('app', terminated('Error', 1), 40)], { status: { phase: 'Running' } });
    const played = play(web, [
      [0, { objects: rollout({ old: [broken] }) }],
      [5, { objects: rollout({ fresh: [creating('web-2-a')], old: [broken] }) }],
      [100, { objects: rollout({ fresh: [ready('web-2-a', 2, 100)] }) }],
    ]);
    expect(outcome(played)).toBe('healthy at 110');
    expect(played.report?.gate?.repaired.map(({ rule }) => rule)).toEqual(['container-exits']);
    expect(played.report?.gate?.preexisting).toEqual([]);
  });

  test('a paused one waits for a person, and says what the person has to do', () => {
    const played = play(web, [[0, { objects: rollout({ old: older(), patch: { spec: { paused: true } } }) }]]);
    expect(outcome(played)).toBe('progressing at 90');
    expect(played.says).toBe('shop/web waits: paused: the template is not rolled out; it goes on with: kubectl rollout resume deployment/web');
  });

  test('a paused one whose new template has no ReplicaSet yet keeps the revision of the one before', () => {
    const [below, web1, first, , ...pods] = rollout({ old: older(), status: { updatedReplicas: 0 }, patch: { spec: { paused: true }, metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } } } });
    const set = { ...first, metadata: { ...first?.metadata, annotations: { 'deployment.kubernetes.io/revision': '1' } } } as typeof first;
    const played = play(options([target('Deployment', 'web')], { timeout: 20 }), [[0, { objects: [below, web1, set, ...pods].filter((each) => each !== undefined) }]]);
    expect(outcome(played)).toBe('progressing at 20');
    expect(played.says).toMatch(/^shop\/web waits: paused: the template is not rolled out/);
  });

  test('a Service in front must reach the new pods, not the old ones', () => {
    const front = service('web');
    const slice = (uid: string) => ({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: 'web-x', namespace: 'shop', uid: 'slice', labels: { 'kubernetes.io/service-name': 'web' } }, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.5'], conditions: { ready: true }, targetRef: { kind: 'Pod', name: uid, uid: `pod-${uid}` } }], ports: [{ name: 'http', port: 8080 }] });
    const up = rollout({ fresh: [ready('web-2-a', 2, 5)] });
    const played = play(web, [[0, { objects: [...up, front, slice('web-1-0')] }], [60, { objects: [...up, front, slice('web-2-a')] }]]);
    expect(outcome(played)).toBe('healthy at 70');
    expect(played.log).toContain('5 shop/web: revision 2: 1 of 1 pods ready; Service web has no ready endpoint among the new pods');
  });
});

describe('what may not or cannot be seen', () => {
  test('without the pods the counts are no proof', () => {
    const played = play(web, [[0, { objects: rollout({ fresh: [ready('web-2-a', -60, -50)] }).filter(({ kind }) => kind !== 'Pod'), coverage: [forbidden('Pod')] }]]);
    expect(outcome(played)).toBe('inconclusive at 1');
    expect(played.says).toBe('shop/web: its status counts 1 of 1 available; the pods behind it could not be read (no "list" on Pod in shop: forbidden)');
  });

  test('what was named and does not exist is told at the second look', () => {
    expect(outcome(play(options([target('Deployment', 'wbe')]), [[0, { objects: [] }]]))).toBe('nothing-matched at 1');
    expect(outcome(play(options([]), [[0, { objects: [] }]]))).toBe('nothing-matched at 0');
  });

  test('time in the dark is told, and holds nothing', () => {
    const up = rollout({ fresh: [ready('web-2-a', 2, 5)] });
    const dark = { objects: [], server: apiServer({ reached: false, failures: [{ path: '/version', code: null, reason: 'ECONNREFUSED', message: 'connect ECONNREFUSED' }] }) };
    const played = play(web, [[0, { objects: rollout({ old: older() }) }], [5, { objects: up }], [10, dark], [22, { objects: up }]]);
    expect(outcome(played)).toBe('healthy at 32');
    expect(played.report?.gate?.blind).toBe(12);
    expect(played.log).toContain('10 : nothing can be seen: connect ECONNREFUSED');
    expect(played.log).toContain('22 : sees again, after 12s of which nothing is known');
  });

  test('a name that nothing has is told with what is called nearly so', () => {
    const there: Timeline = [[0, { objects: rollout({}) }]];
    const said = (...targets: GateRef[]): string => play(options(targets), there).says;
    expect(said(target('Deployment', 'wbe'))).toBe('Deployment/shop/wbe does not exist; there is Deployment/web');
    expect(said(target('StatefulSet', 'web'))).toBe('StatefulSet/shop/web does not exist; there is Deployment/web');
    expect(said(target('', 'wep'))).toBe('shop/wep does not exist; there is Deployment/web');
    expect(said(target('Deployment', 'billing'))).toBe('Deployment/shop/billing does not exist');
  });

  test('a server that never answers is unreachable', () => {
    const dark = { objects: [], server: apiServer({ reached: false }) };
    expect(outcome(play(web, [[0, dark]]))).toBe('unreachable at 30');
    expect(outcome(play(options([target('Deployment', 'web')], { timeout: 10 }), [[0, dark]]))).toBe('unreachable at 10');
  });

  test('a deleted target fails, one that is made anew does not', () => {
    const up = rollout({ old: older() });
    expect(outcome(play(web, [[0, { objects: up }], [5, { objects: [node('node-1')] }]]))).toBe('failed at 16');
    const anew = rollout({ fresh: [ready('web-2-a', 8, 9)], patch: { metadata: { uid: 'another' } } });
    const played = play(web, [[0, { objects: up }], [5, { objects: [node('node-1')] }], [9, { objects: anew }]]);
    expect(outcome(played)).toBe('healthy at 19');
    expect(played.log).toContain('9 shop/web: was deleted and made again: followed anew');
  });
});

describe('a neighbour', () => {
  const broken = (() => {
    const owner = deployment('mail', { spec: { replicas: 1 }, status: { readyReplicas: 0, availableReplicas: 0, conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', lastUpdateTime: at(-2400), lastTransitionTime: at(-2400) }] } });
    const set = replicaSet('mail-1', owner, { status: { readyReplicas: 0, availableReplicas: 0 } });
    return [owner, set, short('mail-1-a', -3000, [crashing('app', terminated('Error', 1), 40)], { metadata: controlledBy(set), status: { phase: 'Running' } })];
  })();

  test('that was broken before does not fail a gate on the namespace', () => {
    const played = play(options([]), [[0, { objects: [...rollout({ old: older() }), ...broken] }], [5, { objects: [...rollout({ fresh: [ready('web-2-a', 2, 5)] }), ...broken] }]]);
    expect(outcome(played)).toBe('healthy at 15');
    expect(played.report?.gate?.targets.map(({ name, state }) => `${name} ${state}`)).toEqual(['mail preexisting', 'web done']);
    expect(played.report?.gate?.preexisting.map(({ rule }) => rule)).toEqual(['container-exits']);
    expect(played.report?.findings.map(({ role }) => role)).toEqual(['preexisting']);
  });

  test('that was broken before is judged where it was named', () => {
    expect(play(options([target('Deployment', 'mail')]), [[0, { objects: [node('node-1'), ...broken] }]]).verdict).toBe('failed');
  });
});

describe('a StatefulSet', () => {
  const db = options([target('StatefulSet', 'db')]);
  const member = (ordinal: number, revision: string, patch: Patch = {}, up = -2000): Pod => merge<Pod>(ready(`db-${ordinal}`, up - 10, up), merge<Patch>({ metadata: { labels: { app: 'db', 'controller-revision-hash': revision } } }, patch));
  const set = (patch: Patch, ...pods: Pod[]) => {
    const owner = statefulSet('db', merge<Patch>({ metadata: { generation: 2 }, spec: { replicas: 3 }, status: { observedGeneration: 2, replicas: 3, readyReplicas: 3, availableReplicas: 3, currentRevision: 'db-1', updateRevision: 'db-2', updatedReplicas: 0 } }, patch));
    return [node('node-1'), owner, ...pods.map((each) => merge<Pod>(each, { metadata: controlledBy(owner) }))];
  };

  test('passes at its partition, and says what the partition keeps back', () => {
    const played = play(db, [[0, { objects: set({ spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }, status: { updatedReplicas: 1 } }, member(0, 'db-1'), member(1, 'db-1'), member(2, 'db-2', {}, -5)) }]]);
    expect(outcome(played)).toBe('healthy at 10');
    expect(played.report?.gate?.targets[0]?.remarks).toEqual(['partition: ordinals below 2 keep their revision by design']);
  });

  test('does not pass while an ordinal above the partition has the old revision', () => {
    const played = play({ ...db, timeout: 30 }, [[0, { objects: set({ spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }, status: { updatedReplicas: 1 } }, member(0, 'db-1'), member(1, 'db-1'), member(2, 'db-2', {}, -5)) }]]);
    expect(outcome(played)).toBe('progressing at 30');
  });

  test('with OnDelete waits for whoever deletes the pods', () => {
    const played = play(db, [[0, { objects: set({ spec: { updateStrategy: { type: 'OnDelete' } } }, member(0, 'db-1'), member(1, 'db-1'), member(2, 'db-1')) }]]);
    expect(outcome(played)).toBe('progressing at 90');
    expect(played.says).toContain('OnDelete: 3 pods of 3 keep the older revision until deleted; it goes on with: deleting 3 pods of the older revision: db-0, db-1, db-2');
  });

  test('fails in the deadlock of a broken pod that no new template reaches', () => {
    const stuck = merge<Pod>(short('db-0', -900, [crashing('app', terminated('Error', 1), 12)], { status: { phase: 'Running' } }), { metadata: { labels: { app: 'db', 'controller-revision-hash': 'db-1' } } });
    const played = play(db, [[0, { objects: set({ status: { replicas: 1, readyReplicas: 0, availableReplicas: 0 }, metadata: { writers: [{ manager: 'kubectl', operation: 'Apply', time: at(-800), paths: ['spec.template'] }], creationTimestamp: at(-900) } }, stuck) }]]);
    expect(played.verdict).toBe('failed');
    expect(played.says).toMatch(/^CONTROLLER, StatefulSet db waits for db-0/);
    expect(played.after).toBeLessThanOrEqual(2);
  });
});

describe('a Job', () => {
  const once = options([target('Job', 'migrate')]);
  test('passes when it is complete, with nothing to hold, and although its pods are gone', () => {
    const done = job('migrate', { status: { active: 0, succeeded: 1, conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at(4) }] } });
    expect(outcome(play(once, [[0, { objects: [job('migrate')] }], [5, { objects: [done] }]]))).toBe('healthy at 5');
    const met = job('migrate', { status: { active: 0, conditions: [{ type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: at(4) }] } });
    expect(play(once, [[0, { objects: [job('migrate')] }], [5, { objects: [met] }], [7, { objects: [done] }]])).toMatchObject({ verdict: 'healthy', after: 7, says: 'complete: 1 of 1 succeeded' });
    expect(outcome(play(once, [[0, { objects: [job('migrate')], coverage: [forbidden('Pod')] }], [5, { objects: [done], coverage: [forbidden('Pod')] }]]))).toBe('healthy at 5');
  });

  test('fails when it has failed, not when one of its pods has', () => {
    const owner = job('migrate', { metadata: { creationTimestamp: at(0) }, status: { active: 1, failed: 1, startTime: at(0) } });
    const trial = short('migrate-a', 1, [{ ...waiting('app', 'Error'), state: { terminated: { exitCode: 1, reason: 'Error', startedAt: at(2), finishedAt: at(3) } } }], { metadata: controlledBy(owner), spec: { restartPolicy: 'Never' }, status: { phase: 'Failed' } });
    const lost = job('migrate', { status: { active: 0, failed: 2, conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit', lastTransitionTime: at(40) }] } });
    const played = play(once, [[0, { objects: [node('node-1'), owner, trial] }], [40, { objects: [node('node-1'), lost, trial] }]]);
    expect(outcome(played)).toBe('failed at 41');
  });

  test('one that is suspended waits', () => {
    expect(outcome(play(once, [[0, { objects: [job('migrate', { spec: { suspend: true } })] }]]))).toBe('progressing at 60');
  });
});

describe('other kinds', () => {
  const widget = (status: object, generation = 2) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'shop', uid: 'w', generation, creationTimestamp: at(-100) }, status });
  const gate = options([target('Widget.example.com', 'w')], { timeout: 40 });
  const coverage = [{ kind: 'Widget.example.com', namespace: null, state: 'complete' as const, count: 1 }];
  const run = (status: object) => outcome(play(gate, [[0, { objects: [widget(status)], coverage }]]));

  test('a custom resource is done by its own conditions, of its own generation', () => {
    expect(run({ observedGeneration: 2, conditions: [{ type: 'Ready', status: 'True', observedGeneration: 2 }] })).toBe('healthy at 10');
    expect(run({ observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] })).toBe('progressing at 40');
    expect(run({ observedGeneration: 2, conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] })).toBe('progressing at 40');
    expect(run({ observedGeneration: 2, conditions: [{ type: 'Reconciling', status: 'True', reason: 'Rolling' }, { type: 'Ready', status: 'True' }] })).toBe('progressing at 40');
  });

  test('a stalled one has failed', () => {
    expect(run({ observedGeneration: 2, conditions: [{ type: 'Stalled', status: 'True', reason: 'BadSpec', message: 'size must be positive' }] })).toMatch(/^failed at [1-3]$/);
  });

  test('a claim without a pod waits as its class asks, and that is its goal', () => {
    const storage = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast', uid: 'sc' }, provisioner: 'csi.example.com', volumeBindingMode: 'WaitForFirstConsumer' };
    const claim = (phase: string) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'shop', uid: 'c', creationTimestamp: at(-5) }, spec: { storageClassName: 'fast', volumeName: phase === 'Bound' ? 'pv-1' : undefined }, status: { phase } });
    const data = options([target('PersistentVolumeClaim', 'data')], { timeout: 30 });
    expect(outcome(play(data, [[0, { objects: [storage, claim('Pending')] }]]))).toBe('healthy at 1');
    const user = pod('web-1', { spec: { nodeName: undefined, volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] }, status: { phase: 'Pending' } });
    expect(outcome(play(data, [[0, { objects: [storage, claim('Pending'), user] }], [12, { objects: [storage, claim('Bound'), user] }]]))).toBe('healthy at 12');
  });
});
