import type { KubeObject, Pod, StatefulSet } from '../../model/kinds.ts';
import { Unknown } from '../../model/read.ts';
import { controllerOf, controllerRef, ownedList } from '../owners.ts';
import type { World } from '../world.ts';
import { textsOf } from '../lists.ts';
import { revisionOf } from './rollout.ts';

const GENERATION = 'deprecated.daemonset.template.generation';

const label = (pod: Pod, key: string): string => textsOf(pod.metadata.labels)[key] ?? '';

/** Whether a pod belongs to the newest revision of its workload; true where it has none. Raises Unknown where revisions could not be read. */
export function isCurrentRevision(world: World, pod: Pod): boolean {
  const ref = controllerRef(pod);
  if (!ref || !['ReplicaSet', 'StatefulSet', 'DaemonSet'].includes(ref.kind ?? '')) return true;
  const read = controllerOf(world, pod);
  if (read.state === 'unknown') throw new Unknown(read.why);
  if (read.state === 'absent') return false;
  const owner = read.value;
  if (owner.kind === 'StatefulSet') {
    const update = (owner as StatefulSet).status?.updateRevision;
    const hash = label(pod, 'controller-revision-hash');
    return !update || hash === '' || hash === update;
  }
  if (owner.kind === 'DaemonSet') {
    // The template's generation, not the newest ControllerRevision: a control-plane upgrade may mint one that no pod needs.
    const generation = textsOf(owner.metadata.annotations)[GENERATION] ?? '';
    const own = label(pod, 'pod-template-generation');
    return generation === '' || own === '' || own === generation;
  }
  return isNewestReplicaSet(world, owner);
}

function isNewestReplicaSet(world: World, set: KubeObject): boolean {
  const read = controllerOf(world, set);
  if (read.state === 'unknown') throw new Unknown(read.why);
  if (read.state === 'absent' || read.value.kind !== 'Deployment') return true;
  const own = revisionOf(set);
  const wanted = revisionOf(read.value);
  if (own !== '' && wanted !== '') return Number(own) >= Number(wanted);
  const sets = ownedList(world, read.value, 'ReplicaSet');
  if (sets.state === 'unknown') throw new Unknown(sets.why);
  return sets.state === 'absent' || sets.value.every((other) => Number(revisionOf(other) || 0) <= Number(own || 0));
}
