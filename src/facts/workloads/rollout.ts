import type { Deployment, KubeObject, Pod, ReplicaSet } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { type AddressedCondition, conditionOf } from '../address.ts';
import { textsOf } from '../lists.ts';
import { same } from '../same.ts';
import { ownedBy, ownedList } from '../owners.ts';
import { bornAt, timeOf } from '../time.ts';
import { specOf, statusOf } from './common.ts';
import type { World } from '../world.ts';

const HASH = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';

/** The number a Deployment gave to its template, as text; '' where there is none. */
export const revisionOf = (object: { metadata: KubeObject['metadata'] }): string => textsOf(object.metadata.annotations)[REVISION] ?? '';

/** ReplicaSets of a Deployment, newest first. Raises Unknown where the namespace's ReplicaSets could not be read. */
export function replicaSetsOf(world: World, deployment: KubeObject): ReplicaSet[] {
  const sets = (need(ownedList(world, deployment, 'ReplicaSet')) ?? []) as ReplicaSet[];
  const rank = (set: ReplicaSet): number => Number(revisionOf(set)) || 0;
  return [...sets].sort((a, b) => rank(b) - rank(a) || bornAt(b) - bornAt(a));
}

/**
 * The ReplicaSet of the Deployment's present template, as the controller finds it: equal but for the hash, the oldest of
 * such. Null while it has not been made. May raise Unknown.
 */
export function newestSet(world: World, deployment: KubeObject): ReplicaSet | null {
  return world.memo(deployment, 'work:newest', () => {
    const sets = replicaSetsOf(world, deployment);
    const wanted = (deployment as Deployment).spec?.template;
    const equal = sets.filter((set) => sameTemplate(set.spec?.template, wanted)).sort((a, b) => bornAt(a) - bornAt(b))[0];
    if (equal) return equal;
    // A pruned or defaulted template may differ in text; once the generation is observed the revision says the same.
    const observed = (statusOf(deployment).observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0);
    const revision = revisionOf(deployment);
    const named = observed && revision !== '' ? (sets.find((set) => revisionOf(set) === revision) ?? null) : null;
    // For a new template a paused Deployment gets no ReplicaSet, and keeps the revision of the one before (`sync`, pkg/controller/deployment).
    const older =
      named !== null && specOf(deployment).paused === true && (statusOf(deployment).updatedReplicas ?? 0) === 0 && (named.status?.replicas ?? 0) > 0;
    return older ? null : named;
  });
}

type Template = NonNullable<ReplicaSet['spec']>['template'];

function sameTemplate(a: Template, b: Template): boolean {
  const labels = ({ metadata }: NonNullable<Template>): Record<string, string> => ({ ...textsOf(metadata?.labels), [HASH]: '' });
  return same(labels(a ?? {}), labels(b ?? {})) && same(a?.metadata?.annotations ?? {}, b?.metadata?.annotations ?? {}) && same(a?.spec ?? {}, b?.spec ?? {});
}

/** Pods of the present revision, then of older ones. */
export function podsOfRollout(world: World, deployment: KubeObject): { current: Pod[]; old: Pod[] } {
  const newest = newestSet(world, deployment);
  const current: Pod[] = [];
  const old: Pod[] = [];
  for (const set of replicaSetsOf(world, deployment)) {
    (set === newest ? current : old).push(...(ownedBy(world, set.metadata.uid, 'Pod') as Pod[]));
  }
  return { current, old };
}

/** Progressing, unless it tells of another ReplicaSet or an older generation. */
export function progressOf(world: World, deployment: KubeObject): AddressedCondition | null {
  const condition = conditionOf(deployment, 'Progressing');
  if (!condition?.current) return null;
  const named = /^ReplicaSet "([^"]+)"/.exec(condition.message)?.[1];
  // observedGeneration is written before Progressing is: for a moment the old rollout's condition stands beside the new generation.
  const newest = named && condition.status !== 'True' ? newestSet(world, deployment) : null;
  return newest && newest.metadata.name !== named ? null : condition;
}

/** When the controller last saw progress, in ms: lastUpdateTime, for lastTransitionTime moves only with the status. */
export function progressedAt(deployment: KubeObject): number | null {
  const conditions = (deployment['status'] as { conditions?: { type?: string; lastUpdateTime?: string; lastTransitionTime?: string }[] } | undefined)
    ?.conditions;
  const found = (Array.isArray(conditions) ? conditions : []).find((condition) => condition?.type === 'Progressing');
  return timeOf(found?.lastUpdateTime) ?? timeOf(found?.lastTransitionTime);
}

/** Seconds without progress until ProgressDeadlineExceeded. */
export const deadlineOf = (deployment: KubeObject): number => specOf(deployment).progressDeadlineSeconds ?? 600;
