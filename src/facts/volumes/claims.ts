import type { KubeObject, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, need } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { classNameOf, classOf, defaultClass, HAND_MADE, provisionerOf, selectedAtOf, selectedNodeOf } from './claims-class.ts';
import { type Driver, driverOf } from './claims-driver.ts';
import { type ClaimMatch, hasFitting, mismatchesOf } from './claims-match.ts';
import { provisionersOf, sourceOf } from './claims-makers.ts';
import { type Resize, resizeOf } from './claims-resize.ts';
import { lazy } from '../lazy.ts';
import { groupBy } from '../lists.ts';
import { claimVolumesOf } from './pod-claims.ts';
import { ageOf } from '../time.ts';
import { type Told, told } from '../events/told.ts';
import type { World } from '../world.ts';
import { isFinished } from '../pods/phase.ts';

/** Rows of table `provisioning` that tell of a step, not of an error. A driver that is still at it after a minute and a half hangs. */
const ON_THE_WAY = new Set(['unknown', '', 'external', 'provisioning', 'in-progress', 'first-consumer', 'pod-unscheduled', 'provisioned']);

/** A PersistentVolumeClaim on its way to a volume. */
export interface ClaimFacts extends Addressed {
  at: Stage[];
  phase: string;
  /** '' for a claim that wants no class or leaves it to the default. */
  className: string;
  /** The class it gets, the default included. */
  class: StorageClass | null;
  /** It names a class that does not exist. */
  classAbsent: boolean;
  /** It leaves the class to the default, and no class is the default. */
  noDefault: boolean;
  /** `Immediate`, `WaitForFirstConsumer`; '' without a class. */
  mode: string;
  provisioner: string;
  /** Its class says that nobody makes volumes for it. */
  handMade: boolean;
  /** Waits for the scheduler to place a pod that uses it: a consequence, never a cause. */
  waits: boolean;
  /** A pod that got its node past the scheduler (spec.nodeName), so that nobody will ever choose a node for this claim. */
  bypass: Pod | null;
  /** Unfinished pods that use it. */
  users: Pod[];
  selectedNode: string;
  volumeName: string;
  /** The volume it names; null where it names none or that volume does not exist. */
  volume: PersistentVolume | null;
  /** It is bound to, or asks for, a volume that does not exist. */
  volumeAbsent: boolean;
  /** Why the volume it names, or each volume that is still free, does not fit. */
  mismatches: ClaimMatch[];
  /** Nobody makes a volume for it, and each one at hand is kept from it; of a class made by hand one may still be put there. */
  unfit: boolean;
  /** What was told of it and still holds. */
  event: Told | null;
  text: Text | null;
  /** What was told is an error, not a step on the way. */
  failing: boolean;
  /** The provisioner that the volume controller keeps naming, while nobody says that it has begun; '' where that is not so. */
  awaited: string;
  /** Something already says why it is not bound: it waits, an error, the class, its volume, a provisioner that does not run. What could not be read explains nothing. */
  explained: boolean;
  driver: Driver;
  driverRuns: boolean | null;
  /** Workloads that are to make its volume, where none of their pods names the driver. */
  provisioners: KubeObject[];
  /** What it is to be filled from; null where it names nothing, or that was not read. */
  source: KubeObject | null;
  /** A wish for more room that is not met; null where there is none. */
  resize: Resize | null;
  young: boolean;
  /** Seconds in which it has not been bound; 0 where it is. */
  since: number;
}

/** Provisioning on a cloud takes seconds; a minute more than that is patience, not diagnosis. */
const PATIENCE = 90;

const TROUBLE = [
  'ProvisioningFailed',
  'FailedBinding',
  'VolumeMismatch',
  'ClaimLost',
  'ClaimMisbound',
  'VolumeResizeFailed',
  'FileSystemResizeFailed',
  'VolumeModifyFailed',
];

// The volume controller looks again every 15 s (syncPeriod); its word is of now.
const TOLD = 600;

/** Where classes may not be read the volume controller has read them: it says by name which one is missing. */
function isToldAbsent(world: World, facts: ClaimFacts, className: string): boolean {
  const gap = world.snapshot.gap('StorageClass');
  const event = gap ? attempt(() => facts.event) : null;
  const text = event ? attempt(() => facts.text) : null;
  return text?.class === 'class-missing' && text.captures['storageclass'] === className && (ageOf(world.now, event?.last) ?? TOLD) < TOLD;
}

