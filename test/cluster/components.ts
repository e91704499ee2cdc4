import { type ClusterNode, NODES } from './layout.ts';
import { containerd } from './parts/containerd.ts';
import { kubeControllerManager, kubeScheduler } from './parts/controllers.ts';
import { csiDrivers } from './parts/csi.ts';
import { etcds } from './parts/etcd.ts';
import { kubeApiserver } from './parts/kube-apiserver.ts';
import { kubeProxy } from './parts/kube-proxy.ts';
import { kubelet } from './parts/kubelet.ts';
import { registry, webhooks } from './parts/servers.ts';
import { logFile, pidOf, ready, type Spec, start, stop } from './process.ts';

const perNode = (make: (node: ClusterNode) => Spec): Spec[] => NODES.map(make);

/** All components, in the order in which each needs only those before it. Those of the CSI drivers run only where an experiment starts them. */
export function components(): Spec[] {
  return [
    ...etcds(),
    registry(),
    webhooks(),
    ...perNode(containerd),
    kubeApiserver(),
    kubeControllerManager(),
    kubeScheduler(),
    ...perNode(kubelet),
    ...perNode(kubeProxy),
    ...csiDrivers(),
  ];
}

/** One process of the cluster, by itself. */
export interface Component {
  name: string;
  log: string;
  pid(): number | undefined;
  /** Starts it, if it does not run, and waits until it does its work. */
  start(limitMs?: number): Promise<void>;
  /** SIGTERM, then SIGKILL. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Freezes (SIGSTOP) or thaws (SIGCONT) it: a component that hangs. */
  freeze(): void;
  thaw(): void;
}

/** By name: etcd (etcd-2, etcd-3), registry, webhooks, kube-apiserver, kube-controller-manager, kube-scheduler, {containerd,kubelet,kube-proxy}@node-N; of a CSI driver {csi-controller,csi-provisioner,csi-attacher}.NAME, csi-node.NAME@node-N. */
export function component(name: string): Component {
  const spec = components().find((candidate) => candidate.name === name);
  if (!spec) throw new Error(`no component ${name}; there are ${components().map((c) => c.name).join(', ')}`);
  const send = (signal: NodeJS.Signals): void => {
    const pid = pidOf(name);
    if (pid === undefined) throw new Error(`${name} does not run`);
    process.kill(pid, signal);
  };
  return {
    name,
    log: logFile(name),
    pid: () => pidOf(name),
    start: async (limitMs = 60_000) => {
      const since = pidOf(name) === undefined ? Date.now() : 0;
      start(spec);
      await ready(spec, since, limitMs);
    },
    stop: () => stop(name, spec.stopLimitMs),
    kill: () => stop(name, 0),
    freeze: () => send('SIGSTOP'),
    thaw: () => send('SIGCONT'),
  };
}
