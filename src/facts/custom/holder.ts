import type { KubeObject } from '../../model/kinds.ts';
import { kindKey } from '../../model/resources.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { listOf } from '../lists.ts';
import type { World } from '../world.ts';

/** A lock that an object waits for, and who holds it though it is gone. */
export interface LostHolder extends Addressed {
  lock: string;
  holder: string;
  says: string;
}

interface Waiting {
  mutex?: string;
  semaphore?: string;
  holder?: string;
  holders?: string[];
}

interface Synchronization {
  mutex?: { waiting?: Waiting[] };
  semaphore?: { waiting?: Waiting[] };
}

/**
 * Argo Workflows names in the status of who waits by whom its lock is held: `namespace/name`, or `namespace/name/node` for a step.
 * A run that is gone lets nothing go any more, and the controller counts anew only when it starts.
 * Null where a holder is there, or may be.
 */
export function lostHolderOf(world: World, object: KubeObject): LostHolder | null {
  const status = (object['status'] ?? {}) as { synchronization?: Synchronization };
  for (const type of ['mutex', 'semaphore'] as const) {
    for (const [index, waiting] of listOf(status.synchronization?.[type]?.waiting).entries()) {
      const lock = waiting.mutex ?? waiting.semaphore ?? '';
      const holders = [waiting.holder, ...listOf(waiting.holders)].filter((each) => each !== undefined && each !== '') as string[];
      if (lock === '' || holders.length === 0 || !holders.every((holder) => isGone(world, object, holder))) continue;
      const holder = holders.map((each) => each.split('/')[1] ?? each).join(', ');
      const says = `waits for lock ${lock}, which is held by ${holder}, and no ${object.kind} of that name is there`;
      return { lock, holder, says, evidence: evidenceAt(object, `/status/synchronization/${type}/waiting/${index}`, `waits for ${lock}, held by ${holder}`) };
    }
  }
  return null;
}

function isGone(world: World, { apiVersion, kind }: KubeObject, holder: string): boolean {
  const [namespace, name] = holder.split('/');
  const read = name ? world.snapshot.get(kindKey(apiVersion, kind), namespace, name) : null;
  return read?.state === 'absent';
}
