import type { KubeObject, PersistentVolume, PersistentVolumeClaim, Pod } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, maybe, need } from '../../model/read.ts';
import { groupOf } from '../../model/resources.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { clockStands } from '../clock.ts';
import { apiServiceNameOf, type Content, contentFailureOf, contentOf, failedGroupsOf, NAMESPACE_CONDITIONS, type Remaining, remainingOf } from './namespace.ts';
import { isAtWork, WORK_PATIENCE } from './at-work.ts';
import { complaintOf } from '../custom/events.ts';
import { isFinished } from '../pods/phase.ts';
import { type FinalizerOwner, findOwner, ownerOfFinalizer } from './finalizers.ts';
import { lazy } from '../lazy.ts';
import { groupBy, listOf } from '../lists.ts';
import type { Refusal } from '../admission/refusal.ts';
import { refusalIn } from '../admission/refusal-family.ts';
import { ageOf, duration, timeOf } from '../time.ts';
import { plural, some } from '../words.ts';
import type { World } from '../world.ts';
import { claimVolumesOf } from '../volumes/pod-claims.ts';

export interface Held extends Remaining {
  owner: FinalizerOwner;
}

/** What whoever cleans up says of it. */
export interface Heard extends Addressed {
  message: string;
}

/** An object that is marked deleted and still there. */
export interface Deletion extends Addressed {
  at: Stage[];
  young: boolean;
  /** Seconds past deletionTimestamp (a pod's already includes its grace period); 0 while the grace period runs. */
  over: number;
  /** `metadata.finalizers`, and a Namespace's `spec.finalizers`. */
  finalizers: string[];
  /** Who has to let go, for a Namespace also of what is left inside: the first that cannot, else the first. Null without finalizers. */
  owner: FinalizerOwner | null;
  owners: FinalizerOwner[];
  /** What still uses it: pods that name a claim, the claim of a volume, the pods left in a namespace. */
  users: KubeObject[];
  /** Pods without a node that name the claim: they are not placed while it is being deleted (volumebinding, CheckClaims). */
  wanted: KubeObject[];
  /** Every user is a pod that has ended: it goes only when somebody deletes it. */
  leftovers: boolean;
  /** Where each user names the object. */
  uses: Addressed[];
  /** Objects that block foreground deletion. */
  dependents: KubeObject[];
  /** What it owns, is being deleted itself and is held: its controller waits for that. */
  children: KubeObject[];
  /** The kind among whose objects dependents may be that were not read; ''. */
  unseen: string;
  /** Conditions that are bad (a Namespace's are bad when True). */
  conditions: AddressedCondition[];
  /** API groups that could not be asked, by table `deletions`. */
  discovery: Text | null;
  groups: string[];
  apiservices: KubeObject[];
  /** Why a resource type could not be deleted, by table `deletions`; `refusal` is its parse as an API error. */
  failure: Text | null;
  refusal: Refusal | null;
  content: Content[];
  remaining: Held[];
  /** The first of them whose owner cannot let go, else the first. */
  hold: Held | null;
  /** Deleted objects with finalizers inside a namespace, of what was read; instances of a deleted CRD. */
  holders: KubeObject[];
  /** What stands in the way by the word of its controller: a warning since the deletion, or for a VolumeSnapshot the error of its content. Raises Unknown without events. */
  heard: Heard | null;
  /** What it waits for, in words. */
  summary: string;
}

// A namespace empties itself pod by pod; everything else goes at once unless something holds it.
const PATIENCE: Record<string, number> = { Namespace: 120, Pod: 30 };
const DEFAULT_PATIENCE = 60;

/** The facts of an object that is marked deleted; null where it is not. */
export function deletionFacts(world: World, object: KubeObject): Deletion | null {
  if (!object.metadata.deletionTimestamp) return null;
  return world.memo(object, 'deletion', () => makeDeletion(world, object));
}

