/** The kinds the product knows by itself: how to list them and what they are called. */
export interface Resource {
  group: string;
  version: string;
  resource: string;
  kind: string;
  namespaced: boolean;
  /** kubectl's short names. */
  short?: readonly string[];
}

const row = (group: string, version: string, resource: string, kind: string, namespaced: boolean, ...short: string[]): Resource => ({
  group,
  version,
  resource,
  kind,
  namespaced,
  short,
});

export const RESOURCES: readonly Resource[] = [
  row('', 'v1', 'pods', 'Pod', true, 'po'),
  row('', 'v1', 'nodes', 'Node', false, 'no'),
  row('', 'v1', 'namespaces', 'Namespace', false, 'ns'),
  row('', 'v1', 'events', 'Event', true, 'ev'),
  row('', 'v1', 'services', 'Service', true, 'svc'),
  row('', 'v1', 'endpoints', 'Endpoints', true, 'ep'),
  row('', 'v1', 'configmaps', 'ConfigMap', true, 'cm'),
  row('', 'v1', 'secrets', 'Secret', true),
  row('', 'v1', 'serviceaccounts', 'ServiceAccount', true, 'sa'),
  row('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', true, 'pvc'),
  row('', 'v1', 'persistentvolumes', 'PersistentVolume', false, 'pv'),
  row('', 'v1', 'resourcequotas', 'ResourceQuota', true, 'quota'),
  row('', 'v1', 'limitranges', 'LimitRange', true, 'limits'),
  row('', 'v1', 'replicationcontrollers', 'ReplicationController', true, 'rc'),
  row('apps', 'v1', 'deployments', 'Deployment', true, 'deploy'),
  row('apps', 'v1', 'replicasets', 'ReplicaSet', true, 'rs'),
  row('apps', 'v1', 'statefulsets', 'StatefulSet', true, 'sts'),
  row('apps', 'v1', 'daemonsets', 'DaemonSet', true, 'ds'),
  row('apps', 'v1', 'controllerrevisions', 'ControllerRevision', true),
  row('batch', 'v1', 'jobs', 'Job', true),
  row('batch', 'v1', 'cronjobs', 'CronJob', true, 'cj'),
  row('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true, 'hpa'),
  row('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget', true, 'pdb'),
  row('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', true),
  row('networking.k8s.io', 'v1', 'ingresses', 'Ingress', true, 'ing'),
  row('networking.k8s.io', 'v1', 'ingressclasses', 'IngressClass', false),
  row('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy', true, 'netpol'),
  row('gateway.networking.k8s.io', 'v1', 'gateways', 'Gateway', true, 'gtw'),
  row('gateway.networking.k8s.io', 'v1', 'gatewayclasses', 'GatewayClass', false, 'gc'),
  row('gateway.networking.k8s.io', 'v1', 'httproutes', 'HTTPRoute', true),
  row('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false, 'sc'),
  row('storage.k8s.io', 'v1', 'volumeattachments', 'VolumeAttachment', false),
  row('storage.k8s.io', 'v1', 'csinodes', 'CSINode', false),
  row('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', false),
  row('coordination.k8s.io', 'v1', 'leases', 'Lease', true),
  row('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', false, 'pc'),
  row('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false),
  row('resource.k8s.io', 'v1', 'resourceclaims', 'ResourceClaim', true),
  row('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass', false),
  row('rbac.authorization.k8s.io', 'v1', 'roles', 'Role', true),
  row('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', true),
  row('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false),
  row('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', false),
  row('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', false),
  row('admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', false),
  row('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', false),
  row('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', false),
  row('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false, 'crd', 'crds'),
  row('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', false),
  row('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas', 'FlowSchema', false),
  row('flowcontrol.apiserver.k8s.io', 'v1', 'prioritylevelconfigurations', 'PriorityLevelConfiguration', false),
];

const byKind = new Map(RESOURCES.map((resource) => [resource.kind, resource]));

/** By `Kind`, or `Kind.group` outside of the built-in ones; undefined for a custom kind. */
export const resourceOfKind = (kind: string): Resource | undefined => byKind.get(kind);

/** `HorizontalPodAutoscaler of autoscaling/v2`: what a server is asked for by the kind's key. */
export function servedAs(key: string): string {
  const resource = byKind.get(key);
  if (resource) return `${resource.kind} of ${resource.group === '' ? resource.version : `${resource.group}/${resource.version}`}`;
  const dot = key.indexOf('.');
  return dot < 0 ? key : `${key.slice(0, dot)} of group ${key.slice(dot + 1)}`;
}

/** `apps/v1` to `apps`, `v1` to the empty core group. */
export const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '');

/**
 * The name a kind has in snapshots and rules: `Pod` for kinds above, `Database.db.example.com` for all others,
 * so that two groups with one kind name never mix (PodMetrics under pods.yaml, Service of serving.knative.dev).
 */
export function kindKey(apiVersion: string, kind: string): string {
  let kinds = keys.get(apiVersion);
  if (!kinds) keys.set(apiVersion, (kinds = new Map()));
  let key = kinds.get(kind);
  if (key === undefined) kinds.set(kind, (key = keyOf(apiVersion, kind)));
  return key;
}

/** Asked of every object again and again; a cluster has some hundred of these pairs. */
const keys = new Map<string, Map<string, string>>();

function keyOf(apiVersion: string, kind: string): string {
  const group = groupOf(apiVersion);
  const resource = byKind.get(kind);
  if (resource && (resource.group === group || OLD_GROUPS[kind]?.includes(group))) return kind;
  return group === '' ? kind : `${kind}.${group}`;
}

// Kinds that moved; older dumps carry the old group with the same fields where a diagnosis looks.
const OLD_GROUPS: Record<string, readonly string[]> = {
  Deployment: ['extensions'],
  ReplicaSet: ['extensions'],
  DaemonSet: ['extensions'],
  Ingress: ['extensions'],
  NetworkPolicy: ['extensions'],
};
