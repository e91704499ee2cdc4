import type { Obj } from '../api.ts';
import { IMAGE } from '../layout.ts';

export const namespace = (name: string, labels: Record<string, string> = {}): Obj => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

/** Sleeps until it is told to end; a process with pid 1 gets no default action for SIGTERM. Waiting, for a shell that looks after a child does not hear it. */
export const IDLE = ['sh', '-c', 'trap "exit 0" TERM; sleep 100000 & wait'];
/** Answers `GET /` on 8080 with 200 and anything else with 404. */
export const WEB = ['httpd', '-f', '-p', '8080', '-h', '/www'];

/** A container of the test image. Whatever is in `fields` wins. */
export const container = (fields: Obj = {}): Obj => ({ name: 'app', image: IMAGE, command: IDLE, ...fields });

export const webContainer = (fields: Obj = {}): Obj =>
  container({
    command: WEB,
    ports: [{ name: 'http', containerPort: 8080 }],
    // As soon as it serves; and not unready because the machine had other things to do for a second.
    readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, timeoutSeconds: 5 },
    ...fields,
  });

export interface WorkloadOptions {
  /** The only container of its pods; one that idles, if not said. */
  container?: Obj;
  /** More of the pods' spec. */
  pod?: Obj;
  /** More of its own spec. */
  spec?: Obj;
}

/** A controller of pods that it knows by `app: NAME`, as every object of its name is labelled. */
const workload = (kind: string, ns: string, name: string, { container: only = container(), pod, spec }: WorkloadOptions): Obj => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace: ns, name, labels: { app: name } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { terminationGracePeriodSeconds: 1, containers: [only], ...pod } },
    ...spec,
  },
});

export interface DeploymentOptions extends WorkloadOptions {
  replicas?: number;
}

export const deployment = (ns: string, name: string, { replicas = 1, ...options }: DeploymentOptions = {}): Obj =>
  workload('Deployment', ns, name, { ...options, spec: { replicas, ...options.spec } });

/** With the Service of its name as the governing one. */
export const statefulSet = (ns: string, name: string, replicas: number, options: WorkloadOptions = {}): Obj =>
  workload('StatefulSet', ns, name, { ...options, spec: { serviceName: name, replicas, ...options.spec } });

export const daemonSet = (ns: string, name: string, options: WorkloadOptions = {}): Obj => workload('DaemonSet', ns, name, options);

/** A Job whose pods are not restarted in place. */
export const job = (ns: string, name: string, { container: only = container(), pod, spec }: WorkloadOptions = {}): Obj => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: ns, name, labels: { app: name } },
  spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [only], ...pod } } },
});

export const service = (ns: string, name: string, spec: Obj): Obj => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: ns, name },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
});

/** A Service without a selector, and the one endpoint that it has: something outside of the cluster. */
export const reachedAt = (ns: string, name: string, ip: string, port: number): Obj[] => [
  { apiVersion: 'v1', kind: 'Service', metadata: { namespace: ns, name }, spec: { ports: [{ name: 'https', port: 443, targetPort: port }] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: ns, name: `${name}-host`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: 'https', port }],
  },
];
