import type { KubeObject, Node, PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../model/kinds.ts';
import { attempt, maybe, need, Unknown } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import { type ClaimFacts, claimFacts, usersOf } from './claims.ts';
import { type Attacher, attacherOf, type Driver, driverOf, registered } from './claims-driver.ts';
import { lazy } from '../lazy.ts';
import { listOf } from '../lists.ts';
import { claimVolumesOf } from './pod-claims.ts';
import { nodeFacts } from '../nodes.ts';
import { ageOf, timeOf } from '../time.ts';
import type { Told } from '../events/told.ts';
import { ATTACH_PATIENCE, type Attachment, attachmentsOf } from './volumes-attachment.ts';
import { complaintsOf } from './volumes-events.ts';
import { type Reference, referencesOf } from './volumes-references.ts';
import type { World } from '../world.ts';

/** Where a volume stops, decided by fields of objects before any text. */
export const VOLUME_STEPS = ['object', 'claim', 'unbound', 'elsewhere', 'attacher', 'driver', 'stuck', 'attach', 'mount'] as const;
export type VolumeStep = (typeof VOLUME_STEPS)[number];

/** One volume that holds a pod. */
export interface VolumeFact extends Addressed {
  name: string;
  /** Field of the volume source: configMap, secret, projected, persistentVolumeClaim, csi, nfs, hostPath, ... */
  source: string;
  step: VolumeStep;
  /** What the kubelet, the attach-detach controller or the driver said, from the newest telling event; null without one. */
  event: Told | null;
  /** Nothing but that event says that it holds the pod, and the next try is long over. */
  quiet: boolean;
  /** The event, or the attachment's own error, classified in `mounts`; class '' never: `unknown` where no row matched. */
  text: Text | null;
  /** The ConfigMap, Secret or claim that the event misses and that was made after it; the kubelet has not tried since. */
  arrived: KubeObject | null;
  /** ConfigMaps and Secrets it needs that are proven absent. */
  missing: Reference[];
  /** Those that are asked for the key which the event finds absent. */
  keyless: Reference[];
  /** Name of the claim, '' for other sources. */
  claim: string;
  claimObject: ClaimFacts | null;
  volume: PersistentVolume | null;
  /** Attachments of that volume, on any node. */
  attachments: Attachment[];
  /** At step `stuck`: the attachment on another node that cannot be taken off, and so keeps the volume from this one. */
  stuck: Attachment | null;
  /** At step `attacher`: the attachment on the pod's node that no attacher has taken up. */
  untaken: Attachment | null;
  attacher: Attacher;
  /** Unfinished pods on other nodes that use the same claim. */
  holders: Pod[];
  /** Nodes that have the volume, or a pod with its claim, other than the pod's own. */
  elsewhere: Node[];
  /** At step `elsewhere`: those nodes report, and are just giving it up. */
  leaving: boolean;
  driver: string;
  driverRuns: boolean | null;
  driverFacts: Driver;
  /** Pods of the driver that would have to answer: while it attaches all of them, else those on the pod's node. */
  plugins: Pod[];
  /** Whether the driver's node plugin is registered on the pod's node; null where the volume has no CSI driver. Raises Unknown. */
  registered: boolean | null;
  csiNode: KubeObject | null;
}

/**
 * The volumes that hold a pod, in the order of its spec. From events where there are any, else from what the objects
 * themselves say: an absent ConfigMap, an unbound claim, an attachment with an error, a driver not registered on the node.
 */
export function volumeFacts(world: World, pod: Pod): VolumeFact[] {
  return world.memo(pod, 'volumes', () => {
    const volumes = Array.isArray(pod.spec?.volumes) ? pod.spec.volumes : [];
    const all = volumes.flatMap((volume, index) => {
      if (!volume) return [];
      const fact = factOf(world, pod, volume, index);
      return fact ? [fact] : [];
    });
    const live = all.filter(({ quiet }) => !quiet);
    // The kubelet mounts again what is mounted already (RequiresRemount), and that may fail for a moment at any time: it explains
    // nothing beside what lasts. What passes by itself has passed once the next try is over.
    const lasting = live.filter(({ step, text }) => step !== 'mount' || !PASSING.has(text?.permanence ?? ''));
    if (lasting.length > 0) return lasting;
    return live.length > 0 ? live : all.filter(({ text }) => text?.permanence !== 'transient');
  });
}

/**
 * Those of them whose ConfigMaps or Secrets are proven absent. Raises Unknown where nothing is known to hold the pod
 * and one of those objects could not be read.
 */
export function missingObjects(world: World, pod: Pod): VolumeFact[] {
  const needed = listOf(pod.spec?.volumes).flatMap((volume, index) => referencesOf(pod, volume, index));
  return holding(world, pod, ['object'], needed);
}

/** Those of them whose claim is absent or not bound. Raises Unknown where nothing is known to hold the pod and a claim could not be read. */
export function openClaims(world: World, pod: Pod): VolumeFact[] {
  return holding(
    world,
    pod,
    ['claim', 'unbound'],
    claimVolumesOf(pod).map(({ claim }) => ({ kind: 'PersistentVolumeClaim', name: claim })),
  );
}

function holding(world: World, pod: Pod, steps: readonly VolumeStep[], needed: readonly { kind: string; name: string }[]): VolumeFact[] {
  const facts = volumeFacts(world, pod);
  for (const { kind, name } of facts.length > 0 ? [] : needed) {
    const read = world.snapshot.get(kind, pod.metadata.namespace, name);
    if (read.state === 'unknown') throw new Unknown(read.why);
  }
  return facts.filter((fact) => steps.includes(fact.step));
}

interface Chain {
  name: string;
  claim: PersistentVolumeClaim | null;
  absent: boolean;
  volume: PersistentVolume | null;
}

function chainOf(world: World, pod: Pod, index: number): Chain {
  const name = claimVolumesOf(pod).find((each) => each.index === index)?.claim ?? '';
  if (name === '') return { name, claim: null, absent: false, volume: null };
  const read = world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, name);
  const claim = maybe(read);
  const volume = claim?.spec?.volumeName ? maybe(world.snapshot.get('PersistentVolume', undefined, claim.spec.volumeName)) : null;
  return { name, claim, absent: read.state === 'absent', volume };
}

