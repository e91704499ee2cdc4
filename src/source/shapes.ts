/**
 * The containers and words that facts rely on, by kind. The API server validates what it stores; a dump that was edited,
 * cut, converted or forged does not, and one wrong type deep inside must not cost the other 4,999 pods.
 *
 * `[shape]` is a list of it, an object is a map with those fields, and the words are leaves: with `?` null says something. Fields not named are let through.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'strings'
  | 'map'
  | 'object'
  | 'string?'
  | 'number?'
  | 'boolean?'
  | readonly [Shape]
  | { readonly [field: string]: Shape };

const condition: Shape = { type: 'string', status: 'string', reason: 'string', message: 'string', lastTransitionTime: 'string', lastUpdateTime: 'string' };
const conditions: Shape = [condition];
const selector: Shape = { matchLabels: 'map', matchExpressions: [{ key: 'string', operator: 'string', values: 'strings' }] };
const reference: Shape = { kind: 'string', name: 'string', namespace: 'string', uid: 'string', apiVersion: 'string', fieldPath: 'string' };

export const METADATA: Shape = {
  namespace: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'number',
  generateName: 'string',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  deletionGracePeriodSeconds: 'number',
  labels: 'map',
  annotations: 'map',
  finalizers: 'strings',
  ownerReferences: [reference],
  writers: [{ manager: 'string', operation: 'string', subresource: 'string', time: 'string', paths: 'strings' }],
  managedFields: [{ manager: 'string', operation: 'string', time: 'string', subresource: 'string' }],
};

const probe: Shape = { httpGet: { path: 'string' }, tcpSocket: 'object', exec: { command: 'strings' }, grpc: 'object' };
const resources: Shape = { requests: 'object', limits: 'object', claims: [{ name: 'string' }] };
const keyRef: Shape = { name: 'string', key: 'string' };
/** Of a container, `volumeMounts`. */
export const MOUNTS: Shape = [{ name: 'string', mountPath: 'string' }];
const container: Shape = {
  name: 'string',
  image: 'string',
  command: 'strings',
  args: 'strings',
  resources,
  env: [{ name: 'string', value: 'string', valueFrom: { configMapKeyRef: keyRef, secretKeyRef: keyRef, fieldRef: 'object' } }],
  envFrom: [{ configMapRef: { name: 'string' }, secretRef: { name: 'string' } }],
  ports: [{ name: 'string', containerPort: 'number', protocol: 'string' }],
  volumeMounts: MOUNTS,
  volumeDevices: [{ name: 'string' }],
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: { preStop: { exec: { command: 'strings' } }, postStart: { exec: { command: 'strings' } } },
};
const term: Shape = {
  matchExpressions: [{ key: 'string', operator: 'string', values: 'strings' }],
  matchFields: [{ key: 'string', operator: 'string', values: 'strings' }],
};
const podTerm: Shape = { labelSelector: selector, topologyKey: 'string', namespaces: 'strings' };
const podAffinity: Shape = {
  requiredDuringSchedulingIgnoredDuringExecution: [podTerm],
  preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: podTerm }],
};
const beside = {
  nodeName: 'string',
  schedulerName: 'string',
  serviceAccountName: 'string',
  priorityClassName: 'string',
  restartPolicy: 'string',
  ephemeralContainers: [container],
  volumes: [
    {
      name: 'string',
      persistentVolumeClaim: { claimName: 'string' },
      configMap: { name: 'string', items: [keyRef] },
      secret: { secretName: 'string', items: [keyRef] },
      csi: { driver: 'string' },
      ephemeral: 'object',
      projected: { sources: [{ configMap: { name: 'string', items: [keyRef] }, secret: { name: 'string', items: [keyRef] } }] },
    },
  ],
  nodeSelector: 'map',
  imagePullSecrets: [{ name: 'string' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ preference: term }],
    },
    podAffinity,
    podAntiAffinity: podAffinity,
  },
  tolerations: [{ key: 'string', operator: 'string', value: 'string', effect: 'string' }],
  topologySpreadConstraints: [{ topologyKey: 'string', whenUnsatisfiable: 'string', labelSelector: selector }],
  readinessGates: [{ conditionType: 'string' }],
  schedulingGates: [{ name: 'string' }],
  resourceClaims: [{ name: 'string' }],
} satisfies Shape;
const podSpec: Shape = { ...beside, containers: [container], initContainers: [container] };
const template: Shape = { metadata: { labels: 'map', annotations: 'map' }, spec: podSpec };

