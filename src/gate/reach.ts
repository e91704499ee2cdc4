import { conditionOf } from '../facts/address.ts';
import { addressesOf } from '../facts/network/endpoints-slices.ts';
import { textsOf } from '../facts/lists.ts';
import { matchesLabels } from '../facts/selectors.ts';
import { some } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject, Node, Pod, Service } from '../model/kinds.ts';
import { told } from './standing.ts';
import { isReady } from '../facts/pods/phase.ts';

export interface Served {
  /** Why traffic cannot reach the new pods yet; '' where it can. */
  waits: string;
  says: string;
  remarks: string[];
}

/**
 * Services whose selector matches the template: each must have a ready endpoint that is one of these very pods. A Service
 * that still has only pods of the old revision behind it serves the old program.
 */
export function servedBy(world: World, workload: KubeObject, pods: readonly Pod[]): Served {
  const services = servicesOf(world, workload);
  const none: Served = { waits: '', says: '', remarks: [] };
  if (services.length === 0 || pods.length === 0) return none;
  const own = new Set(pods.filter(isReady).map((pod) => pod.metadata.uid));
  const reached: string[] = [];
  for (const service of services) {
    const { name } = service.metadata;
    const read = told(() => addressesOf(world, service));
    if (read.value === null)
      return { ...none, remarks: [`whether Service ${name} reaches the new pods could not be read (EndpointSlices: ${read.gap.reason})`] };
    // Of a hand-made or mirrored slice the pods are not known.
    if (read.value.list.length > 0 && read.value.list.every((address) => address.pod === '')) continue;
    if (!read.value.list.some((address) => address.ready && own.has(address.pod)))
      return { ...none, waits: `Service ${name} has no ready endpoint among the new pods` };
    reached.push(name);
  }
  return { ...none, says: reached.length > 0 ? `, reached by Service ${some(reached)}` : '' };
}

export function servicesOf(world: World, workload: KubeObject): Service[] {
  const template = (workload['spec'] as { template?: { metadata?: { labels?: unknown } } } | undefined)?.template;
  const labels = textsOf(template?.metadata?.labels);
  return world.snapshot.seen('Service', workload.metadata.namespace ?? '').filter(({ spec }) => {
    const selector = textsOf(spec?.selector);
    return spec?.type !== 'ExternalName' && Object.keys(selector).length > 0 && matchesLabels(selector, labels);
  });
}

export const lostNodes = (nodes: readonly Node[]): string[] =>
  nodes
    .filter((node) => conditionOf(node, 'Ready')?.status !== 'True')
    .map((node) => node.metadata.name)
    .sort();
