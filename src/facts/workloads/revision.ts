import type { DaemonSet, Deployment, KubeObject, Pod, StatefulSet } from '../../model/kinds.ts';
import { Unknown } from '../../model/read.ts';
import { controllerOf, controllerRef, ownedList } from '../owners.ts';
import type { World } from '../world.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const GENERATION = 'deprecated.daemonset.template.generation';

const annotation = (object: { metadata: { annotations?: unknown } }, key: string): string =>
  (object.metadata.annotations as Record<string, string> | undefined)?.[key] ?? '';
const label = (pod: Pod, key: string): string => (pod.metadata.labels as Record<string, string> | undefined)?.[key] ?? '';

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
    const generation = annotation(owner as DaemonSet, GENERATION);
    const own = label(pod, 'pod-template-generation');
    return generation === '' || own === '' || own === generation;
  }
  return isNewestReplicaSet(world, owner);
}

function isNewestReplicaSet(world: World, set: KubeObject): boolean {
  const read = controllerOf(world, set);
  if (read.state === 'unknown') throw new Unknown(read.why);
  if (read.state === 'absent' || read.value.kind !== 'Deployment') return true;
  const deployment = read.value as Deployment;
  const own = annotation(set, REVISION);
  const wanted = annotation(deployment, REVISION);
  if (own !== '' && wanted !== '') return Number(own) >= Number(wanted);
  const sets = ownedList(world, deployment, 'ReplicaSet');
  if (sets.state === 'unknown') throw new Unknown(sets.why);
  return sets.state === 'absent' || sets.value.every((other) => Number(annotation(other, REVISION) || 0) <= Number(own || 0));
}
