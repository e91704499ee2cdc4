/** Small healthy objects to be bent out of shape by tests: `pod('web-1', { status: { phase: 'Pending' } })`. */
import { createWorld, type World } from '../src/facts/world.ts';
import type { Coverage } from '../src/model/coverage.ts';
import type {
  ContainerStatus, Deployment, Event, Job, KubeObject, Lease, Node, OwnerReference, Pod, ReplicaSet, Service, StatefulSet,
} from '../src/model/kinds.ts';
import { kindKey, RESOURCES } from '../src/model/resources.ts';
import type { ApiServer } from '../src/model/server.ts';
import { Snapshot } from '../src/model/snapshot.ts';
import type { Text } from '../src/model/text.ts';

/** The clock of every test unless it says otherwise. */
export const NOW = '2026-03-01T12:00:00Z';
export const NAMESPACE = 'shop';

/** RFC 3339, whole seconds, so many seconds before `now`. */
export const before = (seconds: number, now: string = NOW): string =>
  new Date(Date.parse(now) - seconds * 1000).toISOString().replace('.000Z', 'Z');

/** Any part of an object; `null` stays null, `undefined` removes the key. Arrays replace arrays. */
export type Patch = { [key: string]: unknown };

export function merge<T>(base: T, patch: Patch | undefined): T {
  if (!patch) return base;
  const out: Record<string, unknown> = { ...(base as Record<string, unknown>) };
  for (const [key, value] of Object.entries(patch)) {
    const old = out[key];
    if (value === undefined) delete out[key];
    else if (isPlain(value) && isPlain(old)) out[key] = merge(old, value);
    else out[key] = value;
  }
  return out as T;
}

const isPlain = (value: unknown): value is Patch => typeof value === 'object' && value !== null && !Array.isArray(value);

const CLUSTER_WIDE = new Set(RESOURCES.filter((resource) => !resource.namespaced).map((resource) => resource.kind));

/** Any kind: name, namespace `shop` unless cluster-wide, a uid made of kind and name, created an hour before NOW. */
export function object(apiVersion: string, kind: string, name: string, patch?: Patch): KubeObject {
  const namespace = CLUSTER_WIDE.has(kind) ? {} : { namespace: NAMESPACE };
  const metadata = { name, ...namespace, uid: `${kind.toLowerCase()}-${name}`, creationTimestamp: before(3600), resourceVersion: '100' };
  return merge<KubeObject>({ apiVersion, kind, metadata }, patch);
}

/** `metadata.ownerReferences` that say `owner` controls the object: `pod('a', { metadata: controlledBy(rs) })`. */
export const controlledBy = (owner: KubeObject | Pick<Pod, 'apiVersion' | 'kind' | 'metadata'>): { ownerReferences: OwnerReference[] } => ({
  ownerReferences: [{
    apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid, controller: true, blockOwnerDeletion: true,
  }],
});

/** A Running, Ready pod of one container `app` on node-1, started an hour ago. */
export function pod(name: string, patch?: Patch): Pod {
  const since = before(3590);
  const condition = (type: string): Patch => ({ type, status: 'True', lastTransitionTime: since });
  return object('v1', 'Pod', name, merge<Patch>({
    spec: {
      nodeName: 'node-1', restartPolicy: 'Always', schedulerName: 'default-scheduler', terminationGracePeriodSeconds: 30,
      containers: [{ name: 'app', image: 'registry.example/app:1' }],
    },
    status: {
      phase: 'Running', startTime: before(3599), podIP: '10.0.0.5', hostIP: '192.0.2.1',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
      containerStatuses: [running('app')],
    },
  }, patch)) as Pod;
}

const status = (name: string, patch?: Patch): ContainerStatus => merge<ContainerStatus>({
  name, image: 'registry.example/app:1', imageID: '', ready: false, started: false, restartCount: 0, state: {}, lastState: {},
}, patch);

export const running = (name: string, patch?: Patch): ContainerStatus => status(name, merge<Patch>({
  imageID: 'sha256:1', containerID: `containerd://${name}`, ready: true, started: true, state: { running: { startedAt: before(3595) } },
}, patch));

