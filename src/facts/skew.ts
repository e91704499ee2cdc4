import type { KubeObject, Pod } from '../model/kinds.ts';
import { maybe } from '../model/read.ts';
import { groupBy, listOf } from './lists.ts';
import { bornAt, timeOf } from './time.ts';
import type { World } from './world.ts';

const LEASES = 'kube-node-lease';

/** Seconds by which two clocks may differ and still be one, as far as anything is judged by them. */
const SKEW = 30;

/** What the API shows of a pod that its kubelet read from a file. */
export const isMirror = ({ metadata }: Pod): boolean => 'kubernetes.io/config.mirror' in (metadata.annotations ?? {});

/** Pods given to a node, finished ones too, from what was read. */
export function podsOn(world: World, node: string): readonly Pod[] {
  const index = world.memo(world.snapshot, 'index:podsByNode', () => groupBy(world.snapshot.seen('Pod'), (pod) => pod.spec?.nodeName ?? ''));
  return index.get(node) ?? [];
}

/**
 * By how much the clock of a kubelet is behind, in seconds. It notes by its own clock when it took a pod up (startTime), the API server by its own
 * when that was made, and nobody takes up what is not there. A mirror pod is made after its static one was taken up.
 */
export function lagOf(world: World, node: string): number {
  const taken = podsOn(world, node).filter((pod) => pod.status?.startTime && !isMirror(pod));
  const newest = taken.reduce<Pod | null>((best, pod) => (best && bornAt(best) >= bornAt(pod) ? best : pod), null);
  const lag = newest ? (bornAt(newest) - (timeOf(newest.status?.startTime) ?? bornAt(newest))) / 1000 : 0;
  return lag > SKEW ? lag : 0;
}

/**
 * By how many seconds the clock of a node's kubelet is ahead; behind, below 0. It writes the time of its Lease by its own, and the API server notes
 * that write by its own. Without the note: nobody has renewed a Lease or posted a status in the future; and it is behind by no more than its Lease looks old.
 */
function leadOf(world: World, name: string): number {
  const lease = maybe(world.snapshot.get('Lease', LEASES, name));
  const renewed = timeOf(lease?.spec?.renewTime);
  const noted = listOf(lease?.metadata.writers).map(({ time, paths }) => ((paths ?? []).includes('spec.renewTime') ? timeOf(time) : null));
  const note = Math.max(0, ...noted.map((time) => time ?? 0));
  if (renewed !== null && note > 0) return (renewed - note) / 1000;
  const posted = listOf(maybe(world.snapshot.get('Node', undefined, name))?.status?.conditions).filter(({ type }) => type === 'Ready');
  const lead = (Math.max(renewed ?? 0, ...posted.map(({ lastHeartbeatTime }) => timeOf(lastHeartbeatTime) ?? 0)) - world.now) / 1000;
  if (lead > 0) return lead;
  return renewed === null ? 0 : -Math.min(lagOf(world, name), Math.max(0, (world.now - renewed) / 1000));
}

/** The same in ms, as far as it can be told; 0 where the clocks are one. */
export function skewOf(world: World, node: string): number {
  if (node === '') return 0;
  const known = world.memo(world.snapshot, 'clock:skews', () => new Map<string, number>());
  let skew = known.get(node);
  if (skew === undefined) {
    const lead = leadOf(world, node);
    known.set(node, (skew = Math.abs(lead) > SKEW ? lead * 1000 : 0));
  }
  return skew;
}

/** Now by the clock of the kubelet that writes the status of a pod, in ms, as far as it can be told. */
export const kubeletNow = (world: World, pod: Pod): number => world.now + skewOf(world, pod.spec?.nodeName ?? '');

/** Now by the clock of whoever wrote an event about this object: the kubelet's own writes only of what is on its node. */
export const toldNow = (world: World, object: KubeObject, source: string): number =>
  object.kind === 'Pod' && source === 'kubelet' ? kubeletNow(world, object as Pod) : world.now;

/** A time that the kubelet of a node wrote, by the clock of the API server; one that would then lie in the future was written by somebody else. */
export function heardAt(world: World, node: string, time: number | null): number | null {
  const at = time === null ? null : time - skewOf(world, node);
  return at !== null && at <= world.now ? at : time;
}
