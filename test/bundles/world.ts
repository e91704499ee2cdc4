/** One namespace with one pod that cannot start, as the API server would list it: what every layout is written from. */
import type { KubeObject } from '../../src/model/kinds.ts';
import { RESOURCES } from '../../src/model/resources.ts';

export const NOW = '2026-03-01T12:00:00Z';
const before = (seconds: number): string => new Date(Date.parse(NOW) - seconds * 1000).toISOString().replace('.000Z', 'Z');

const object = (apiVersion: string, kind: string, name: string, namespace: string | null, rest: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion, kind,
  metadata: { name, ...(namespace ? { namespace } : {}), uid: `${kind.toLowerCase()}-${name}`, resourceVersion: '100', creationTimestamp: before(3600), ...metadata },
  ...rest,
});

const owner = (apiVersion: string, kind: string, name: string) => ({ ownerReferences: [{ apiVersion, kind, name, uid: `${kind.toLowerCase()}-${name}`, controller: true }] });
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'registry.example/web:2' }] } };
const REFUSAL = 'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/web:2": failed to resolve reference "registry.example/web:2": registry.example/web:2: not found';

/** Deployment, ReplicaSet, pod that waits for its image, the events about it, a healthy node, and namespaces. */
export function brokenPod(): KubeObject[] {
  const involved = { kind: 'Pod', apiVersion: 'v1', namespace: 'shop', name: 'web-5d9-abcde', uid: 'pod-web-5d9-abcde', fieldPath: 'spec.containers{app}' };
  return [
    ...['default', 'kube-system', 'shop', 'calm'].map((name) => object('v1', 'Namespace', name, null, { status: { phase: 'Active' } })),
    object('v1', 'Node', 'node-1', null, {
      status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: before(20), lastTransitionTime: before(90000) }] },
    }),
    object(
      'apps/v1',
      'Deployment',
      'web',
      'shop',
      {
        spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
        status: {
          observedGeneration: 1,
          replicas: 1,
          unavailableReplicas: 1,
          conditions: [
            { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', lastTransitionTime: before(3600) },
            { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', lastTransitionTime: before(3000) },
          ],
        },
      },
      { generation: 1 },
    ),
    object(
      'apps/v1',
      'ReplicaSet',
      'web-5d9',
      'shop',
      { spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template }, status: { replicas: 1, observedGeneration: 1 } },
      { generation: 1, labels: { app: 'web' }, ...owner('apps/v1', 'Deployment', 'web') },
    ),
    object(
      'v1',
      'Pod',
      'web-5d9-abcde',
      'shop',
      {
        spec: { nodeName: 'node-1', restartPolicy: 'Always', containers: template.spec.containers },
        status: {
          phase: 'Pending',
          startTime: before(3600),
          podIP: '10.0.0.7',
          hostIP: '192.0.2.1',
          conditions: [
            ['PodReadyToStartContainers', 'True'],
            ['Initialized', 'True'],
            ['Ready', 'False'],
            ['ContainersReady', 'False'],
            ['PodScheduled', 'True'],
          ].map(([type, status]) => ({ type, status, lastTransitionTime: before(3600) })),
          containerStatuses: [
            {
              name: 'app',
              image: 'registry.example/web:2',
              imageID: '',
              ready: false,
              started: false,
              restartCount: 0,
              lastState: {},
              state: {
                waiting: {
                  reason: 'ImagePullBackOff',
                  message: `Back-off pulling image "registry.example/web:2": ErrImagePull: ${REFUSAL}`,
                },
              },
            },
          ],
        },
      },
      { labels: { app: 'web' }, ...owner('apps/v1', 'ReplicaSet', 'web-5d9') },
    ),
    object('v1', 'Event', 'web-5d9-abcde.1', 'shop', {
      involvedObject: involved,
      type: 'Warning',
      reason: 'Failed',
      message: `Failed to pull image "registry.example/web:2": ${REFUSAL}`,
      count: 40,
      firstTimestamp: before(3590),
      lastTimestamp: before(30),
      source: { component: 'kubelet', host: 'node-1' },
    }),
    object('v1', 'Service', 'web', 'shop', {
      spec: {
        type: 'ClusterIP',
        selector: { app: 'web' },
        clusterIP: '10.96.0.10',
        ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
      },
      status: { loadBalancer: {} },
    }),
    object('coordination.k8s.io/v1', 'Lease', 'node-1', 'kube-node-lease', {
      spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: '2026-03-01T12:00:00.000000Z' },
    }),
  ];
}

export interface Listed {
  group: string;
  version: string;
  resource: string;
  kind: string;
  namespaced: boolean;
  namespace: string | null;
  items: KubeObject[];
}

/** The lists an API server would give of these objects: one a resource and namespace. */
export function listsOf(objects: readonly KubeObject[], namespaces: readonly string[] = ['shop', 'calm', 'kube-node-lease']): Listed[] {
  return RESOURCES.filter(({ kind }) => objects.some((each) => each.kind === kind)).flatMap((resource): Listed[] => {
    const all = objects.filter((each) => each.kind === resource.kind);
    const base = { group: resource.group, version: resource.version, resource: resource.resource, kind: resource.kind, namespaced: resource.namespaced };
    if (!resource.namespaced) return [{ ...base, namespace: null, items: all }];
    return namespaces.map((namespace) => ({ ...base, namespace, items: all.filter((each) => each.metadata.namespace === namespace) }));
  });
}

export const apiVersionOf = ({ group, version }: Listed): string => (group === '' ? version : `${group}/${version}`);
/** As typed clients write them: the list has a kind, its items have none. */
export const typedList = (list: Listed, items: unknown = list.items.map(({ kind: _, apiVersion: __, ...rest }) => rest)): object =>
  ({ kind: `${list.kind}List`, apiVersion: apiVersionOf(list), metadata: { resourceVersion: '120' }, items });
export const plainList = (items: readonly unknown[]): object => ({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } });
