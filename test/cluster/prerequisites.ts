import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { binaries, binary, GO_TOOLS, goModule, KUBERNETES } from './layout.ts';
import { run } from './run.ts';

/** A state of the machine in which the cluster cannot run. The message is one sentence for the person at the screen. */
export class CannotRun extends Error {}

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
  'util-linux': '/usr/bin/nsenter',
};

const aptEnv = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
// Installing must not start the packages' own services; where there is no init, policy-rc.d is not even asked.
const APT = ['apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=120'];

async function installPackages(say: (line: string) => void): Promise<void> {
  const missing = Object.keys(PACKAGES).filter((name) => !existsSync(PACKAGES[name] ?? ''));
  if (missing.length === 0) return;
  if (!existsSync('/usr/bin/apt-get')) {
    throw new CannotRun(`The test cluster needs ${missing.join(', ')}, and this system has no apt-get to install them.`);
  }
  say(`installing ${missing.join(' ')}`);
  const install = () => run([...APT, 'install', '-y', '--no-install-recommends', ...missing], { limitMs: 600_000, env: aptEnv });
  await run([...APT, 'update'], { limitMs: 300_000, env: aptEnv });
  await install();
}

const VERSION_PACKAGE = 'k8s.io/component-base/version';
const LDFLAGS = [
  '-s -w',
  `-X ${VERSION_PACKAGE}.gitVersion=${KUBERNETES}`,
  `-X ${VERSION_PACKAGE}.gitMajor=${KUBERNETES.slice(1).split('.')[0]}`,
  `-X ${VERSION_PACKAGE}.gitMinor=${KUBERNETES.slice(1).split('.')[1]}`,
].join(' ');

async function buildBinaries(say: (line: string) => void): Promise<void> {
  const target = binaries();
  if (GO_TOOLS.every((name) => existsSync(binary(name)))) return;
  const go = await run(['go', 'version'], { tolerate: true });
  if (go.code !== 0) throw new CannotRun('The test cluster builds Kubernetes from Go modules, and there is no `go` on the PATH.');
  say(`building Kubernetes ${KUBERNETES} into ${target} (about 5 minutes with two cores, once)`);
  const partial = `${target}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    await run(['go', 'build', '-trimpath', '-buildvcs=false', '-ldflags', LDFLAGS, '-o', `${partial}/`, 'tool'], {
      cwd: goModule,
      limitMs: 45 * 60_000,
      env: { ...process.env, CGO_ENABLED: '0' },
    });
    rmSync(target, { recursive: true, force: true });
    mkdirSync(dirname(target), { recursive: true });
    renameSync(partial, target);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Makes sure that everything the cluster is made of is on this machine. Throws `CannotRun` where it cannot be. */
export async function install(say: (line: string) => void): Promise<void> {
  if (process.platform !== 'linux') throw new CannotRun(`The test cluster runs on Linux only, and this is ${process.platform}.`);
  if (process.getuid?.() !== 0) throw new CannotRun('The test cluster makes network namespaces and cgroups, so it has to be run as root.');
  if (!existsSync('/sys/fs/cgroup')) throw new CannotRun('The test cluster needs cgroups, and /sys/fs/cgroup is not mounted.');
  await installPackages(say);
  await buildBinaries(say);
}
