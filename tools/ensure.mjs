// Makes a fresh clone ready: plain Node, no dependencies, because it runs before there are any.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Installs what package-lock.json names where node_modules differs from it. Exits with one sentence where it cannot. */
export function ensureDependencies() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`Node ${process.versions.node} is too old: 20.19 or newer is needed`, 'install it from https://nodejs.org');
  }
  if (isInstalled()) return;
  process.stderr.write('Installing the dependencies that package-lock.json names (npm ci) ...\n');
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // stdout belongs to the program that comes after.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
    // `npm start --silent` and friends must not leak into this run.
    env: { ...process.env, NODE_ENV: 'development' },
  });
  if (done.error || done.status !== 0) {
    fail('npm ci did not succeed', 'see its message above; a proxy or a registry mirror is set with: npm config set registry URL');
  }
}

/** npm keeps its own copy of the lock in node_modules: every package that is not optional must stand there in the same version. */
function isInstalled() {
  const wanted = lockOf('package-lock.json');
  const present = lockOf('node_modules/.package-lock.json');
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional === true || present[path]?.version === entry.version,
  );
}

function lockOf(path) {
  try {
    return JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')).packages;
  } catch {
    return null;
  }
}

function fail(sentence, hint) {
  process.stderr.write(`${sentence}\n${hint}\n`);
  process.exit(70);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureDependencies();