const ended: Shape = { reason: 'string', message: 'string', exitCode: 'number', signal: 'number', startedAt: 'string', finishedAt: 'string' };
const state: Shape = { waiting: { reason: 'string', message: 'string' }, running: { startedAt: 'string' }, terminated: ended };
const boxStatus: Shape = {
  name: 'string',
  image: 'string',
  imageID: 'string',
  containerID: 'string',
  ready: 'boolean',
  started: 'boolean',
  restartCount: 'number',
  state,
  lastState: state,
};

const webhooks: Shape = {
  webhooks: [
    {
      name: 'string',
      clientConfig: { service: reference, url: 'string' },
      failurePolicy: 'string',
      timeoutSeconds: 'number',
      rules: [{ operations: 'strings', apiGroups: 'strings', apiVersions: 'strings', resources: 'strings' }],
      namespaceSelector: selector,
      objectSelector: selector,
      matchConditions: ['object'],
    },
  ],
};
const counts: Shape = {
  conditions,
  observedGeneration: 'number',
  replicas: 'number',
  readyReplicas: 'number',
  updatedReplicas: 'number',
  availableReplicas: 'number',
  unavailableReplicas: 'number',
  currentReplicas: 'number',
  currentRevision: 'string',
  updateRevision: 'string',
};
const workload: Shape = {
  spec: { replicas: 'number', selector, template, strategy: 'object', updateStrategy: 'object', volumeClaimTemplates: ['object'] },
  status: counts,
};

const podStatus: Shape = {
  phase: 'string',
  reason: 'string',
  message: 'string',
  podIP: 'string',
  hostIP: 'string',
  nominatedNodeName: 'string',
  startTime: 'string',
  qosClass: 'string',
  conditions,
  containerStatuses: [boxStatus],
  initContainerStatuses: [boxStatus],
  ephemeralContainerStatuses: [boxStatus],
  podIPs: ['object'],
  resourceClaimStatuses: [{ name: 'string', resourceClaimName: 'string' }],
};
export const POD: Shape = { spec: podSpec, status: podStatus };
/** Of a pod whose containers are known already. */
export const POD_BESIDE_CONTAINERS: Shape = { spec: beside, status: podStatus };

