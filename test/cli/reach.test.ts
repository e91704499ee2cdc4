import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { reachOf } from '../../src/cli/flags.ts';
import type { Report } from '../../src/model/report.ts';
import { reaching } from '../../src/render/reach.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'strata-reach-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { KUBECONFIG: _config, GITHUB_STEP_SUMMARY: _summary, ...environment } = process.env;
const strata = (args: string[], env: Record<string, string> = {}, stdout: 'pipe' | number = 'pipe') =>
  spawnSync(process.execPath, [join(root, 'bin/kubectl-strata'), ...args], { encoding: 'utf8', cwd: folder, env: { ...environment, HOME: folder, ...env }, stdio: ['ignore', stdout, 'pipe'] });

const config = join(folder, 'config');
const context = { cluster: 'gone', user: 'me' };
writeFileSync(
  config,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    clusters: [{ name: 'gone', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'me', user: {} }],
    contexts: ['prod', 'staging'].map((name) => ({ name, context })),
  }),
);

describe('a next step', () => {
  test.each([
    ['kubectl -n shop describe pod web-1', 'kubectl --context staging -n shop describe pod web-1'],
    ['kubectl strata -n shop', 'kubectl strata --context staging -n shop'],
    ['kubectl strata access -A', 'kubectl strata access --context staging -A'],
    ["kubectl get nodes -o name | xargs -n 1 echo | kubectl get -f -", "kubectl --context staging get nodes -o name | xargs -n 1 echo | kubectl --context staging get -f -"],
    ['nc -vz 127.0.0.1 1', 'nc -vz 127.0.0.1 1'],
    ['ask whoever runs kubectl there', 'ask whoever runs kubectl there'],
  ])('%s', (line, wanted) => {
    expect(reaching(line, '--context staging')).toBe(wanted);
    expect(reaching(line, '')).toBe(line);
  });

  test('names what chooses the cluster, as a shell takes it, and no secret', () => {
    expect(reachOf({ kubeconfig: "/a b/it's", context: 'staging', token: 'x', as: 'jane', namespace: ['shop'] })).toBe(`--kubeconfig '/a b/it'\\''s' --context staging`);
    expect(reachOf({})).toBe('');
  });

  test('goes to the cluster that was asked, and not to the one that is current', () => {
    const { stdout, status } = strata(['--kubeconfig', config, '--context', 'staging', '-o', 'text', '-o', 'json=report.json', '-o', 'markdown=report.md']);
    expect(status).toBe(5);
    const there = `kubectl --kubeconfig ${config} --context staging config view`;
    expect(stdout).toContain(there);
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain(there);
    // For programs, and the same wherever it was judged.
    expect((JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report).findings.flatMap(({ next }) => next).join('\n')).toContain('kubectl config view');
  });
});

test('a recording of a server that does not answer says so', () => {
  const { stdout, status } = strata(['record', '--kubeconfig', config, '-o', 'silent']);
  expect(status).toBe(0);
  expect(stdout).toContain('https://127.0.0.1:1 does not answer: that is all it holds.');
});

test('a diagnosis for GitHub fills the page of the run, as a gate does', () => {
  const summary = join(folder, 'summary.md');
  expect(strata(['--from', join(root, 'fixtures/e7-exit'), '-o', 'github'], { GITHUB_STEP_SUMMARY: summary }).status).toBe(1);
  expect(readFileSync(summary, 'utf8')).toContain('exits with code');
});

test('a full disk under the answer is no bug', () => {
  const { stderr, status } = strata(['--from', join(root, 'fixtures/e7-exit')], {}, openSync('/dev/full', 'w'));
  expect(stderr).toBe('The answer cannot be written (ENOSPC).\nMake room where it goes, or send it elsewhere.\n');
  expect(status).toBe(64);
});
