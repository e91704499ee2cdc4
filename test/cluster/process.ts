import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binaries, GO_BUILDS, paths, STATE } from './layout.ts';
import { waitFor } from './wait.ts';

/** How one component is run. Everything in it follows from the layout, so any process can start or stop it by name. */
export interface Spec {
  name: string;
  argv: readonly string[];
  env?: Record<string, string>;
  /** Run inside this network namespace. */
  netns?: string;
  /** Resolves when the component does its work. What its predecessor left from before `since` (ms) proves nothing. */
  ready?: (since: number) => Promise<unknown>;
  stopLimitMs?: number;
}

/** The components that are ours; known by their files among the processes. */
export const REGISTRY_SERVER = 'registry-server.ts';
export const WEBHOOK_SERVER = 'webhook-server.ts';
export const CSI_DRIVER = 'csi/driver.ts';
const OWN_SERVERS = [REGISTRY_SERVER, WEBHOOK_SERVER, CSI_DRIVER];

export interface ProcessId {
  pid: number;
  /** In clock ticks since boot (`/proc/PID/stat`): a reused pid is another process. */
  started: string;
}

function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may hold anything, even spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Throws when there is no such process. */
export function processId(pid: number): ProcessId {
  const started = startTime(pid);
  if (started === undefined) throw new Error(`there is no process ${pid}`);
  return { pid, started };
}

export const runs = ({ pid, started }: ProcessId): boolean => startTime(pid) === started;

const pidFile = (name: string): string => join(paths.pids, `${name}.json`);
export const logFile = (name: string): string => join(paths.logs, `${name}.log`);

/** The pid of a component that is running, whoever started it. */
export function pidOf(name: string): number | undefined {
  if (!existsSync(pidFile(name))) return undefined;
  const process = JSON.parse(readFileSync(pidFile(name), 'utf8')) as ProcessId;
  return runs(process) ? process.pid : undefined;
}

export function start(spec: Spec): void {
  // A test that is still healing a cluster must not bring parts of it back after it was taken down.
  if (!existsSync(paths.config)) throw new Error(`${spec.name}: the test cluster is down`);
  for (const dir of [paths.logs, paths.pids]) mkdirSync(dir, { recursive: true });
  alone(spec.name, () => {
    if (pidOf(spec.name) === undefined) run(spec);
  });
}

/** A test and the keeper of the suite, two threads, may both want to start it. */
function alone(name: string, work: () => void): void {
  const taken = join(paths.config, `${name}.starting`);
  for (let tries = 0; ; tries++) {
    try {
      mkdirSync(taken);
      break;
    } catch (error) {
      if (tries === 1_000) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  try {
    work();
  } finally {
    rmSync(taken, { recursive: true });
  }
}

function run(spec: Spec): void {
  const log = openSync(logFile(spec.name), 'a');
  // `ip netns exec` would mount a new /sys and hide the cgroups; nsenter only changes the network.
  const argv = spec.netns === undefined ? spec.argv : ['nsenter', `--net=/run/netns/${spec.netns}`, '--', ...spec.argv];
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    cwd: STATE,
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin', ...spec.env },
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined) throw new Error(`${spec.name}: ${argv[0]} cannot be run`);
  const started = startTime(child.pid);
  if (started === undefined) throw new Error(`${spec.name} ended at once; see ${logFile(spec.name)}`);
  writeFileSync(pidFile(spec.name), JSON.stringify({ pid: child.pid, started } satisfies ProcessId));
}

/** The last lines of a component's log, for messages. */
export function logTail(name: string, lines = 15): string {
  if (!existsSync(logFile(name))) return '(no log)';
  return readFileSync(logFile(name), 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

/** Waits for `spec.ready`, and fails at once with the log's end when the process is gone. */
export async function ready(spec: Spec, since: number, limitMs = 60_000): Promise<void> {
  let gone = false;
  const probe = async () => {
    if (pidOf(spec.name) === undefined) {
      gone = true;
      return { done: undefined };
    }
    await spec.ready?.(since);
    return { done: undefined };
  };
  try {
    await waitFor(`${spec.name} ready`, probe, limitMs, 100);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${logFile(spec.name)}:\n${logTail(spec.name)}`);
  }
  if (gone) throw new Error(`${spec.name} exited; ${logFile(spec.name)}:\n${logTail(spec.name)}`);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone already
  }
}

/** Ends one process by its id: SIGTERM, then SIGKILL after the limit. Resolves when it is gone. */
export async function end(pid: number, limitMs: number): Promise<void> {
  const started = startTime(pid);
  if (started === undefined) return;
  const gone = () => (runs({ pid, started }) ? { saw: 'still running' } : { done: undefined });
  if (limitMs > 0) {
    signal(pid, 'SIGTERM');
    try {
      await waitFor(`pid ${pid} ended`, gone, limitMs, 20);
      return;
    } catch {
      // it had its time
    }
  }
  signal(pid, 'SIGKILL');
  await waitFor(`pid ${pid} killed`, gone, 10_000, 20);
}

export async function stop(name: string, limitMs = 5_000): Promise<void> {
  const pid = pidOf(name);
  if (pid !== undefined) await end(pid, limitMs);
  rmSync(pidFile(name), { force: true });
}

export const started = (): string[] =>
  existsSync(paths.pids) ? readdirSync(paths.pids).map((file) => file.replace(/\.json$/, '')) : [];

/**
 * Processes of a cluster of ours by what they are, for runs whose pid files are lost: our own binaries, or a runtime
 * process (etcd, containerd, a shim) that names the state folder on its command line.
 */
export function strays(): number[] {
  const own = GO_BUILDS.map(binaries);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const exe = readlinkSync(`/proc/${pid}/exe`);
        if (own.some((dir) => exe.startsWith(`${dir}/`))) return !exe.endsWith('/kubectl');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        if (OWN_SERVERS.some((file) => command.includes(`/test/cluster/${file}`))) return exe === process.execPath;
        return command.includes(`${STATE}/`) && /\/(etcd|containerd|containerd-shim[\w-]*)( \(deleted\))?$/.test(exe);
      } catch {
        return false;
      }
    });
}
