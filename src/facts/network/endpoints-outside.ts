import type { Service } from '../../model/kinds.ts';
import { attempt, need } from '../../model/read.ts';
import { componentFacts } from '../control-plane/components.ts';
import type { Told } from '../events/told.ts';
import { listOf } from '../lists.ts';
import { ageOf } from '../time.ts';
import type { World } from '../world.ts';

/** What a Service has to do with the world outside of its selector: an alias, or a load balancer that somebody has to make. */

/** `cart in namespace shop` for `cart.shop.svc.cluster.local`; '' for a name that is no Service's, or that Services were not read for. */
export function aliasLost(world: World, { spec }: Service): string {
  if (spec?.type !== 'ExternalName') return '';
  const [, name = '', namespace = ''] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:\.cluster\.local)?\.?$/.exec(spec.externalName ?? '') ?? [];
  return name !== '' && attempt(() => need(world.snapshot.get('Service', namespace, name)) === null) === true ? `${name} in namespace ${namespace}` : '';
}

// service-controller tries again after five minutes at most (cloud-provider, controllers/service).
const SILENT = 600;

/** What the cloud fails at for a load balancer that is there; null where it has been silent, or where there is none yet. */
export const keptFailing = (world: World, pending: boolean, said: () => Told | null): Told | null => {
  const told = pending ? null : attempt(said);
  return told && (ageOf(world.now, told.last) ?? Infinity) < SILENT ? told : null;
};

const CLEANUP = 'service.kubernetes.io/load-balancer-cleanup';

/**
 * What is known of who has to give the address, where nobody says: the class alone decides where one is named; a service controller puts
 * its finalizer before it asks a cloud; a cloud's controllers hold a Lease and give each node its provider ID.
 */
export function giverOf(world: World, service: Service): string {
  const { metadata, spec } = service;
  if (spec?.loadBalancerClass) return `only a controller of class ${spec.loadBalancerClass} gives it one, and the cloud's own leaves it alone`;
  if (listOf(metadata.finalizers).includes(CLEANUP)) return 'a service controller has taken it up, by its finalizer, and does not come to an end';
  const nodes = attempt(() => need(world.snapshot.list('Node')));
  const unleased = attempt(() => !componentFacts(world, 'cloud-controller-manager').known);
  const cloudless = unleased === true && nodes !== null && nodes.length > 0 && nodes.every((node) => !node.spec?.providerID);
  return cloudless ? 'no cloud is to be seen here: cloud-controller-manager holds no Lease, and no node names a provider' : '';
}
