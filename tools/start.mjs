// `npm start`: everything a fresh clone needs, then the product itself.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies, root } from './ensure.mjs';

/** The recording shown where no cluster is configured. */
const SAMPLE = 'fixtures/shown-by-npm-start';

const args = process.argv.slice(2);
ensureDependencies();
if (isStale()) run('--import', 'tsx', 'tools/build.ts');
if (args.length > 0 || clusterConfigured()) process.exitCode = run('bin/kubectl-strata', ...args);
else showSample();

function showSample() {
  process.stderr.write(
    `No cluster is configured here (no KUBECONFIG, no ~/.kube/config), so this is the recording ${SAMPLE}.\n` +
      'With a kubeconfig: npm start -- -n NAMESPACE\n\n',
  );
  const code = run('bin/kubectl-strata', '--from', SAMPLE);
  // What it found is the point of the show, not an error of `npm start`; only a bug is.
  process.exitCode = code >= 64 ? code : 0;
}

function clusterConfigured() {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST } = process.env;
  return Boolean(KUBECONFIG || KUBERNETES_SERVICE_HOST) || existsSync(join(homedir(), '.kube', 'config'));
}

function isStale() {
  const built = newest('dist', Math.min);
  return !existsSync(join(root, 'dist/main.js')) || newest('src') > built || newest('rules') > built || newest('package.json') > built;
}

function newest(path, pick = Math.max) {
  const full = join(root, path);
  if (!existsSync(full)) return 0;
  if (!statSync(full).isDirectory()) return statSync(full).mtimeMs;
  const times = readdirSync(full, { recursive: true }).map((name) => statSync(join(full, name)).mtimeMs);
  return times.length === 0 ? 0 : pick(...times);
}

/** Runs Node with `args` in the caller's folder's place, the terminal shared; its exit code. */
function run(...args) {
  const file = args.findIndex((arg) => /^(tools|bin)\//.test(arg));
  const full = args.map((arg, index) => (index === file ? join(root, arg) : arg));
  const done = spawnSync(process.execPath, full, { cwd: root, stdio: 'inherit' });
  if (done.status === null) process.kill(process.pid, done.signal ?? 'SIGTERM');
  if (done.status !== 0 && args.includes('tools/build.ts')) process.exit(done.status ?? 70);
  return done.status ?? 70;
}
