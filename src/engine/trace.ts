import { controllerOf, ownedBy } from '../facts/owners.ts';
import { timelineOf } from '../facts/pods/timeline.ts';
import { timeOf } from '../facts/time.ts';
import { classifier } from '../facts/texts.ts';
import { type World, createWorld } from '../facts/world.ts';
import { writersOf } from '../facts/writers/entries.ts';
import { putBackInWords, putBacksOf } from '../facts/writers/put-back.ts';
import { plural } from '../facts/words.ts';
import type { KubeObject, Pod } from '../model/kinds.ts';
import type { Scope, Snapshot } from '../model/snapshot.ts';
import type { TraceNode } from '../model/trace.ts';
import type { RuleSet } from './load.ts';

/** What each target of the scope made, by UID, and when its pods took each step. Targets that are not there are left out. */
export function trace(snapshot: Snapshot, scope: Scope, { texts }: Pick<RuleSet, 'texts'>): TraceNode[] {
  const world = createWorld(snapshot, classifier(texts));
  return scope.targets.flatMap(({ kind, namespace, name }) => {
    const found = snapshot.get(kind, namespace, name);
    return found.state === 'known' ? [nodeOf(world, found.value, new Set())] : [];
  });
}

function nodeOf(world: World, object: KubeObject, seen: Set<string>): TraceNode {
  const { namespace, name, uid, creationTimestamp: created } = object.metadata;
  // A ring of owners ends where it began.
  const again = uid !== undefined && seen.has(uid);
  const below = again || !uid ? [] : ownedBy(world, uid).filter(({ kind }) => !HIDDEN.has(kind));
  const made = [...below].sort(
    (a, b) => (timeOf(b.metadata.creationTimestamp) ?? 0) - (timeOf(a.metadata.creationTimestamp) ?? 0) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  const deeper = new Set([...seen, uid ?? '']);
  const base: TraceNode = {
    kind: object.kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    ...(created ? { created } : {}),
    says: [...saysOf(object, made.length), ...putBack(world, object), ...unreadOf(world, object)],
    made: made.map((each) => nodeOf(world, each, deeper)),
  };
  if (object.kind !== 'Pod') return base;
  const { steps, waits, restarted } = timelineOf(world, object as Pod);
  return {
    ...base,
    ...((object as Pod).spec?.nodeName ? { node: (object as Pod).spec?.nodeName } : {}),
    steps,
    ...(waits ? { waits } : {}),
    says: [...base.says, ...(restarted > 0 ? [`${plural(restarted, 'restart')}: the times are of the last start`] : [])],
  };
}

const MAKES: Record<string, string> = {
  Deployment: 'ReplicaSet',
  ReplicaSet: 'Pod',
  ReplicationController: 'Pod',
  StatefulSet: 'Pod',
  DaemonSet: 'Pod',
  Job: 'Pod',
  CronJob: 'Job',
};

/** That none are listed does not mean that there are none. */
function unreadOf(world: World, { kind, metadata }: KubeObject): string[] {
  const made = MAKES[kind];
  const gap = made ? world.snapshot.gap(made, metadata.namespace) : null;
  return gap ? [`its ${made}s could not all be read`] : [];
}

/** Who put a ReplicaSet back that somebody resized by hand; the Deployment is where to change it. */
function putBack(world: World, object: KubeObject): string[] {
  const above = object.kind === 'ReplicaSet' ? controllerOf(world, object) : null;
  if (above?.state !== 'known' || above.value.kind !== 'Deployment') return [];
  const owner = writersOf(object).find(({ paths, subresource }) => !subresource && paths.includes('spec.replicas'));
  return putBacksOf(world, above.value)
    .filter(({ set }) => set === object.metadata.name)
    .map((each) => `${putBackInWords(each)}${owner ? `; spec.replicas is now written by ${owner.manager}` : ''}`);
}

/** Owned, and no step of the way. */
const HIDDEN = new Set(['Event', 'ControllerRevision', 'EndpointSlice']);

function saysOf(object: KubeObject, made: number): string[] {
  const { generation, deletionTimestamp, annotations } = object.metadata as KubeObject['metadata'] & { annotations?: Record<string, string> };
  const status = (object['status'] ?? {}) as { observedGeneration?: number; phase?: string };
  const spec = (object['spec'] ?? {}) as { replicas?: number };
  const revision = annotations?.['deployment.kubernetes.io/revision'];
  const owners = [
    ...new Set(
      writersOf(object)
        .filter(({ subresource, paths }) => !subresource && paths.some((path) => path.startsWith('spec')))
        .map(({ manager }) => manager),
    ),
  ];
  return [
    ...(object.kind === 'ReplicaSet' && revision ? [`revision ${revision}`] : []),
    ...(object.kind === 'ReplicaSet' && spec.replicas === 0 && made === 0 ? ['kept for rollback, 0 pods'] : []),
    ...(object.kind !== 'ReplicaSet' && object.kind !== 'Pod' && typeof status.observedGeneration === 'number'
      ? [`generation ${generation ?? '?'}, observed ${status.observedGeneration}`]
      : []),
    ...(object.kind !== 'Pod' && object.kind !== 'ReplicaSet' && owners.length > 0 ? [`spec written by ${owners.join(', ')}`] : []),
    ...(object.kind === 'Pod' && ['Succeeded', 'Failed'].includes(status.phase ?? '') ? [status.phase ?? ''] : []),
    ...(deletionTimestamp ? ['is being deleted'] : []),
  ];
}
