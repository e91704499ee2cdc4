import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CannotRun } from './cannot-run.ts';
import { binaries, GO_BUILDS, type GoBuild, KUBERNETES } from './layout.ts';
import { installPackages } from './packages.ts';
import { run } from './run.ts';

const VERSION_PACKAGE = 'k8s.io/component-base/version';
const LDFLAGS = [
  '-s -w',
  `-X ${VERSION_PACKAGE}.gitVersion=${KUBERNETES}`,
  `-X ${VERSION_PACKAGE}.gitMajor=${KUBERNETES.slice(1).split('.')[0]}`,
  `-X ${VERSION_PACKAGE}.gitMinor=${KUBERNETES.slice(1).split('.')[1]}`,
].join(' ');

const SAY_EVERY = 20_000;

/** `go build -v` names each package that it compiles; those of an earlier build come from Go's own cache and are not named. */
async function goBuild(goModule: string, into: string, say: (line: string) => void): Promise<void> {
  const start = Date.now();
  let compiled = 0;
  let last = '';
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000);
    say(`  ${seconds} s: ${compiled} packages compiled${last === '' ? '' : `, last ${last}`}`);
  }, SAY_EVERY);
  try {
    await run(['go', 'build', '-v', '-trimpath', '-buildvcs=false', '-ldflags', LDFLAGS, '-o', `${into}/`, 'tool'], {
      cwd: goModule,
      limitMs: 45 * 60_000,
      env: { ...process.env, CGO_ENABLED: '0' },
      onTalk: (text) => {
        const names = text.split('\n').filter((line) => /^[\w./-]+$/.test(line));
        compiled += names.length;
        last = names.at(-1) ?? last;
      },
    });
  } catch (error) {
    const lines = (error as Error).message.trimEnd().split('\n');
    throw new CannotRun(`go build did not succeed (the whole of it: cd ${goModule} && go build tool): ${lines.at(-1)}`);
  } finally {
    clearInterval(timer);
  }
  say(`  built in ${Math.round((Date.now() - start) / 1000)} s`);
}

/** The module's folder in Go's cache; downloaded, and checked against go.sum, where it is not there. */
async function copyFiles({ files }: GoBuild, into: string): Promise<void> {
  for (const { name, in: cwd, module, path } of files) {
    const { stdout } = await run(['go', 'mod', 'download', '-json', module], { cwd, limitMs: 300_000 });
    copyFileSync(join((JSON.parse(stdout) as { Dir: string }).Dir, path), join(into, name));
  }
}

async function buildBinaries(build: GoBuild, say: (line: string) => void): Promise<void> {
  const target = binaries(build);
  if ([...build.tools, ...build.files.map(({ name }) => name)].every((name) => existsSync(join(target, name)))) return;
  const go = await run(['go', 'version'], { tolerate: true });
  if (go.code !== 0) throw new CannotRun('The test cluster builds Kubernetes from Go modules, and there is no `go` on the PATH.');
  say(`building ${build.title} into ${target} (about 5 minutes with two cores, once)`);
  const partial = `${target}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    await goBuild(build.module, partial, say);
    await copyFiles(build, partial);
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
  for (const build of GO_BUILDS) await buildBinaries(build, say);
}
