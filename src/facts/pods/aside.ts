import type { KubeObject, Pod } from '../../model/kinds.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import { textsOf } from '../lists.ts';
import { topOwner } from '../owners.ts';
import type { World } from '../world.ts';

/** A member that a person took out of service by its name, in a mark on the object it belongs to. */
export interface Aside extends Addressed {
  mark: string;
  owner: KubeObject;
}

/** Their operators stop the process and leave the pod: CloudNativePG's fencing, and Elastic's suspended members, which wait in an init container. */
const MARKS = ['cnpg.io/fencedInstances', 'eck.k8s.elastic.co/suspend'];

/** Null where no mark names it. */
export function asideOf(world: World, pod: Pod): Aside | null {
  const owner = topOwner(world, pod);
  const marks = owner ? textsOf(owner.metadata.annotations) : {};
  const mark = MARKS.find((key) => namesIn(marks[key] ?? '').some((name) => name === '*' || name === pod.metadata.name));
  return owner && mark ? { mark, owner, evidence: evidenceAt(owner, pointerTo('metadata', 'annotations', mark), `${mark}: ${marks[mark] ?? ''}`) } : null;
}

/** `["a","b"]` or `a,b`. */
const namesIn = (value: string): string[] => value.split(/[\s,"[\]]+/).filter((name) => name !== '');

export const ASIDE_TYPE = {
  mark: { type: 'string', doc: 'the annotation that names it' },
  owner: { type: 'object', doc: 'what bears the annotation' },
  evidence: { type: 'Evidence', doc: 'the annotation' },
} as const;
