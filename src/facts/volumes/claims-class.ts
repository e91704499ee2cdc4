import type { PersistentVolumeClaim, StorageClass } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { listOf, textsOf } from '../lists.ts';
import type { World } from '../world.ts';

const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';
const DEFAULTS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Name of the class; '' for a claim that wants no class (a volume made by hand), null for one that leaves it to the default. */
export function classNameOf(claim: PersistentVolumeClaim): string | null {
  return textsOf(claim.metadata.annotations)[OLD_CLASS] ?? claim.spec?.storageClassName ?? null;
}

/** The class of a claim, its default where the claim names none. Null where it does not exist. May raise Unknown. */
export function classOf(world: World, claim: PersistentVolumeClaim): StorageClass | null {
  const name = classNameOf(claim);
  if (name === '') return null;
  if (name !== null) return need(world.snapshot.get('StorageClass', undefined, name));
  return defaultClass(world);
}

/** The newest of the classes marked as default (`pkg/volume/util/storageclass.go`); null where none is. May raise Unknown. */
export function defaultClass(world: World): StorageClass | null {
  return world.memo(world.snapshot, 'claims:default', () => {
    const marked = (need(world.snapshot.list('StorageClass')) ?? []).filter((each) =>
      DEFAULTS.some((key) => textsOf(each.metadata.annotations)[key] === 'true'),
    );
    const born = (each: StorageClass): string => each.metadata.creationTimestamp ?? '';
    return [...marked].sort((a, b) => (born(a) < born(b) ? 1 : -1))[0] ?? null;
  });
}

/** Written by the scheduler once it has chosen a node for a pod with a WaitForFirstConsumer claim. */
export const selectedNodeOf = (claim: PersistentVolumeClaim): string => textsOf(claim.metadata.annotations)['volume.kubernetes.io/selected-node'] ?? '';

/** RFC 3339, when it did so, by its own write; '' where metadata does not tell. */
export const selectedAtOf = (claim: PersistentVolumeClaim): string =>
  listOf(claim.metadata.writers).find(({ manager, paths }) => manager === 'kube-scheduler' && paths.some((path) => path.startsWith('metadata.annotations')))
    ?.time ?? '';

/** Not a provisioner: by this name a class says that its volumes are made by hand. */
export const HAND_MADE = 'kubernetes.io/no-provisioner';

/** Who is to make the volume, '' for nobody: annotated by the volume controller when it hands over, else the class's. */
export function provisionerOf(claim: PersistentVolumeClaim, storageClass: StorageClass | null): string {
  const notes = textsOf(claim.metadata.annotations);
  const named = notes['volume.kubernetes.io/storage-provisioner'] ?? notes['volume.beta.kubernetes.io/storage-provisioner'] ?? storageClass?.provisioner ?? '';
  return named === HAND_MADE ? '' : named;
}
