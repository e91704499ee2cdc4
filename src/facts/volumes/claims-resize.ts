import type { PersistentVolumeClaim } from '../../model/kinds.ts';
import { type Addressed, conditionOf, evidenceAt } from '../address.ts';
import { quantityOf } from '../quantity.ts';
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
  /** Only a pod that mounts it can finish this: the file system grows on the node. */
  waitsForPod: boolean;
  young: boolean;
}

/** Resizing takes the driver seconds, a node plugin the next sync. */
const PATIENCE = 300;

/** Null for a claim that is not bound, has what it asks, or whose size is not known. */
export function resizeOf(world: World, claim: PersistentVolumeClaim): Resize | null {
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
  return {
    wanted: wanted ?? 0,
    has: has ?? 0,
    status,
    attributes: '',
    message: [shown?.reason, shown?.message].filter(Boolean).join(': '),
    waitsForPod: !failed && pending?.status === 'True' && !/Infeasible/.test(status),
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
