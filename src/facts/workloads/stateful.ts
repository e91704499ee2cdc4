import type { KubeObject, Pod } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { listOf, textsOf } from '../lists.ts';
import { ownedList } from '../owners.ts';
import { specOf, statusOf } from './common.ts';
import type { World } from '../world.ts';
import { isReady } from '../pods/phase.ts';

/** The pods of a StatefulSet by ordinal, missing ones included. */
export interface Ordinals {
  /** In ascending order. */
  pods: Pod[];
  /** Names that should exist and do not. */
  missing: string[];
  /** The lowest ordinal whose pod exists and is not Running and Ready: the controller goes no further (OrderedReady). */
  broken: Pod | null;
  /**
   * The broken pod is of another revision than the one wanted, under OrderedReady or with no pod to spare, and RollingUpdate: the
   * controller waits for it to become ready before it would replace it, so a corrected or reverted template never reaches it.
   */
  trap: boolean;
  /** Pods that still have another revision than status.updateRevision and ought to have it. */
  outdated: Pod[];
}

/** Raises Unknown where the namespace's pods could not be read. */
export function ordinalsOf(world: World, set: KubeObject): Ordinals {
  return world.memo(set, 'work:ordinals', () => {
    const spec = specOf(set);
    const { updateRevision } = statusOf(set);
    const start = spec.ordinals?.start ?? 0;
    const desired = spec.replicas ?? 1;
    const name = (ordinal: number): string => `${set.metadata.name}-${ordinal}`;
    const owned = (need(ownedList(world, set, 'Pod')) ?? []) as Pod[];
    const pods = [...owned].sort((a, b) => ordinalOf(a) - ordinalOf(b));
    const existing = new Set(pods.map((pod) => pod.metadata.name));
    const missing = Array.from({ length: Math.min(desired, 10_000) }, (_, index) => name(start + index)).filter((each) => !existing.has(each));
    const wanted = pods.filter((pod) => ordinalOf(pod) >= start && ordinalOf(pod) < start + desired);
    const broken = wanted.find((pod) => !isReady(pod) || pod.metadata.deletionTimestamp) ?? null;
    const isOld = (pod: Pod): boolean => Boolean(updateRevision) && Boolean(revisionLabel(pod)) && revisionLabel(pod) !== updateRevision;
    const first = start + (spec.updateStrategy?.rollingUpdate?.partition ?? 0);
    const outdated = wanted.filter((pod) => isOld(pod) && ordinalOf(pod) >= first);
    const rolls = (spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
    const waits = isOrdered(set) || isSpent(world, set, wanted);
    const trap = broken !== null && !broken.metadata.deletionTimestamp && isOld(broken) && rolls && waits && ordinalOf(broken) >= first;
    return { pods, missing, broken, trap, outdated };
  });
}

/**
 * Claims of pods that are to be made, which are being deleted: no pod is made on one of them, and it waits for them to be gone
 * (pkg/controller/statefulset, createPersistentVolumeClaims).
 */
export function claimsLeaving(world: World, set: KubeObject): KubeObject[] {
  const { volumeClaimTemplates } = (set['spec'] ?? {}) as { volumeClaimTemplates?: { metadata?: { name?: string } }[] };
  const templates = listOf(volumeClaimTemplates).map(({ metadata }) => metadata?.name ?? '');
  if (templates.length === 0) return [];
  const names = new Set(ordinalsOf(world, set).missing.flatMap((pod) => templates.map((template) => `${template}-${pod}`)));
  return world.snapshot.seen('PersistentVolumeClaim', set.metadata.namespace).filter(({ metadata }) => names.has(metadata.name) && metadata.deletionTimestamp);
}

/**
 * In parallel, too, an unready pod counts against maxUnavailable, whatever its revision: with none to spare none is replaced, itself included.
 * So by MaxUnavailableStatefulSet, which is on since 1.35, and without which the field is not kept (kubernetes/kubernetes#137409).
 */
function isSpent(world: World, set: KubeObject, wanted: readonly Pod[]): boolean {
  const most = specOf(set).updateStrategy?.rollingUpdate?.maxUnavailable;
  const minor = Number(/^v1\.(\d+)/.exec(world.snapshot.server.version ?? '')?.[1] ?? 0);
  if (most === undefined && minor < 35) return false;
  const spare = typeof most === 'number' ? most : most === undefined ? 1 : Infinity;
  return wanted.filter((pod) => !isReady(pod)).length >= spare;
}

export const isOrdered = (set: KubeObject): boolean => (specOf(set).podManagementPolicy ?? 'OrderedReady') === 'OrderedReady';

export const revisionLabel = (pod: Pod): string => textsOf(pod.metadata.labels)['controller-revision-hash'] ?? '';

/** Number at the end of the name; -1 where there is none. */
export const ordinalOf = (pod: Pod): number => Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);
