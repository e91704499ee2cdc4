import type { KubeObject } from '../../model/kinds.ts';
import { kindKey } from '../../model/resources.ts';
import type { World } from '../world.ts';

/** What an object of a kind writes and has to have for itself: of two that write one, each undoes the other without end. */
const WRITES: Readonly<Record<string, string>> = { 'Certificate.cert-manager.io': 'secretName' };

type Spec = Record<string, unknown>;

/** Another of its kind and namespace that writes the same thing, and not the same into it; null where none does. */
export function rivalOf(world: World, object: KubeObject): KubeObject | null {
  const key = kindKey(object.apiVersion, object.kind);
  const field = WRITES[key];
  const spec = (object['spec'] ?? {}) as Spec;
  if (!field || typeof spec[field] !== 'string') return null;
  const isRival = (other: KubeObject): boolean => {
    const theirs = (other['spec'] ?? {}) as Spec;
    return other !== object && theirs[field] === spec[field] && JSON.stringify(theirs) !== JSON.stringify(spec);
  };
  return world.snapshot.seen(key, object.metadata.namespace).find(isRival) ?? null;
}
