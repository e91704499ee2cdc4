/**
 * The built-in kinds as they come over the wire: every field may be missing, times are strings.
 * Derived from the client library's own model so that no schema is kept by hand; types only, erased by the build.
 */
import type * as k8s from '@kubernetes/client-node';

// The generated models call a field `_from` where the wire says `from` (a reserved word in their generator).
type WireName<K> = K extends `_${infer Rest}` ? Rest : K;

export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer U)[]
    ? Wire<U>[]
    : string extends keyof T // a map, as labels are
      ? { [key: string]: Wire<T[keyof T]> }
      : T extends object
        ? { [K in keyof T as WireName<K>]?: Wire<NonNullable<T[K]>> | undefined }
        : T;

/** Metadata every object has once it passed the door (`source` refuses objects without kind and name). */
export interface Metadata extends Omit<Wire<k8s.V1ObjectMeta>, 'name' | 'managedFields'> {
  name: string;
  /** Reduced at the door: who wrote what, without the field trees. */
  writers?: Writer[] | undefined;
}

/** One entry of managedFields, reduced to what a diagnosis can use. */
export interface Writer {
  manager: string;
  operation: string;
  subresource?: string | undefined;
  time?: string | undefined;
  /** The top paths owned, such as `spec.replicas` (at most 24). */
  paths: string[];
}

/** Any object: known parts typed, the rest reachable as unknown. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  [field: string]: unknown;
}

type Kind<T> = Omit<Wire<T>, 'apiVersion' | 'kind' | 'metadata'> & { apiVersion: string; kind: string; metadata: Metadata };

export type Pod = Kind<k8s.V1Pod>;
export type PodSpec = Wire<k8s.V1PodSpec>;
export type PodTemplate = Wire<k8s.V1PodTemplateSpec>;
export type Container = Wire<k8s.V1Container>;
export type ContainerStatus = Wire<k8s.V1ContainerStatus>;
export type ContainerState = Wire<k8s.V1ContainerState>;
export type Terminated = Wire<k8s.V1ContainerStateTerminated>;
export type Probe = Wire<k8s.V1Probe>;
export type Volume = Wire<k8s.V1Volume>;
export type Toleration = Wire<k8s.V1Toleration>;
export type Taint = Wire<k8s.V1Taint>;
export type NodeSelectorTerm = Wire<k8s.V1NodeSelectorTerm>;
export type LabelSelector = Wire<k8s.V1LabelSelector>;
export type OwnerReference = Wire<k8s.V1OwnerReference>;
export type ObjectReference = Wire<k8s.V1ObjectReference>;
export type Node = Kind<k8s.V1Node>;
export type Namespace = Kind<k8s.V1Namespace>;
export type Event = Kind<k8s.CoreV1Event>;
export type Service = Kind<k8s.V1Service>;
export type ServicePort = Wire<k8s.V1ServicePort>;
export type Endpoints = Kind<k8s.V1Endpoints>;
export type EndpointSlice = Kind<k8s.V1EndpointSlice>;
export type Endpoint = Wire<k8s.V1Endpoint>;
export type Ingress = Kind<k8s.V1Ingress>;
export type NetworkPolicy = Kind<k8s.V1NetworkPolicy>;
export type Deployment = Kind<k8s.V1Deployment>;
export type ReplicaSet = Kind<k8s.V1ReplicaSet>;
export type StatefulSet = Kind<k8s.V1StatefulSet>;
export type DaemonSet = Kind<k8s.V1DaemonSet>;
export type Job = Kind<k8s.V1Job>;
export type CronJob = Kind<k8s.V1CronJob>;
export type HorizontalPodAutoscaler = Kind<k8s.V2HorizontalPodAutoscaler>;
export type PodDisruptionBudget = Kind<k8s.V1PodDisruptionBudget>;
export type PersistentVolumeClaim = Kind<k8s.V1PersistentVolumeClaim>;
export type PersistentVolume = Kind<k8s.V1PersistentVolume>;
export type StorageClass = Kind<k8s.V1StorageClass>;
export type VolumeAttachment = Kind<k8s.V1VolumeAttachment>;
export type CSINode = Kind<k8s.V1CSINode>;
export type CSIDriver = Kind<k8s.V1CSIDriver>;
export type Lease = Kind<k8s.V1Lease>;
export type ResourceQuota = Kind<k8s.V1ResourceQuota>;
export type LimitRange = Kind<k8s.V1LimitRange>;
export type ServiceAccount = Kind<k8s.V1ServiceAccount>;
export type APIService = Kind<k8s.V1APIService>;
export type CustomResourceDefinition = Kind<k8s.V1CustomResourceDefinition>;
export type ValidatingWebhookConfiguration = Kind<k8s.V1ValidatingWebhookConfiguration>;
export type MutatingWebhookConfiguration = Kind<k8s.V1MutatingWebhookConfiguration>;
export type PriorityClass = Kind<k8s.V1PriorityClass>;

/** The fields every condition of every kind shares. `status` is 'True', 'False' or 'Unknown'. */
export interface Condition {
  type?: string | undefined;
  status?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  lastTransitionTime?: string | undefined;
  lastUpdateTime?: string | undefined;
  lastHeartbeatTime?: string | undefined;
  observedGeneration?: number | undefined;
}

/** Kind name to type, for typed reads of the snapshot. */
export interface KnownKinds {
  Pod: Pod;
  Node: Node;
  Namespace: Namespace;
  Event: Event;
  Service: Service;
  Endpoints: Endpoints;
  EndpointSlice: EndpointSlice;
  Ingress: Ingress;
  NetworkPolicy: NetworkPolicy;
  Deployment: Deployment;
  ReplicaSet: ReplicaSet;
  StatefulSet: StatefulSet;
  DaemonSet: DaemonSet;
  Job: Job;
  CronJob: CronJob;
  HorizontalPodAutoscaler: HorizontalPodAutoscaler;
  PodDisruptionBudget: PodDisruptionBudget;
  PersistentVolumeClaim: PersistentVolumeClaim;
  PersistentVolume: PersistentVolume;
  StorageClass: StorageClass;
  VolumeAttachment: VolumeAttachment;
  CSINode: CSINode;
  CSIDriver: CSIDriver;
  Lease: Lease;
  ResourceQuota: ResourceQuota;
  LimitRange: LimitRange;
  ServiceAccount: ServiceAccount;
  APIService: APIService;
  CustomResourceDefinition: CustomResourceDefinition;
  ValidatingWebhookConfiguration: ValidatingWebhookConfiguration;
  MutatingWebhookConfiguration: MutatingWebhookConfiguration;
  PriorityClass: PriorityClass;
}
