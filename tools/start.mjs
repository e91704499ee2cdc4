// `npm start`: everything a fresh clone needs, then the product itself.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies, root } from './ensure.mjs';

/** The recording shown where no cluster is configured. */
const SAMPLE = 'fixtures/e15-cni-failing';

const args = process.argv.slice(2);
ensureDependencies();
if (isStale()) build();
if (args.length > 0 || clusterConfigured()) process.exitCode = strata(args, process.env.INIT_CWD ?? process.cwd());
else showSample();

function showSample() {
  process.stderr.write(
    `No cluster is configured here (no KUBECONFIG, no ~/.kube/config), so this is the recording ${SAMPLE}.\n` +
      'With a kubeconfig: npm start -- -n NAMESPACE\n\n',
  );
  const code = strata(['--from', SAMPLE], root);
  // What it found is the point of the show, not an error of `npm start`; only a bug is.
  process.exitCode = code >= 64 ? code : 0;
}

function clusterConfigured() {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST } = process.env;
  return Boolean(KUBECONFIG || KUBERNETES_SERVICE_HOST) || existsSync(join(homedir(), '.kube', 'config'));
}

function isStale() {
  const main = join(root, 'dist/main.cjs');
  if (!existsSync(main)) return true;
  const built = statSync(main).mtimeMs;
  return ['src', 'rules', 'tools', 'package.json'].some((path) => newest(join(root, path)) > built);
}

function newest(path) {
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs;
  return Math.max(0, ...readdirSync(path, { recursive: true }).map((name) => statSync(join(path, name)).mtimeMs));
}

function build() {
  const done = spawnSync(process.execPath, ['--import', 'tsx', 'tools/build.ts'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (done.status !== 0) process.exit(done.status ?? 70);
}

/** Runs the program with the terminal as its own; its exit code. */
function strata(words, cwd) {
  const done = spawnSync(process.execPath, [join(root, 'bin/kubectl-strata'), ...words], { cwd, stdio: 'inherit' });
  return done.status ?? 70;
}
