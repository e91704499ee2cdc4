import type { Node, PersistentVolume, Pod } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { listOf } from '../lists.ts';
import { expressionText, labelsOf, matchesTerm } from '../scheduling/placement.ts';
import type { World } from '../world.ts';

/** A volume of a pod that is a claim. A generic ephemeral volume's claim is named POD-VOLUME (`ephemeral.VolumeClaimName`). */
export interface ClaimVolume {
  volume: string;
  claim: string;
  ephemeral: boolean;
  /** Index in spec.volumes. */
  index: number;
}

/** The volumes of a pod that are claims, in the order of spec.volumes. */
export function claimVolumesOf(pod: Pod): ClaimVolume[] {
  const volumes = Array.isArray(pod.spec?.volumes) ? pod.spec.volumes : [];
  return volumes.flatMap((volume, index): ClaimVolume[] => {
    const claim = volume?.persistentVolumeClaim?.claimName ?? (volume?.ephemeral ? `${pod.metadata.name}-${volume.name}` : '');
    return claim ? [{ volume: volume.name ?? '', claim, ephemeral: Boolean(volume.ephemeral), index }] : [];
  });
}

/** Says why a node cannot have the pod's bound volumes (VolumeBinding and VolumeZone), null where it can. May raise Unknown. */
export function volumeNodeCheck(world: World, pod: Pod): (node: Node) => string | null {
  const volumes = claimVolumesOf(pod).flatMap(({ claim }): PersistentVolume[] => {
    const object = need(world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, claim));
    const name = object?.spec?.volumeName;
    const volume = name ? need(world.snapshot.get('PersistentVolume', undefined, name)) : null;
    return volume ? [volume] : [];
  });
  return (node) => {
    for (const volume of volumes) {
      const where = nodesOf(volume);
      if (where && !where.some((term) => matchesTerm(term, labelsOf(node), node.metadata.name)))
        return `volume ${volume.metadata.name} lives on ${placeOf(volume)}`;
      const zone = zoneConflict(volume, node);
      if (zone) return `volume ${volume.metadata.name} lives in ${zone}`;
    }
    return null;
  };
}

const nodesOf = (volume: PersistentVolume) => volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;

/** The place a volume is bound to, in words: `topology.kubernetes.io/zone=a`; '' where it has none. */
export function placeOf(volume: PersistentVolume): string {
  return listOf(nodesOf(volume))
    .map((term) => [...listOf(term.matchExpressions), ...listOf(term.matchFields)].map(expressionText).join(' and '))
    .join(' or ');
}

const ZONES = [
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
];

// Labels of in-tree cloud volumes; several zones are joined by "__" (component-helpers volumehelpers.LabelZonesToSet).
function zoneConflict(volume: PersistentVolume, node: Node): string | null {
  const labels = volume.metadata.labels ?? {};
  if (!ZONES.some((key) => labelsOf(node)[key] !== undefined)) return null;
  for (const key of ZONES) {
    const value = labels[key];
    if (value !== undefined && !value.split('__').includes(labelsOf(node)[key] ?? '')) return `${key}=${value}`;
  }
  return null;
}
