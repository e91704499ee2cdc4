import type { Obj } from '../api.ts';
import { IMAGE } from '../layout.ts';

export const namespace = (name: string, labels: Record<string, string> = {}): Obj => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

/** Sleeps until it is told to end; a process with pid 1 gets no default action for SIGTERM. */
export const IDLE = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 1; done'];
/** Answers `GET /` on 8080 with 200 and anything else with 404. */
export const WEB = ['httpd', '-f', '-p', '8080', '-h', '/www'];

/** A container of the test image. Whatever is in `fields` wins. */
export const container = (fields: Obj = {}): Obj => ({ name: 'app', image: IMAGE, command: IDLE, ...fields });

export const webContainer = (fields: Obj = {}): Obj =>
  container({
    command: WEB,
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
    ...fields,
  });

export interface DeploymentOptions {
  replicas?: number;
  container?: Obj;
  pod?: Obj;
  spec?: Obj;
}

export function deployment(ns: string, name: string, options: DeploymentOptions = {}): Obj {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: ns, name, labels: { app: name } },
    spec: {
      replicas: options.replicas ?? 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { terminationGracePeriodSeconds: 1, containers: [options.container ?? container()], ...options.pod },
      },
      ...options.spec,
    },
  };
}

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
