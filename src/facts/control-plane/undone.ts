import type { KubeObject, Namespace, Node, PersistentVolumeClaim, Pod } from '../../model/kinds.ts';
import { attempt, maybe } from '../../model/read.ts';
import { type Addressed, conditionOf, evidenceAt } from '../address.ts';
import { claimVolumesOf } from '../volumes/pod-claims.ts';
import { claimFacts } from '../volumes/claims.ts';
import { attachmentsOf } from '../volumes/volumes-attachment.ts';
import { componentFacts } from './components.ts';
import { deletionFacts } from '../deletion/deletion.ts';
import type { Family } from '../family.ts';
import { nodeFacts } from '../nodes.ts';
import { duration, timeOf } from '../time.ts';
import { plural } from '../words.ts';
import { miscountOf, uncountedEnds } from '../workloads/miscount.ts';
import { countsOf, podsOfWork, rungOf } from '../workloads/ladder.ts';
import { WORKLOAD_KINDS } from '../workloads/workload.ts';
import type { World } from '../world.ts';

/** What an object shows that kube-controller-manager has left undone since it fell silent. */
export interface Undone {
  /** `Deployment/web at generation 4, observed 3, 2 of 3 pods`. */
  says: string;
  proofs: Addressed[];
}

/**
 * Null while the controller-manager renews its Lease, or where the object waits for nothing from it. Raises Unknown for a workload whose
 * newest generation nobody has seen and whose Lease could not be read; the rest is told by its own numbers there (workloads/miscount.ts).
 */
export function undoneOf(world: World, object: KubeObject): Undone | null {
  return world.memo(object, 'undone', () => {
    const manager = componentFacts(world, 'kube-controller-manager');
    if ((WORKLOAD_KINDS as readonly string[]).includes(object.kind) && ['observe', 'create'].includes(rungOf(world, object)))
      return manager.known && manager.stale ? asked(world, object) : null;
    if (attempt(() => manager.known && manager.stale) !== true) return null;
    switch (object.kind) {
      case 'Namespace':
        return unemptied(world, object as Namespace);
      case 'Node':
        return unmarked(world, object as Node);
      case 'Pod':
        return unattached(world, object as Pod, manager.renewed);
      case 'PersistentVolumeClaim':
        return untaken(world, object as PersistentVolumeClaim, manager.renewed);
      default:
        return uncounted(world, object, manager.renewed);
    }
  });
}

const proof = (object: KubeObject, pointer: string, text: string, time: string | null = null): Addressed => ({
  evidence: evidenceAt(object, pointer, text, time),
});

/** What was asked of it and nobody has taken up. */
function asked(world: World, object: KubeObject): Undone {
  const { desired, have } = countsOf(world, object);
  const { generation = 0 } = object.metadata;
  const called = `${object.kind}/${object.metadata.name}`;
  if (object.kind === 'CronJob')
    return {
      says: `${called} has a start that is due`,
      proofs: [proof(object, '/status/lastScheduleTime', `last start of CronJob ${object.metadata.name}`)],
    };
  const observed = (object['status'] as { observedGeneration?: number } | undefined)?.observedGeneration ?? 0;
  const generations = object.kind === 'Job' ? '' : ` at generation ${generation}, observed ${observed}`;
  return {
    says: `${called}${generations}${generations === '' ? ' has ' : ', '}${have} of ${plural(desired, 'pod')}`,
    proofs: [proof(object, '/metadata/generation', String(generation)), proof(object, '/status/observedGeneration', String(observed))],
  };
}

/** Its numbers are of the past: pods that it counts are gone, or no longer ready, or others have become ready since. */
function uncounted(world: World, object: KubeObject, since: string): Undone | null {
  if (object.metadata.deletionTimestamp || object.kind === 'CronJob' || world.snapshot.gap('Pod', object.metadata.namespace ?? '') !== null) return null;
  if (object.kind === 'Job') {
    const ends = uncountedEnds(world, object);
    return ends && { says: `Job/${object.metadata.name} ${ends.says}`, proofs: [ends] };
  }
  const pods = attempt(() => podsOfWork(world, object));
  const miscount = pods && miscountOf(world, object, countsOf(world, object), pods, since);
  return miscount ? { says: `${object.kind}/${object.metadata.name} ${miscount.says}`, proofs: [miscount] } : null;
}

/** The namespace controller writes its conditions in each turn; none is there. */
function unemptied(world: World, namespace: Namespace): Undone | null {
  const deletion = deletionFacts(world, namespace);
  if (!deletion || deletion.young || deletion.conditions.length > 0) return null;
  return { says: `Namespace/${namespace.metadata.name} was deleted ${duration(deletion.over)} ago, and nobody empties it`, proofs: [deletion] };
}

/** A silent node is marked within a minute (node_lifecycle_controller.go). */
function unmarked(world: World, node: Node): Undone | null {
  const facts = nodeFacts(world, node);
  return facts.at === 'lost' && facts.ready === 'True' && facts.condition
    ? { says: `Node/${node.metadata.name} still counts as Ready, and its kubelet is silent`, proofs: [facts.condition] }
    : null;
}

/** Asked for after the silence began: the volume controller has not seen it. */
function untaken(world: World, claim: PersistentVolumeClaim, since: string): Undone | null {
  const facts = claimFacts(world, claim);
  const born = claim.metadata.creationTimestamp;
  if (!facts.at.includes('bind') || facts.young || facts.explained || (timeOf(born) ?? 0) <= (timeOf(since) ?? 0)) return null;
  return { says: `PersistentVolumeClaim/${claim.metadata.name} is not taken up`, proofs: [proof(claim, '/status/phase', 'phase Pending', born ?? null)] };
}

/** Given its node after the silence began: the attach/detach controller has asked for no attachment of a volume that needs one. */
function unattached(world: World, pod: Pod, since: string): Undone | null {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (!pod.spec?.nodeName || scheduled?.status !== 'True' || (timeOf(scheduled.since) ?? 0) <= (timeOf(since) ?? 0)) return null;
  for (const { claim } of claimVolumesOf(pod)) {
    const volume = maybe(world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, claim))?.spec?.volumeName;
    const driver = volume ? maybe(world.snapshot.get('PersistentVolume', undefined, volume))?.spec?.csi?.driver : undefined;
    const attached = driver && maybe(world.snapshot.get('CSIDriver', undefined, driver))?.spec?.attachRequired !== false;
    if (!volume || !attached || attempt(() => attachmentsOf(world, volume).some(({ node }) => node === pod.spec?.nodeName)) !== false) continue;
    return { says: `Pod/${pod.metadata.name} is on ${pod.spec.nodeName}, and nobody has asked for volume ${volume} there`, proofs: [scheduled] };
  }
  return null;
}

export const family: Family = {
  name: 'undone',
  doc: 'What waits for kube-controller-manager while nobody renews its Lease.',
  types: {
    Undone: {
      says: { type: 'string', doc: '`Deployment/web at generation 4, observed 3, 2 of 3 pods`' },
      proofs: { type: 'list<Use>', doc: 'the fields that show it' },
    },
  },
  variables: [
    {
      name: 'undone',
      kinds: [...WORKLOAD_KINDS, 'Namespace', 'Node', 'PersistentVolumeClaim', 'Pod'],
      type: 'Undone?',
      doc: 'null while the controller-manager renews its Lease, or the object waits for nothing from it',
      of: (world, object) => undoneOf(world, object),
    },
  ],
};
