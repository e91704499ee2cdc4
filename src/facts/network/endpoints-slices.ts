import type { Endpoint, Endpoints, EndpointSlice, KubeObject, Pod, Service } from '../../model/kinds.ts';
import { Unknown } from '../../model/read.ts';
import { groupBy, listOf, textsOf } from '../lists.ts';
import type { World } from '../world.ts';

/** One back end of a Service, once, however many slices (IPv4 and IPv6) carry it. */
export interface Address {
  ready: boolean;
  terminating: boolean;
  /** uid and name of the pod it points at; '' for hand-made endpoints. */
  pod: string;
  podName: string;
  node: string;
  ip: string;
}

export interface Addresses {
  list: Address[];
  /** The EndpointSlices, or the one Endpoints object where slices were not read. */
  slices: KubeObject[];
  /** Names of the Service's ports that resolved to a port number on at least one back end ('' for an unnamed port). */
  ports: Set<string>;
}

/**
 * What serves a Service now: its EndpointSlices, or its Endpoints where slices could not be read.
 * Raises Unknown where neither could.
 */
export function addressesOf(world: World, service: Service): Addresses {
  return world.memo(service, 'svc:addresses', () => {
    const { namespace = '', name } = service.metadata;
    const slices = slicesOf(world, namespace, name);
    const gap = world.snapshot.gap('EndpointSlice', namespace);
    if (slices.length > 0 || !gap) return fromSlices(slices);
    const old = world.snapshot.get('Endpoints', namespace, name);
    if (old.state === 'known') return fromEndpoints(old.value);
    if (old.state === 'absent') return { list: [], slices: [], ports: new Set() };
    throw new Unknown(gap);
  });
}

/** Slices belong to a Service by label, not by owner: mirrored and hand-made ones have no owner (discovery/v1 LabelServiceName). */
export function slicesOf(world: World, namespace: string, name: string): EndpointSlice[] {
  const index = world.memo(world.snapshot, 'index:slicesByService', () =>
    groupBy(
      world.snapshot.seen('EndpointSlice'),
      (slice) => `${slice.metadata.namespace ?? ''}/${textsOf(slice.metadata.labels)['kubernetes.io/service-name'] ?? ''}`,
    ),
  );
  return index.get(`${namespace}/${name}`) ?? [];
}

function fromSlices(slices: EndpointSlice[]): Addresses {
  const found = new Map<string, Address>();
  const ports = new Set<string>();
  for (const slice of slices) {
    const endpoints = listOf(slice.endpoints as Endpoint[] | undefined);
    if (endpoints.length > 0) for (const port of listOf(slice.ports)) if (port.port) ports.add(port.name ?? '');
    for (const endpoint of endpoints) {
      const ip = listOf(endpoint.addresses)[0] ?? '';
      const ref = endpoint.targetRef?.kind === 'Pod' ? endpoint.targetRef : undefined;
      add(found, {
        // A missing condition means ready (discovery/v1 EndpointConditions).
        ready: endpoint.conditions?.ready !== false,
        terminating: endpoint.conditions?.terminating === true,
        pod: ref?.uid ?? '',
        podName: ref?.name ?? '',
        node: endpoint.nodeName ?? '',
        ip,
      });
    }
  }
  return { list: [...found.values()], slices, ports };
}

interface Subset {
  addresses?: OldAddress[];
  notReadyAddresses?: OldAddress[];
  ports?: { name?: string; port?: number }[];
}

interface OldAddress {
  ip?: string;
  nodeName?: string;
  targetRef?: { kind?: string; name?: string; uid?: string };
}

function fromEndpoints(endpoints: Endpoints): Addresses {
  const found = new Map<string, Address>();
  const ports = new Set<string>();
  for (const subset of listOf(endpoints.subsets as Subset[] | undefined)) {
    for (const port of listOf(subset.ports)) if (port.port) ports.add(port.name ?? '');
    for (const [list, ready] of [
      [subset.addresses, true],
      [subset.notReadyAddresses, false],
    ] as const) {
      for (const { ip, nodeName, targetRef } of listOf(list)) {
        const ref = targetRef?.kind === 'Pod' ? targetRef : undefined;
        add(found, { ready, terminating: false, pod: ref?.uid ?? '', podName: ref?.name ?? '', node: nodeName ?? '', ip: ip ?? '' });
      }
    }
  }
  return { list: [...found.values()], slices: [endpoints], ports };
}

function add(found: Map<string, Address>, address: Address): void {
  const key = address.pod || address.ip;
  const same = found.get(key);
  if (!same) found.set(key, address);
  else if (address.ready) same.ready = true;
}

const MIRRORING = 'endpointslicemirroring-controller.k8s.io';

/**
 * The mirroring controller leaves a Service with a selector alone; before 1.22.4 it also left what it had made while there was none, and
 * kube-proxy sends to every slice of the name (kubernetes/kubernetes#105987).
 */
export function mirroredOf(world: World, { metadata: { namespace = '', name } }: Service, selected: () => readonly Pod[]): EndpointSlice[] {
  const mirrored = slicesOf(world, namespace, name).filter((slice) => textsOf(slice.metadata.labels)['endpointslice.kubernetes.io/managed-by'] === MIRRORING);
  if (mirrored.length === 0) return [];
  const addresses = new Set(selected().flatMap(({ status }) => [status?.podIP, ...listOf(status?.podIPs).map(({ ip }) => ip)]));
  return mirrored.filter((slice) =>
    listOf(slice.endpoints as Endpoint[] | undefined).some(
      ({ addresses: named, conditions }) => conditions?.ready !== false && listOf(named).some((address) => !addresses.has(address)),
    ),
  );
}
