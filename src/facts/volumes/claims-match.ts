import type { PersistentVolume, PersistentVolumeClaim } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { listOf, textsOf } from '../lists.ts';
import { formatQuantity, quantityOf } from '../quantity.ts';
import { matchesSelector } from '../selectors.ts';
import type { World } from '../world.ts';

/** Why one volume cannot be given to the claim. */
export interface ClaimMatch extends Addressed {
  volume: string;
  /** `too small: 5Gi of 10Gi asked`, `access mode ReadWriteMany not offered`, ... */
  why: string[];
}

/**
 * The volume the claim names, or each volume of its class that is not taken, with what keeps it from being bound
 * (`pkg/controller/volume/persistentvolume/pv_controller.go`, checkVolumeSatisfyClaim). Volumes that fit are left out.
 * Where a class made by hand has none, those of other classes that nothing else keeps from it.
 */
export function mismatchesOf(world: World, claim: PersistentVolumeClaim, className: string, handMade = false): ClaimMatch[] {
  const named = claim.spec?.volumeName;
  if (named) {
    const volume = need(world.snapshot.get('PersistentVolume', undefined, named));
    return volume ? matchOf(volume, claim, className) : [];
  }
  const unbound = (need(world.snapshot.list('PersistentVolume')) ?? []).filter((volume) => volume.status?.phase !== 'Bound');
  const own = unbound.filter((volume) => classOfVolume(volume) === className || reservedFor(volume, claim));
  const near = own.length > 0 || !handMade ? own : unbound.filter((volume) => reasons(volume, claim, className).length === 1);
  return near.flatMap((volume) => matchOf(volume, claim, className));
}

/** A volume that nothing keeps from the claim: what is missing is that its controller looks. Only one that is Available is given away (pv_util.go, FindMatchingVolume). */
export const hasFitting = (world: World, claim: PersistentVolumeClaim, className: string): boolean =>
  (need(world.snapshot.list('PersistentVolume')) ?? []).some(
    (volume) => (volume.status?.phase === 'Available' || reservedFor(volume, claim)) && reasons(volume, claim, className).length === 0,
  );

function matchOf(volume: PersistentVolume, claim: PersistentVolumeClaim, className: string): ClaimMatch[] {
  const why = reasons(volume, claim, className);
  const text = `PersistentVolume ${volume.metadata.name}: ${why.join('; ')}`;
  return why.length === 0 ? [] : [{ volume: volume.metadata.name, why, evidence: evidenceAt(volume as never, '/spec', text) }];
}

const classOfVolume = (volume: PersistentVolume): string =>
  textsOf(volume.metadata.annotations)['volume.beta.kubernetes.io/storage-class'] ?? volume.spec?.storageClassName ?? '';

const reservedFor = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  volume.spec?.claimRef?.name === claim.metadata.name && volume.spec.claimRef.namespace === claim.metadata.namespace;

function reasons(volume: PersistentVolume, claim: PersistentVolumeClaim, className: string): string[] {
  const why: string[] = [];
  const ref = volume.spec?.claimRef;
  if (ref && !reservedFor(volume, claim)) why.push(`taken by claim ${ref.namespace}/${ref.name}`);
  else if (ref?.uid && claim.metadata.uid && ref.uid !== claim.metadata.uid) why.push('kept for an earlier claim of this name (claimRef.uid)');
  if (volume.metadata.deletionTimestamp) why.push('being deleted');
  const asked = quantityOf(claim.spec?.resources?.requests?.['storage']);
  const has = quantityOf(volume.spec?.capacity?.['storage']);
  if (asked !== null && has !== null && has < asked) {
    why.push(`too small: ${formatQuantity('storage', has)} of ${formatQuantity('storage', asked)} asked`);
  }
  const offered = listOf(volume.spec?.accessModes);
  for (const mode of listOf(claim.spec?.accessModes)) if (!offered.includes(mode)) why.push(`access mode ${mode} not offered`);
  const modes = [volume.spec?.volumeMode ?? 'Filesystem', claim.spec?.volumeMode ?? 'Filesystem'];
  if (modes[0] !== modes[1]) why.push(`volume mode ${modes[0]}, ${modes[1]} asked`);
  if (classOfVolume(volume) !== className) why.push(`class "${classOfVolume(volume)}", "${className}" asked`);
  const selector = claim.spec?.selector;
  if (selector && !matchesSelector(selector, textsOf(volume.metadata.labels))) why.push("labels outside the claim's selector");
  return why;
}