function factOf(world: World, pod: Pod, volume: Volume, index: number): VolumeFact | null {
  const name = volume.name ?? '';
  const chain = chainOf(world, pod, index);
  const persistent = chain.claim?.spec?.volumeName ?? '';
  const complaints = attempt(() => complaintsOf(world, pod));
  // Without the claim only the PersistentVolume's name is known, from the text; it is the pod's if it has one claim.
  const event = complaints?.get(name) ?? strayComplaint(pod, complaints, chain) ?? null;
  // The kubelet tries all volumes at once: where it complains of others it has this one.
  const silent = event === null && [...(complaints?.values() ?? [])].some((each) => !each.quiet);
  const missing = silent
    ? []
    : referencesOf(pod, volume, index).filter((reference) => world.snapshot.get(reference.kind, pod.metadata.namespace, reference.name).state === 'absent');
  const driver = chain.volume?.spec?.csi?.driver ?? volume.csi?.driver ?? '';
  const node = pod.spec?.nodeName ?? '';
  const attachments = persistent ? (attempt(() => attachmentsOf(world, persistent)) ?? []) : [];
  const plugin = driver && node ? attempt(() => registered(world, driver, node)) : null;
  const stuck = isSingle(chain.volume) ? (attachments.find((each) => each.node !== node && each.detachError !== '') ?? null) : null;
  const step = stepOf({ chain, event, missing, attachments, node, unregistered: plugin?.yes === false, stuck });
  if (step === null) return null;
  const words =
    step === 'stuck' && stuck
      ? stuck.detachError
      : tellingOf(world, event?.message ?? '', attachments.find((each) => each.node === node && each.error)?.error ?? '');
  const source = Object.keys(volume).find((key) => key !== 'name' && volume[key as keyof Volume]) ?? '';
  const fact: VolumeFact = lazy<VolumeFact>({
    name: () => name,
    source: () => source,
    step: () => step,
    event: () => event,
    missing: () => missing,
    keyless: () => referencesOf(pod, volume, index).filter(({ keys }) => keys.includes(fact.text?.captures['key'] ?? '')),
    quiet: () => event?.quiet === true && (step === 'mount' || (step === 'attach' && !attachments.some((each) => each.node === node))),
    text: () => (words === '' ? null : world.classify('mounts', words)),
    arrived: () => (event && fact.text ? arrivedSince(world, pod, event, fact.text) : null),
    claim: () => chain.name,
    claimObject: () => (chain.claim ? claimFacts(world, chain.claim) : null),
    volume: () => (persistent ? need(world.snapshot.get('PersistentVolume', undefined, persistent)) : null),
    attachments: () => (persistent ? attachmentsOf(world, persistent) : []),
    stuck: () => (step === 'stuck' ? stuck : null),
    untaken: () => (step === 'attacher' ? (attachments.find((each) => each.node === node) ?? null) : null),
    attacher: () => attacherOf(world, driver),
    holders: () =>
      chain.name === ''
        ? []
        : usersOf(world, pod.metadata.namespace ?? '', chain.name).filter(
            (other) => other.metadata.uid !== pod.metadata.uid && other.spec?.nodeName && other.spec.nodeName !== node,
          ),
    elsewhere: () =>
      [
        ...new Set([
          ...attachments.filter((each) => each.attached || each.detachError).map((each) => each.node),
          ...(attempt(() => fact.holders) ?? []).map((pod) => pod.spec?.nodeName ?? ''),
        ]),
      ]
        .filter((name) => name !== '' && name !== node)
        .flatMap((name) => maybe(world.snapshot.get('Node', undefined, name)) ?? []),
    leaving: () => step === 'elsewhere' && isLeaving(world, fact, node),
    driver: () => driver,
    driverRuns: () => driverOf(world, driver).runs,
    driverFacts: () => driverOf(world, driver),
    plugins: () => driverOf(world, driver).pods.filter((each) => step === 'attach' || each.spec?.nodeName === node),
    registered: () => (driver && node ? (registered(world, driver, node)?.yes ?? false) : null),
    csiNode: () => (driver && node ? (registered(world, driver, node)?.object ?? null) : null),
    evidence: () => event?.evidence ?? evidenceAt(pod, pointerTo('spec', 'volumes', index), `volume ${name} (${source})`),
  });
  return fact;
}

