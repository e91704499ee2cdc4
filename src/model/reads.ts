import { RESOURCES, type Resource } from './resources.ts';

/** One reading that a diagnosis does or may do. */
export interface Reading {
  kind: string;
  verb: 'list' | 'get';
  /** In each namespace asked about, or over the whole cluster (what stands in no namespace always is). */
  where: 'asked' | 'all';
  /** Every time, or only where something is short or due to be gone. */
  when: 'always' | 'short';
}

const rows = (when: Reading['when'], where: Reading['where'], verb: Reading['verb'], kinds: readonly string[]): Reading[] =>
  kinds.map((kind) => ({ kind, verb, where, when }));

/**
 * Everything the plan of a cluster may read, but for custom resources that own something (test/source/reads.test.ts holds it to the plan).
 * What it reads in a few other namespaces (the back ends of webhooks, the agents of nodes, cluster DNS) counts as the whole cluster:
 * nobody knows beforehand which these are.
 */
export const READINGS: readonly Reading[] = [
  ...rows('always', 'asked', 'list', [
    'Pod',
    'Event',
    'ReplicaSet',
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'Job',
    'CronJob',
    'Service',
    'EndpointSlice',
    'Ingress',
    'PersistentVolumeClaim',
    'ResourceQuota',
    'HorizontalPodAutoscaler',
    'PodDisruptionBudget',
    'Gateway',
    'HTTPRoute',
  ]),
  ...rows('always', 'all', 'list', ['Node']),
  ...rows('always', 'all', 'get', ['Namespace']),
  ...rows('short', 'asked', 'list', [
    'LimitRange',
    'ServiceAccount',
    'NetworkPolicy',
    'Endpoints',
    'ReplicationController',
    'ControllerRevision',
    'ResourceClaim',
  ]),
  ...rows('short', 'asked', 'get', ['ServiceAccount', 'ConfigMap', 'Secret']),
  ...rows('short', 'asked', 'list', ['Secret', 'ConfigMap']),
  ...rows('short', 'all', 'list', [
    'Pod',
    'Event',
    'ReplicaSet',
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'Service',
    'EndpointSlice',
    'Lease',
    'PersistentVolume',
    'StorageClass',
    'VolumeAttachment',
    'CSINode',
    'CSIDriver',
    'PriorityClass',
    'RuntimeClass',
    'DeviceClass',
    'IngressClass',
    'GatewayClass',
    'ValidatingWebhookConfiguration',
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'CustomResourceDefinition',
    'APIService',
    'ClusterRole',
    'ClusterRoleBinding',
  ]),
  ...rows('short', 'all', 'get', ['PersistentVolume', 'CustomResourceDefinition']),
];

/** What stays unseen where a kind could not be read, in a few words. */
const HIDES: Record<string, string> = {
  Pod: 'what runs, and why it does not',
  Event: 'why pods are not made, placed, mounted or started, and what was said of everything else',
  ReplicaSet: 'pods that a Deployment cannot make, old and new revisions',
  Deployment: 'rollouts',
  StatefulSet: 'rollouts in order',
  DaemonSet: 'what should run on every node, the agents of nodes among it',
  Job: 'jobs that fail or never end',
  CronJob: 'schedules that start nothing',
  Service: 'selectors and ports that match nothing',
  EndpointSlice: 'Services that nothing answers for',
  Endpoints: 'the older form of endpoints',
  Ingress: 'ways in from outside',
  Gateway: 'ways in from outside',
  HTTPRoute: 'ways in from outside',
  GatewayClass: 'who serves a Gateway',
  IngressClass: 'who serves an Ingress',
  NetworkPolicy: 'traffic that a policy may stop',
  PersistentVolumeClaim: 'claims that wait for a volume',
  PersistentVolume: 'volumes that fit no claim, are lost or kept',
  StorageClass: 'why a claim gets no volume',
  VolumeAttachment: 'volumes that do not come to a node or leave it',
  CSINode: 'storage drivers that a node lacks',
  CSIDriver: 'storage drivers that are not installed',
  ResourceQuota: 'quotas without room',
  LimitRange: 'limits that refuse pods',
  HorizontalPodAutoscaler: 'autoscalers that cannot scale',
  PodDisruptionBudget: 'budgets that stop a drain',
  Node: 'nodes that are lost, under pressure or full',
  Namespace: 'whether the namespace is being deleted, and what holds it',
  ServiceAccount: 'pods refused for want of their account, pull secrets',
  Secret: 'Secrets that are missing',
  ConfigMap: 'ConfigMaps that are missing',
  ReplicationController: 'the owner of its pods',
  ControllerRevision: 'revisions of StatefulSets and DaemonSets',
  ResourceClaim: 'devices that are not allocated',
  DeviceClass: 'devices that are not allocated',
  Lease: 'whether scheduler, controllers, kubelets and storage drivers are alive',
  PriorityClass: 'pods refused or preempted by priority',
  RuntimeClass: 'pods refused for want of their runtime',
  ValidatingWebhookConfiguration: 'webhooks that refuse writes or do not answer',
  MutatingWebhookConfiguration: 'webhooks that refuse writes or do not answer',
  ValidatingAdmissionPolicy: 'policies that refuse writes',
  ValidatingAdmissionPolicyBinding: 'policies that refuse writes',
  CustomResourceDefinition: 'kinds that are not served or have no controller',
  APIService: 'APIs that nothing answers for, which hold namespaces and autoscalers',
  ClusterRole: 'which controller a finalizer belongs to',
  ClusterRoleBinding: 'which controller a finalizer belongs to',
};

/** What nobody learns while a kind may not be read, in words. */
export const hiddenBy = (kind: string): string => HIDES[kind] ?? `what ${kind} objects say of what they own`;

const resources = new Map<string, Resource>(RESOURCES.map((resource) => [resource.kind, resource]));

/** The resource of a reading; a kind that the table of resources does not know is a bug. */
export function resourceOf({ kind }: Pick<Reading, 'kind'>): Resource {
  const resource = resources.get(kind);
  if (!resource) throw new Error(`no resource of kind ${kind}`);
  return resource;
}
