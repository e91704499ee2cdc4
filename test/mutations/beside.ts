/** What may stand beside anything, and says nothing about it. */
import type { KubeObject } from '../../src/model/kinds.ts';
import { type Patch, before, controlledBy, crashing, deployment, event, job, merge, object, pod, replicaSet, running, service, statefulSet, terminated, unready } from '../build.ts';
import { inputOf } from '../honesty.ts';
import { type Mutation, type Recording, namespaceOf, plus, same } from './bend.ts';

type Built = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

const shift = (text: string, ms: number): string =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => new Date(Date.parse(time) + ms).toISOString().replace('.000Z', 'Z'));

/** Built at the clock of the tests and moved to that of the recording. */
const moved = (objects: readonly Built[], { snapshot }: Recording): KubeObject[] =>
  JSON.parse(shift(JSON.stringify(objects), snapshot.now - Date.parse('2026-03-01T12:00:00Z'))) as KubeObject[];

const DAYS = 86400;
const old = before(40 * DAYS);

/** A node of the recording whose kubelet reports; where nodes were not read, any name. */
function goodNode({ snapshot }: Recording): string | null {
  const nodes = snapshot.seen('Node');
  if (nodes.length === 0) return 'bystander-node';
  return nodes.find(({ metadata, spec, status }) => !metadata.deletionTimestamp && !spec?.unschedulable && (spec?.taints ?? []).length === 0
    && (status?.conditions ?? []).every(({ type, status: value }) => value === (type === 'Ready' ? 'True' : 'False')))?.metadata.name ?? null;
}

const inside = (namespace: string, uid: string, patch: Patch = {}): Patch => merge<Patch>({ metadata: { namespace, uid, creationTimestamp: old } }, patch);

/** A deployment of one replica that is well, with its service. */
function healthy(name: string, namespace: string, nodeName: string, patch: Patch = {}): Built[] {
  const labels = { app: name };
  const own = deployment(name, inside(namespace, `uid-${name}`, patch));
  const rs = replicaSet(`${name}-5d9c7b`, own, inside(namespace, `uid-${name}-rs`));
  const one = pod(`${name}-5d9c7b-x`, inside(namespace, `uid-${name}-pod`, { metadata: { ...controlledBy(rs), labels: { ...labels, 'pod-template-hash': '5d9c7b' } }, spec: { nodeName } }));
  const slice = object('discovery.k8s.io/v1', 'EndpointSlice', `${name}-s`, inside(namespace, `uid-${name}-slice`, {
    metadata: { labels: { 'kubernetes.io/service-name': name }, ...controlledBy(object('v1', 'Service', name, inside(namespace, `uid-${name}-svc`))) },
    addressType: 'IPv4', ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: [{ addresses: ['10.0.0.5'], conditions: { ready: true, serving: true, terminating: false }, targetRef: { kind: 'Pod', name: one.metadata.name, namespace, uid: one.metadata.uid } }],
  }));
  return [own, rs, one, service(name, inside(namespace, `uid-${name}-svc`)), slice];
}

/** What fails to start again and again. */
function sick(name: string, namespace: string, nodeName: string): Built[] {
  const own = deployment(name, inside(namespace, `uid-${name}`, { status: { readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 } }));
  const rs = replicaSet(`${name}-77aa`, own, inside(namespace, `uid-${name}-rs`, { status: { readyReplicas: 0, availableReplicas: 0 } }));
  return [own, rs, pod(`${name}-77aa-x`, inside(namespace, `uid-${name}-pod`, { metadata: controlledBy(rs), spec: { nodeName }, status: { conditions: unready(), containerStatuses: [crashing('app', terminated('Error', 1))] } }))];
}

type Extra = (namespace: string, nodeName: string, recording: Recording) => Built[];

