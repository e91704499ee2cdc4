/** What happens next: time passes, a sick pod is deleted, the same trouble strikes more, a sidecar is added. */
import type { KubeObject } from '../../src/model/kinds.ts';
import type { Report } from '../../src/model/report.ts';
import { pod, running } from '../build.ts';
import { inputOf } from '../honesty.ts';
import { type Bent, type Mutation, type Recording, each, keyOf, otherLayers, plus, sameCauses } from './bend.ts';

type Loose = Record<string, unknown>;
type PodLike = KubeObject & { spec?: { volumes?: Loose[]; containers?: Loose[]; initContainers?: Loose[] }; status?: { phase?: string; containerStatuses?: Loose[]; conditions?: { type: string; status: string }[] } };

const plusHour = (time: string): string => new Date(Date.parse(time) + 3600_000).toISOString();
const HOUR = 3600_000;

/** Ended a short while ago, or asked by a probe that ends it. */
function moves({ spec, status }: PodLike, now: number): boolean {
  const ended = (status?.containerStatuses ?? []).some(({ lastState }) => now - Date.parse(String((lastState as { terminated?: { finishedAt?: string } } | undefined)?.terminated?.finishedAt ?? '')) < 7200_000);
  const unready = !(status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return (ended && !unready) || (unready && [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some((container) => container['livenessProbe'] || container['startupProbe']));
}

/** Signs of life go on. */
function alive(object: KubeObject, now: number): KubeObject {
  const copy = object as KubeObject & { spec?: Loose; status?: { conditions?: Loose[]; lastScheduleTime?: string; lastSuccessfulTime?: string } };
  const fresh = (time: unknown): boolean => typeof time === 'string' && now - Date.parse(time) < 600_000;
  if (object.kind === 'Lease' && fresh(copy.spec?.['renewTime'])) copy.spec = { ...copy.spec, renewTime: plusHour(String(copy.spec?.['renewTime'])) };
  if (object.kind === 'Node') for (const condition of copy.status?.conditions ?? []) if (fresh(condition['lastHeartbeatTime'])) condition['lastHeartbeatTime'] = plusHour(String(condition['lastHeartbeatTime']));
  if (object.kind === 'CronJob' && copy.status) for (const key of ['lastScheduleTime', 'lastSuccessfulTime'] as const) if (copy.status[key]) copy.status[key] = plusHour(copy.status[key]);
  return copy;
}

function hourLater(recording: Recording, goesOn: boolean): Bent | null {
  const { snapshot } = recording;
  // What runs and is not left in peace cannot stay as it is: one end or one answer of a probe changes it.
  if (snapshot.seen('Pod').some((pod) => moves(pod as unknown as PodLike, snapshot.now))) return null;
  // What leaves within its grace now must be gone by then.
  if (snapshot.kinds().some((kind) => snapshot.seen(kind).some(({ metadata }) => metadata.deletionTimestamp))) return null;
  const input = each(snapshot, (object) => {
    const copy = alive(object, snapshot.now);
    const last = copy['lastTimestamp'];
    if (goesOn && copy.kind === 'Event' && copy['type'] === 'Warning' && typeof last === 'string' && snapshot.now - Date.parse(last) < 600_000) {
      return { ...copy, lastTimestamp: plusHour(last), count: Number(copy['count'] ?? 1) + 20 };
    }
    return copy;
  });
  return { input: { ...input, capturedAt: new Date(snapshot.now + HOUR).toISOString() }, short: sickPods(recording).length > 0 };
}

/** What waits or fails does not heal by waiting, and what is well stays so; words may go stale. */
const stays: Mutation['holds'] = (before, after, { short }) => {
  const [one, two] = [before.verdict, after.verdict];
  const turned = (one === 'failed' && two !== 'failed' && two !== 'inconclusive' && short) || (one === 'healthy' && two !== 'healthy') || (one === 'progressing' && two === 'healthy');
  return [
    ...(turned ? [`verdict ${one} -> ${two}`] : []),
    // What was too young to be told may be told now.
    ...(one === 'progressing' ? [] : otherLayers(before, after, ({ certainty }) => one === 'healthy' || certainty === 'proven')),
  ];
};

const isSick = (pod: PodLike): boolean => !pod.metadata.deletionTimestamp && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed'
  && !(pod.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');

/** The pods of a cause, in scope. */
const sickPods = ({ snapshot, scope }: Recording): PodLike[] =>
  (snapshot.seen('Pod') as unknown as PodLike[]).filter((pod) => isSick(pod) && (scope.all || scope.namespaces.includes(pod.metadata.namespace ?? '')));

/** What was ended or turned away because of it is told by itself then. */
const mayBeLess: Mutation['holds'] = (before, after) => otherLayers(before, after, ({ on, rule }) => on.kind === 'Pod' && rule !== 'pod-ended');

/** More pods of the same ReplicaSet or DaemonSet that stand as the sick one does, with its events. */
function again(recording: Recording): Bent | null {
  const mine = sickPods(recording).filter((pod) => pod.metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'ReplicaSet') && !(pod.spec?.volumes ?? []).some((volume) => volume['persistentVolumeClaim'] || volume['ephemeral']));
  if (mine.length === 0) return null;
  const { snapshot } = recording;
  const input = inputOf(snapshot);
  const extra = mine.flatMap((pod) => ['twina', 'twinb'].flatMap((suffix) => {
    const name = `${pod.metadata.name.slice(0, -5)}${suffix}`;
    const as = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(pod.metadata.name, name).replaceAll(pod.metadata.uid ?? '\0', `${pod.metadata.uid}-${suffix}`)) as T;
    const events = snapshot.seen('Event').filter(({ involvedObject }) => involvedObject?.uid === pod.metadata.uid) as unknown as KubeObject[];
    return [as(pod as KubeObject), ...events.map((event) => ({ ...as(event), metadata: { ...as(event).metadata, name: `${as(event).metadata.name}${suffix}`, uid: `${event.metadata.uid}-${suffix}` } }))];
  }));
  return { input: plus({ ...input, objects: grown(recording, mine, 2) }, extra) };
}

/** The objects with the counts of what controls these pods raised, for so many more of each. */
function grown({ snapshot }: Recording, pods: readonly PodLike[], more: number, well: Record<string, number> = {}): KubeObject[] {
  const { objects } = inputOf(snapshot);
  const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
  const above = (object: KubeObject): KubeObject | undefined => byUid.get(object.metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? '');
  const by = new Map<KubeObject, number>();
  for (const pod of pods) for (let owner = above(pod as KubeObject); owner; owner = above(owner)) by.set(owner, (by.get(owner) ?? 0) + more);
  return objects.map((object) => {
    const count = by.get(object);
    if (!count || (object.kind !== 'Deployment' && object.kind !== 'ReplicaSet')) return object;
    const [spec, status] = [object['spec'] as Loose, object['status'] as Loose];
    const short = Object.keys(well).length === 0 ? ['unavailableReplicas'] : [];
    const keys = ['replicas', ...Object.keys(well), ...(object.kind === 'Deployment' ? ['updatedReplicas', ...short] : ['fullyLabeledReplicas'])];
    return { ...object, spec: { ...spec, replicas: Number(spec['replicas'] ?? 1) + count }, status: { ...status, ...Object.fromEntries(keys.map((key) => [key, Number(status[key] ?? 0) + count])) } };
  });
}

/** A second container that is well, in every pod that has begun. */
function withSidecar({ snapshot }: Recording): Bent {
  return { input: each(snapshot, (object) => {
    const pod = object as PodLike;
    const statuses = pod.status?.containerStatuses ?? [];
    const begun = statuses.some((status) => (status['restartCount'] as number) > 0 || (status['state'] as Loose | undefined)?.['running']);
    if (pod.kind !== 'Pod' || !begun) return object;
    const sidecar = running('zz-proxy', { state: { running: { startedAt: pod.metadata.creationTimestamp } } });
    return { ...pod, spec: { ...pod.spec, containers: [...(pod.spec?.containers ?? []), { name: 'zz-proxy', image: 'registry.example/proxy:1' }] }, status: { ...pod.status, containerStatuses: [...statuses, sidecar] } } as KubeObject;
  }) };
}

/** The namespace once more, under another name and with other uids: what is in it has the same cause. */
function twice(recording: Recording): Bent | null {
  const { snapshot, scope } = recording;
  const [namespace] = scope.namespaces;
  if (!namespace || scope.namespaces.length > 1 || scope.targets.length > 0 || namespace.length < 3) return null;
  const input = inputOf(snapshot);
  const pattern = new RegExp(`(?<![A-Za-z0-9_])${namespace}(?![A-Za-z0-9_])`, 'g');
  const own = input.objects.filter(({ metadata, kind }) => metadata.namespace === namespace || (kind === 'Namespace' && metadata.name === namespace));
  // Its name may be part of another, as of a node's or a group's.
  if (pattern.test(JSON.stringify(input.objects.filter(({ metadata, kind }) => metadata.namespace === undefined && kind !== 'Namespace').map(({ metadata }) => metadata.name)))) return null;
  // A volume belongs to one claim.
  if (own.some(({ kind }) => kind === 'PersistentVolumeClaim')) return null;
  const uids = new Map(own.map(({ metadata }) => [metadata.uid ?? '', `${metadata.uid}-2`]));
  const copy = (object: KubeObject): KubeObject => JSON.parse(JSON.stringify(object).replace(pattern, `${namespace}-twin`), (key, value: unknown) => (key === 'uid' && typeof value === 'string' ? (uids.get(value) ?? value) : value)) as KubeObject;
  const coverage = input.coverage.flatMap((entry) => (entry.namespace === namespace ? [entry, { ...entry, namespace: `${namespace}-twin` }] : [entry]));
  return { input: { ...input, coverage, objects: [...input.objects, ...own.map(copy)] }, scope: { ...scope, namespaces: [namespace, `${namespace}-twin`] } };
}

const oneOrTwo: Mutation['holds'] = (before, after, bent) => [
  ...sameCauses(before, after, bent),
  ...(rootsOf(after) > 2 * rootsOf(before) ? ['more than twice as many roots'] : []),
];

const rootsOf = (report: Report): number => report.findings.filter(({ role }) => role === 'root').length;

const noMore: Mutation['holds'] = (before, after, bent) => [
  ...sameCauses(before, after, bent),
  ...(rootsOf(after) > rootsOf(before) ? [`more roots: ${after.findings.map(({ title }) => title).join(' | ')}`] : []),
];

/** Files hold what somebody asked for: no list is known to be whole. */
const inFiles: Mutation = {
  name: 'from files that prove no absence',
  bend: ({ snapshot }) => {
    const input = inputOf(snapshot);
    return { input: { ...input, coverage: input.coverage.filter(({ state }) => state !== 'complete' && state !== 'not-served') } };
  },
  holds: (before, after) => [
    ...otherLayers(before, after, ({ certainty }) => certainty === 'proven'),
    ...(before.verdict === 'healthy' && after.verdict === 'failed' ? ['verdict healthy -> failed'] : []),
  ],
};

/** A slice that knows of the sick pod knows of its sibling. */
function answeredBy(slice: KubeObject, wells: readonly KubeObject[]): KubeObject {
  const endpoints = (slice['endpoints'] as { targetRef?: { uid?: string } }[] | null) ?? [];
  const known = new Set(endpoints.map(({ targetRef }) => `${targetRef?.uid}-well`));
  const more = wells.filter(({ metadata }) => known.has(metadata.uid ?? '')).map(({ metadata }) =>
    ({ addresses: ['10.0.0.5'], conditions: { ready: true, serving: true, terminating: false }, targetRef: { kind: 'Pod', name: metadata.name, namespace: metadata.namespace, uid: metadata.uid } }));
  return { ...slice, endpoints: [...endpoints, ...more] };
}

/** The ReplicaSet has others that are well. */
function withHealthySiblings(recording: Recording): Bent | null {
  const { snapshot } = recording;
  const mine = sickPods(recording).filter(({ metadata }) => metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'ReplicaSet'));
  const nodes = snapshot.seen('Node').filter(({ status }) => (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True'));
  if (mine.length === 0 || nodes.length === 0) return null;
  const extra = mine.map((one) => {
    const nodeName = nodes.at(-1)?.metadata.name ?? '';
    const well = pod('x', { spec: { ...one.spec, nodeName } });
    const containerStatuses = (one.spec?.containers ?? []).map(({ name, image }) => running(String(name), { image, state: { running: { startedAt: one.metadata.creationTimestamp } } }));
    const conditions = well.status?.conditions?.map((condition) => ({ ...condition, lastTransitionTime: one.metadata.creationTimestamp }));
    return { ...well, metadata: { ...one.metadata, name: `${one.metadata.name.slice(0, -5)}wellx`, uid: `${one.metadata.uid}-well` }, status: { ...well.status, startTime: one.metadata.creationTimestamp, conditions, containerStatuses } } as unknown as KubeObject;
  });
  const objects = grown(recording, mine, 1, { readyReplicas: 1, availableReplicas: 1 }).map((object) => (object.kind === 'EndpointSlice' ? answeredBy(object, extra) : object));
  return { input: plus({ ...inputOf(snapshot), objects }, extra) };
}

export const turns: Mutation[] = [
  { name: 'an hour later, events are stale', bend: (recording) => hourLater(recording, false), holds: stays },
  { name: 'an hour later, it goes on', bend: (recording) => hourLater(recording, true), holds: stays },
  { name: 'the sick pod is deleted', bend: (recording) => {
    const sick = new Set(sickPods(recording).map(({ metadata }) => metadata.uid));
    const at = new Date(recording.snapshot.now + 25_000).toISOString();
    return sick.size !== 1 ? null : { input: each(recording.snapshot, (object) => (keyOf(object) === 'Pod' && sick.has(object.metadata.uid) ? { ...object, metadata: { ...object.metadata, deletionTimestamp: at, deletionGracePeriodSeconds: 30 } } : object)) };
  }, holds: mayBeLess },
  { name: 'the same strikes more replicas', bend: again, holds: noMore },
  // What waited for the sick one now has to do with those that are well.
  { name: 'others of it are well', bend: withHealthySiblings, holds: (before, after) => otherLayers(before, after, ({ on }) => on.kind === 'Pod') },
  { name: 'a sidecar that is well', bend: withSidecar, holds: sameCauses },
  { name: 'the namespace twice', bend: twice, holds: oneOrTwo },
  inFiles,
];