export const waiting = (name: string, reason: string, message?: string, patch?: Patch): ContainerStatus =>
  status(name, merge<Patch>({ state: { waiting: { reason, ...(message === undefined ? {} : { message }) } } }, patch));

/** A `state` or `lastState` that ended `ago` seconds before NOW after running for `ran` seconds. */
export const terminated = (reason: string, exitCode: number, ago = 60, ran = 5, patch?: Patch): Patch =>
  ({ terminated: merge<Patch>({ reason, exitCode, startedAt: before(ago + ran), finishedAt: before(ago), containerID: 'containerd://old' }, patch) });

/** A container in CrashLoopBackOff whose last run ended as `last` says. */
export const crashing = (name: string, last: Patch, restarts = 4, patch?: Patch): ContainerStatus =>
  waiting(name, 'CrashLoopBackOff', `back-off 1m20s restarting failed container=${name}`, merge<Patch>({ restartCount: restarts, lastState: last }, patch));

/** The conditions of a pod that came as far as its containers but is not ready. */
export function unready(containers: string[] = ['app'], seconds = 600): Patch[] {
  const at = (type: string, value: string, more: Patch = {}): Patch => ({ type, status: value, lastTransitionTime: before(seconds), ...more });
  const why = { reason: 'ContainersNotReady', message: `containers with unready status: [${containers.join(' ')}]` };
  return [
    at('PodReadyToStartContainers', 'True'), at('Initialized', 'True'), at('Ready', 'False', why), at('ContainersReady', 'False', why), at('PodScheduled', 'True'),
  ];
}

/** A Ready node with a fresh heartbeat and no taints. */
export function node(name: string, patch?: Patch): Node {
  const condition = (type: string, value: string, reason: string): Patch =>
    ({ type, status: value, reason, message: '', lastHeartbeatTime: before(20), lastTransitionTime: before(3500) });
  return object('v1', 'Node', name, merge<Patch>({
    spec: {},
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' }, capacity: { cpu: '4', memory: '8Gi', pods: '110' },
      addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'), condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID'), condition('Ready', 'True', 'KubeletReady'),
      ],
    },
  }, patch)) as Node;
}

/** A core/v1 event about `about`, last seen `ago` seconds before NOW. */
export function event(about: KubeObject | Pod | Node, reason: string, message: string, ago = 30, patch?: Patch): Event {
  const { uid, namespace, name } = about.metadata;
  serial += 1;
  return object('v1', 'Event', `${name}.${serial}`, merge<Patch>({
    metadata: { namespace: namespace ?? 'default', creationTimestamp: before(ago) },
    involvedObject: { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid: about.kind === 'Node' ? name : uid },
    reason, message, type: 'Warning', count: 1, firstTimestamp: before(ago), lastTimestamp: before(ago),
    source: { component: 'kubelet' }, reportingComponent: 'kubelet',
  }, patch)) as Event;
}
let serial = 0;

const template = (labels: Record<string, string>): Patch =>
  ({ metadata: { labels }, spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] } });

export function deployment(name: string, patch?: Patch): Deployment {
  const labels = { app: name };
  return object('apps/v1', 'Deployment', name, merge<Patch>({
    metadata: { generation: 1, annotations: { 'deployment.kubernetes.io/revision': '1' } },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: template(labels), strategy: { type: 'RollingUpdate' }, progressDeadlineSeconds: 600 },
    status: {
      observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1,
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', lastTransitionTime: before(3500) },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', lastTransitionTime: before(3600), lastUpdateTime: before(3500) },
      ],
    },
  }, patch)) as Deployment;
}

export function replicaSet(name: string, owner: Deployment | null, patch?: Patch): ReplicaSet {
  const labels = { app: owner?.metadata.name ?? name, 'pod-template-hash': name.slice(name.lastIndexOf('-') + 1) };
  return object('apps/v1', 'ReplicaSet', name, merge<Patch>({
    metadata: { generation: 1, labels, annotations: { 'deployment.kubernetes.io/revision': '1' }, ...(owner ? controlledBy(owner) : {}) },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: template(labels) },
    status: { observedGeneration: 1, replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
  }, patch)) as ReplicaSet;
}

