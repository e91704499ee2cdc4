import type { Pod, Volume } from '../../model/kinds.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';

/** A ConfigMap or Secret that a volume cannot do without. */
export interface Reference extends Addressed {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  /** Keys named one by one; empty where the whole object is mounted. */
  keys: string[];
}

/** Everything the volume needs of its namespace that is not marked optional. */
export function referencesOf(pod: Pod, volume: Volume, index: number): Reference[] {
  const out: Reference[] = [];
  const add = (
    kind: Reference['kind'],
    name: string | undefined,
    optional: boolean | undefined,
    items: { key?: string | undefined }[] | undefined,
    ...path: (string | number)[]
  ): void => {
    if (!name || optional) return;
    const keys = (Array.isArray(items) ? items : []).flatMap((item) => (item?.key ? [item.key] : []));
    const pointer = pointerTo('spec', 'volumes', index, ...path);
    out.push({ kind, name, keys, evidence: evidenceAt(pod, pointer, `volume ${volume.name ?? ''} needs ${kind} ${name}`) });
  };
  add('ConfigMap', volume.configMap?.name, volume.configMap?.optional, volume.configMap?.items, 'configMap');
  add('Secret', volume.secret?.secretName, volume.secret?.optional, volume.secret?.items, 'secret');
  const sources = Array.isArray(volume.projected?.sources) ? volume.projected.sources : [];
  sources.forEach((source, at) => {
    add('ConfigMap', source?.configMap?.name, source?.configMap?.optional, source?.configMap?.items, 'projected', 'sources', at, 'configMap');
    add('Secret', source?.secret?.name, source?.secret?.optional, source?.secret?.items, 'projected', 'sources', at, 'secret');
  });
  add('Secret', volume.csi?.nodePublishSecretRef?.name, false, undefined, 'csi', 'nodePublishSecretRef');
  return out;
}
