/** Timelines as data: what the cluster looks like from which second on, and what the gate says when. */
import { advance } from '../../src/gate/advance.ts';
import { SOAK, type GateOptions } from '../../src/gate/options.ts';
import { begin } from '../../src/gate/state.ts';
import type { GateChange, GateRef } from '../../src/model/gate.ts';
import type { Coverage } from '../../src/model/coverage.ts';
import type { KubeObject, Pod } from '../../src/model/kinds.ts';
import type { Report } from '../../src/model/report.ts';
import type { ApiServer } from '../../src/model/server.ts';
import { before, controlledBy, deployment, merge, NAMESPACE, node, NOW, type Patch, pod, replicaSet, running, snapshotOf } from '../build.ts';

/** RFC 3339, so many seconds after the gate began. */
export const at = (second: number): string => before(-second);

type AnyObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

export interface Frame {
  objects: readonly AnyObject[];
  coverage?: Coverage[];
  server?: ApiServer;
}

/** From this second on; a function where what is seen moves with the clock. */
export type Timeline = readonly (readonly [from: number, frame: Frame | ((second: number) => Frame)])[];

export interface Played {
  verdict: string;
  /** Seconds after the gate began. */
  after: number;
  says: string;
  report: Report | undefined;
  changes: GateChange[];
  log: string[];
}

export const target = (kind: string, name: string): GateRef => ({ kind, name, namespace: NAMESPACE });

export const options = (targets: readonly GateRef[], more: Partial<GateOptions> = {}): GateOptions =>
  ({ scope: { namespaces: [NAMESPACE], all: false, targets: [] }, targets: [...targets], soak: SOAK, expect: { images: [] }, ...more });

/** Looks once a second, after a minute every five seconds, until there is a verdict; `none` where there is none for so long. */
export function play(gate: GateOptions, timeline: Timeline, until = 1000): Played {
  let state = begin(gate);
  for (let second = 0; second <= until; second += second < 60 ? 1 : 5) {
    const [, frame] = [...timeline].reverse().find(([from]) => from <= second) ?? timeline[0] ?? [];
    if (!frame) throw new Error('an empty timeline');
    const { objects, coverage, server } = typeof frame === 'function' ? frame(second) : frame;
    const step = advance(
      state,
      snapshotOf(objects, {
        now: new Date(Date.parse(NOW) + second * 1000).toISOString(),
        ...(coverage ? { coverage } : {}),
        ...(server ? { server } : {}),
      }),
      { strict: true },
    );
    state = step.state;
    if (step.decision) return { verdict: step.decision.verdict, after: second, says: step.decision.says, report: step.report, changes: state.changes, log: lines(state.changes) };
  }
  return { verdict: 'none', after: until, says: '', report: undefined, changes: state.changes, log: lines(state.changes) };
}

const lines = (changes: readonly GateChange[]): string[] => changes.map(({ after, target: name, text }) => `${after} ${name}: ${text}`);

const TEMPLATE = (image: string, more: Patch = {}): Patch => ({ metadata: { labels: { app: 'web' } }, spec: merge<Patch>({ containers: [{ name: 'app', image }] }, more) });

export interface Shape {
  replicas?: number;
  /** Pods of the new revision. */
  fresh?: Pod[];
  /** Pods of the old one. */
  old?: Pod[];
  /** Counts that the status gives, where the pods themselves do not say it. */
  status?: Patch;
  patch?: Patch;
  template?: Patch;
  set?: Patch;
}

const isUp = (each: Pod): boolean => (each.status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');

/** Deployment web at generation 2 on its way from web-1 to web-2, applied two seconds before the gate, and the node below. */
export function rollout({ replicas = 1, fresh = [], old = [], status = {}, patch = {}, template = {}, set = {} }: Shape): AnyObject[] {
  const ups = fresh.filter(isUp).length;
  const all = ups + old.filter(isUp).length;
  const web = deployment(
    'web',
    merge<Patch>(
      {
        metadata: {
          generation: 2,
          annotations: { 'deployment.kubernetes.io/revision': '2' },
          writers: [{ manager: 'kubectl', operation: 'Apply', time: at(-2), paths: ['spec.template'] }],
        },
        spec: { replicas, template: TEMPLATE('registry.example/app:2', template) },
        status: merge<Patch>(
          {
            observedGeneration: 2,
            replicas: fresh.length + old.length,
            updatedReplicas: fresh.length,
            readyReplicas: all,
            availableReplicas: all,
            conditions: [
              { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', lastTransitionTime: at(-3500) },
              {
                type: 'Progressing',
                status: 'True',
                reason: 'ReplicaSetUpdated',
                message: 'ReplicaSet "web-2" is progressing.',
                lastTransitionTime: at(-3500),
                lastUpdateTime: at(-1),
              },
            ],
          },
          status,
        ),
      },
      patch,
    ),
  );
  const first = replicaSet('web-1', web, {
    spec: { replicas: old.length, template: TEMPLATE('registry.example/app:1') },
    status: { replicas: old.length, readyReplicas: old.filter(isUp).length, availableReplicas: old.filter(isUp).length },
  });
  const second = replicaSet(
    'web-2',
    web,
    merge<Patch>(
      {
        metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' }, creationTimestamp: at(-1) },
        spec: { replicas, template: TEMPLATE('registry.example/app:2', template) },
        status: { replicas: fresh.length, readyReplicas: ups, availableReplicas: ups },
      },
      set,
    ),
  );
  const own = (each: Pod, owner: AnyObject, image: string): Pod =>
    merge<Pod>(
      merge<Pod>(each, { metadata: { ...controlledBy(owner as KubeObject), labels: { app: 'web' } } }),
      each.spec?.containers?.[0]?.image === 'registry.example/app:1' ? { spec: { containers: [{ name: 'app', image }] } } : {},
    );
  return [
    node('node-1'),
    web,
    first,
    second,
    ...fresh.map((each) => own(each, second, 'registry.example/app:2')),
    ...old.map((each) => own(each, first, 'registry.example/app:1')),
  ];
}

/** A pod made at `born`, ready since `up`. */
export const ready = (name: string, born: number, up: number, patch: Patch = {}): Pod => pod(name, merge<Patch>({
  metadata: { creationTimestamp: at(born) },
  status: {
    startTime: at(born),
    conditions: ['PodReadyToStartContainers', 'Initialized', 'PodScheduled', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True', lastTransitionTime: at(type.endsWith('Ready') ? up : born) })),
    containerStatuses: [running('app', { state: { running: { startedAt: at(up) } } })],
  },
}, patch));

/** A pod made at `born` that has its node and no ready container; `boxes` are its containers' statuses. */
export const short = (name: string, born: number, boxes: readonly object[], patch: Patch = {}): Pod => pod(name, merge<Patch>({
  metadata: { creationTimestamp: at(born) },
  status: {
    phase: 'Pending', startTime: at(born),
    conditions: [
      ...['PodReadyToStartContainers', 'Initialized', 'PodScheduled'].map((type) => ({ type, status: 'True', lastTransitionTime: at(born) })),
      ...['ContainersReady', 'Ready'].map((type) => ({ type, status: 'False', reason: 'ContainersNotReady', message: 'containers with unready status: [app]', lastTransitionTime: at(born) })),
    ],
    containerStatuses: boxes as Patch[],
  },
}, patch));
