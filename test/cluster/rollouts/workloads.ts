import { apply, type Obj, waitForObject } from '../api.ts';
import * as objects from '../experiments/objects.ts';
import { LIMIT, untilAvailable } from '../experiments/observe.ts';

/** Another value makes another template. */
export const release = (version: string, fields: Obj = {}): Obj => objects.webContainer({ env: [{ name: 'RELEASE', value: version }], ...fields });

export const web = (ns: string, version: string, fields: Obj = {}, options: objects.DeploymentOptions = {}): Obj =>
  objects.deployment(ns, 'web', { replicas: 2, container: release(version, fields), ...options });

export const statefulSet = (ns: string, version: string, fields: Obj = {}, spec: Obj = {}): Obj =>
  objects.statefulSet(ns, 'web', 2, { container: release(version, fields), spec });

export const daemonSet = (ns: string, version: string, spec: Obj = {}): Obj => objects.daemonSet(ns, 'web', { container: release(version), spec });

export const job = (ns: string, command: string, spec: Obj = {}): Obj =>
  objects.job(ns, 'migrate', { container: objects.container({ command: ['sh', '-c', command] }), spec });

/** Serves for so many seconds, and ends. The server alone has no exit code of its own choice. */
export const servesFor = (seconds: number): Obj => ({ command: ['sh', '-c', `httpd -p 8080 -h /www; sleep ${seconds}; exit 3`] });

export async function settledWeb(ns: string, options: objects.DeploymentOptions = {}): Promise<void> {
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