function makeDeletion(world: World, object: KubeObject): Deletion {
  const { metadata } = object;
  const isNamespace = object.kind === 'Namespace';
  const over = ageOf(world.now, metadata.deletionTimestamp) ?? 0;
  const finalizers = [...listOf(metadata.finalizers), ...(isNamespace ? listOf((object['spec'] as { finalizers?: string[] } | undefined)?.finalizers) : [])];
  const failing = (type: string): AddressedCondition | null => {
    const condition = isNamespace ? conditionOf(object, type) : null;
    return condition?.status === 'True' ? condition : null;
  };
  const text = (condition: AddressedCondition | null): Text | null => (condition ? world.classify('deletions', condition.message) : null);
  const undiscovered = () => failing('NamespaceDeletionDiscoveryFailure') ?? failing('NamespaceDeletionGroupVersionParsingFailure');
  const isRefused = (): boolean => (deletion.refusal?.permanence ?? 'transient') !== 'transient';
  const deletion: Deletion = lazy<Deletion>({
    // Only a pod is given a time to end in; everything else is meant to go at once.
    at: () => (over > 0 || object.kind !== 'Pod' ? ['terminate'] : ['goal']),
    // A controller that says why it cannot go on has been heard; only silence needs patience.
    young: () =>
      over < (PATIENCE[object.kind] ?? (isAtWork(object) ? WORK_PATIENCE : DEFAULT_PATIENCE)) &&
      undiscovered() === null &&
      !isRefused() &&
      !(deletion.remaining.length > 0 && clockStands(world)),
    over: () => over,
    finalizers: () => finalizers,
    owners: () => finalizers.map((finalizer) => ownerOfFinalizer(world, object, finalizer)),
    owner: () => {
      const all = [...deletion.owners, ...deletion.remaining.map((held) => held.owner)];
      const suspicion = (owner: FinalizerOwner): number =>
        owner.alive === 'alive' ? 3 : owner.alive !== 'unknown' ? 0 : owner.finalizer.startsWith('kubernetes.io/') ? 2 : 1;
      const worst = Math.min(3, ...all.map(suspicion));
      return worst < 3 ? (all.find((owner) => suspicion(owner) === worst) ?? null) : (deletion.remaining[0]?.owner ?? all[0] ?? null);
    },
    users: () => usersOf(world, object),
    wanted: () =>
      object.kind === 'PersistentVolumeClaim' ? namersOf(world, object as PersistentVolumeClaim).filter((pod) => !pod.spec?.nodeName && !isFinished(pod)) : [],
    leftovers: () => deletion.users.length > 0 && deletion.users.every((user) => user.kind === 'Pod' && isFinished(user as Pod)),
    uses: () => deletion.users.map((user) => useOf(user, object)),
    dependents: () => dependentsOf(world, object),
    children: () => childrenOf(world, object),
    unseen: () => unseenOf(world, object),
    conditions: () => conditionsOf(object),
    discovery: () => text(undiscovered()),
    groups: () => failedGroupsOf(undiscovered()?.message ?? ''),
    apiservices: () =>
      deletion.groups.map((group) => need(world.snapshot.get('APIService', undefined, apiServiceNameOf(group)))).filter((found) => found !== null),
    failure: () => text(failing('NamespaceDeletionContentFailure')),
    refusal: () => {
      const failed = failing('NamespaceDeletionContentFailure');
      return failed ? refusalIn(world, object, contentFailureOf(failed.message)) : null;
    },
    content: () => contentOf(failing('NamespaceContentRemaining')?.message ?? ''),
    remaining: () =>
      remainingOf(failing('NamespaceFinalizersRemaining')?.message ?? '').map((each) => ({
        ...each,
        owner: ownerByText(world, object, each.finalizer, deletion.content),
      })),
    hold: () => deletion.remaining.find((held) => held.owner.alive !== 'alive') ?? deletion.remaining[0] ?? null,
    holders: () => holdersOf(world, object),
    heard: () => contentError(world, object) ?? warningSince(world, object),
    summary: () => summaryOf(deletion),
    evidence: () => evidenceAt(object, '/metadata/deletionTimestamp', `deleted ${duration(over)} ago`, metadata.deletionTimestamp ?? null),
  });
  return deletion;
}

