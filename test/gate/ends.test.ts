import { describe, expect, test } from 'vitest';
import type { GateOptions } from '../../src/gate/options.ts';
import type { Pod } from '../../src/model/kinds.ts';
import { renderJunit } from '../../src/render/junit.ts';
import { renderMarkdown } from '../../src/render/markdown.ts';
import { renderText } from '../../src/render/text.ts';
import { crashing, event, merge, NOW, type Patch, running, terminated, waiting } from '../build.ts';
import { at, options, play, ready, rollout, type Shape, short, target, type Timeline } from './play.ts';

const web = options([target('Deployment', 'web')]);
const outcome = ({ verdict, after }: { verdict: string; after: number }): string => `${verdict} at ${after}`;
const older = (): Pod[] => [ready('web-1-0', -3000, -2990)];

describe('a Deployment that its own controller has given up', () => {
  const probe = { containers: [{ name: 'app', image: 'registry.example/app:2', readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5, failureThreshold: 3 } }] };
  const unready = merge<Pod>(short('web-2-a', 2, [running('app', { ready: false, image: 'registry.example/app:2', state: { running: { startedAt: at(4) } } })], { status: { phase: 'Running' } }), { spec: probe });
  const failing = event(unready, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', -40, { count: 6, involvedObject: { fieldPath: 'spec.containers{app}' }, firstTimestamp: at(10), lastTimestamp: at(40) });
  const stopped = (second: number): Patch => ({ conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'ReplicaSet "web-2" has timed out progressing.', lastTransitionTime: at(second), lastUpdateTime: at(second) }] });
  const shape = (status: Patch, pod = unready): Shape => ({ fresh: [pod], old: older(), template: probe, patch: { spec: { progressDeadlineSeconds: 20 } }, status });
  const clock = (second: number): string => `${new Date(Date.parse(NOW) + second * 1000).toISOString().slice(11, 19)}Z`;
  const timeline = (told: boolean, since = 22, pod = unready): Timeline => [
    [0, { objects: rollout(shape(since < 0 ? stopped(since) : {}, pod)) }],
    [22, { objects: [...rollout(shape(stopped(since), pod)), ...(told ? [failing] : [])] }],
  ];

  test('is told by its name and its time wherever the end is told', () => {
    const played = play({ ...web, timeout: 300 }, timeline(true));
    const limit = `its progressDeadlineSeconds of 20s ran out at ${clock(22)}`;
    expect(played.verdict).toBe('failed');
    expect(played.after).toBeLessThan(60);
    expect(played.says).toMatch(new RegExp(`readiness probe.*; the progressDeadlineSeconds of shop/web \\(20s\\) ran out at ${clock(22)}$`));
    expect(played.log.some((line) => line.startsWith('22 shop/web: ') && line.endsWith(limit))).toBe(true);
    expect(played.report?.gate?.deadline.passed).toEqual({ by: 'progressDeadlineSeconds', at: new Date(Date.parse(NOW) + 22_000).toISOString(), seconds: 20, target: 'shop/web' });
    const { report } = played;
    if (!report) throw new Error('no report');
    for (const render of [renderText, renderJunit, renderMarkdown]) expect(render(report, { color: false, width: 400, verbose: false })).toContain(limit);
    expect(renderText(report, { color: false, width: 400, verbose: false })).toContain('; not reached, as a Deployment had given up before');
  });

  test('is no proof of a cause: until there is one it goes on, and the end by --timeout is inconclusive', () => {
    const slow = { spec: { containers: [{ ...probe.containers[0], readinessProbe: { ...probe.containers[0]?.readinessProbe, initialDelaySeconds: 60 } }] } };
    const played = play({ ...web, timeout: 25 }, timeline(false, 22, merge<Pod>(unready, slow)));
    expect(outcome(played)).toBe('inconclusive at 25');
    expect(played.says).toMatch(/its progressDeadlineSeconds of 20s ran out at [\d:]+Z, and nothing proves why$/);
    expect(played.report?.gate?.deadline.passed?.by).toBe('timeout');
  });

  test('leaves its pods no more time than their probes ask for', () => {
    expect(outcome(play({ ...web, timeout: 300 }, timeline(true)))).toBe('failed at 22');
  });

  test('is no end of a rollout that has not begun', () => {
    const played = play({ ...web, timeout: 60, expect: { images: ['app:3'] } }, timeline(true));
    expect(outcome(played)).toBe('failed at 60');
    expect(played.says).toMatch(/^CONTROLLER, The rollout that was expected .* still so at the --timeout of 1m$/);
    expect(played.report?.gate?.targets[0]?.says).toBe('1 image: registry.example/app:2; image app:3 in its template is expected');
  });

  test('before the gate began is history, and is told as such', () => {
    const played = play({ ...web, timeout: 60 }, timeline(true, -30));
    expect(outcome(played)).toBe('progressing at 60');
    expect(played.says).toContain('its progressDeadlineSeconds of 20s had run out before the gate began');
    expect(played.report?.gate?.deadline.passed).toMatchObject({ by: 'timeout', seconds: 60 });
  });
});

