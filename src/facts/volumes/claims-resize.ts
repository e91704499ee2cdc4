import type { PersistentVolumeClaim, Pod } from '../../model/kinds.ts';
import { type Addressed, conditionOf, evidenceAt } from '../address.ts';
import { quantityOf } from '../quantity.ts';
import { readySince } from '../pods/phase.ts';
import { ageOf, timeOf } from '../time.ts';
import type { World } from '../world.ts';

/** A claim that asks for more than it has: for room, or for the attributes of another class. */
export interface Resize extends Addressed {
  /** Bytes asked and bytes had. */
  wanted: number;
  has: number;
  /** `ControllerResizeInProgress`, `NodeResizeInfeasible`, ... (status.allocatedResourceStatuses, 1.32); '' in older versions. */
  status: string;
  /** VolumeAttributesClass that the volume is to be changed to; '' where it is about room. */
  attributes: string;
  /** Reason and message of the condition that complains, '' where none does. */
  message: string;
  /** Only a pod that mounts it can finish this, and none does: the file system grows on the node. */
  waitsForPod: boolean;
  /** Has it mounted since before the node was to grow the file system, long enough for that, and it has not grown. */
  mounter: Pod | null;
  young: boolean;
}

/** Resizing takes the driver seconds, a node plugin the next sync. */
const PATIENCE = 300;

/** A node plugin is asked every few minutes (pkg/kubelet/volumemanager/reconciler, with back-off up to two minutes). */
const GROWN = 1800;

/**
 * Null for a claim that is not bound, has what it asks, or whose size is not known. `users` are the pods that mount it, none where
 * they may not be read.
 */
export function resizeOf(world: World, claim: PersistentVolumeClaim, users: () => readonly Pod[]): Resize | null {
  if (claim.status?.phase !== 'Bound') return null;
  const wanted = quantityOf(claim.spec?.resources?.requests?.['storage']);
  const has = quantityOf(claim.status.capacity?.['storage']);
  const failed = ['ControllerResizeError', 'NodeResizeError'].map((type) => conditionOf(claim, type)).find((c) => c?.status === 'True') ?? null;
  const modify = failed ? null : modifyOf(claim, wanted ?? 0, has ?? 0);
  if (modify) return modify;
  if (!failed && (wanted === null || has === null || wanted <= has)) return null;
  const pending = conditionOf(claim, 'FileSystemResizePending');
  const moving = conditionOf(claim, 'Resizing');
  const status = String(claim.status.allocatedResourceStatuses?.['storage'] ?? '');
  const shown = failed ?? pending ?? moving;
  const age = ageOf(world.now, lastWish(claim) ?? shown?.since);
  const awaited = !failed && pending?.status === 'True' && !/Infeasible/.test(status);
  const mounter = awaited ? (users().find((pod) => grownBy(world, pod, pending.since)) ?? null) : null;
  return {
    wanted: wanted ?? 0,
    has: has ?? 0,
    status,
    attributes: '',
    message: [shown?.reason, shown?.message].filter(Boolean).join(': '),
    waitsForPod: awaited && mounter === null,
    mounter,
    young: !failed && !/Infeasible/.test(status) && age !== null && age < PATIENCE,
    evidence:
      shown?.evidence ??
      evidenceAt(
        claim,
        '/status/capacity/storage',
        `capacity ${claim.status.capacity?.['storage'] ?? '?'}, ${claim.spec?.resources?.requests?.['storage'] ?? '?'} asked`,
      ),
  };
}

/** A kubelet grows what is mounted at its next sync, where the driver can do that to a mounted file system; else the pod has to start again. */
const grownBy = (world: World, pod: Pod, pending: string): boolean =>
  (ageOf(world.now, pending) ?? 0) > GROWN && (readySince(pod) ?? Number.POSITIVE_INFINITY) < (timeOf(pending) ?? 0);

/** Up to external-resizer 1.13 the error stands in condition ModifyingVolume itself. */
function modifyOf(claim: PersistentVolumeClaim, wanted: number, has: number): Resize | null {
  const modify = claim.status?.['modifyVolumeStatus'] as { status?: string; targetVolumeAttributesClassName?: string } | undefined;
  const said = conditionOf(claim, 'ModifyVolumeError') ?? conditionOf(claim, 'ModifyingVolume');
  const refused = modify?.status === 'Infeasible' || (said?.type === 'ModifyVolumeError' && said.status === 'True');
  if (!refused) return null;
  return {
    wanted,
    has,
    status: modify?.status ?? '',
    attributes: modify?.targetVolumeAttributesClassName || 'another class',
    message: [said?.reason, said?.message].filter(Boolean).join(': '),
    waitsForPod: false,
    mounter: null,
    young: false,
    evidence:
      said?.evidence ??
      evidenceAt(claim, '/status/modifyVolumeStatus/status', `modification to ${modify?.targetVolumeAttributesClassName ?? '?'}: ${modify?.status ?? '?'}`),
  };
}

function lastWish(claim: PersistentVolumeClaim): string | null {
  const times = (claim.metadata.writers ?? [])
    .filter((writer) => !writer.subresource && writer.paths.some((path) => path.startsWith('spec')))
    .map((writer) => writer.time);
  return (
    times
      .filter((time) => timeOf(time) !== null)
      .sort()
      .at(-1) ?? null
  );
}
