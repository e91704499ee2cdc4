import type { KubeObject } from '../../model/kinds.ts';
import { listOf } from '../lists.ts';
import { controllerRef } from '../owners.ts';
import { heardAt } from '../skew.ts';
import { bornAt, timeOf } from '../time.ts';
import type { World } from '../world.ts';

/** What controllers of pods write of themselves, over all their kinds. Counts that are 0 are left out on the wire. */
export interface WorkStatus {
  observedGeneration?: number;
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  currentNumberScheduled?: number;
  desiredNumberScheduled?: number;
  numberReady?: number;
  numberAvailable?: number;
  numberMisscheduled?: number;
  updatedNumberScheduled?: number;
  active?: number;
  succeeded?: number;
  lastScheduleTime?: string;
}

export interface WorkSpec {
  replicas?: number | null;
  paused?: boolean;
  suspend?: boolean;
  parallelism?: number;
  completions?: number | null;
  minReadySeconds?: number;
  progressDeadlineSeconds?: number;
  podManagementPolicy?: string;
  ordinals?: { start?: number };
  strategy?: Strategy;
  updateStrategy?: Strategy;
}

interface Strategy {
  type?: string;
  rollingUpdate?: { partition?: number; maxSurge?: number | string; maxUnavailable?: number | string } | null;
}

export const statusOf = (object: KubeObject): WorkStatus => (object['status'] ?? {}) as WorkStatus;
export const specOf = (object: KubeObject): WorkSpec => (object['spec'] ?? {}) as WorkSpec;

/** Pods a workload has and wants, as its own status counts them. */
export interface Counts {
  desired: number;
  have: number;
  ready: number;
  updated: number;
  available: number;
}

/** When the spec was last written, in ms: by metadata's own record of writers, the creation for a first generation, else null. */
export function specChangedAt(object: KubeObject): number | null {
  const times = listOf(object.metadata.writers).flatMap((writer) => {
    const time = writer.subresource !== 'status' && writer.paths.some((path) => /^\.?(f:)?spec\b/.test(path)) ? timeOf(writer.time) : null;
    return time === null ? [] : [time];
  });
  const created = timeOf(object.metadata.creationTimestamp);
  if (times.length > 0) return Math.max(...times, created ?? 0);
  return object.metadata.generation === 1 ? created : null;
}

/** Its controller has not noted its present spec. */
export const isUnobserved = (object: KubeObject): boolean => (statusOf(object).observedGeneration ?? 0) < (object.metadata.generation ?? 0);

/** Seconds since a spec was written that its controller has not seen; 0 where it has; null where the time of the write is not known. */
export function lagOf(world: World, object: KubeObject): number | null {
  if (!isUnobserved(object)) return 0;
  const changed = specChangedAt(object);
  return changed === null ? null : Math.max(0, (world.now - changed) / 1000);
}

/** `25%` or `1` of `total`, percentages rounded up for a surge and down for what may be missing (`pkg/controller/deployment/util`). */
export function shareOf(value: number | string | undefined, total: number, up: boolean): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '')?.[1];
  if (percent === undefined) return shareOf('25%', total, up);
  const share = (Number(percent) * total) / 100;
  return up ? Math.ceil(share) : Math.floor(share);
}

const RECENT = 600_000;

/** Failed pods by the uid of their controller, with the moment each failed: built once, empty in a healthy cluster. */
function failures(world: World): ReadonlyMap<string, number[]> {
  return world.memo(world.snapshot, 'index:failedPods', () => {
    const index = new Map<string, number[]>();
    for (const pod of world.snapshot.seen('Pod')) {
      const owner = pod.status?.phase === 'Failed' ? controllerRef(pod)?.uid : undefined;
      if (!owner) continue;
      const ends = listOf(pod.status?.containerStatuses).map(
        (status) => heardAt(world, pod.spec?.nodeName ?? '', timeOf(status.state?.terminated?.finishedAt)) ?? 0,
      );
      const at = Math.max(bornAt(pod), ...ends);
      index.set(owner, [...(index.get(owner) ?? []), at]);
    }
    return index;
  });
}

/** How many pods of these controllers failed in the last ten minutes. */
export const failedLately = (world: World, uids: readonly (string | undefined)[]): number =>
  uids.reduce((sum, uid) => sum + (failures(world).get(uid ?? '') ?? []).filter((at) => world.now - at < RECENT).length, 0);