describe('what the caller expects', () => {
  const same = rollout({ fresh: [ready('web-2-a', -600, -590)] });
  test('an image that never comes into the template fails at the deadline', () => {
    const gate = options([target('Deployment', 'web')], { timeout: 30, expect: { images: ['app:3'] } });
    const played = play(gate, [[0, { objects: same }]]);
    expect(outcome(played)).toBe('failed at 30');
    expect(played.report?.findings[0]).toMatchObject({ rule: 'gate/expectation', expected: 'image app:3 in its template', actual: '1 image: registry.example/app:2' });
    expect(outcome(play({ ...gate, expect: { images: ['app:2'] } }, [[0, { objects: same }]]))).toBe('healthy at 10');
  });

  test('is what the verdict says, whatever else is wrong with what is there', () => {
    const broken = short('web-2-a', -5, [
      waiting('app', 'ErrImageNeverPull', 'Container image "registry.example/app:2" is not present with pull policy of Never', {
        image: 'registry.example/app:2',
      }),
    ]);
    const crashes = short('web-2-a', -5, [crashing('app', terminated('Error', 1), 40, { image: 'registry.example/app:2' })], {
      status: { phase: 'Running' },
    });
    const cases: [Pod, GateOptions['expect'], number][] = [
      [broken, { images: ['app:3'] }, 20],
      [broken, { images: [], generation: 3 }, 20],
      [broken, { images: [], change: true }, 20],
      [crashes, { images: ['app:3'] }, 70],
    ];
    for (const [pod, expected, timeout] of cases) {
      const played = play(options([target('Deployment', 'web')], { timeout, expect: expected }), [[0, { objects: rollout({ fresh: [pod] }) }]]);
      expect(outcome(played)).toBe(`failed at ${timeout}`);
      expect(played.says).toMatch(/^CONTROLLER, The rollout that was expected of Deployment\/web has not begun, still so at the --timeout of /);
      expect(played.report?.findings.map(({ rule, role }) => `${role} ${rule}`)[0]).toBe('root gate/expectation');
      expect(played.report?.findings.filter(({ role }) => role === 'root')).toHaveLength(1);
      expect(played.report?.findings.length).toBeGreaterThan(1);
    }
  });

  test('a change is one after the gate began', () => {
    const gate = options([target('Deployment', 'web')], { timeout: 60, expect: { images: [], change: true } });
    expect(outcome(play(gate, [[0, { objects: same }]]))).toBe('failed at 60');
    const next = rollout({ fresh: [ready('web-2-a', -600, -590)], patch: { metadata: { generation: 3 } }, status: { observedGeneration: 3 } });
    expect(outcome(play(gate, [[0, { objects: same }], [20, { objects: next }]]))).toBe('healthy at 30');
    expect(outcome(play({ ...gate, expect: { images: [], generation: 3 } }, [[0, { objects: same }], [20, { objects: next }]]))).toBe('healthy at 30');
  });
});