/** The snapshotter writes why it cannot delete a snapshot to the content, not to the VolumeSnapshot that waits for it. */
function contentError(world: World, object: KubeObject): Heard | null {
  if (object.kind !== 'VolumeSnapshot') return null;
  const name = (object['status'] as { boundVolumeSnapshotContentName?: string } | undefined)?.boundVolumeSnapshotContentName;
  const content = name ? world.snapshot.seen('VolumeSnapshotContent.snapshot.storage.k8s.io').find(({ metadata }) => metadata.name === name) : undefined;
  const message = (content?.['status'] as { error?: { message?: string } } | undefined)?.error?.message ?? '';
  return content && message !== ''
    ? { message: `VolumeSnapshotContent ${content.metadata.name}: ${message}`, evidence: evidenceAt(content, '/status/error', message) }
    : null;
}

function warningSince(world: World, object: KubeObject): Heard | null {
  const told = complaintOf(world, object);
  const since = (timeOf(told?.last) ?? 0) >= (timeOf(object.metadata.deletionTimestamp) ?? Infinity);
  return told && since ? { message: `${told.reason}: ${told.message}`, evidence: told.evidence } : null;
}

function usersOf(world: World, object: KubeObject): KubeObject[] {
  if (object.kind === 'PersistentVolumeClaim') return claimUsers(world, object as PersistentVolumeClaim);
  if (object.kind === 'PersistentVolume') {
    const ref = (object as PersistentVolume).spec?.claimRef;
    const claim = ref?.name ? maybe(world.snapshot.get('PersistentVolumeClaim', ref.namespace, ref.name)) : null;
    return claim && (!ref?.uid || ref.uid === claim.metadata.uid) ? [claim] : [];
  }
  // While pods remain the controller stops before it counts, and says that all content is removed (OrderedNamespaceDeletion, 1.33).
  if (object.kind === 'Namespace') return [...world.snapshot.seen('Pod', object.metadata.name)];
  return [];
}

/**
 * Pods that hold a claim: every scheduled pod object that names it, in whatever phase; for a generic ephemeral volume
 * only while the kubelet is not done with it (pkg/controller/volume/pvcprotection: podUsesPVC).
 */
const claimUsers = (world: World, claim: PersistentVolumeClaim): KubeObject[] => namersOf(world, claim).filter((pod) => Boolean(pod.spec?.nodeName));

function namersOf(world: World, claim: PersistentVolumeClaim): Pod[] {
  const { namespace = '', name, uid } = claim.metadata;
  const pods = need(world.snapshot.list('Pod', namespace)) ?? [];
  const owners = new Set(listOf(claim.metadata.ownerReferences).map((owner) => owner.uid));
  const done = (pod: Pod): boolean => Boolean(pod.metadata.deletionTimestamp) && pod.metadata.deletionGracePeriodSeconds === 0;
  const isOwn = (pod: Pod): boolean => (uid === undefined || owners.has(pod.metadata.uid)) && !done(pod);
  return pods.filter((pod) => claimVolumesOf(pod).some((use) => use.claim === name && (!use.ephemeral || isOwn(pod))));
}

/** The volume in a pod's spec that names the claim, or the volume in a claim's spec. */
function useOf(user: KubeObject, object: KubeObject): Addressed {
  const { name } = object.metadata;
  if (user.kind !== 'Pod') return { evidence: evidenceAt(user, '/spec/volumeName', `names volume ${name}`) };
  const use = claimVolumesOf(user as Pod).find(({ claim }) => claim === name);
  if (!use) return { evidence: evidenceAt(user, '/metadata/namespace', `in namespace ${name}`) };
  const words = `${(user as Pod).status?.phase ?? 'unknown phase'}, volume ${use.volume} names claim ${name}`;
  return { evidence: evidenceAt(user, `/spec/volumes/${use.index}`, words) };
}

function dependentsOf(world: World, object: KubeObject): KubeObject[] {
  const { uid, finalizers } = object.metadata;
  if (!uid || !listOf(finalizers).includes('foregroundDeletion')) return [];
  const index = world.memo(world.snapshot, 'index:blocking', () => {
    const pairs = world.snapshot
      .kinds()
      .filter((kind) => kind !== 'Event')
      .flatMap((kind) =>
        world.snapshot.seen(kind).flatMap((each) =>
          listOf(each.metadata.ownerReferences)
            .filter((owner) => owner.blockOwnerDeletion === true && owner.uid)
            .map((owner) => ({ owner: owner.uid ?? '', each })),
        ),
      );
    return groupBy(pairs, (pair) => pair.owner);
  });
  return (index.get(uid) ?? []).map(({ each }) => each);
}

