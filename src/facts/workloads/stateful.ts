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
   * The broken pod is of another revision than the one wanted, under OrderedReady and RollingUpdate: the controller
   * waits for it to become ready before it would replace it, so a corrected or reverted template never reaches it.
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
    const trap = broken !== null && !broken.metadata.deletionTimestamp && isOld(broken) && rolls && isOrdered(set) && ordinalOf(broken) >= first;
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

export const isOrdered = (set: KubeObject): boolean => (specOf(set).podManagementPolicy ?? 'OrderedReady') === 'OrderedReady';

export const revisionLabel = (pod: Pod): string => textsOf(pod.metadata.labels)['controller-revision-hash'] ?? '';

/** Number at the end of the name; -1 where there is none. */
export const ordinalOf = (pod: Pod): number => Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);
