import { call, get, list, type Obj } from '../api.ts';
import { container } from './objects.ts';
import { type Seen, waitFor } from '../wait.ts';

/** Generous: a wait ends when the state is there, and only a broken test gets to the limit. */
export const LIMIT = 240_000;

export const condition = (obj: Obj, type: string): Obj | undefined => obj?.status?.conditions?.find((c: Obj) => c.type === type);

export const pods = (ns: string, app?: string): Promise<Obj[]> =>
  list('v1', 'Pod', ns).then((all) => all.filter((pod) => app === undefined || pod.metadata.labels?.app === app));

const boxes = (pod: Obj): Obj[] => [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])];

const brief = (pod: Obj): Obj => ({
  name: pod.metadata.name,
  node: pod.spec.nodeName,
  phase: pod.status.phase,
  deleted: pod.metadata.deletionTimestamp,
  conditions: pod.status.conditions?.map((c: Obj) => `${c.type}=${c.status} ${c.reason ?? ''} ${c.message ?? ''}`),
  containers: boxes(pod).map((c) => ({ state: c.state, last: c.lastState, restarts: c.restartCount, ready: c.ready })),
});

/** Waits until the namespace's pods look as wanted. */
export function untilPods(ns: string, what: string, wanted: (pods: Obj[]) => boolean, app?: string): Promise<Obj[]> {
  return waitFor(
    `pods of ${ns}: ${what}`,
    async (): Promise<Seen<Obj[]>> => {
      const all = await pods(ns, app);
      return wanted(all) ? { done: all } : { saw: all.map(brief) };
    },
    LIMIT,
  );
}

/** Some pod has a container for which this holds. */
export const untilContainer = (ns: string, what: string, wanted: (status: Obj) => boolean): Promise<Obj[]> =>
  untilPods(ns, what, (all) => all.some((pod) => boxes(pod).some(wanted)));

/** Waits for an event about an object of this kind. */
export function untilEvent(ns: string, kind: string, reason: string, message: RegExp = /./, limitMs = LIMIT): Promise<Obj> {
  return waitFor(
    `event ${reason} of a ${kind} in ${ns}`,
    async (): Promise<Seen<Obj>> => {
      const events = await list('v1', 'Event', ns);
      const found = events.find((e) => e.involvedObject.kind === kind && e.reason === reason && message.test(e.message ?? ''));
      return found ? { done: found } : { saw: events.map((e) => `${e.involvedObject.kind} ${e.reason} ${e.message}`) };
    },
    limitMs,
  );
}

/** Every replica of the current generation is available, and none of an older one is left. */
export function untilAvailable(ns: string, name: string): Promise<Obj> {
  return waitFor(
    `Deployment ${ns}/${name} available`,
    async (): Promise<Seen<Obj>> => {
      const obj = await get('apps/v1', 'Deployment', ns, name);
      const { spec, status, metadata } = obj ?? {};
      const all = await pods(ns, name);
      const done =
        status?.observedGeneration === metadata?.generation &&
        status?.availableReplicas === spec?.replicas &&
        status?.updatedReplicas === spec?.replicas &&
        all.length === spec?.replicas;
      return done ? { done: obj } : { saw: { status, pods: all.map(brief) } };
    },
    LIMIT,
  );
}

export function untilNode(name: string, what: string, wanted: (node: Obj, ready: Obj) => boolean): Promise<Obj> {
  return waitFor(
    `node ${name}: ${what}`,
    async (): Promise<Seen<Obj>> => {
      const node = await get('v1', 'Node', '', name);
      const ready = condition(node, 'Ready');
      return ready && wanted(node, ready) ? { done: node } : { saw: { ready, taints: node?.spec?.taints } };
    },
    LIMIT,
  );
}

export const untilNodeReady = (name: string): Promise<Obj> =>
  untilNode(name, 'Ready and without taints', (node, ready) => ready.status === 'True' && (node.spec.taints ?? []).length === 0);

/** Waits until a component's Lease is older than twice its own duration; one that was given back has a duration of one second. */
export function untilLeaseStale(name: string): Promise<Obj> {
  return waitFor(
    `Lease kube-system/${name} not renewed`,
    async (): Promise<Seen<Obj>> => {
      const lease = await get('coordination.k8s.io/v1', 'Lease', 'kube-system', name);
      const age = (Date.now() - Date.parse(lease.spec.renewTime)) / 1000;
      return age > Math.max(12, 2 * lease.spec.leaseDurationSeconds) ? { done: lease } : { saw: `${age} s old` };
    },
    LIMIT,
  );
}

/** The slices of a Service, once the controller has written one. */
export function untilSlices(ns: string, service: string, what: string, wanted: (slices: Obj[]) => boolean): Promise<Obj[]> {
  return waitFor(
    `EndpointSlices of ${ns}/${service}: ${what}`,
    async (): Promise<Seen<Obj[]>> => {
      const slices = (await list('discovery.k8s.io/v1', 'EndpointSlice', ns)).filter((s) => s.metadata.labels?.['kubernetes.io/service-name'] === service);
      return slices.length > 0 && wanted(slices) ? { done: slices } : { saw: slices.map((s) => ({ endpoints: s.endpoints, ports: s.ports })) };
    },
    LIMIT,
  );
}

/** The API server looks at a webhook or policy a while after it was stored: it is asked with a pod that is not to be stored. */
export function untilRefused(ns: string): Promise<unknown> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe', labels: { app: 'probe' } }, spec: { containers: [container()] } };
  return waitFor(
    `pods of ${ns} refused`,
    async (): Promise<Seen<string>> => {
      const { status, text } = await call('POST', `/api/v1/namespaces/${ns}/pods?dryRun=All`, pod);
      return status >= 400 ? { done: text } : { saw: `${status} ${text}` };
    },
    LIMIT,
  );
}
