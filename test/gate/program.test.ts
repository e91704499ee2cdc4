import type { ServerResponse } from 'node:http';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

import { object } from '../build.ts';
import { reply, status } from '../source/api-double.ts';
import { isSarif } from '../render/sarif-schema.ts';
import { ready, rollout } from './play.ts';
import { type Play, programs, type Ran } from './run.ts';

const recorded = fileURLToPath(new URL('recorded', import.meta.url));

const { folder, program } = programs();
const gate = (scene: Play, ...args: string[]): Promise<Ran> => program(scene, 'gate', ...args);

const shop = object('v1', 'Namespace', 'shop', { status: { phase: 'Active' } });
const before = [shop, ...rollout({ old: [ready('web-1-0', -3000, -2990)] })];
const after = [shop, ...rollout({ fresh: [ready('web-2-a', 2, 5)] })];

describe('the gate on a live server', () => {
  test('waits, holds, passes; a line a change on stderr, the page on stdout', async () => {
    const { stdout, stderr, code, asked } = await gate({ objects: before, later: [[1200, after]] }, 'deploy/web', '--soak', '2s');
    expect(stderr.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
      'shop/web: Deployment, generation 2, revision 2, image registry.example/app:2',
      'deadline 10m30s: 10m progressDeadlineSeconds + 30s soak',
      'shop/web: revision 2: 0 of 1 new pods ready, 1 old remains, none of the new made yet',
      'shop/web: revision 2: 1 of 1 pods ready',
      'everything is ready; it has to hold for 2s without a change',
      '',
    ]);
    expect(stdout).toMatch(/^Deployment\/shop\/web {2}PASSED after \ds: revision 2: 1 of 1 pods ready; held for\n {2}2s without a change\n/);
    expect(stdout).not.toContain('repaired');
    expect(Number(/(\d+)\s+requests/.exec(stdout)?.[1])).toBe(asked.length);
    expect(code).toBe(0);
  });

  test('is told apart: nothing there, not allowed, not reachable', async () => {
    const nothing = await gate({ objects: [shop] }, 'deploy/wbe');
    expect(nothing.stdout).toMatch(/^Deployment\/shop\/wbe {2}NOTHING MATCHED after \d+s: Deployment\/shop\/wbe does not\n {2}exist\n/);
    const blind = await gate({ objects: after, intercept: (url, response) => (/\/pods$/.test(url.pathname) ? reply(response, 403, status(403, 'Forbidden', 'pods is forbidden')) : undefined) }, 'deploy/web');
    expect(blind.stdout).toContain('INCONCLUSIVE');
    const dark = await gate({ intercept: (_, response) => (response.destroy(), true) }, 'deploy/web', '--timeout', '1s');
    expect(dark.stdout).toContain('API UNREACHABLE');
    expect([nothing.code, blind.code, dark.code]).toEqual([4, 3, 5]);
  }, 60_000);

  test.each(['--watch=true', '--watch=false'])('a server that is away for a while is told, and not counted as health: %s', async (mode) => {
    let began = Number.NaN;
    const away = (): boolean => Date.now() - began > 1500 && Date.now() - began < 4000;
    const intercept = (_: URL, response: ServerResponse): true | undefined => {
      if (Number.isNaN(began)) began = Date.now();
      if (away()) return response.destroy(), true;
      setTimeout(() => response.destroy(), Math.max(0, began + 1500 - Date.now())).unref();
      return undefined;
    };
    const { stdout, stderr, code } = await gate({ objects: after, intercept }, 'deploy/web', '--soak', '4s', mode);
    expect(stderr).toContain('nothing can be seen: ');
    expect(stderr).toContain('sees again, after ');
    expect(stdout).toMatch(/blind for \ds/);
    expect(code).toBe(0);
  }, 60_000);
});

describe('a recording that followed', () => {
  test('is judged as the gate beside it: the same verdict in the same second, and each time alike', async () => {
    const moved = after.map((each) => ({ ...each, metadata: { ...each.metadata, resourceVersion: '2000' } }));
    const rolling = { objects: before, later: [[1500, moved]] } as const;
    const recorded = await program(rolling, 'record', '--follow', '7s', '-o', 'followed');
    expect([recorded.code, recorded.stdout]).toEqual([0, expect.stringMatching(/and \d+ looks before, are in followed\.\nJudge it with: kubectl strata gate \[TYPE\/NAME\.\.\.\] --from followed\n$/)]);
    const live = JSON.parse((await gate(rolling, 'deploy/web', '--soak', '2s', '-o', 'json')).stdout);
    const again = await gate({}, 'deploy/web', '--soak', '2s', '--from', 'followed', '-o', 'json');
    expect(again.stderr).toContain('everything is ready');
    const replayed = JSON.parse(again.stdout);
    expect([again.code, replayed.verdict, replayed.gate.says]).toEqual([0, 'healthy', live.gate.says]);
    // A gate counts from its command on; a recording that followed begins with its first look.
    const seen = ({ gate: { seconds, changes } }: { gate: { seconds: number; changes: { after: number }[] } }): number => seconds - (changes[0]?.after ?? 0);
    expect(Math.abs(seen(replayed) - seen(live))).toBeLessThan(2);
    // On a busy machine a look may come late, and the soak begins anew.
    const told = ({ gate: { changes } }: { gate: { changes: { text: string }[] } }): string[] => [...new Set(changes.map(({ text }) => text))];
    expect(told(replayed)).toEqual(told(live));
    expect((await gate({}, 'deploy/web', '--soak', '2s', '--from', 'followed', '-o', 'json')).stdout).toBe(again.stdout);
    // What is asked now decides: it did not hold that long, and nothing has that name.
    const short = await gate({}, 'deploy/web', '--soak', '1m', '--from', 'followed');
    expect([short.code, short.stderr]).toEqual([3, expect.stringContaining('ends before there was a verdict')]);
    expect((await gate({}, 'deploy/wbe', '--from', 'followed')).code).toBe(4);
    expect(JSON.parse((await program({}, '--from', 'followed', '-o', 'json')).stdout).verdict).toBe('healthy');
  }, 120_000);

  test('needs something that moves, and to know for how long', async () => {
    expect((await program({}, 'record', '--follow', '5s', '--from', folder)).stderr).toContain('A recording stands still');
    expect((await program({}, 'record', '--follow', '0')).stderr).toContain('--follow needs to know for how long');
  });
});