export const BESIDE: Record<string, Extra> = {
  'a healthy neighbour': (namespace, nodeName) => healthy('bystander', namespace, nodeName),
  'a deployment paused on purpose': (namespace, nodeName) => healthy('on-hold', namespace, nodeName, { spec: { paused: true }, status: { conditions: [
    { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', lastTransitionTime: old },
    { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused', lastTransitionTime: old, lastUpdateTime: old },
  ] } }),
  'an evicted pod of last month beside its successor': (namespace, nodeName) => {
    const others = healthy('evictee', namespace, nodeName);
    return [...others, pod('evictee-5d9c7b-y', inside(namespace, 'uid-evicted', { metadata: controlledBy(others[1] as KubeObject), spec: { nodeName }, status: {
      phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 81236Ki. ', podIP: undefined, startTime: before(30 * DAYS), conditions: [], containerStatuses: [] } }))];
  },
  'a pod that ended well': (namespace, nodeName) => [pod('one-off', inside(namespace, 'uid-one-off', { spec: { nodeName, restartPolicy: 'Never' }, status: {
    phase: 'Succeeded', conditions: [], containerStatuses: [running('app', { ready: false, started: false, state: terminated('Completed', 0, 3 * DAYS, 60) })] } }))],
  'a job that completed in its second try': (namespace) => [job('import', inside(namespace, 'uid-import', { status: {
    active: undefined, succeeded: 1, failed: 1, completionTime: before(2 * DAYS), conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: before(2 * DAYS) }] } }))],
  'a deployment at zero': (namespace) => [deployment('resting', inside(namespace, 'uid-resting', { spec: { replicas: 0 }, status: {
    replicas: undefined, updatedReplicas: undefined, readyReplicas: undefined, availableReplicas: undefined } }))],
  'a statefulset at zero': (namespace) => [statefulSet('resting-db', inside(namespace, 'uid-resting-db', { spec: { replicas: 0 }, status: {
    replicas: 0, readyReplicas: 0, availableReplicas: 0, currentReplicas: 0, updatedReplicas: 0 } }))],
  'a suspended CronJob': (namespace) => [object('batch/v1', 'CronJob', 'nightly', inside(namespace, 'uid-nightly', { spec: { schedule: '0 3 * * *', suspend: true, jobTemplate: { spec: { template: { spec: { containers: [] } } } } }, status: { lastScheduleTime: before(9 * DAYS) } }))],
  'a claim that nobody uses yet': (namespace) => [
    object('storage.k8s.io/v1', 'StorageClass', 'bystander-class', { provisioner: 'disk.example.com', volumeBindingMode: 'WaitForFirstConsumer' }),
    object('v1', 'PersistentVolumeClaim', 'spare', inside(namespace, 'uid-spare', { spec: { storageClassName: 'bystander-class', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }, status: { phase: 'Pending' } })),
  ],
  'a service whose endpoints are kept by hand': (namespace) => [
    service('legacy', inside(namespace, 'uid-legacy', { spec: { selector: undefined } })),
    object('discovery.k8s.io/v1', 'EndpointSlice', 'legacy-1', inside(namespace, 'uid-legacy-slice', { metadata: { labels: { 'kubernetes.io/service-name': 'legacy' } }, addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.80'] }], ports: [{ name: 'http', port: 8080 }] })),
    service('outside', inside(namespace, 'uid-outside', { spec: { type: 'ExternalName', externalName: 'db.example.com', selector: undefined, clusterIP: undefined, ports: undefined } })),
  ],
  'warnings about a pod that is gone': (namespace, nodeName) => {
    const gone = pod('bystander-5d9c7b-gone', inside(namespace, 'uid-gone', { spec: { nodeName } }));
    return ['FailedMount', 'BackOff', 'FailedScheduling', 'FailedCreatePodSandBox', 'Unhealthy'].map((reason, index) =>
      event(gone as KubeObject, reason, 'failed: timeout, connection refused', 3400 + index, { metadata: { namespace, name: `gone.${index}`, uid: `uid-gone-${index}` } }));
  },
  'a webhook that may fail, its back end gone': () => [object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'bystander-policy', { webhooks: [{
    name: 'policy.example.com', failurePolicy: 'Ignore', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5,
    clientConfig: { service: { namespace: 'bystander-away', name: 'policy', path: '/' } }, rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] }] })],
  'a budget that allows nothing': (namespace) => [object('policy/v1', 'PodDisruptionBudget', 'bystander-budget', inside(namespace, 'uid-budget', {
    metadata: { generation: 1 }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'bystander' } } },
    status: { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0, conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', lastTransitionTime: old }] } }))],
  'a network policy for another': (namespace) => [object('networking.k8s.io/v1', 'NetworkPolicy', 'bystander-deny', inside(namespace, 'uid-netpol', { spec: { podSelector: { matchLabels: { app: 'bystander' } }, policyTypes: ['Ingress', 'Egress'] } }))],
  'a sick namespace next door': (_, nodeName) => sick('patient', 'bystander-ward', nodeName),
  'a full quota that asks nobody': (namespace) => [object('v1', 'ResourceQuota', 'bystander-quota', inside(namespace, 'uid-quota', {
    spec: { hard: { services: '9', 'count/secrets': '20' } }, status: { hard: { services: '9', 'count/secrets': '20' }, used: { services: '9', 'count/secrets': '20' } } }))],
  'volumes that are kept': () => [object('v1', 'PersistentVolume', 'bystander-kept', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], persistentVolumeReclaimPolicy: 'Retain', storageClassName: 'bystander-class',
    claimRef: { kind: 'PersistentVolumeClaim', namespace: 'bystander-away', name: 'old', uid: 'uid-old' }, csi: { driver: 'disk.example.com', volumeHandle: 'v-1' } }, status: { phase: 'Released' } })],
  'a pod of the same name, long ago': (_namespace, _node, { snapshot }) => ['Pod', 'ReplicaSet', 'Deployment', 'StatefulSet', 'Job', 'PersistentVolumeClaim', 'DaemonSet'].flatMap((kind) => snapshot.seen(kind)).flatMap((owner, index) => {
    const former = { ...owner, metadata: { ...owner.metadata, uid: `former-${owner.metadata.uid ?? index}` } };
    const seconds = Math.max(60, (snapshot.now - Date.parse(owner.metadata.creationTimestamp ?? '')) / 1000 + 90);
    const says: [string, string][] = owner.kind === 'Pod'
      ? [['FailedCreatePodSandBox', 'Failed to create pod sandbox: plugin type="calico" failed (add): no podCIDR'], ['FailedMount', 'MountVolume.SetUp failed for volume "x" : secret "former" not found'], ['FailedScheduling', '0/3 nodes are available: 3 Insufficient cpu.'], ['Failed', 'Failed to pull image "former:1": not found']]
      : [['FailedCreate', 'Error creating: pods "x" is forbidden: exceeded quota: former'], ['ProvisioningFailed', 'storageclass.storage.k8s.io "former" not found']];
    return says.map(([reason, message], place) => event(former as KubeObject, reason, message, Math.round(seconds) || 7200, { metadata: { name: `former.${index}.${place}`, uid: `uid-former-${index}-${place}`, namespace: owner.metadata.namespace } }));
  }),
};

/** In the namespaces judged; what is sick stands outside of them. */
function withExtras(names: readonly string[]): Mutation['bend'] {
  return (recording) => {
    const namespace = namespaceOf(recording);
    const nodeName = goodNode(recording);
    if (!namespace || !nodeName) return null;
    // Without slices nothing tells whether a Service has endpoints.
    const sliced = recording.snapshot.coverage.some(({ kind, state }) => kind === 'EndpointSlice' && state === 'complete');
    const extras = names.filter((name) => !(recording.scope.all && name === 'a sick namespace next door'));
    const input = inputOf(recording.snapshot);
    const objects = moved(extras.flatMap((name) => BESIDE[name]?.(namespace, nodeName, recording) ?? []), recording)
      .filter(({ kind }) => sliced || kind !== 'Service');
    return objects.length === 0 ? null : { input: plus(input, objects) };
  };
}

export const besides: Mutation[] = Object.keys(BESIDE).map((name) => ({ name, bend: withExtras([name]), holds: same }));
export const allBeside: Mutation = { name: 'all of them', bend: withExtras(Object.keys(BESIDE)), holds: same };
