import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { forget, get, type Obj } from './api.ts';
import { cgroupsDown, cgroupsLeft, cgroupsUp, killPods } from './cgroups.ts';
import { CannotRun } from './cannot-run.ts';
import { component, components } from './components.ts';
import { writeCredentials } from './credentials.ts';
import { writeImages } from './image.ts';
import { NODES, paths, STATE } from './layout.ts';
import { exclusively } from './lock.ts';
import { networkDown, networkLeft, networkUp } from './network.ts';
import { importImages, removeCniCache, writeContainerdConfig } from './parts/containerd.ts';
import { writeSchedulerConfig } from './parts/controllers.ts';
import { etcdName } from './parts/etcd.ts';
import { writeApiServerConfig } from './parts/kube-apiserver.ts';
import { writeKubeProxyConfig } from './parts/kube-proxy.ts';
import { mountKubeletRoot, writeKubeletConfig } from './parts/kubelet.ts';
import { install } from './prerequisites.ts';
import { end, type ProcessId, pidOf, runs, started, stop, strays } from './process.ts';
import { attempt } from './run.ts';
import { type Choice, settings, writeSettings } from './settings.ts';
import { waitFor } from './wait.ts';

export interface UpOptions extends Choice {
  /** Told what takes long. */
  say?: (line: string) => void;
}

function writeConfig(): void {
  writeCredentials();
  writeApiServerConfig();
  writeSchedulerConfig();
  writeImages();
  for (const node of NODES) {
    writeContainerdConfig(node);
    writeKubeletConfig(node);
    writeKubeProxyConfig(node);
  }
}

/** The default service account is what admission waits for before it lets pods in. */
const podsAdmitted = (): Promise<Obj> =>
  waitFor(
    'default service account',
    async () => {
      const account = await get('v1', 'ServiceAccount', 'default', 'default');
      return account ? { done: account } : { saw: 'not there' };
    },
    30_000,
    100,
  );

/**
 * Two Ready nodes, from whatever was there before: installs and builds what is missing, takes down what an earlier run left.
 * Throws `CannotRun` with one sentence where this machine cannot run it.
 */
export async function up(options: UpOptions = {}): Promise<void> {
  const { say = () => undefined, ...chosen } = options;
  await install(say);
  await exclusively(() => bringUp(chosen));
}

async function bringUp(chosen: Choice): Promise<void> {
  const { owner } = settings();
  if (runs(owner) && owner.pid !== process.pid) throw new CannotRun(`The test cluster of this machine is in use by process ${owner.pid}.`);
  await takeDown();
  mkdirSync(STATE, { recursive: true, mode: 0o711 });
  writeSettings(chosen);
  writeConfig();
  cgroupsUp();
  await networkUp();
  await Promise.all(NODES.map(mountKubeletRoot));
  const on = (what: string): Promise<void>[] => NODES.map((node) => component(`${what}@${node.name}`).start());
  const members = [...Array(settings().etcdMembers).keys()].map(etcdName);
  const runtimes = Promise.all([...on('containerd'), component('registry').start(), component('webhooks').start()]).then(() => Promise.all(NODES.map(importImages)));
  await Promise.all(members.map((name) => component(name).start()));
  await Promise.all([component('kube-apiserver').start(), runtimes]);
  const controllers = ['kube-controller-manager', 'kube-scheduler'].map((name) => component(name).start());
  await Promise.all([...controllers, ...on('kubelet'), ...on('kube-proxy')]);
  await podsAdmitted();
}

const mounts = (): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((at) => at.startsWith(`${STATE}/`));

async function unmount(): Promise<void> {
  // The latest first: a mount may sit in another. One that moves away meanwhile is no harm.
  for (const at of mounts().reverse()) await attempt('umount', '-l', at.replaceAll('\\040', ' '));
}

/** Takes the cluster down, also one that another process brought up or that was left by a killed run. Nothing stays. */
export const down = (): Promise<void> => exclusively(takeDown);

/** Takes it down if it is the one that this process, which has ended, brought up. */
export const downAfter = (owner: ProcessId): Promise<void> =>
  exclusively(async () => {
    const current = settings().owner;
    if (current.pid === owner.pid && current.started === owner.started) await takeDown();
  });

async function takeDown(): Promise<void> {
  forget();
  // A frozen process would not see SIGTERM.
  for (const name of started()) {
    const pid = pidOf(name);
    if (pid !== undefined) process.kill(pid, 'SIGCONT');
  }
  const all = started();
  const first = all.filter((name) => /^(kubelet|kube-proxy)@/.test(name));
  const last = all.filter((name) => name.startsWith('containerd@'));
  await Promise.all(first.map((name) => stop(name, 1_000)));
  await Promise.all(all.filter((name) => !first.includes(name) && !last.includes(name)).map((name) => stop(name, 500)));
  await killPods();
  await Promise.all(last.map((name) => stop(name, 2_000)));
  await Promise.all(strays().map((pid) => end(pid, 0)));
  await unmount();
  await networkDown();
  await cgroupsDown();
  removeCniCache();
  rmSync(STATE, { recursive: true, force: true });
}

/** What of a cluster is on the machine: processes, mounts, links, namespaces, cgroups, files. Empty after `down`. */
export async function leftovers(): Promise<string[]> {
  return [
    ...strays().map((pid) => `process ${pid}`),
    ...mounts().map((at) => `mount ${at}`),
    ...(await networkLeft()),
    ...cgroupsLeft(),
    ...(existsSync(STATE) ? [`folder ${STATE}`] : []),
  ];
}

export interface Status {
  components: { name: string; pid: number | undefined; log: string }[];
  nodes: { name: string; ready: string }[];
}

export async function status(): Promise<Status> {
  const nodes: Status['nodes'] = [];
  for (const node of NODES) {
    const obj = await get('v1', 'Node', '', node.name).catch(() => undefined);
    const condition = obj?.status?.conditions?.find((c: Obj) => c.type === 'Ready');
    nodes.push({ name: node.name, ready: condition ? `Ready=${condition.status} ${condition.reason}` : 'not known' });
  }
  return {
    components: components().filter(({ name }) => !name.startsWith('csi-') || started().includes(name)).map(({ name }) => ({ name, pid: pidOf(name), log: component(name).log })),
    nodes,
  };
}

export const isUp = (): boolean => existsSync(paths.tokens);
