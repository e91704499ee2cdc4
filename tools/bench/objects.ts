/** A namespace of any size, as an API server would serve it: Deployments of 50 pods, ReplicaSets, events of the sick. */

export interface Size {
  pods: number;
  sick: number;
  /** All pods belong to one Deployment. */
  oneDeployment?: boolean;
}

type Json = Record<string, unknown>;

export const NAMESPACE = 'bench';
const NOW = new Date().toISOString();
const PER_DEPLOYMENT = 50;

const ago = (seconds: number): string => new Date(Date.parse(NOW) - seconds * 1000).toISOString().replace('.000Z', 'Z');
const uid = (kind: string, n: number): string => `${kind.padEnd(8, '0').slice(0, 8)}-0000-4000-8000-${String(n).padStart(12, '0')}`;

// Real objects carry a field tree for each writer: about a sixth of the bytes.
const managed = (manager: string): Json => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: ago(7200),
  fieldsType: 'FieldsV1',
  subresource: 'status',
  fieldsV1: {
    'f:status': Object.fromEntries(
      ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled'].map((type) => [
        `k:{"type":"${type}"}`,
        { '.': {}, 'f:lastProbeTime': {}, 'f:lastTransitionTime': {}, 'f:status': {}, 'f:type': {} },
      ]),
    ),
  },
});

const meta = (name: string, id: string, labels: Json, owner?: Json): Json => ({
  name,
  namespace: NAMESPACE,
  uid: id,
  resourceVersion: '1000',
  generation: 1,
  creationTimestamp: ago(7200),
  labels,
  ...(owner ? { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] } : {}),
  managedFields: [managed('kube-controller-manager'), managed('kubelet')],
});

