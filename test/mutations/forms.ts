/** The same cluster, written otherwise: by another version, another client, under other names, in another year. */
import type { KubeObject } from '../../src/model/kinds.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { inputOf, rebuilt } from '../honesty.ts';
import { type Mutation, type Recording, each, noOther, rewritten, same, sameCauses } from './bend.ts';

type Loose = Record<string, unknown>;
const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every part of an object, from the inside out. */
function walk(value: unknown, change: (part: Loose, key: string) => Loose, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, change, key));
  if (!isObject(value)) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, change, name)])), key);
}
const all = (snapshot: Snapshot, change: (part: Loose, key: string) => Loose) => each(snapshot, (object) => walk(object, change) as KubeObject);

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?=Z)/g;
const later = (text: string): string => text.replace(TIME, (time) => {
  const [whole = '', fraction = ''] = time.split('.');
  if (Number.isNaN(Date.parse(`${whole}Z`))) return time;
  return new Date(Date.parse(`${whole}Z`) + 364 * 86400_000).toISOString().slice(0, 19) + (fraction && `.${fraction}`);
});

const reversed = (list: unknown): unknown => (Array.isArray(list) ? [...list].reverse() : list);
const reverse = (fields: readonly string[]) => (part: Loose): Loose =>
  Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fields.includes(key) ? reversed(value) : value]));

const LOUD = {
  labels: { 'example.com/last-error': 'CrashLoopBackOff', reason: 'FailedMount', phase: 'Failed', status: 'ImagePullBackOff', 'failure-domain': 'denied' },
  annotations: {
    'example.com/last-error': 'failed to pull image "x": not found; Error creating: pods "x" is forbidden: exceeded quota', 'example.com/status': '{"phase":"Failed","reason":"OOMKilled"}',
    'sidecar.example.com/message': 'Readiness probe failed: connection refused', error: '0/3 nodes are available: 3 Insufficient cpu.',
  },
};
/** What belongs to the cluster's own machinery has labels with a meaning; what stands in a namespace has users'. */
const CORE = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Service', 'PersistentVolumeClaim', 'PersistentVolume', 'Node', 'HorizontalPodAutoscaler']);

function loud(object: KubeObject): KubeObject {
  if (!CORE.has(object.kind)) return object;
  const { metadata } = object;
  const status = object['status'];
  return {
    ...object,
    metadata: { ...metadata, labels: { ...metadata.labels, ...LOUD.labels }, annotations: { ...metadata.annotations, ...LOUD.annotations } },
    'x-example-extension': { error: 'failed', conditions: [{ type: 'Ready', status: 'False' }] },
    ...(isObject(status) ? { status: { ...status, exampleState: { reason: 'ErrImagePull', message: 'back-off' },
      conditions: [...((status['conditions'] as unknown[]) ?? []), { type: 'example.com/Observed', status: 'False', reason: 'FailedScheduling', message: 'failed to create pod sandbox', lastTransitionTime: metadata.creationTimestamp }] } } : {}),
  };
}

/** As a client of events.k8s.io wrote it: a time with microseconds, and a series from the second on. */
function newForm(event: KubeObject): KubeObject {
  const first = event['firstTimestamp'] as string | null;
  const last = event['lastTimestamp'] as string | null;
  const count = (event['count'] as number | undefined) ?? 1;
  if (event.kind !== 'Event' || !first || !last || event['eventTime']) return event;
  const micro = (time: string): string => time.replace(/(\.\d+)?Z$/, '.000000Z');
  const source = event['source'] as { component?: string; host?: string } | undefined;
  return { ...event, eventTime: micro(first), firstTimestamp: null, lastTimestamp: null, count: undefined, source: {}, action: 'Binding',
    reportingComponent: source?.component ?? '', reportingInstance: source?.host ?? source?.component ?? '',
    ...(count > 1 || first !== last ? { series: { count: Math.max(2, count), lastObservedTime: micro(last) } } : {}) };
}

const isWarning = (object: KubeObject): boolean => object.kind === 'Event' && object['type'] === 'Warning';

/** Names that people gave: of namespaces and of what no controller made, when they are long enough to be nothing else. */
function given({ snapshot, scope }: Recording): string[] {
  const owned = (object: KubeObject): boolean => (object.metadata.ownerReferences ?? []).length > 0;
  const names = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Service', 'PersistentVolumeClaim', 'Secret', 'ConfigMap'].flatMap((kind) => snapshot.seen(kind))
    .filter((object) => !owned(object) && scope.namespaces.includes(object.metadata.namespace ?? '')).map(({ metadata }) => metadata.name);
  return [...new Set([...names, ...scope.namespaces])].filter((name) => name.length >= 4);
}

