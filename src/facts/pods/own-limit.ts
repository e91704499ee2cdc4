import type { Pod } from '../../model/kinds.ts';
import { heardAt } from '../skew.ts';
import { timeOf } from '../time.ts';
import type { World } from '../world.ts';

/** Rows of table `evictions` for what a pod used beyond a limit of its own spec: its node had enough. */
const OWN = new Set(['ephemeral-limit', 'pod-ephemeral-limit', 'emptydir-limit']);

/** Evicted by its kubelet for a limit that the next pod of its template has, too. */
export const isOverOwnLimit = (world: World, { status }: Pod): boolean =>
  status?.reason === 'Evicted' && OWN.has(world.classify('evictions', status.message ?? '').class);

// As for a container that is started again and again (pods/ladder.ts): an end of its own within the hour, several within two.
const RARE = 3_600_000;

const startedAt = (world: World, { status, metadata, spec }: Pod): number =>
  heardAt(world, spec?.nodeName ?? '', timeOf(status?.startTime)) ?? timeOf(metadata.creationTimestamp) ?? 0;

/**
 * Whether what has replaced a pod that filled a limit of its own is to be expected to fill it again: it has not lived as long yet, or,
 * after several of them, twice as long. Who took weeks to fill it gives the next one weeks.
 */
export function fillsAgain(world: World, pod: Pod, failed: readonly Pod[], active: readonly Pod[], failedAt: (pod: Pod) => number): boolean {
  if (!isOverOwnLimit(world, pod)) return false;
  const ended = failedAt(pod);
  const alike = failed.filter((other) => isOverOwnLimit(world, other) && ended - failedAt(other) < 2 * RARE);
  const lived = Math.max(...alike.map((other) => failedAt(other) - startedAt(world, other)));
  const times = alike.length > 1 ? 2 : 1;
  const heirs = active.filter((other) => startedAt(world, other) >= ended);
  return lived <= times * RARE && heirs.length > 0 && heirs.some((heir) => world.now - startedAt(world, heir) <= times * lived);
}