/** The facts of a claim, made once a snapshot; fields raise Unknown where classes, volumes or pods were not read. */
export function claimFacts(world: World, claim: PersistentVolumeClaim): ClaimFacts {
  return world.memo(claim, 'claim', () => {
    const phase = claim.status?.phase ?? '';
    const namespace = claim.metadata.namespace ?? '';
    const className = classNameOf(claim);
    const selectedNode = selectedNodeOf(claim);
    const volumeName = claim.spec?.volumeName ?? '';
    const age = ageOf(world.now, askedAt(world, claim));
    const facts: ClaimFacts = lazy<ClaimFacts>({
      at: () => rungs(claim, facts),
      phase: () => phase,
      className: () => className ?? '',
      class: () => classOf(world, claim),
      classAbsent: () => className !== null && className !== '' && (isToldAbsent(world, facts, className) || facts.class === null),
      noDefault: () => className === null && defaultClass(world) === null,
      mode: () => (className === '' ? '' : facts.class ? (facts.class.volumeBindingMode ?? 'Immediate') : ''),
      provisioner: () =>
        provisionerOf(
          claim,
          attempt(() => facts.class),
        ),
      handMade: () => attempt(() => facts.class)?.provisioner === HAND_MADE,
      waits: () => phase === 'Pending' && facts.mode === 'WaitForFirstConsumer' && selectedNode === '' && volumeName === '',
      bypass: () => (facts.waits ? (facts.users.find((pod) => pod.spec?.nodeName) ?? null) : null),
      users: () => usersOf(world, namespace, claim.metadata.name),
      selectedNode: () => selectedNode,
      volumeName: () => volumeName,
      volume: () => (volumeName === '' ? null : need(world.snapshot.get('PersistentVolume', undefined, volumeName))),
      volumeAbsent: () => volumeName !== '' && facts.volume === null,
      mismatches: () => (phase === 'Pending' ? mismatchesOf(world, claim, className ?? facts.class?.metadata.name ?? '', facts.handMade) : []),
      unfit: () =>
        facts.provisioner === '' &&
        (facts.handMade ? !facts.young : facts.mismatches.length > 0) &&
        (volumeName !== '' || !hasFitting(world, claim, className ?? facts.class?.metadata.name ?? '')),
      event: () =>
        told(world, claim, TROUBLE) ??
        (phase === 'Pending' ? told(world, claim, ['ExternalProvisioning', 'WaitForPodScheduled', 'WaitForFirstConsumer']) : null),
      text: () => (facts.event ? world.classify('provisioning', facts.event.message) : null),
      awaited: () =>
        facts.text?.class === 'external' && (facts.event?.count ?? 0) > 1 && told(world, claim, ['Provisioning']) === null
          ? (facts.text.captures['driver'] ?? facts.provisioner)
          : '',
      explained: () =>
        (['waits', 'failing', 'classAbsent', 'noDefault', 'volumeAbsent'] as const).some((key) => attempt(() => facts[key]) === true) ||
        attempt(() => facts.bypass) !== null ||
        attempt(() => facts.driverRuns) === false ||
        attempt(() => facts.unfit) === true,
      failing: () => facts.text !== null && (!ON_THE_WAY.has(facts.text.class) || (facts.text.class === 'in-progress' && hangs(world, facts.event))),
      driver: () => driverOf(world, facts.provisioner),
      driverRuns: () => facts.driver.runs,
      provisioners: () => provisionersOf(world, facts.provisioner),
      source: () => sourceOf(world, claim),
      resize: () => resizeOf(world, claim, () => attempt(() => facts.users) ?? []),
      // Without a time of creation nothing says that it is young.
      young: () => isYoung(facts, age ?? Number.POSITIVE_INFINITY),
      since: () => (phase === 'Bound' ? 0 : (age ?? 0)),
      evidence: () => evidenceAt(claim, '/status/phase', `phase ${phase || 'unset'}`, claim.metadata.creationTimestamp ?? null),
    });
    return facts;
  });
}

/**
 * RFC 3339, since when somebody is asked for its volume: with WaitForFirstConsumer not before the scheduler chose a node for a pod,
 * which may be long after the claim was made.
 */
function askedAt(world: World, claim: PersistentVolumeClaim): string | undefined {
  const { creationTimestamp, namespace = '', name } = claim.metadata;
  if (selectedNodeOf(claim) === '') return creationTimestamp;
  const pods = (attempt(() => usersOf(world, namespace, name)) ?? []).map((pod) => pod.metadata.creationTimestamp ?? '').sort();
  const chosen = selectedAtOf(claim) || (pods[0] ?? '');
  return chosen > (creationTimestamp ?? '') ? chosen : creationTimestamp;
}

// An earlier call that is still at work is the way of things for a while; not when it has been for minutes. The newest event
// does not tell how long: after 25 of a kind a recorder lets one through in five minutes (client-go, EventSourceObjectSpamFilter).
const hangs = (world: World, event: Told | null): boolean => event !== null && event.count > 2 && (ageOf(world.now, event.first) ?? 0) > PATIENCE;

function rungs(claim: PersistentVolumeClaim, facts: ClaimFacts): Stage[] {
  if (claim.metadata.deletionTimestamp) return ['goal'];
  if (facts.phase === 'Bound') {
    const { resize } = facts;
    return resize && !resize.waitsForPod ? ['condition'] : ['goal'];
  }
  if (facts.phase === 'Lost') return ['lost'];
  // A claim that nobody uses yet, of a class that waits for its first user, is where it should be.
  if (attempt(() => facts.waits) && attempt(() => facts.users)?.length === 0) return ['goal'];
  return ['bind'];
}

function isYoung(facts: ClaimFacts, age: number): boolean {
  if (facts.phase === 'Lost') return false;
  if (facts.phase === 'Bound') return facts.resize?.young ?? false;
  if (attempt(() => facts.waits) && attempt(() => facts.bypass) === null) return true;
  return age < PATIENCE;
}

/** Unfinished pods that name the claim, by `namespace/claim`. Raises Unknown where the namespace's pods could not be read. */
export function usersOf(world: World, namespace: string, claim: string): Pod[] {
  need(world.snapshot.list('Pod', namespace));
  const index = world.memo(world.snapshot, 'index:podsByClaim', () => {
    const unfinished = world.snapshot.seen('Pod').filter((pod) => !isFinished(pod));
    const uses = unfinished.flatMap((pod) => claimVolumesOf(pod).map(({ claim: name }) => ({ pod, key: `${pod.metadata.namespace ?? ''}/${name}` })));
    return groupBy(uses, (use) => use.key);
  });
  return [...new Set((index.get(`${namespace}/${claim}`) ?? []).map((use) => use.pod))];
}
