import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NODES } from './layout.ts';
import { signal } from './process.ts';
import { waitFor } from './wait.ts';

const MOUNT = '/sys/fs/cgroup';
const TOP = dirname(NODES[0]?.cgroup ?? '/kubectl-strata/node');

/** Every mounted hierarchy: the v1 controllers, or the one of v2. Includes `unified`, where runc makes cgroups unasked. */
function hierarchies(): string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, at, type]) => (type === 'cgroup' || type === 'cgroup2') && at?.startsWith(MOUNT))
    .map(([, at]) => at ?? MOUNT);
}

/** The kubelet wants its cgroupRoot to exist; a v1 cpuset starts without CPUs, and nothing can be put in it then. */
export function cgroupsUp(): void {
  for (const hierarchy of hierarchies()) {
    if (hierarchy.endsWith('/unified')) continue;
    for (const dir of [TOP, ...NODES.map((node) => node.cgroup)]) {
      const at = join(hierarchy, dir);
      mkdirSync(at, { recursive: true });
      for (const file of ['cpuset.cpus', 'cpuset.mems']) {
        if (existsSync(join(at, file))) writeFileSync(join(at, file), readFileSync(join(dirname(at), file)));
      }
    }
  }
}

function below(dir: string): string[] {
  try {
    const children = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...children.flatMap((entry) => below(join(dir, entry.name))), dir];
  } catch {
    return [];
  }
}

const left = (): string[] => hierarchies().flatMap((hierarchy) => below(join(hierarchy, TOP)));

function processesIn(dirs: readonly string[]): Set<number> {
  const pids = new Set<number>();
  for (const dir of dirs) {
    try {
      for (const line of readFileSync(join(dir, 'cgroup.procs'), 'utf8').split('\n')) if (line !== '') pids.add(Number(line));
    } catch {
      // A cgroup can vanish between listing and reading, and reading a threaded one fails.
    }
  }
  // Processes of another pid namespace are listed as 0.
  pids.delete(0);
  pids.delete(process.pid);
  return pids;
}

/** Kills every process of every pod of the test cluster. Only what sits in our own cgroups is touched. */
export async function killPods(): Promise<void> {
  await waitFor(
    'processes of pods gone',
    () => {
      const pids = processesIn(left());
      for (const pid of pids) signal(pid, 'SIGKILL');
      return pids.size === 0 ? { done: undefined } : { saw: [...pids] };
    },
    20_000,
    50,
  );
}

/** A cgroup stays busy for a moment after its last process died. */
export async function cgroupsDown(): Promise<void> {
  await waitFor(
    'cgroups removed',
    () => {
      for (const dir of left()) {
        try {
          rmdirSync(dir);
        } catch {
          // next round
        }
      }
      const rest = left();
      return rest.length === 0 ? { done: undefined } : { saw: rest };
    },
    20_000,
    100,
  );
}

export const cgroupsLeft = (): string[] => left().map((dir) => `cgroup ${dir}`);
