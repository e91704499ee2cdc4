import type { Pod } from '../../model/kinds.ts';
import { maybe } from '../../model/read.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import type { FieldDoc } from '../family.ts';
import { textsOf } from '../lists.ts';
import { nodeOf } from '../nodes.ts';
import { controllerRef, ownedBy } from '../owners.ts';
import type { World } from '../world.ts';
import { type Slot, slotsOf, stateOf } from './containers.ts';

/** The same container of the same template, which runs on another node of the same make. */
export interface Twin extends Addressed {
  pod: string;
  node: string;
}

export const TWIN_TYPE: Record<string, FieldDoc> = {
  pod: { type: 'string', doc: 'name of the pod that runs it' },
  node: { type: 'string', doc: 'name of the node it runs on' },
  evidence: { type: 'Evidence', doc: 'the status of the container that runs' },
};

const REVISIONS = ['pod-template-hash', 'controller-revision-hash'];

const revision = (pod: Pod): string => REVISIONS.map((key) => textsOf(pod.metadata.labels)[key] ?? '').join('/');

const digest = (slot: Slot): string => /sha256:[\da-f]{64}/.exec(slot.status?.imageID ?? '')?.[0] ?? '';

function makeOf(world: World, pod: Pod): string {
  const info = maybe(nodeOf(world, pod))?.status?.nodeInfo;
  return info?.architecture && info.operatingSystem ? `${info.operatingSystem}/${info.architecture}` : '';
}

/** The pods of one template on other nodes of one make: what one of them runs, the image and the spec allow. Null where none was seen. */
export function twinOf(world: World, pod: Pod, slot: Slot): Twin | null {
  const make = makeOf(world, pod);
  if (make === '') return null;
  for (const other of ownedBy(world, controllerRef(pod)?.uid, 'Pod') as readonly Pod[]) {
    const node = other.spec?.nodeName ?? '';
    if (node === '' || node === pod.spec?.nodeName || revision(other) !== revision(pod) || makeOf(world, other) !== make) continue;
    const its = slotsOf(other).find(({ name, role }) => name === slot.name && role === slot.role);
    if (!its?.status?.ready || stateOf(its.status) !== 'running' || its.spec.image !== slot.spec.image) continue;
    // A tag may have moved between the two pulls.
    const digests = new Set([digest(slot), digest(its)].filter((each) => each !== ''));
    if (digests.size > 1) continue;
    return { pod: other.metadata.name, node, evidence: evidenceAt(other, `${its.pointer}/state/running`, `container ${its.name} runs on ${node}`) };
  }
  return null;
}
