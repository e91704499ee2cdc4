import type { Pod, PodSpec, Service, ServicePort } from '../../model/kinds.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { listOf } from '../lists.ts';

/** A port of a Service that leads nowhere, though it has back ends. */
export interface LostPort extends Addressed {
  /** The port's name, or its number where it has none. */
  port: string;
  protocol: string;
  /** targetPort as written. */
  target: string;
  /** What a container would have to declare: `http/TCP`. */
  wanted: string;
  /** What the selected pods' containers declare: `web/TCP 8080`. */
  has: string[];
}

const protocolOf = (port: { protocol?: unknown }): string => (typeof port.protocol === 'string' ? port.protocol : 'TCP');
const targetOf = (port: ServicePort): string | number => (port.targetPort as string | number | undefined) ?? port.port ?? '';
const portsOf = (service: Service): readonly ServicePort[] => listOf<ServicePort>(service.spec?.ports as ServicePort[] | undefined);

interface Declared {
  name: string;
  number: number;
  protocol: string;
}

function declaredBy(specs: readonly PodSpec[]): Declared[] {
  const found = new Map<string, Declared>();
  for (const spec of specs) {
    const sidecars = listOf(spec.initContainers).filter((container) => container.restartPolicy === 'Always');
    for (const container of [...listOf(spec.containers), ...sidecars]) {
      for (const port of listOf(container.ports)) {
        const declared = { name: port.name ?? '', number: port.containerPort ?? 0, protocol: protocolOf(port) };
        found.set(`${declared.name}/${declared.protocol}/${declared.number}`, declared);
      }
    }
  }
  return [...found.values()];
}

const told = (port: Declared): string => `${port.name ? `${port.name}/` : ''}${port.protocol} ${port.number}`;

/**
 * Ports that no back end resolves. `resolved` are the port names in the slices, null where the Service has no back ends;
 * then the specs decide. A named target is looked up by name and protocol in the pods (endpointslice FindPort);
 * where that fails the slice carries the addresses and no port.
 */
export function lostPortsOf(service: Service, resolved: ReadonlySet<string> | null, specs: readonly PodSpec[]): LostPort[] {
  const declared = declaredBy(specs);
  return portsOf(service).flatMap((port, index) => {
    const target = targetOf(port);
    const protocol = protocolOf(port);
    // Numbers need no look-up, and slices that lag behind a change of the Service prove nothing against pods that declare the name.
    const unresolved = resolved === null || !resolved.has(port.name ?? '');
    const declares = declared.some((each) => each.name === target && each.protocol === protocol);
    const lost = typeof target === 'string' && unresolved && !declares && (resolved !== null || specs.length > 0);
    return lost ? [asLost(service, index, port, declared)] : [];
  });
}

/**
 * Numeric targets that no container declares although containers do declare ports. Only a hint:
 * declaring a port is optional, traffic to an undeclared one arrives all the same (core/v1 Container.ports).
 */
export function undeclaredPortsOf(service: Service, specs: readonly PodSpec[]): LostPort[] {
  const declared = declaredBy(specs);
  if (declared.length === 0) return [];
  return portsOf(service).flatMap((port, index) => {
    const target = targetOf(port);
    const known = typeof target !== 'number' || declared.some((each) => each.number === target && each.protocol === protocolOf(port));
    return known ? [] : [asLost(service, index, port, declared)];
  });
}

/** A named port that some back ends resolve and these do not: they call the same number by another name. */
export interface HalfPort extends LostPort {
  pods: Pod[];
  others: number;
}

/**
 * Pods without the name are no back ends of that port, and a Service may select such on purpose (a worker beside the web server).
 * Who declares the very number that the others have under the name is meant by it.
 */
export function halfPortsOf(service: Service, pods: readonly Pod[]): HalfPort[] {
  const declared = pods.map((pod) => ({ pod, ports: declaredBy([pod.spec ?? {}]) }));
  return portsOf(service).flatMap((port, index): HalfPort[] => {
    const target = targetOf(port);
    const protocol = protocolOf(port);
    if (typeof target !== 'string') return [];
    const meant = (each: Declared): boolean => each.name === target && each.protocol === protocol;
    const having = declared.filter(({ ports }) => ports.some(meant));
    const numbers = new Set(having.flatMap(({ ports }) => ports.filter(meant).map((each) => each.number)));
    const misnamed = ({ name, number, protocol: by }: Declared): boolean => name !== '' && by === protocol && numbers.has(number);
    const lacking = declared.filter(({ ports }) => !ports.some(meant) && ports.some(misnamed));
    if (lacking.length === 0) return [];
    const lost = asLost(
      service,
      index,
      port,
      lacking.flatMap(({ ports }) => ports.filter(misnamed)),
    );
    return [{ ...lost, has: [...new Set(lost.has)], pods: lacking.map(({ pod }) => pod), others: having.length }];
  });
}

/**
 * Numeric targets of a port that is called as a container's port is, which has another number, in pods of one container that declare none of
 * the target's: the two were meant to be one. A container may listen on what it does not declare, so it is no proof.
 */
export function crossedPortsOf(service: Service, specs: readonly PodSpec[]): LostPort[] {
  const single =
    specs.length > 0 &&
    specs.every((spec) => listOf(spec.containers).length === 1 && listOf(spec.initContainers).every((each) => each.restartPolicy !== 'Always'));
  const declared = single ? declaredBy(specs) : [];
  return declared.length === 0
    ? []
    : undeclaredPortsOf(service, specs).filter(({ port, protocol }) => declared.some((each) => each.name === port && each.protocol === protocol));
}

function asLost(service: Service, index: number, port: ServicePort, declared: Declared[]): LostPort {
  const target = String(targetOf(port));
  const protocol = protocolOf(port);
  const name = port.name || String(port.port ?? '');
  return {
    port: name,
    protocol,
    target,
    wanted: `${target}/${protocol}`,
    has: declared.map(told),
    evidence: evidenceAt(service, `/spec/ports/${index}`, `port ${name} leads to targetPort ${target} (${protocol})`),
  };
}