const template = (app: string): Json => ({
  metadata: { labels: { app } },
  spec: {
    containers: [
      {
        name: 'app',
        image: `registry.example.com/team/${app}:1.2.3`,
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env: Array.from({ length: 12 }, (_, i) => ({ name: `SETTING_${i}`, value: `value-number-${i}-of-this-application` })),
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        readinessProbe: {
          httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' },
          periodSeconds: 10,
          timeoutSeconds: 1,
          successThreshold: 1,
          failureThreshold: 3,
        },
        volumeMounts: [{ name: 'kube-api-access-x', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    volumes: [
      {
        name: 'kube-api-access-x',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          ],
        },
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    schedulerName: 'default-scheduler',
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
  },
});

// The volume of the token has a name of its own in each pod (plugin/pkg/admission/serviceaccount), and so have its mounts.
function ownToken(spec: Json, n: number): Json {
  return JSON.parse(JSON.stringify(spec).replaceAll('kube-api-access-x', `kube-api-access-${n.toString(36).padStart(5, '0')}`)) as Json;
}

function pod(n: number, app: string, owner: Json, sick: boolean): Json {
  const condition = (type: string, ok: boolean): Json => ({
    type,
    status: ok ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: ago(7000),
    ...(ok ? {} : { reason: 'ContainersNotReady', message: 'containers with unready status: [app]' }),
  });
  const crash = { exitCode: 1, reason: 'Error', startedAt: ago(65), finishedAt: ago(60), containerID: `containerd://${n}` };
  return {
    metadata: {
      ...meta(`${app}-7d8f9c-${n.toString(36).padStart(5, '0')}`, uid('pod', n), { app, 'pod-template-hash': '7d8f9c' }, owner),
      generateName: `${app}-7d8f9c-`,
    },
    spec: {
      ...ownToken(template(app)['spec'] as Json, n),
      nodeName: `node-${n % 40}`,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      priority: 0,
    },
    status: {
      phase: 'Running',
      hostIP: '10.0.0.1',
      podIP: `10.1.${Math.floor(n / 250)}.${n % 250}`,
      podIPs: [{ ip: `10.1.${Math.floor(n / 250)}.${n % 250}` }],
      startTime: ago(7100),
      qosClass: 'Burstable',
      conditions: [
        condition('PodReadyToStartContainers', true),
        condition('Initialized', true),
        condition('Ready', !sick),
        condition('ContainersReady', !sick),
        condition('PodScheduled', true),
      ],
      containerStatuses: [
        {
          name: 'app',
          image: `registry.example.com/team/${app}:1.2.3`,
          imageID: 'registry.example.com/team/app@sha256:0123456789abcdef',
          containerID: `containerd://${n}`,
          ready: !sick,
          started: !sick,
          restartCount: sick ? 17 : 0,
          state: sick
            ? { waiting: { reason: 'CrashLoopBackOff', message: `back-off 5m0s restarting failed container=app pod=${app}-${n}_${NAMESPACE}` } }
            : { running: { startedAt: ago(7050) } },
          lastState: sick ? { terminated: crash } : {},
        },
      ],
    },
  };
}

export function lists(size: Size): Record<string, Json[]> {
  const count = size.oneDeployment ? 1 : Math.max(1, Math.ceil(size.pods / PER_DEPLOYMENT));
  const sickEvery = size.sick > 0 ? size.pods / size.sick : Number.POSITIVE_INFINITY;
  const result: Record<string, Json[]> = {
    pods: [],
    deployments: [],
    replicasets: [],
    services: [],
    events: [],
    endpointslices: [],
    nodes: [],
    namespaces: [],
  };
  const add = (kind: string, object: Json): void => void result[kind]?.push(object);
  for (let d = 0; d < count; d += 1) {
    const app = `app-${d}`;
    const from = Math.round((d * size.pods) / count);
    const to = Math.round(((d + 1) * size.pods) / count);
    const sickHere = Array.from({ length: to - from }, (_, i) => Math.floor((from + i + 1) / sickEvery) > Math.floor((from + i) / sickEvery));
    const ready = sickHere.filter((sick) => !sick).length;
    const replicas = to - from;
    const selector = { matchLabels: { app } };
    const status = {
      replicas,
      readyReplicas: ready,
      availableReplicas: ready,
      updatedReplicas: replicas,
      unavailableReplicas: replicas - ready,
      observedGeneration: 1,
      conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', lastUpdateTime: ago(7000), lastTransitionTime: ago(7200) }],
    };
    add('deployments', {
      metadata: { ...meta(app, uid('deploy', d), { app }), annotations: { 'deployment.kubernetes.io/revision': '1' } },
      spec: { replicas, selector, template: template(app), strategy: { type: 'RollingUpdate' }, progressDeadlineSeconds: 600 },
      status,
    });
    const rs = meta(
      `${app}-7d8f9c`,
      uid('rs', d),
      { app, 'pod-template-hash': '7d8f9c' },
      { apiVersion: 'apps/v1', kind: 'Deployment', name: app, uid: uid('deploy', d) },
    );
    add('replicasets', {
      metadata: { ...rs, annotations: { 'deployment.kubernetes.io/revision': '1' } },
      spec: { replicas, selector, template: template(app) },
      status: { replicas, readyReplicas: ready, availableReplicas: ready, fullyLabeledReplicas: replicas, observedGeneration: 1 },
    });
    add('services', {
      metadata: meta(app, uid('svc', d), { app }),
      spec: { type: 'ClusterIP', clusterIP: `10.2.0.${d % 250}`, selector: { app }, ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }] },
      status: { loadBalancer: {} },
    });
    const endpoints: Json[] = [];
    for (let n = from; n < to; n += 1) {
      const sick = sickHere[n - from] === true;
      const object = pod(n, app, { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${app}-7d8f9c`, uid: uid('rs', d) }, sick);
      add('pods', object);
      const { name } = object['metadata'] as { name: string };
      endpoints.push({
        addresses: [`10.1.${Math.floor(n / 250)}.${n % 250}`],
        conditions: { ready: !sick, serving: !sick, terminating: false },
        nodeName: `node-${n % 40}`,
        targetRef: { kind: 'Pod', namespace: NAMESPACE, name, uid: uid('pod', n) },
      });
      if (sick)
        add('events', {
          metadata: { name: `${name}.1`, namespace: NAMESPACE, uid: uid('event', n), creationTimestamp: ago(3000) },
          involvedObject: { kind: 'Pod', namespace: NAMESPACE, name, uid: uid('pod', n), apiVersion: 'v1', fieldPath: 'spec.containers{app}' },
          reason: 'BackOff',
          message: 'Back-off restarting failed container app in pod',
          type: 'Warning',
          count: 200,
          firstTimestamp: ago(7000),
          lastTimestamp: ago(30),
          source: { component: 'kubelet', host: `node-${n % 40}` },
          reportingComponent: 'kubelet',
        });
    }
    for (let i = 0; i < endpoints.length; i += 100) {
      add('endpointslices', {
        metadata: meta(
          `${app}-${i}`,
          uid('slice', d * 1000 + i),
          { 'kubernetes.io/service-name': app },
          { apiVersion: 'v1', kind: 'Service', name: app, uid: uid('svc', d) },
        ),
        addressType: 'IPv4',
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
        endpoints: endpoints.slice(i, i + 100),
      });
    }
  }
  for (let n = 0; n < 40; n += 1) {
    add('nodes', {
      metadata: { name: `node-${n}`, uid: uid('node', n), creationTimestamp: ago(90000), labels: { 'kubernetes.io/hostname': `node-${n}` } },
      spec: {},
      status: {
        allocatable: { cpu: '64', memory: '256Gi', pods: '250' },
        capacity: { cpu: '64', memory: '256Gi', pods: '250' },
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: 'kubelet is posting ready status',
            lastHeartbeatTime: ago(10),
            lastTransitionTime: ago(90000),
          },
        ],
      },
    });
  }
  add('namespaces', { metadata: { name: NAMESPACE, uid: uid('ns', 1), creationTimestamp: ago(90000) }, status: { phase: 'Active' } });
  return result;
}
