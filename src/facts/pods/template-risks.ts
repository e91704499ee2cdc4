import type { KubeObject, Pod, PodTemplate } from '../../model/kinds.ts';
import { LAYERS, type Layer } from '../../model/layer.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import type { Family } from '../family.ts';
import { listOf, textsOf } from '../lists.ts';
import { ingressOver } from '../network/policies.ts';
import { ownedBy } from '../owners.ts';
import { matchesLabels } from '../selectors.ts';
import { some } from '../words.ts';
import type { World } from '../world.ts';
import { isActive } from './phase.ts';
import { slowStartOf } from './slow-start.ts';

/** A way in which a workload that is well may fail later; never a cause. */
export interface Risk extends Addressed {
  risk: string;
  /** Where it would fail. */
  layer: Layer;
  container: string;
  says: string;
}

const RISKS = [
  'no-requests',
  'no-readiness',
  'liveness-is-readiness',
  'pre-stop-fills-grace',
  'cpu-limit',
  'one-node',
  'no-identity',
  'slow-start',
  'shut-off',
] as const;

const LAYER: Partial<Record<(typeof RISKS)[number], Layer>> = {
  'one-node': 'scheduler',
  'no-requests': 'kubelet',
  'cpu-limit': 'kubelet',
  'no-identity': 'service',
  'shut-off': 'cni',
};
const layerOf = (risk: (typeof RISKS)[number]): Layer => LAYER[risk] ?? 'application';

/** What the pod template itself tells, and where its pods are. */
export function risksOf(world: World, object: KubeObject): Risk[] {
  const template = (object['spec'] as { template?: PodTemplate } | undefined)?.template;
  const containers = listOf(template?.spec?.containers);
  const grace = template?.spec?.terminationGracePeriodSeconds ?? 30;
  const found = containers.flatMap((container, index) => {
    const at = (tail: string[], kind: (typeof RISKS)[number], says: string): Risk => ({
      risk: kind,
      layer: layerOf(kind),
      container: container.name ?? '',
      says,
      evidence: evidenceAt(object, pointerTo('spec', 'template', 'spec', 'containers', index, ...tail), says),
    });
    const { resources, readinessProbe, livenessProbe, lifecycle } = container;
    const sleep = Number(/\bsleep\s+(\d+)/.exec(listOf(lifecycle?.preStop?.exec?.command).join(' '))?.[1] ?? lifecycle?.preStop?.sleep?.seconds ?? 0);
    return [
      ...(resources?.requests === undefined && resources?.limits === undefined
        ? [at([], 'no-requests', 'asks for no cpu and memory, so the scheduler takes it for nothing')]
        : []),
      ...(readinessProbe === undefined && listOf(container.ports).length > 0
        ? [at([], 'no-readiness', 'has no readiness probe, so traffic comes with the first instant')]
        : []),
      ...(livenessProbe !== undefined &&
      JSON.stringify(livenessProbe.httpGet) === JSON.stringify(readinessProbe?.httpGet) &&
      livenessProbe.httpGet !== undefined
        ? [at(['livenessProbe'], 'liveness-is-readiness', 'has one check for liveness and readiness: what makes it unready restarts it')]
        : []),
      ...(sleep > 0 && sleep >= grace
        ? [at(['lifecycle', 'preStop'], 'pre-stop-fills-grace', `sleeps ${sleep} s of its ${grace} s of grace in preStop: SIGTERM comes too late`)]
        : []),
      ...(resources?.limits?.['cpu'] !== undefined
        ? [at(['resources', 'limits', 'cpu'], 'cpu-limit', `is slowed down at ${resources.limits['cpu']} cpu; whether it is, metrics tell`)]
        : []),
    ];
  });
  return [...found, ...onOneNode(world, object), ...withoutIdentity(world, object), ...slowToGrow(world, object), ...shutOff(world, object)];
}

