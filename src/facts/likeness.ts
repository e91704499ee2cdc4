import type { ContainerState, ContainerStatus, KubeObject, Pod } from '../model/kinds.ts';
import { eventsOf } from './events/event-index.ts';
import { listOf } from './lists.ts';
import { controllerRef } from './owners.ts';
import { podFacts } from './pods/pod.ts';
import type { World } from './world.ts';

// A StatefulSet's pods have claims of their own, a DaemonSet's a node each.
const INTERCHANGEABLE = ['ReplicaSet', 'ReplicationController', 'Job'];
// From here on the node a pod is on plays no part in what is wrong with it.
const PAST_THE_NODE = ['init', 'start', 'startup', 'ready', 'finish'];

/**
 * Two pods of one likeness are told apart by name and time only: one controller and revision, the same rungs,
 * the same states of their containers, the same things told of them. What holds of one holds of the other.
 * A number for each likeness; 0 for a pod that is like no other.
 */
export function likenessOf(world: World, object: KubeObject): number {
  if (object.kind !== 'Pod') return 0;
  return world.memo(object, 'likeness', () => {
    const features = featuresOf(world, object as Pod);
    if (features === null) return 0;
    const known = world.memo(world.snapshot, 'likenesses', () => new Map<string, number>());
    const key = features.join('\0');
    let number = known.get(key);
    if (number === undefined) known.set(key, (number = known.size + 1));
    return number;
  });
}

type Feature = string | number | boolean | undefined;

/** What two pods of one likeness share, in order. A list is led by its length, so that no two lists of features give one text. */
function featuresOf(world: World, pod: Pod): Feature[] | null {
  const owner = controllerRef(pod);
  if (!owner?.uid || !INTERCHANGEABLE.includes(owner.kind ?? '') || pod.metadata.deletionTimestamp) return null;
  const { at, trusted, young } = podFacts(world, pod);
  const { status } = pod;
  const { name } = pod.metadata;
  const node = at.every((rung) => PAST_THE_NODE.includes(rung)) ? '' : pod.spec?.nodeName;
  const features: Feature[] = [owner.uid, at.join(' '), trusted, young, node, status?.phase, status?.reason, masked(status?.message, name)];
  const conditions = listOf(status?.conditions);
  features.push(conditions.length);
  for (const { type, status: is, reason, message } of conditions) features.push(type, is, reason, masked(message, name));
  for (const boxes of [status?.initContainerStatuses, status?.containerStatuses]) {
    const list = listOf(boxes) as ContainerStatus[];
    features.push(list.length);
    for (const box of list) {
      features.push(box.name, box.ready, box.started, (box.restartCount ?? 0) > 0);
      addState(features, box.state, name);
      addState(features, box.lastState, name);
    }
  }
  for (const { reason, fieldPath, message } of eventsOf(world, pod)) features.push(reason, fieldPath, masked(message, name));
  return features;
}

/** A message without the pod's name and without numbers: what two siblings' messages share. */
const masked = (message: string | undefined, name: string): string => (message ? message.replaceAll(name, '#').replace(/\d+/g, '#') : '');

function addState(features: Feature[], state: ContainerState | undefined, name: string): void {
  const { waiting, terminated, running } = state ?? {};
  if (waiting) features.push('waiting', waiting.reason, '', '', masked(waiting.message, name));
  else if (terminated) features.push('terminated', terminated.reason, terminated.exitCode, terminated.signal, masked(terminated.message, name));
  else features.push(running ? 'running' : '', '', '', '', '');
}
