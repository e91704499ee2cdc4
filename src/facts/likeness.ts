import type { ContainerState, ContainerStatus, KubeObject, Pod } from '../model/kinds.ts';
import { eventsOf } from './event-index.ts';
import { listOf } from './lists.ts';
import { controllerSubject } from './owners.ts';
import { podFacts } from './pod.ts';
import type { World } from './world.ts';

// A StatefulSet's pods have claims of their own, a DaemonSet's a node each.
const INTERCHANGEABLE = ['ReplicaSet', 'ReplicationController', 'Job'];
// From here on the node a pod is on plays no part in what is wrong with it.
const PAST_THE_NODE = ['init', 'start', 'startup', 'ready', 'finish'];

/**
 * Two pods of one likeness are told apart by name and time only: one controller and revision, the same rungs,
 * the same states of their containers, the same things told of them. What holds of one holds of the other.
 * '' for a pod that is like no other.
 */
export function likenessOf(world: World, object: KubeObject): string {
  if (object.kind !== 'Pod') return '';
  return world.memo(object, 'likeness', () => {
    const pod = object as unknown as Pod;
    const owner = controllerSubject(pod);
    if (!owner?.uid || !INTERCHANGEABLE.includes(owner.kind) || pod.metadata.deletionTimestamp) return '';
    const { at, trusted, young } = podFacts(world, pod);
    const { status } = pod;
    const name = pod.metadata.name;
    const node = at.every((rung) => PAST_THE_NODE.includes(rung)) ? '' : pod.spec?.nodeName;
    const boxes = [...listOf(status?.initContainerStatuses), ...listOf(status?.containerStatuses)] as ContainerStatus[];
    return JSON.stringify([
      owner.uid, at, trusted, young, node, status?.phase, status?.reason, masked(status?.message ?? '', name),
      listOf(status?.conditions).map(({ type, status: is, reason, message }) => [type, is, reason, masked(message ?? '', name)]),
      boxes.map((box) => [box.name, box.ready, box.started, (box.restartCount ?? 0) > 0, stateOf(box.state, name), stateOf(box.lastState, name)]),
      eventsOf(world, object).map(({ reason, fieldPath, message }) => [reason, fieldPath, masked(message, name)]),
    ]);
  });
}

/** A message without the pod's name and without numbers: what two siblings' messages share. */
const masked = (message: string, name: string): string => (message === '' ? '' : message.replaceAll(name, '#').replace(/\d+/g, '#'));

function stateOf(state: ContainerState | undefined, name: string): unknown {
  const { waiting, terminated, running } = state ?? {};
  if (waiting) return [waiting.reason, masked(waiting.message ?? '', name)];
  if (terminated) return [terminated.reason, terminated.exitCode, terminated.signal, masked(terminated.message ?? '', name)];
  return running ? 'running' : '';
}
