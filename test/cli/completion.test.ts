import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployment, object, pod } from '../build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'strata-complete-'));
const dump = join(folder, 'dump.json');

beforeAll(() => writeFileSync(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [
  deployment('web'), deployment('worker'), deployment('api', { metadata: { namespace: 'back' } }), pod('web-1'),
  { ...object('db.example.com/v1', 'Database', 'main'), metadata: { name: 'main', namespace: 'shop' } },
] })));
afterAll(() => rmSync(folder, { recursive: true }));

/** What kubectl is answered for `kubectl strata WORDS...<TAB>`: the lines without their descriptions, and the directive. */
function kubectl(...words: string[]): { found: string[]; directive: string } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'bin/kubectl_complete-strata'), ...words], { encoding: 'utf8', cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } });
  expect([stderr, status]).toEqual(['', 0]);
  const lines = stdout.split('\n');
  expect(lines.at(-1)).toBe('');
  return { found: lines.slice(0, -2).map((line) => line.replace(/\t.*/, '')), directive: lines.at(-2) ?? '' };
}

// Each question starts the program once, and a machine may be busy.
describe('completion', { timeout: 120_000 }, () => {
  test('knows commands, and types before their names', () => {
    expect(kubectl('expl')).toEqual({ found: ['explain'], directive: ':4' });
    expect(kubectl('deploy')).toEqual({ found: ['deployment/'], directive: ':6' });
    expect(kubectl('rules', '').found).toEqual(['list', 'show', 'test']);
  });

  test('knows the flags of each command, and no other', () => {
    expect(kubectl('--no').found).toEqual(['--no-color']);
    expect(kubectl('gate', '--expect').found).toEqual(['--expect-image', '--expect-generation', '--expect-change']);
    expect(kubectl('gate', '-n', 'shop', 'deployment/web', '--s').found.sort()).toEqual(['--selector', '--server', '--soak']);
    expect(kubectl('serve', '--').found.sort()).toEqual(['--all-namespaces', '--at', '--from', '--help', '--namespace', '--port', '--selector']);
    expect(kubectl('--expect').found).toEqual([]);
    expect(kubectl('rules', 'test', '--').found.sort()).toEqual(['--help', '--no-color', '--rules']);
  });

  test('knows what a flag takes: formats of that command, files, folders, words', () => {
    expect(kubectl('-o', '')).toEqual({ found: ['text', 'json', 'junit', 'sarif', 'github', 'gitlab', 'markdown'], directive: ':4' });
    expect(kubectl('--output=j').found).toEqual(['json', 'junit']);
    expect(kubectl('access', '-o', '').found).toEqual(['text', 'json', 'yaml']);
    expect(kubectl('trace', '-o', '').found).toEqual(['text', 'json']);
    expect(kubectl('record', '-o', '').directive).toBe(':16');
    expect(kubectl('gate', '-f', '').directive).toBe(':0');
    expect(kubectl('--from', '').directive).toBe(':0');
    expect(kubectl('minimize', '').directive).toBe(':0');
    expect(kubectl('gate', '--watch', '').found).toEqual(['true', 'false']);
    expect(kubectl('gate', '--for', 'c')).toEqual({ found: ['condition=', 'cel='], directive: ':6' });
    expect(kubectl('completion', '').found).toEqual(['bash', 'zsh', 'fish']);
    expect(kubectl('rules', 'list', 'c').found).toEqual(['controller', 'cri', 'cni', 'csi']);
    expect(kubectl('rules', 'show', 'image-p').found).toEqual(['image-pull']);
  });

  test('knows the types, names and namespaces that a recording holds', () => {
    expect(kubectl('--from', dump, '').found).toEqual(expect.arrayContaining(['gate', 'deployment/', 'pod/', 'database/']) as string[]);
    expect(kubectl('--from', dump, '').found).not.toContain('node/');
    expect(kubectl('--from', dump, 'deployment/w')).toEqual({ found: ['deployment/web', 'deployment/worker'], directive: ':4' });
    expect(kubectl('gate', `--from=${dump}`, 'deploy/').found).toEqual(['deploy/api', 'deploy/web', 'deploy/worker']);
    expect(kubectl('trace', '-n', 'back', '--from', dump, 'deployment/').found).toEqual(['deployment/api']);
    expect(kubectl('--from', dump, 'deployment', 'web', '').found).toEqual(['api', 'worker']);
    expect(kubectl('--from', dump, 'db/').found).toEqual([]);
    expect(kubectl('--from', dump, 'database/').found).toEqual(['database/main']);
    expect(kubectl('--from', dump, '-n', '').found).toEqual(['back', 'shop']);
    expect(kubectl('gate', '--from', join(root, 'test/gate/recorded/fails-crash'), 'deployment/').found).toEqual(['deployment/web']);
  });

  test('never complains of what cannot be read', () => {
    expect(kubectl('--from', join(folder, 'nothing'), 'deployment/')).toEqual({ found: [], directive: ':4' });
    expect(kubectl('--from', '-', 'pod/').found).toEqual([]);
  });

  test('works in bash by the script that is printed', () => {
    const script = `PATH='${join(root, 'bin')}':"$PATH"; source <(kubectl-strata completion bash)
      ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kubectl_strata 2>/dev/null; echo "\${COMPREPLY[*]}"; }
      ask kubectl-strata gate --so
      ask kubectl-strata --from '${dump}' deployment/we
      ask kubectl-strata --output = sar`;
    expect(spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } }).stdout.split('\n')).toEqual(['--soak', 'deployment/web', 'sarif', '']);
  });
});
