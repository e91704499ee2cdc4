import type { Container, ContainerStatus, Pod, PodSpec } from '../../model/kinds.ts';
import { listOf } from '../lists.ts';
import { quantityOf } from '../quantity.ts';

/** Resource name to amount in base units: cores, bytes, counts. */
export type Amounts = Record<string, number>;

/**
 * One quantity as the scheduler counts it: cpu rounded up to whole milli-cores, everything else to whole units
 * (resource.Quantity MilliValue and Value, `pkg/scheduler/framework/types.go`). 0 where it does not parse.
 */
export function amountOf(resource: string, quantity: string | number | null | undefined): number {
  const value = quantityOf(quantity) ?? 0;
  return resource === 'cpu' ? milli(Math.ceil(value * 1000 - 1e-6) / 1000) : Math.ceil(value - 1e-6);
}

// Sums of thousandths drift in binary floats; cores are put back on the milli grid after every step.
const milli = (cores: number): number => Math.round(cores * 1000) / 1000;
const exact = (resource: string, value: number): number => (resource === 'cpu' ? milli(value) : value);

/** A resource list in numbers; what is no quantity is left out. */
export function amountsOf(list: Record<string, unknown> | null | undefined): Amounts {
  const out: Amounts = {};
  for (const [resource, quantity] of Object.entries(list ?? {})) {
    if (typeof quantity === 'string' || typeof quantity === 'number') out[resource] = amountOf(resource, quantity);
  }
  return out;
}

/** Adds `more` into `sum`. */
export function add(sum: Amounts, more: Amounts): Amounts {
  for (const [resource, value] of Object.entries(more)) sum[resource] = exact(resource, (sum[resource] ?? 0) + value);
  return sum;
}

/** What is left, which may be less than nothing. */
export function subtract(from: Amounts, less: Amounts): Amounts {
  const out: Amounts = { ...from };
  for (const [resource, value] of Object.entries(less)) out[resource] = exact(resource, (out[resource] ?? 0) - value);
  return out;
}

function larger(into: Amounts, other: Amounts): Amounts {
  for (const [resource, value] of Object.entries(other)) into[resource] = Math.max(into[resource] ?? 0, value);
  return into;
}

/**
 * What a pod asks of a node, by the formula that scheduler and kubelet share (component-helpers resource.PodRequests):
 * the larger of (all containers and sidecars together) and (each init container with the sidecars started before it),
 * replaced by pod-level requests where they are set, plus the runtime class's overhead.
 */
export function podRequests(pod: Pod): Amounts {
  const spec = pod.spec ?? {};
  const statuses = new Map<string, ContainerStatus>();
  for (const list of [pod.status?.containerStatuses, pod.status?.initContainerStatuses]) {
    for (const status of listOf(list)) if (status.name) statuses.set(status.name, status);
  }
  const infeasible = listOf(pod.status?.conditions).some((c) => c.type === 'PodResizePending' && c.reason === 'Infeasible');
  const total = sumOfContainers(spec, (container) => current(container, statuses.get(container.name ?? ''), infeasible));
  // Pod-level requests count for the resources they name (alpha 1.32, default 1.34).
  Object.assign(total, requestsOf(spec.resources));
  return add(total, amountsOf(spec.overhead));
}

function sumOfContainers(spec: PodSpec, requests: (container: Container) => Amounts): Amounts {
  const total: Amounts = {};
  for (const container of listOf(spec.containers)) add(total, requests(container));
  const sidecars: Amounts = {};
  const initial: Amounts = {};
  for (const container of listOf(spec.initContainers)) {
    const own = requests(container);
    if (container.restartPolicy === 'Always') {
      add(total, own);
      add(sidecars, own);
      larger(initial, sidecars);
    } else {
      larger(initial, add({ ...own }, sidecars));
    }
  }
  return larger(total, initial);
}

// A limit without a request is a request (API defaulting, `pkg/apis/core/v1/defaults.go`); templates show it undone.
function requestsOf(resources: Container['resources']): Amounts {
  return { ...amountsOf(resources?.limits), ...amountsOf(resources?.requests) };
}

// During an in-place resize a container counts with the larger of what is wanted and what it has.
function current(container: Container, status: ContainerStatus | undefined, infeasible: boolean): Amounts {
  const wanted = requestsOf(container.resources);
  const has = larger(amountsOf(status?.allocatedResources), amountsOf(status?.resources?.requests));
  if (Object.keys(has).length === 0) return wanted;
  return infeasible ? { ...wanted, ...has } : larger(has, wanted);
}

/** Ports of the node a pod takes: hostPort, or any containerPort under hostNetwork. */
export function hostPortsOf(pod: Pod): HostPort[] {
  const ports: HostPort[] = [];
  const sidecars = listOf(pod.spec?.initContainers).filter((container) => container.restartPolicy === 'Always');
  for (const container of [...listOf(pod.spec?.containers), ...sidecars]) {
    for (const port of listOf(container.ports)) {
      const number = port.hostPort || (pod.spec?.hostNetwork ? port.containerPort : 0) || 0;
      if (number > 0) ports.push({ port: number, protocol: port.protocol ?? 'TCP', ip: port.hostIP || '0.0.0.0' });
    }
  }
  return ports;
}

export interface HostPort {
  port: number;
  protocol: string;
  ip: string;
}

/** Two pods clash on a port when protocol and number agree and either listens on every address. */
export const portsClash = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || isAny(a.ip) || isAny(b.ip));

const isAny = (ip: string): boolean => ip === '0.0.0.0' || ip === '::';
