import type { EndpointSlice, KubeObject, Service } from '../../model/kinds.ts';
import { listOf, textsOf } from '../lists.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { plural } from '../words.ts';
import type { World } from '../world.ts';

/** A slice written by hand, or by a controller of its own, and why it gives the Service nothing. */
export interface HandMade extends Addressed {
  object: KubeObject;
  /** `does not carry kubernetes.io/service-name`, `1 address, not ready: 192.0.2.7`. */
  why: string;
  /** It is not the Service's by its label; its name alone says so. */
  stray: boolean;
}

const LABEL = 'kubernetes.io/service-name';
const MANAGED = 'endpointslice.kubernetes.io/managed-by';

/** Its own slices with addresses, none of them ready; where it has no slice at all, those without the label that are named after it. */
export function handMadeOf(world: World, service: Service, own: readonly KubeObject[]): HandMade[] {
  const { namespace = '', name } = service.metadata;
  const slices = own.filter((slice): slice is KubeObject & EndpointSlice => slice.kind === 'EndpointSlice');
  if (slices.length > 0) return slices.flatMap(unready);
  if (own.length > 0) return [];
  const others = world.snapshot
    .seen('Service', namespace)
    .map(({ metadata }) => metadata.name)
    .filter((other) => other.startsWith(`${name}-`));
  const isOf = (slice: EndpointSlice, service: string): boolean => slice.metadata.name === service || slice.metadata.name.startsWith(`${service}-`);
  // A controller of its own has its own way to tell whose they are.
  const named = (slice: EndpointSlice): boolean =>
    isOf(slice, name) &&
    !(MANAGED in textsOf(slice.metadata.labels)) &&
    listOf(slice.metadata.ownerReferences).length === 0 &&
    !others.some((other) => isOf(slice, other));
  return world.snapshot
    .seen('EndpointSlice')
    .filter((slice) => slice.metadata.namespace === namespace && !(LABEL in textsOf(slice.metadata.labels)) && named(slice))
    .map((slice) => {
      const why = `does not carry the label ${LABEL}=${name}`;
      return {
        object: slice as unknown as KubeObject,
        why,
        stray: true,
        evidence: evidenceAt(slice as unknown as KubeObject, '/metadata/labels', `EndpointSlice ${slice.metadata.name} ${why}`),
      };
    });
}

function unready(slice: KubeObject & EndpointSlice): HandMade[] {
  const addresses = listOf(slice.endpoints).flatMap((endpoint) => listOf(endpoint.addresses).slice(0, 1));
  if (addresses.length === 0) return [];
  const why = `${plural(addresses.length, 'address')}, not ready: ${addresses.slice(0, 3).join(', ')}`;
  return [{ object: slice, why, stray: false, evidence: evidenceAt(slice, '/endpoints', `EndpointSlice ${slice.metadata.name}: ${why}`) }];
}