export function statefulSet(name: string, patch?: Patch): StatefulSet {
  const labels = { app: name };
  return object('apps/v1', 'StatefulSet', name, merge<Patch>({
    metadata: { generation: 1 },
    spec: { replicas: 1, serviceName: name, selector: { matchLabels: labels }, template: template(labels), podManagementPolicy: 'OrderedReady' },
    status: {
      observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1, currentReplicas: 1, updatedReplicas: 1,
      currentRevision: `${name}-1`, updateRevision: `${name}-1`,
    },
  }, patch)) as StatefulSet;
}

export function job(name: string, patch?: Patch): Job {
  return object('batch/v1', 'Job', name, merge<Patch>({
    metadata: { generation: 1 },
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, template: template({ 'job-name': name }) },
    status: { active: 1, startTime: before(3600) },
  }, patch)) as Job;
}

export function service(name: string, patch?: Patch): Service {
  return object('v1', 'Service', name, merge<Patch>({
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.10', selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }] },
    status: { loadBalancer: {} },
  }, patch)) as Service;
}

/** A Lease renewed `ago` seconds before NOW: `lease('kube-system', 'kube-scheduler', 3)`. */
export function lease(namespace: string, name: string, ago: number, patch?: Patch): Lease {
  return object('coordination.k8s.io/v1', 'Lease', name, merge<Patch>({
    metadata: { namespace },
    spec: { holderIdentity: `${name}_1`, leaseDurationSeconds: 15, renewTime: before(ago), acquireTime: before(3600) },
  }, patch)) as Lease;
}

export const apiServer = (patch?: Patch): ApiServer => merge<ApiServer>({
  kind: 'APIServer', apiVersion: 'kubectl-strata/v1', metadata: { name: 'api.example:6443' }, endpoint: 'https://api.example:6443',
  version: 'v1.34.4', reached: true, connection: [], health: [], failures: [],
}, patch);

/** A list that was refused; over all namespaces unless one is named. */
export const forbidden = (kind: string, namespace: string | null = null): Coverage =>
  ({ kind, namespace, state: 'forbidden', count: 0, code: 403, message: `${kind} is forbidden` });

export interface SnapshotOptions {
  now?: string;
  /** Replaces the default (every kind complete over all namespaces) for the kinds it names. */
  coverage?: Coverage[];
  server?: ApiServer;
}

type AnyObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/** A Snapshot of these objects in which every kind was listed completely, but for what `coverage` says. */
export function snapshotOf(objects: readonly AnyObject[], options: SnapshotOptions = {}): Snapshot {
  const own = options.coverage ?? [];
  const told = new Set(own.map((entry) => entry.kind));
  const counts = new Map<string, number>(RESOURCES.map((resource) => [resource.kind, 0]));
  for (const item of objects) {
    const kind = kindKey(item.apiVersion, item.kind);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const complete = [...counts].filter(([kind]) => !told.has(kind))
    .map(([kind, count]): Coverage => ({ kind, namespace: null, state: 'complete', count }));
  return new Snapshot({
    objects: objects as KubeObject[],
    coverage: [...complete, ...own],
    server: options.server ?? apiServer(),
    capturedAt: options.now ?? NOW,
    source: { kind: 'cluster', name: 'https://api.example:6443' },
    cost: { requests: 1, bytes: 1, ms: 1 },
  });
}

/** Rows of a text table for tests of facts that only need a class: family to [pattern, class]. */
export type TestTexts = Record<string, readonly (readonly [RegExp, string])[]>;

export function worldOf(objects: readonly AnyObject[], options: SnapshotOptions & { texts?: TestTexts } = {}): World {
  return createWorld(snapshotOf(objects, options), (family, message): Text => {
    for (const [pattern, name] of options.texts?.[family] ?? []) {
      const match = pattern.exec(message);
      if (match) return { ...textOf(family, message), class: name, captures: { ...match.groups } };
    }
    return textOf(family, message);
  });
}

const textOf = (family: string, message: string): Text => ({
  class: 'unknown', family, layer: '', says: message, lacks: '', permanence: '', captures: {}, next: '', inner: message, core: '', message,
});