describe('the gate in a pipeline', () => {
  const denied = 'admission webhook "policy.example.com" denied the request: image tag "2" is not signed';
  const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: denied, lastTransitionTime: '2026-03-01T12:00:01Z' };
  const refused = [shop, ...rollout({ old: [ready('web-1-0', -3000, -2990)], set: { status: { replicas: 0, conditions: [condition] } }, status: { conditions: [condition] } })];
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n---\n# the program\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec: {}\n';

  test('names the cause everywhere, with the line of the manifest, and keeps what replays to the same verdict', async () => {
    writeFileSync(join(folder, 'web.yaml'), manifest);
    const summary = join(folder, 'summary.md');
    const { stdout, stderr, code } = await gate({ objects: refused, env: { GITHUB_STEP_SUMMARY: summary } },
      '-f', 'web.yaml', '-o', 'github', '-o', 'junit=junit.xml', '-o', 'sarif=out.sarif', '-o', 'json=report.json', '-o', 'gitlab=quality.json', '-o', 'markdown=page.md', '--record', 'kept');
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^::error file=web\.yaml,line=10,title=ADMISSION%3A /);
    expect(read('junit.xml')).toContain('<testcase name="Deployment/web" classname="shop"');
    expect(read('junit.xml')).toMatch(/file="web\.yaml" line="10">\n {6}<failure type="create-refused" message="ADMISSION: /);
    expect(isSarif(JSON.parse(read('out.sarif'))), JSON.stringify(isSarif.errors)).toBe(true);
    expect(JSON.parse(read('out.sarif')).runs[0].results[0]).toMatchObject({
      ruleId: 'create-refused',
      level: 'error',
      locations: [{ physicalLocation: { artifactLocation: { uri: 'web.yaml' }, region: { startLine: 10 } } }],
    });
    expect(JSON.parse(read('quality.json'))[0]).toMatchObject({
      check_name: 'create-refused',
      location: { path: 'web.yaml', lines: { begin: 10 } },
    });
    expect(read('page.md')).toMatch(/^## shop Deployment\/web: failed\n/);
    expect(readFileSync(summary, 'utf8')).toBe(read('page.md'));
    const report = JSON.parse(read('report.json'));
    expect(report.gate.targets).toMatchObject([{ name: 'web', verdict: 'failed', file: 'web.yaml', line: 10 }]);
    expect(stderr).toMatch(/replay: kubectl strata gate --from kept\n$/);

    const again = await gate({}, '--from', 'kept', '-o', 'json');
    const replayed = JSON.parse(again.stdout);
    expect(again.code).toBe(1);
    expect(replayed.gate).toEqual(report.gate);
    expect(replayed.findings).toEqual(report.findings);
  });

  test('keeps nothing of a pass', async () => {
    expect((await gate({ objects: after }, 'deploy/web', '--soak', '1s', '--record', 'passed')).code).toBe(0);
    expect(existsSync(join(folder, 'passed'))).toBe(false);
  });

  test('a type of which there is none is waited for only where nothing else is named', async () => {
    const from = ['--from', join(recorded, 'fails-crash')];
    expect(await gate({ objects: after }, 'deploy,sts', ...from)).toMatchObject({ code: 1, stdout: expect.stringContaining('Deployment/fails-crash/web  FAILED after 22s') });
    expect(await gate({ objects: after }, 'sts', ...from)).toMatchObject({ code: 4, stdout: expect.stringContaining('StatefulSet  NOTHING MATCHED after 0s: fails-crash/StatefulSet does not exist\n') });
  });

  test('what cannot be done is said before anything is asked', async () => {
    const wrong = async (...args: string[]): Promise<string> => {
      const { stderr, code, asked } = await gate({ objects: after }, ...args);
      expect([code, asked]).toEqual([64, []]);
      return stderr.split('\n')[0] ?? '';
    };
    expect(await wrong('-o', 'junit', '-o', 'sarif')).toBe('-o junit and -o sarif would both be printed.');
    expect(await wrong('-o', 'xml')).toBe('There is no output format "xml".');
    expect(await wrong('--timeout', 'soon')).toContain('"soon" is not a duration');
    expect(await wrong('-l', 'app=(')).toBe('"app=(" is no label selector.');
    expect(await wrong('--expect-generation', 'new')).toBe('"new" is no generation.');
    writeFileSync(join(folder, 'config.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
    expect(await wrong('--from', 'nowhere')).toBe('nowhere does not exist.');
    expect(await wrong('--from', join(recorded, 'fails-crash'), '--record', 'again')).toBe('A replay of a gate is not recorded again.');
    writeFileSync(join(folder, 'dump.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: after }));
    expect(await wrong('--from', 'dump.json')).toBe('dump.json holds one moment, and a gate needs what came before.');
    expect(await wrong('-f', 'config.yaml')).toBe('Nothing in config.yaml has to be waited for.');
  });
});