/** `web-0.db` is a name only while a headless Service `db` governs the set; without a serviceName nobody asks for such names. */
function withoutIdentity(world: World, object: KubeObject): Risk[] {
  const name = object.kind === 'StatefulSet' ? (object['spec'] as { serviceName?: string } | undefined)?.serviceName : undefined;
  if (!name) return [];
  const read = world.snapshot.get('Service', object.metadata.namespace, name);
  const headless = read.state === 'known' && read.value.spec?.clusterIP === 'None';
  if (read.state === 'unknown' || headless) return [];
  const says = `names Service ${name} for its pods, which ${read.state === 'absent' ? 'does not exist' : 'is not headless'}: ${object.metadata.name}-0.${name} is no name in DNS`;
  return [
    { risk: 'no-identity', layer: layerOf('no-identity'), container: '', says, evidence: evidenceAt(object, '/spec/serviceName', `serviceName ${name}`) },
  ];
}

/** Which step of their start took its pods long. */
function slowToGrow(world: World, object: KubeObject): Risk[] {
  const slow = slowStartOf(world, podsOf(world, object).filter(isActive));
  return slow ? [{ risk: 'slow-start', layer: slow.layer, container: '', says: slow.says, evidence: slow.evidence }] : [];
}

/** Policies that let nothing in to pods which a Service sends to; whether they do is the network plugin's business. */
function shutOff(world: World, object: KubeObject): Risk[] {
  const pods = podsOf(world, object).filter(isActive);
  const service = world.snapshot
    .seen('Service', object.metadata.namespace)
    .find(({ spec }) => Object.keys(spec?.selector ?? {}).length > 0 && pods.some((pod) => matchesLabels(spec?.selector ?? {}, textsOf(pod.metadata.labels))));
  const over = pods.length > 0 && service ? ingressOver(world, object.metadata.namespace ?? '', pods) : [];
  const [first] = over;
  if (!first || over.some(({ spec }) => listOf(spec?.ingress).length > 0)) return [];
  const says = `is shut off by NetworkPolicy ${some(over)} where that is enforced, and Service ${service?.metadata.name} sends to it`;
  return [{ risk: 'shut-off', layer: layerOf('shut-off'), container: '', says, evidence: evidenceAt(first, '/spec', 'lets nothing in') }];
}

function podsOf(world: World, object: KubeObject): Pod[] {
  const owners = object.kind === 'Deployment' ? ownedBy(world, object.metadata.uid, 'ReplicaSet') : [object];
  return owners.flatMap((owner) => ownedBy(world, owner.metadata.uid, 'Pod')) as Pod[];
}

function onOneNode(world: World, object: KubeObject): Risk[] {
  if (object.kind === 'DaemonSet') return [];
  const pods = podsOf(world, object).filter((pod) => pod.spec?.nodeName && pod.status?.phase === 'Running');
  const nodes = new Set(pods.map((pod) => pod.spec?.nodeName));
  if (pods.length < 2 || nodes.size !== 1) return [];
  const says = `has all ${pods.length} pods on ${[...nodes][0]}`;
  return [{ risk: 'one-node', layer: layerOf('one-node'), container: '', says, evidence: evidenceAt(object, '/spec/replicas', says) }];
}

export const family: Family = {
  name: 'template-risks',
  doc: 'Ways in which a workload that is well may fail later.',
  types: {
    Risk: {
      risk: { type: 'string', doc: 'which', oneOf: RISKS },
      layer: { type: 'string', doc: 'where it would fail', oneOf: LAYERS },
      container: { type: 'string', doc: "container, '' for the workload as a whole" },
      says: { type: 'string', doc: 'in words that follow the name of the container or workload' },
      evidence: { type: 'Evidence', doc: 'the field of the template' },
    },
  },
  functions: [
    {
      name: 'risksOf',
      args: [{ name: 'object', type: 'object' }],
      returns: 'list<Risk>',
      doc: 'Risks of a workload by its template and the places of its pods.',
      call: (world, _object, about) => risksOf(world, about as KubeObject),
    },
  ],
};