/** What its own controller makes of it, and the garbage collector has to delete first. */
const MADE: Record<string, string> = {
  Deployment: 'ReplicaSet',
  ReplicaSet: 'Pod',
  ReplicationController: 'Pod',
  StatefulSet: 'Pod',
  DaemonSet: 'Pod',
  Job: 'Pod',
  CronJob: 'Job',
};

function unseenOf(world: World, object: KubeObject): string {
  const made = MADE[object.kind];
  return made && world.snapshot.gap(made, object.metadata.namespace) !== null ? made : '';
}

function conditionsOf(object: KubeObject): AddressedCondition[] {
  const types: readonly string[] = object.kind === 'Namespace' ? NAMESPACE_CONDITIONS : object.kind === 'CustomResourceDefinition' ? ['Terminating'] : [];
  return types.map((type) => conditionOf(object, type)).filter((condition): condition is AddressedCondition => condition?.status === 'True');
}

const heldOnes = (world: World): KubeObject[] =>
  world.memo(world.snapshot, 'index:held', () =>
    world.snapshot
      .kinds()
      .filter((kind) => kind !== 'Event')
      .flatMap((kind) => world.snapshot.seen(kind).filter((each) => each.metadata.deletionTimestamp && listOf(each.metadata.finalizers).length > 0)),
  );

/** The garbage collector deletes what is owned only when its owner is gone: while the owner is still there, its controller did, and waits. */
function childrenOf(world: World, { metadata: { uid } }: KubeObject): KubeObject[] {
  return uid ? heldOnes(world).filter((each) => listOf(each.metadata.ownerReferences).some((owner) => owner.uid === uid)) : [];
}

/** Deleted objects that something holds, by namespace and by kind of API: what a namespace or a CRD waits for. */
function holdersOf(world: World, object: KubeObject): KubeObject[] {
  const held = heldOnes(world);
  if (object.kind === 'Namespace') return held.filter((each) => each.metadata.namespace === object.metadata.name);
  if (object.kind !== 'CustomResourceDefinition') return [];
  const spec = object['spec'] as { group?: string; names?: { kind?: string } } | undefined;
  return held.filter((each) => each.kind === spec?.names?.kind && groupOf(each.apiVersion) === spec?.group);
}

/** A finalizer that only the condition names: by an object that carries it, else by the kind whose domain is nearest to it. */
function ownerByText(world: World, namespace: KubeObject, finalizer: string, content: readonly Content[]): FinalizerOwner {
  const holder = holdersOf(world, namespace).find((each) => listOf(each.metadata.finalizers).includes(finalizer));
  if (holder) return ownerOfFinalizer(world, holder, finalizer);
  const domain = finalizer.split('/')[0] ?? '';
  const kinds = content.map(({ resource }) => ({ resource: resource.split('.')[0] ?? '', group: resource.split('.').slice(1).join('.') }));
  const near = kinds.find(({ group }) => group !== '' && (domain.endsWith(group) || group.endsWith(domain))) ?? (kinds.length === 1 ? kinds[0] : undefined);
  return findOwner(world, namespace, finalizer, { group: near?.group ?? '', kind: '', resource: near?.resource ?? '', writers: [] });
}

function summaryOf(deletion: Deletion): string {
  const parts = [
    deletion.content.map(({ resource, count }) => `${resource} (${count})`).join(', '),
    deletion.remaining.map(({ finalizer, count }) => `finalizer ${finalizer} on ${plural(count, 'object')}`).join(', '),
  ].filter(Boolean);
  if (parts.length > 0) return parts.join('; ');
  const users = attempt(() => deletion.users) ?? [];
  if (users.length > 0) return `${plural(users.length, users[0]?.kind ?? 'object')}: ${some(users)}`;
  return deletion.finalizers.length > 0 ? `finalizer ${deletion.finalizers.join(', ')}` : '';
}
