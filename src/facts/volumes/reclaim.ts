import type { PersistentVolume } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { type Told, told } from '../events/told.ts';
import type { Family } from '../family.ts';
import { lazy } from '../lazy.ts';
import { ageOf } from '../time.ts';
import type { World } from '../world.ts';

/** A volume whose claim is gone and that is to go as well. */
export interface Reclaim extends Addressed {
  at: Stage[];
  phase: string;
  /** What its provisioner says of the deletion; null where nothing is told, or it was not read. */
  event: Told | null;
  text: Text | null;
}

/** The facts of a volume by its reclaim policy, made once a snapshot. */
export function reclaimFacts(world: World, volume: PersistentVolume): Reclaim {
  return world.memo(volume, 'reclaim', () => {
    const phase = volume.status?.phase ?? '';
    const reclaim: Reclaim = lazy<Reclaim>({
      at: () => ((reclaim.event && !reclaim.event.quiet) || isOverdue(world, volume) ? ['condition'] : ['goal']),
      phase: () => phase,
      event: () => (isLeft(volume) ? (attempt(() => told(world, volume, ['VolumeFailedDelete'])) ?? null) : null),
      text: () => (reclaim.event ? world.classify('provisioning', reclaim.event.message) : null),
      evidence: () => evidenceAt(volume, '/status/phase', `phase ${phase}`),
    });
    return reclaim;
  });
}

/** Only drivers in the tree set it Failed; with CSI it stays Released (sig-storage-lib-external-provisioner, deleteVolumeOperation). */
const isLeft = ({ metadata, spec, status }: PersistentVolume): boolean =>
  (status?.phase === 'Released' || status?.phase === 'Failed') && spec?.persistentVolumeReclaimPolicy === 'Delete' && !metadata.deletionTimestamp;

const LONG = 3600;

/** The time is written since Kubernetes 1.29; without it nobody knows since when. */
const isOverdue = (world: World, volume: PersistentVolume): boolean => isLeft(volume) && (ageOf(world.now, volume.status?.lastPhaseTransitionTime) ?? 0) > LONG;

export const family: Family = {
  name: 'reclaim',
  doc: 'Volumes that their claim has left and that are to be deleted.',
  types: {
    Reclaim: {
      at: { type: 'list<string>', doc: '`condition` while its deletion fails, or should have been over for an hour, else `goal`' },
      phase: { type: 'string', doc: 'status.phase' },
      event: { type: 'Told?', doc: 'what its provisioner says of the deletion' },
      text: { type: 'Text?', doc: 'that by table `provisioning`' },
      evidence: { type: 'Evidence', doc: 'status.phase' },
    },
  },
  variables: [
    {
      name: 'reclaim',
      kinds: ['PersistentVolume'],
      type: 'Reclaim',
      doc: 'its way out',
      of: (world, object) => reclaimFacts(world, object as PersistentVolume),
      isWell: (_world, object) => !isLeft(object as PersistentVolume),
    },
  ],
};
