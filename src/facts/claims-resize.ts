import type { KubeObject, PersistentVolumeClaim } from '../model/kinds.ts';
import { type Addressed, conditionOf, evidenceAt } from './address.ts';
import { quantityOf } from './quantity.ts';
import { ageOf, timeOf } from './time.ts';
import type { World } from './world.ts';

/** A claim that asks for more than it has. */
export interface Resize extends Addressed {
  /** Bytes asked and bytes had. */
  wanted: number;
  has: number;
  /** `ControllerResizeInProgress`, `NodeResizeInfeasible`, ... (status.allocatedResourceStatuses, 1.32); '' in older versions. */
  status: string;
  /** Reason and message of the condition that complains, '' where none does. */
  message: string;
  /** Only a pod that mounts it can finish this: the file system grows on the node. */
  waitsForPod: boolean;
  young: boolean;
}

/** Resizing takes the driver seconds, a node plugin the next sync. */
const PATIENCE = 300;

/** Null for a claim that is not bound, has what it asks, or whose size is not known. */
export function resizeOf(world: World, claim: PersistentVolumeClaim): Resize | null {
  const object = claim as unknown as KubeObject;
  if (claim.status?.phase !== 'Bound') return null;
  const wanted = quantityOf(claim.spec?.resources?.requests?.['storage']);
  const has = quantityOf(claim.status.capacity?.['storage']);
  const failed = ['ControllerResizeError', 'NodeResizeError', 'ModifyVolumeError'].map((type) => conditionOf(object, type)).find((c) => c?.status === 'True') ?? null;
  if (!failed && (wanted === null || has === null || wanted <= has)) return null;
  const pending = conditionOf(object, 'FileSystemResizePending');
  const moving = conditionOf(object, 'Resizing');
  const status = String((claim.status.allocatedResourceStatuses as Record<string, string> | undefined)?.['storage'] ?? '');
  const shown = failed ?? pending ?? moving;
  const age = ageOf(world.now, lastWish(claim) ?? shown?.since);
  return {
    wanted: wanted ?? 0, has: has ?? 0, status,
    message: [shown?.reason, shown?.message].filter(Boolean).join(': '),
    waitsForPod: !failed && pending?.status === 'True' && !/Infeasible/.test(status),
    young: !failed && !/Infeasible/.test(status) && age !== null && age < PATIENCE,
    evidence: shown?.evidence ?? evidenceAt(object, '/status/capacity/storage', `capacity ${claim.status.capacity?.['storage'] ?? '?'}, ${claim.spec?.resources?.requests?.['storage'] ?? '?'} asked`),
  };
}

function lastWish(claim: PersistentVolumeClaim): string | null {
  const times = (claim.metadata.writers ?? []).filter((writer) => !writer.subresource && writer.paths.some((path) => path.startsWith('spec'))).map((writer) => writer.time);
  return times.filter((time) => timeOf(time) !== null).sort().at(-1) ?? null;
}