/** Words that read as a person's name and as nothing of Kubernetes: only these can be replaced in running text. */
function renaming(recording: Recording, anew: (name: string) => string): ((text: string) => string) | null {
  const names = given(recording).sort((a, b) => b.length - a.length);
  if (names.length === 0) return null;
  const pattern = new RegExp(`(?<![A-Za-z0-9_-])(${names.map((name) => name.replace(/[.]/g, '\\.')).join('|')})(?![A-Za-z0-9_])`, 'g');
  return (text) => text.replace(pattern, (name) => anew(name));
}

const renamed = (name: string, prefix: string): Mutation => ({
  name,
  bend: (recording) => {
    const as = renaming(recording, (old) => `${prefix}${old}`);
    return as && { ...rewritten(recording, as), as };
  },
  holds: sameCauses,
});

export const forms: Mutation[] = [
  { name: 'a year later', bend: (recording) => ({ ...rewritten(recording, later), as: later }), holds: same },
  { name: 'conditions in another order', bend: ({ snapshot }) => ({ input: all(snapshot, reverse(['conditions'])) }), holds: same },
  { name: 'containers in another order', bend: ({ snapshot }) => ({ input: all(snapshot, (part, key) => (key === 'template' || key === '' || key === 'spec' || key === 'status' ? reverse(['containers', 'containerStatuses'])(part) : part)) }), holds: sameCauses },
  { name: 'volumes, ports, owners and taints in another order', bend: ({ snapshot }) => ({ input: all(snapshot, reverse(['volumes', 'ports', 'ownerReferences', 'taints', 'tolerations', 'webhooks', 'rules', 'endpoints'])) }), holds: sameCauses },
  { name: 'loud labels, annotations, unknown conditions and fields', bend: ({ snapshot }) => ({ input: each(snapshot, loud) }), holds: same },
  { name: 'events in the new form', bend: ({ snapshot }) => ({ input: each(snapshot, newForm) }), holds: same },
  { name: 'events taken together by their writer', bend: ({ snapshot }) => ({ input: each(snapshot, (object) => (isWarning(object) && object['message'] ? { ...object, message: `(combined from similar events): ${object['message']}` } : object)) }), holds: same },
  { name: 'fields of younger versions missing', bend: ({ snapshot }) => ({ input: each(snapshot, (object) => (object.kind === 'Pod' ? older(object) : object)) }), holds: noOther },
  renamed('names that sound late', 'timeout-'),
  renamed('names that sound refused', 'forbidden-denied-'),
  renamed('names that sound full', 'no-space-oom-quota-exceeded-'),
  renamed('names that sound absent', 'not-found-'),
  renamed('names that sound like a plugin', 'calico-csi-cni-'),
  { name: 'events without their words', bend: ({ snapshot }) => ({ input: each(snapshot, (object) => (object.kind === 'Event' ? { ...object, message: '' } : object)) }), holds: noOther },
  { name: 'events under another reason', bend: ({ snapshot }) => ({ input: each(snapshot, (object) => (isWarning(object) ? { ...object, reason: 'Failed' } : object)) }), holds: noOther },
  { name: 'no event left', bend: ({ snapshot }) => ({ input: gone(snapshot) }), holds: noOther },
];

function older(pod: KubeObject): KubeObject {
  const status = { ...(pod['status'] as Loose) };
  status['conditions'] = ((status['conditions'] as { type: string }[]) ?? []).filter(({ type }) => type !== 'PodReadyToStartContainers').map(({ ...rest }) => { delete (rest as Loose)['observedGeneration']; return rest; });
  for (const key of ['observedGeneration', 'hostIPs', 'qosClass', 'resize']) delete status[key];
  return { ...pod, status };
}

const gone = (snapshot: Snapshot) => inputOf(rebuilt(snapshot, ({ objects, coverage }) => ({
  objects: objects.filter(({ kind }) => kind !== 'Event'),
  coverage: coverage.map((entry) => (entry.kind === 'Event' && entry.state === 'complete' ? { ...entry, count: 0 } : entry)),
})));