/** Shape of spec, status and the other top fields by kindKey. Kinds not named get GENERIC. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  Pod: POD,
  Node: {
    spec: { taints: [{ key: 'string', value: 'string', effect: 'string', timeAdded: 'string' }], unschedulable: 'boolean' },
    status: {
      conditions,
      capacity: 'object',
      allocatable: 'object',
      addresses: ['object'],
      images: [{ names: 'strings' }],
      volumesAttached: ['object'],
      volumesInUse: 'strings',
      nodeInfo: 'object',
    },
  },
  Namespace: { spec: { finalizers: 'strings' }, status: { phase: 'string', conditions } },
  Event: {
    involvedObject: reference,
    related: reference,
    reason: 'string',
    message: 'string',
    type: 'string',
    count: 'number',
    action: 'string',
    firstTimestamp: 'string?',
    lastTimestamp: 'string?',
    eventTime: 'string?',
    reportingComponent: 'string',
    reportingInstance: 'string',
    source: { component: 'string', host: 'string' },
    series: { count: 'number', lastObservedTime: 'string' },
  },
  Service: {
    spec: { selector: 'map', type: 'string', clusterIP: 'string', externalName: 'string', ports: [{ name: 'string', port: 'number', protocol: 'string' }] },
    status: { conditions, loadBalancer: { ingress: ['object'] } },
  },
  Endpoints: { subsets: [{ addresses: ['object'], notReadyAddresses: ['object'], ports: ['object'] }] },
  EndpointSlice: {
    endpoints: [{ addresses: 'strings', conditions: 'object', targetRef: reference, nodeName: 'string' }],
    ports: [{ name: 'string', port: 'number' }],
    addressType: 'string',
  },
  Deployment: workload,
  ReplicaSet: workload,
  StatefulSet: workload,
  ReplicationController: { spec: { replicas: 'number', selector: 'map', template }, status: counts },
  DaemonSet: {
    spec: { selector, template, updateStrategy: 'object' },
    status: {
      conditions,
      observedGeneration: 'number',
      desiredNumberScheduled: 'number',
      currentNumberScheduled: 'number',
      numberReady: 'number',
      numberAvailable: 'number',
      numberUnavailable: 'number',
      numberMisscheduled: 'number',
      updatedNumberScheduled: 'number',
    },
  },
  Job: {
    spec: { selector, template, suspend: 'boolean', backoffLimit: 'number', parallelism: 'number', completions: 'number', activeDeadlineSeconds: 'number' },
    status: { conditions, active: 'number', succeeded: 'number', failed: 'number', ready: 'number', startTime: 'string', completionTime: 'string' },
  },
  CronJob: {
    spec: { schedule: 'string', suspend: 'boolean', jobTemplate: { spec: { template } } },
    status: { active: [reference], lastScheduleTime: 'string', lastSuccessfulTime: 'string' },
  },
  HorizontalPodAutoscaler: {
    spec: { scaleTargetRef: reference, minReplicas: 'number', maxReplicas: 'number', metrics: [{ type: 'string' }] },
    status: { conditions, currentReplicas: 'number', desiredReplicas: 'number', currentMetrics: ['object'], observedGeneration: 'number' },
  },
  PodDisruptionBudget: {
    spec: { selector },
    status: {
      conditions,
      currentHealthy: 'number',
      desiredHealthy: 'number',
      disruptionsAllowed: 'number',
      expectedPods: 'number',
      observedGeneration: 'number',
    },
  },
  PersistentVolumeClaim: {
    spec: { storageClassName: 'string', volumeName: 'string', accessModes: 'strings', resources, volumeMode: 'string', selector },
    status: { phase: 'string', conditions, capacity: 'object', accessModes: 'strings' },
  },
  PersistentVolume: {
    spec: {
      claimRef: reference,
      storageClassName: 'string',
      accessModes: 'strings',
      capacity: 'object',
      csi: { driver: 'string' },
      nodeAffinity: { required: { nodeSelectorTerms: [term] } },
    },
    status: { phase: 'string', reason: 'string', message: 'string' },
  },
  StorageClass: { provisioner: 'string', volumeBindingMode: 'string', reclaimPolicy: 'string', parameters: 'map', allowedTopologies: ['object'] },
  VolumeAttachment: {
    spec: { attacher: 'string', nodeName: 'string', source: { persistentVolumeName: 'string' } },
    status: { attached: 'boolean', attachError: { message: 'string', time: 'string' }, detachError: { message: 'string', time: 'string' } },
  },
  CSINode: { spec: { drivers: [{ name: 'string', nodeID: 'string' }] } },
  Lease: { spec: { holderIdentity: 'string', leaseDurationSeconds: 'number', renewTime: 'string', acquireTime: 'string' } },
  ResourceQuota: { spec: { hard: 'object', scopes: 'strings' }, status: { hard: 'object', used: 'object' } },
  LimitRange: { spec: { limits: [{ type: 'string', max: 'object', min: 'object', default: 'object', defaultRequest: 'object' }] } },
  ServiceAccount: { secrets: [reference], imagePullSecrets: [{ name: 'string' }] },
  Ingress: {
    spec: {
      ingressClassName: 'string',
      defaultBackend: { service: 'object' },
      tls: [{ hosts: 'strings', secretName: 'string' }],
      rules: [{ host: 'string', http: { paths: [{ path: 'string', backend: { service: 'object' } }] } }],
    },
    status: { loadBalancer: { ingress: ['object'] } },
  },
  NetworkPolicy: { spec: { podSelector: selector, policyTypes: 'strings', ingress: ['object'], egress: ['object'] } },
  APIService: { spec: { service: reference, group: 'string', version: 'string' }, status: { conditions } },
  CustomResourceDefinition: {
    spec: {
      group: 'string',
      scope: 'string',
      names: { plural: 'string', kind: 'string', singular: 'string', shortNames: 'strings' },
      versions: [{ name: 'string' }],
    },
    status: { conditions, storedVersions: 'strings' },
  },
  ValidatingWebhookConfiguration: webhooks,
  MutatingWebhookConfiguration: webhooks,
  PriorityClass: { value: 'number', preemptionPolicy: 'string' },
};

/** What kstatus relies on in any custom resource. */
export const GENERIC: Shape = { spec: 'object', status: { conditions, observedGeneration: 'number' } };
