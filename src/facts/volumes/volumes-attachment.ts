import type { VolumeAttachment } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { groupBy } from '../lists.ts';
import { ageOf } from '../time.ts';
import type { World } from '../world.ts';

/** A VolumeAttachment: one volume wanted on one node. */
export interface Attachment extends Addressed {
  name: string;
  volume: string;
  node: string;
  driver: string;
  attached: boolean;
  /** The last attempt's error, '' where the last attempt had none (status.attachError). */
  error: string;
  /** Why it could not be taken off; it then keeps the volume from any other node. */
  detachError: string;
  deleting: boolean;
  /** Asked to go so short a time ago that its attacher is still at it. */
  leaving: boolean;
  age: number;
  /** Whether an attacher has taken it up: it puts its finalizer on before the first call. */
  taken: boolean;
}

/** The attach-detach controller itself gives an attacher two minutes (`pkg/volume/csi/csi_attacher.go`). */
export const ATTACH_PATIENCE = 120;

/** Every attachment of a PersistentVolume, on whatever node. Raises Unknown where attachments could not be read. */
export function attachmentsOf(world: World, volume: string): Attachment[] {
  need(world.snapshot.list('VolumeAttachment'));
  const index = world.memo(world.snapshot, 'index:attachments', () =>
    groupBy(world.snapshot.seen('VolumeAttachment'), (attachment) => attachment.spec?.source?.persistentVolumeName ?? ''),
  );
  return (index.get(volume) ?? []).map((attachment) => attachmentOf(world, attachment));
}

function attachmentOf(world: World, attachment: VolumeAttachment): Attachment {
  const { status, spec, metadata } = attachment;
  const error = status?.attachError?.message ?? '';
  const detachError = status?.detachError?.message ?? '';
  const node = spec?.nodeName ?? '';
  const where = `on ${node || 'no node'}`;
  const evidence =
    error !== '' && !status?.attached
      ? evidenceAt(attachment, '/status/attachError/message', `attach ${where} failed: ${error}`, status?.attachError?.time)
      : detachError !== ''
        ? evidenceAt(attachment, '/status/detachError/message', `detach ${where} failed: ${detachError}`, status?.detachError?.time)
        : evidenceAt(
            attachment,
            '/status/attached',
            `${status?.attached ? 'attached' : 'not attached'} ${where}${metadata.deletionTimestamp ? ', being detached' : ''}`,
          );
  return {
    name: metadata.name,
    volume: spec?.source?.persistentVolumeName ?? '',
    node,
    driver: spec?.attacher ?? '',
    attached: status?.attached === true,
    error: status?.attached ? '' : error,
    detachError,
    deleting: Boolean(metadata.deletionTimestamp),
    leaving: detachError === '' && (ageOf(world.now, metadata.deletionTimestamp) ?? ATTACH_PATIENCE) < ATTACH_PATIENCE,
    age: ageOf(world.now, metadata.creationTimestamp) ?? 0,
    taken: (metadata.finalizers ?? []).length > 0,
    evidence,
  };
}
