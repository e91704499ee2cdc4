import type { Pod, Service } from '../../model/kinds.ts';
import { attempt } from '../../model/read.ts';
import type { World } from '../world.ts';
import { servicesAsked } from './endpoints-asked.ts';
import { addressesOf } from './endpoints-slices.ts';

const UNREACHED = /\b(?:i\/o timeout|time(?:d )?-?out|refused|no route to host|unreachable|deadline exceeded)\b/i;

/**
 * Services that a process names as not reached and that are served on other nodes than its own only, while inner traffic may not leave the
 * node: kube-proxy then drops it as if there were no back end at all (internalTrafficPolicy Local).
 */
export function servedElsewhere(world: World, pod: Pod, words: string): Service[] {
  const node = pod.spec?.nodeName;
  if (!node || !UNREACHED.test(words)) return [];
  return servicesAsked(world, pod.metadata.namespace ?? '', words).filter((service) => {
    if (service.spec?.internalTrafficPolicy !== 'Local') return false;
    const ready = attempt(() => addressesOf(world, service).list)?.filter((address) => address.ready) ?? [];
    return ready.length > 0 && ready.every((address) => address.node !== '' && address.node !== node);
  });
}
