import type { KubeObject, Pod } from '../model/kinds.ts';
import { maybe, Unknown } from '../model/read.ts';
import { type EventRecord, eventsOf } from './events.ts';
import { recoveredAt } from './recovery.ts';
import { claimVolumesOf } from './scheduling-volumes.ts';
import { combine, type Told } from './told.ts';
import type { World } from './world.ts';

const REASONS = ['FailedMount', 'FailedAttachVolume', 'FailedMapVolume'];

// Texts that say only that another step has not been done: the kubelet waiting for the attachment, a driver still busy
// with the call before, the umbrella's time-out.
const ECHO = /not attached according to node status|has not been added to the list of VolumesInUse|operation with the given Volume ID|Unable to attach or mount volumes|Unable to mount volumes for pod|timed out waiting for the condition/;

// Kubelet and attach-detach controller retry after 0.5 s, doubled up to 2m2s (pkg/util/goroutinemap/exponentialbackoff):
// a volume that has been silent for longer than its next attempt could take, while others complain, went through.
const LONGEST = 300_000;
const isSilent = (records: readonly EventRecord[], newest: number): boolean => {
  const last = Math.max(...records.map((record) => record.last));
  const spent = last - Math.min(...records.map((record) => record.first));
  return newest - last > Math.min(LONGEST, 2 * spent + 30_000);
};

/**
 * The newest telling complaint about each volume, by the pod's own name for it; texts use that or the PersistentVolume's.
 * An umbrella text is given to every volume it lists, unless that volume has a text of its own.
 * Raises Unknown where there is none and events could not be read.
 */
export function complaintsOf(world: World, pod: Pod): ReadonlyMap<string, Told> {
  return world.memo(pod, 'volumes:complaints', () => {
    const object = pod as unknown as KubeObject;
    const events = eventsOf(world, object);
    const complaints = events.filter((record) => REASONS.includes(record.reason) && isCurrent(object, record, events));
    if (complaints.length === 0) {
      const gap = world.snapshot.gap('Event', pod.metadata.namespace ?? 'default');
      if (gap) throw new Unknown({ ...gap, kind: 'Event' });
    }
    const newest = Math.max(0, ...complaints.map((record) => record.last));
    const own = ownNames(world, pod);
    const byVolume = new Map<string, EventRecord[]>();
    for (const record of complaints) {
      for (const name of volumesIn(record.message)) {
        const key = own.get(name) ?? name;
        byVolume.set(key, [...(byVolume.get(key) ?? []), record]);
      }
    }
    return new Map([...byVolume].filter(([, records]) => !isSilent(records, newest)).map(([name, records]) => [name, combine(world, object, telling(records), records)]));
  });
}

/** The pod's name of a volume by its PersistentVolume's. */
function ownNames(world: World, pod: Pod): ReadonlyMap<string, string> {
  return new Map(claimVolumesOf(pod).flatMap(({ claim, volume }): [string, string][] => {
    const name = maybe(world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, claim))?.spec?.volumeName;
    return name ? [[name, volume]] : [];
  }));
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
  return !events.some((other) => other.reason === 'SuccessfulAttachVolume' && other.last > record.last && volumesIn(other.message).some((name) => names.includes(name)));
}

/**
 * Volumes a message is about: quoted after `volume`, or listed as unmounted. Where some could not be processed the others of that
 * list only wait with them (pkg/kubelet/volumemanager/volume_manager.go, WaitForAttachAndMount).
 */
export function volumesIn(message: string): string[] {
  const listed = /failed to process volumes=\[([^\]]+)\]/.exec(message) ?? /unmounted volumes=\[([^\]]*)\]/.exec(message) ?? /list of un(?:attached\/un)?mounted volumes=\[([^\]]*)\]/.exec(message);
  if (listed) return (listed[1] ?? '').split(/[\s,]+/).filter(Boolean);
  const quoted = /for volume "([^"]+)"/.exec(message) ?? /^volume "?([^"\s]+)"? has volumeMode/.exec(message);
  return quoted?.[1] ? [quoted[1]] : [];
}
