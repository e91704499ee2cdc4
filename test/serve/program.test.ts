import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenPod, plainList } from '../bundles/world.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin/kubectl-strata');
const folder = mkdtempSync(join(tmpdir(), 'strata-serve-program-'));
const dump = join(folder, 'dump.json');
const { FORCE_COLOR: _force, NO_COLOR: _no, KUBECONFIG: _config, ...environment } = process.env;
const options = { cwd: folder, env: { ...environment, HOME: folder, TMPDIR: folder } };
const strata = (...args: string[]) => spawnSync(process.execPath, [bin, ...args], { ...options, encoding: 'utf8' });

beforeAll(() => {
  if (!existsSync(join(root, 'dist/main.cjs'))) throw new Error('these tests run the built program: npm run build');
  writeFileSync(dump, JSON.stringify(plainList(brokenPod())));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Until it has said all three of its lines. */
function started(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString(), text.includes('Ctrl-C') && resolve(text)));
    child.on('exit', () => reject(new Error(`ended early: ${text}`)));
  });
}

describe('serve', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`serves until ${signal}, with a kubeconfig of its own that goes with it`, async () => {
      const child = spawn(process.execPath, [bin, 'serve', '--from', dump], options);
      const text = await started(child);
      const path = /KUBECONFIG=(\S+)/.exec(text)?.[1] ?? '';
      const config = JSON.parse(readFileSync(path, 'utf8')) as { clusters: { cluster: { server: string; 'certificate-authority-data': string } }[]; users: { user: { token: string } }[] };
      const { server, 'certificate-authority-data': ca } = config.clusters[0]?.cluster ?? { server: '', 'certificate-authority-data': '' };
      const code = await new Promise<number | undefined>((resolve, reject) => {
        request(
          `${server}/api/v1/namespaces/shop/pods`,
          { ca: Buffer.from(ca, 'base64'), headers: { Authorization: `Bearer ${config.users[0]?.user.token ?? ''}` } },
          (response) => (response.resume(), resolve(response.statusCode)),
        )
          .on('error', reject)
          .end();
      });
      expect(code).toBe(200);
      expect(existsSync(join(folder, '.kube'))).toBe(false);
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill(signal);
      await ended;
      expect(existsSync(path)).toBe(false);
    });
  }

  test('has a clock that stands: what is recorded from it never runs backwards, and nothing is followed for long', async () => {
    const child = spawn(process.execPath, [bin, 'serve', '--from', dump], options);
    const text = await started(child);
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(text)?.[1] ?? '';
    const served = /as of (\S+),/.exec(text)?.[1] ?? '';
    try {
      // Longer than it takes to find out that a clock stands.
      const short = strata('record', '-A', '--kubeconfig', kubeconfig, '--follow', '4s', '-o', join(folder, 'again'));
      expect(short.status, short.stderr).toBe(0);
      const times = readFileSync(join(folder, 'again', 'timeline.jsonl'), 'utf8').trimEnd().split('\n').slice(1).map((line) => (JSON.parse(line) as { capturedAt: string }).capturedAt);
      expect(times.length).toBeGreaterThan(2);
      expect([...new Set(times)]).toEqual([new Date(Math.floor(Date.parse(served) / 1000) * 1000).toISOString()]);
      const long = strata('record', '-A', '--kubeconfig', kubeconfig, '--follow', '60s', '-o', join(folder, 'long'));
      expect(long).toMatchObject({ status: 64, stdout: '', stderr: expect.stringMatching(/^This server's clock stands still: it gives back a recording, and there is nothing to follow\.\n/) as string });
      expect(existsSync(join(folder, 'long'))).toBe(false);
    } finally {
      child.kill('SIGTERM');
    }
  }, 60_000);

  test('of a folder that holds only the time line of a gate says how to read it, and serves its last moment', async () => {
    const timeline = join(root, 'test/gate/recorded/fails-crash');
    for (const command of [['--from'], ['redact', '-o', join(folder, 'none')], ['minimize', '-o', join(folder, 'none')], ['diff', dump]]) {
      expect(strata(...command, timeline), command[0] as string).toMatchObject({ status: 64, stdout: '', stderr: expect.stringMatching(/holds the time line of a gate.*\n.*gate --from \S+fails-crash replays it.*--at/) });
    }
    const child = spawn(process.execPath, [bin, 'serve', '--from', timeline], options);
    const text = await started(child);
    const config = readFileSync(/KUBECONFIG=(\S+)/.exec(text)?.[1] ?? '', 'utf8');
    const ended = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGINT');
    await ended;
    expect(config).toContain('"namespace": "fails-crash"');
    expect(text).toContain('as of 2026-11-29T21:40:24.137Z');
  });

  test('says of a namespace that it does not hold which it holds, and writes no roles', async () => {
    const child = spawn(process.execPath, [bin, 'serve', '--from', dump], options);
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(await started(child))?.[1] ?? '';
    const elsewhere = strata('--kubeconfig', kubeconfig, '-n', 'nosuch');
    const roles = strata('access', '--kubeconfig', kubeconfig, '-n', 'shop', '-o', 'yaml');
    const ended = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGINT');
    await ended;
    expect(elsewhere.status).toBe(3);
    expect(elsewhere.stdout.replace(/\s+/g, ' ')).toMatch(/ next the list of pods in nosuch is not in the recording: nothing is known of it; it has kube-node-lease, shop \(-n\)/);
    expect(roles).toMatchObject({ status: 64, stdout: '', stderr: expect.stringMatching(/is a recording that is served/) });
  });

  test('says what is missing or wrong', () => {
    expect(strata('serve')).toMatchObject({ status: 64, stdout: '', stderr: expect.stringMatching(/none is named/) });
    expect(strata('serve', '--from', dump, '--port', 'x')).toMatchObject({ status: 64, stderr: expect.stringMatching(/"x" is no port/) });
  });
});

describe('diff, minimize and redact', () => {
  test('a dump made smaller says the same, and diff says so', () => {
    const out = join(folder, 'small');
    expect(strata('minimize', dump, '-o', out)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^\d+ objects? of \d+ kinds?, of 11 objects of \d+ kinds, say the same/) });
    expect(strata('diff', dump, out)).toMatchObject({ status: 0, stdout: expect.stringMatching(/FAILED \(dump\.json.*-> FAILED \(small[^]*causes: the same/) });
    expect(strata('minimize', dump)).toMatchObject({ status: 64, stderr: expect.stringMatching(/not said where to/) });
  });

  test('diff names what went, and prints data', () => {
    const fixed = join(folder, 'fixed.json');
    writeFileSync(fixed, JSON.stringify(plainList(brokenPod().filter((each) => each.metadata.namespace !== 'shop'))));
    const text = strata('diff', dump, fixed);
    expect(text.status).toBe(1);
    expect(text.stdout).toMatch(/- CRI {2}[\s\S]*Pod\/shop\/web-5d9-abcde/);
    const json = JSON.parse(strata('diff', dump, fixed, '-o', 'json').stdout) as { kind: string; findings: { lost: { rule: string }[] } };
    expect([json.kind, json.findings.lost.map((each) => each.rule)]).toEqual(['Comparison', ['image-pull']]);
    expect(strata('diff', join(root, 'fixtures/e7-exit'), join(root, 'fixtures/e7-oom')).stdout).toContain('objects: the same, as far as they can be compared');
    expect(strata('diff', dump, fixed, '-o', 'sarif')).toMatchObject({ status: 64 });
  });

  test('redact counts what it took out', () => {
    const objects = brokenPod().map((each) =>
      each.kind === 'Pod'
        ? {
            ...each,
            spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'x', env: [{ name: 'API_TOKEN', value: 'hunter2-hunter2' }] }] },
          }
        : each,
    );
    const secret = join(folder, 'secret.json');
    writeFileSync(secret, JSON.stringify(plainList(objects)));
    expect(strata('redact', secret, '-o', join(folder, 'redacted'))).toMatchObject({ status: 0, stdout: expect.stringMatching(/^1 value is redacted \(1 in Pod\)/) });
    expect(readFileSync(join(folder, 'redacted/lists/core/v1/pods.jsonl'), 'utf8')).not.toContain('hunter2');
  });
});
