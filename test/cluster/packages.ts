import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { CannotRun } from './cannot-run.ts';
import { run } from './run.ts';

/** Debian package to a file that shows it is there. */
const PACKAGES: Readonly<Record<string, string>> = {
  'etcd-server': '/usr/bin/etcd',
  containerd: '/usr/bin/containerd',
  runc: '/usr/sbin/runc',
  'containernetworking-plugins': '/usr/lib/cni/ptp',
  'busybox-static': '/bin/busybox',
  iptables: '/usr/sbin/iptables',
  conntrack: '/usr/sbin/conntrack',
  iproute2: '/usr/bin/ip',
  procps: '/sbin/sysctl',
  'util-linux': '/usr/bin/nsenter',
};

const missing = (): string[] => Object.entries(PACKAGES).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));

const APT = ['apt-get', '-q', '-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=2', '-o', 'Acquire::http::Timeout=30'];
const aptEnv = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };

const firstLine = (error: unknown): string => {
  const lines = (error as Error).message.split('\n').filter((line) => line.trim() !== '');
  return (lines.find((line) => line.startsWith('E: ')) ?? lines[0] ?? '').replace(/^E: /, '');
};

const POLICY = '/usr/sbin/policy-rc.d';

/** Debian starts the services of what it installs, unless this file says no: an etcd and a containerd of the machine's own are not wanted. */
async function withoutServices<T>(work: () => Promise<T>): Promise<T> {
  const ours = !existsSync(POLICY);
  if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    if (ours) rmSync(POLICY, { force: true });
  }
}

/** Installs the Debian packages whose file is not on this machine. */
export async function installPackages(say: (line: string) => void): Promise<void> {
  const wanted = missing();
  if (wanted.length === 0) return;
  if (!existsSync('/usr/bin/apt-get')) {
    throw new CannotRun(`The test cluster needs ${wanted.join(', ')}, and this system has no apt-get to install them.`);
  }
  say('apt-get update ...');
  try {
    await run([...APT, '--error-on=any', 'update'], { limitMs: 180_000, env: aptEnv });
  } catch (error) {
    // The lists of an earlier update may still do.
    say(`apt-get update did not succeed (${firstLine(error)}); going on with the package lists that are there`);
  }
  say(`apt-get install ${wanted.join(' ')} ...`);
  try {
    await withoutServices(() => run([...APT, 'install', '-y', '--no-install-recommends', ...wanted], { limitMs: 600_000, env: aptEnv }));
  } catch (error) {
    throw new CannotRun(`The test cluster needs ${wanted.join(', ')}, and apt-get could not install them: ${firstLine(error)}`);
  }
  const still = missing();
  if (still.length > 0) {
    throw new CannotRun(`apt-get has installed ${still.join(', ')}, but ${still.map((name) => PACKAGES[name]).join(', ')} is not there.`);
  }
}
