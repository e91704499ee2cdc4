import { apply, type Obj, waitForObject } from '../api.ts';
import { container, deployment, type DeploymentOptions, webContainer } from '../experiments/objects.ts';
import { LIMIT, untilAvailable } from '../experiments/observe.ts';

/** Another value makes another template. */
export const release = (version: string, fields: Obj = {}): Obj => webContainer({ env: [{ name: 'RELEASE', value: version }], ...fields });

export const web = (ns: string, version: string, fields: Obj = {}, options: DeploymentOptions = {}): Obj =>
  deployment(ns, 'web', { replicas: 2, container: release(version, fields), ...options });

const labels = { app: 'web' };

const workload = (kind: string, ns: string, version: string, fields: Obj, spec: Obj): Obj => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace: ns, name: 'web', labels },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [release(version, fields)] } }, ...spec },
});

export const statefulSet = (ns: string, version: string, fields: Obj = {}, spec: Obj = {}): Obj =>
  workload('StatefulSet', ns, version, fields, { serviceName: 'web', replicas: 2, ...spec });

export const daemonSet = (ns: string, version: string, spec: Obj = {}): Obj => workload('DaemonSet', ns, version, {}, spec);

export const job = (ns: string, command: string, spec: Obj = {}): Obj => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: ns, name: 'migrate' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [container({ command: ['sh', '-c', command] })] } }, ...spec },
});

/** Serves for so many seconds, and ends. The server alone has no exit code of its own choice. */
export const servesFor = (seconds: number): Obj => ({ command: ['sh', '-c', `httpd -p 8080 -h /www; sleep ${seconds}; exit 3`] });

export async function settledWeb(ns: string, options: DeploymentOptions = {}): Promise<void> {
  await apply(web(ns, '1', {}, options));
  await untilAvailable(ns, 'web');
}

export async function settledStatefulSet(ns: string, spec: Obj = {}): Promise<void> {
  await apply(statefulSet(ns, '1', {}, spec));
  await waitForObject('apps/v1', 'StatefulSet', ns, 'web', (obj) => obj?.status?.availableReplicas === 2 && obj.status.currentRevision === obj.status.updateRevision, LIMIT);
}

export async function settledDaemonSet(ns: string, spec: Obj = {}): Promise<void> {
  await apply(daemonSet(ns, '1', spec));
  await waitForObject('apps/v1', 'DaemonSet', ns, 'web', (obj) => obj?.status?.numberAvailable === 2 && obj.status.observedGeneration === obj.metadata.generation, LIMIT);
}