/**
 * A disk is taken off once its pod has ended within its grace and the kubelet has unmounted it (pkg/controller/volume/attachdetach): until
 * then the next node is told that it hangs elsewhere, and has but to wait.
 */
function isLeaving(world: World, { attachments, holders, elsewhere, event }: VolumeFact, node: string): boolean {
  const others = attachments.filter((each) => each.node !== node && (each.attached || each.detachError));
  if (elsewhere.some((each) => nodeFacts(world, each).at === 'lost')) return false;
  if (holders.some(({ metadata }) => (timeOf(metadata.deletionTimestamp) ?? 0) <= world.now)) return false;
  const justEnded = (ageOf(world.now, event?.first) ?? UNMOUNT) < UNMOUNT;
  return holders.length > 0 || others.every((each) => each.leaving || (justEnded && !each.deleting));
}

/** Seconds that the kubelet may take to unmount what its last pod has left. */
const UNMOUNT = 60;

const PASSING = new Set(['transient', 'waiting']);

/** Rows that only say that the driver tries again or has not answered. */
const VAGUE = new Set(['unknown', 'driver', 'attach', 'driver-timeout', 'in-progress']);

/** The event may be about a back-off; the attachment keeps the attacher's own last error. */
const tellingOf = (world: World, said: string, error: string): string =>
  error !== '' && (said === '' || VAGUE.has(world.classify('mounts', said).class)) ? error : said;

const NAMED: Record<string, string> = { configmap: 'ConfigMap', secret: 'Secret', claim: 'PersistentVolumeClaim' };

function arrivedSince(world: World, pod: Pod, event: Told, { captures }: Text): KubeObject | null {
  for (const [key, kind] of Object.entries(NAMED)) {
    const name = captures[key];
    const object = name ? maybe(world.snapshot.get(kind, pod.metadata.namespace, name)) : null;
    if (object && (timeOf(object.metadata.creationTimestamp) ?? 0) > (timeOf(event.last) ?? 0)) return object;
  }
  return null;
}

function strayComplaint(pod: Pod, complaints: ReadonlyMap<string, Told> | null, chain: Chain): Told | null {
  const names = new Set(listOf(pod.spec?.volumes).map((volume) => volume.name));
  const stray = [...(complaints ?? [])].filter(([name]) => !names.has(name));
  return chain.name !== '' && !chain.claim && claimVolumesOf(pod).length === 1 ? (stray[0]?.[1] ?? null) : null;
}

/** An attacher leaves its finalizer or its error. */
const isUntaken = (own: Attachment): boolean => !own.taken && own.error === '' && !own.attached && !own.deleting;

/** One node at a time may have it; what could not be read may be anything. */
const isSingle = (volume: PersistentVolume | null): boolean => {
  const modes = listOf(volume?.spec?.accessModes);
  return modes.length > 0 && modes.every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
};

/** The first step that this volume has not passed; null for a volume that holds nothing up. */
function stepOf({
  chain,
  event,
  missing,
  attachments,
  node,
  unregistered,
  stuck,
}: {
  chain: Chain;
  event: Told | null;
  missing: readonly Reference[];
  attachments: readonly Attachment[];
  node: string;
  unregistered: boolean;
  stuck: Attachment | null;
}): VolumeStep | null {
  if (missing.length > 0) return 'object';
  if (chain.absent) return 'claim';
  if (chain.claim && chain.claim.status?.phase !== 'Bound') return 'unbound';
  const own = attachments.find((each) => each.node === node);
  const other = attachments.find((each) => each.node !== node && (each.attached || each.detachError));
  const unattached = event?.reason === 'FailedAttachVolume';
  if (unattached && other && /Multi-Attach/.test(event.message)) return stuck ? 'stuck' : 'elsewhere';
  // The kubelet waits for an attachment that is not there: the attacher is silent, or has left its error on the object.
  const refused = unattached || (own !== undefined && !own.attached && (own.error !== '' || own.age > ATTACH_PATIENCE));
  if (refused && own && isUntaken(own)) return 'attacher';
  // An attacher takes the node's id from its CSINode, so without a registration it cannot even try.
  if (unregistered) return 'driver';
  // The node has it by an attachment that is marked to go: no new one can be made before, and nothing is mounted by it.
  if (refused || (own?.deleting && event)) return stuck ? 'stuck' : 'attach';
  return event ? 'mount' : null;
}
