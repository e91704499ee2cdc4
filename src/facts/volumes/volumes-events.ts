import type { KubeObject, Pod, Volume } from '../../model/kinds.ts';
import { attempt, maybe, Unknown } from '../../model/read.ts';
import { type EventRecord, eventsOf } from '../events/events.ts';
import { recoveredAt } from '../events/recovery.ts';
import { isQuiet, type Retry, VOLUME_RETRIES } from '../events/retries.ts';
import { claimVolumesOf } from './pod-claims.ts';
import { combine, type Told } from '../events/told.ts';
import { kubeletNow } from '../skew.ts';
import { attachmentsOf } from './volumes-attachment.ts';
import type { World } from '../world.ts';

// The last one tells of work that takes long, not of a failure (pkg/volume/volume_linux.go, >=1.34).
const REASONS = ['FailedMount', 'FailedAttachVolume', 'FailedMapVolume', 'VolumePermissionChangeInProgress'];

// Texts that say only that another step has not been done: the kubelet waiting for the attachment, a driver still busy
// with the call before, the umbrella's time-out.
const ECHO =
  /not attached according to node status|has not been added to the list of VolumesInUse|operation with the given Volume ID|Unable to attach or mount volumes|Unable to mount volumes for pod|timed out waiting for the condition/;

/**
 * The newest telling complaint about each volume, by the pod's own name for it; texts use that or the PersistentVolume's.
 * An umbrella text is given to every volume it lists, unless that volume has a text of its own.
 * Raises Unknown where there is none and events could not be read.
 */
export function complaintsOf(world: World, pod: Pod): ReadonlyMap<string, Told> {
  return world.memo(pod, 'volumes:complaints', () => {
    const events = eventsOf(world, pod);
    const complaints = events.filter((record) => REASONS.includes(record.reason) && isCurrent(pod, record, events));
    if (complaints.length === 0) {
      const gap = world.snapshot.gap('Event', pod.metadata.namespace ?? 'default');
      if (gap) throw new Unknown({ ...gap, kind: 'Event' });
    }
    const own = ownNames(world, pod);
    const byVolume = new Map<string, EventRecord[]>();
    for (const record of complaints) {
      for (const name of volumesIn(record.message)) {
        const key = own.get(name) ?? name;
        byVolume.set(key, [...(byVolume.get(key) ?? []), record]);
      }
    }
    return new Map(
      [...byVolume].flatMap(([name, records]): [string, Told][] => {
        const told = complaintOf(world, pod, name, records);
        return told ? [[name, told]] : [];
      }),
    );
  });
}

/** Whether complaints about volumes, of which this is the newest, go on; one that names no volume always does. */
export const isHeld = (world: World, pod: Pod, newest: EventRecord): boolean =>
  volumesIn(newest.message).length === 0 || [...complaintsOf(world, pod).values()].some(({ quiet }) => !quiet);

/** Attaching and mounting are tried apart, and each may be over by itself; null where an attachment is that is said to fail. */
function complaintOf(world: World, pod: Pod, name: string, records: readonly EventRecord[]): Told | null {
  const events = eventsOf(world, pod);
  const attaching = isAttached(world, pod, name) ? [] : records.filter((record) => record.reason === 'FailedAttachVolume');
  const mounting = records.filter((record) => record.reason !== 'FailedAttachVolume');
  const steps = [
    { all: attaching, quiet: isQuiet(world.now, attaching, events, VOLUME_RETRIES.csi) },
    { all: mounting, quiet: isQuiet(kubeletNow(world, pod), mounting, events, retryOf(world, pod, name)) },
  ].filter(({ all }) => all.length > 0);
  const quiet = steps.every((step) => step.quiet);
  const left = steps.filter((step) => step.quiet === quiet).flatMap(({ all }) => all);
  return left.length > 0 ? combine(world, pod, telling(left), left, quiet) : null;
}

const persistentOf = (world: World, pod: Pod, name: string): string => [...ownNames(world, pod)].find(([, own]) => own === name)?.[0] ?? '';

function isAttached(world: World, pod: Pod, name: string): boolean {
  const persistent = persistentOf(world, pod, name);
  return (
    persistent !== '' &&
    (attempt(() => attachmentsOf(world, persistent)) ?? []).some((each) => each.node === pod.spec?.nodeName && each.attached && !each.deleting)
  );
}

const AT_HAND: readonly (keyof Volume)[] = ['configMap', 'secret', 'projected', 'downwardAPI', 'emptyDir', 'hostPath'];

function retryOf(world: World, pod: Pod, name: string): Retry {
  const volume = (Array.isArray(pod.spec?.volumes) ? pod.spec.volumes : []).find((each) => each?.name === name);
  if (volume && AT_HAND.some((source) => volume[source])) return VOLUME_RETRIES.local;
  const persistent = maybe(world.snapshot.get('PersistentVolume', undefined, persistentOf(world, pod, name)));
  return volume?.csi || persistent?.spec?.csi ? VOLUME_RETRIES.csi : VOLUME_RETRIES.other;
}

/** The pod's name of a volume by its PersistentVolume's. */
function ownNames(world: World, pod: Pod): ReadonlyMap<string, string> {
  return new Map(
    claimVolumesOf(pod).flatMap(({ claim, volume }): [string, string][] => {
      const name = maybe(world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, claim))?.spec?.volumeName;
      return name ? [[name, volume]] : [];
    }),
  );
}

// A failed attachment holds the mount; an echo holds nothing that the sentence before it would not explain.
function telling(records: readonly EventRecord[]): EventRecord {
  const rank = (record: EventRecord): number => (ECHO.test(record.message) ? 0 : record.reason === 'FailedAttachVolume' ? 2 : 1);
  return [...records].sort((a, b) => rank(b) - rank(a) || b.last - a.last)[0] as EventRecord;
}

/** An attachment that succeeded later ends the complaints about that volume only. */
function isCurrent(pod: KubeObject, record: EventRecord, events: readonly EventRecord[]): boolean {
  const recovered = recoveredAt(pod, record.reason);
  if (recovered !== null && record.last < recovered) return false;
  if (record.reason !== 'FailedAttachVolume') return true;
  const names = volumesIn(record.message);
  return !events.some(
    (other) => other.reason === 'SuccessfulAttachVolume' && other.last > record.last && volumesIn(other.message).some((name) => names.includes(name)),
  );
}

/**
 * Volumes a message is about: quoted after `volume`, or listed as unmounted. Where some could not be processed the others of that
 * list only wait with them (pkg/kubelet/volumemanager/volume_manager.go, WaitForAttachAndMount).
 */
export function volumesIn(message: string): string[] {
  const listed =
    /failed to process volumes=\[([^\]]+)\]/.exec(message) ??
    /unmounted volumes=\[([^\]]*)\]/.exec(message) ??
    /list of un(?:attached\/un)?mounted volumes=\[([^\]]*)\]/.exec(message);
  if (listed) return (listed[1] ?? '').split(/[\s,]+/).filter(Boolean);
  const owned = /^Setting volume ownership for \S*?\/volumes\/[^\s/]+\/([^\s/,]+)/.exec(message);
  const quoted = owned ?? /for volume "([^"]+)"/.exec(message) ?? /^volume "?([^"\s]+)"? has volumeMode/.exec(message);
  return quoted?.[1] ? [quoted[1]] : [];
}
