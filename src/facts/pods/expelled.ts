import type { Node, Pod, Taint } from '../../model/kinds.ts';
import { type Addressed, conditionOf, evidenceAt } from '../address.ts';
import { eventsWith } from '../events/event-index.ts';
import { listOf } from '../lists.ts';
import { controllerRef } from '../owners.ts';
import { taintText, tolerates } from '../scheduling/placement.ts';
import { duration, timeOf } from '../time.ts';
import type { World } from '../world.ts';

/** A pod that was given to a node whose taint lets it stay for a while only: it is evicted, made again, and may be placed there again. */
export interface Expelled extends Addressed {
  taint: string;
  /** Seconds that its toleration grants. */
  grace: number;
  /** Seconds left of them; 0 where they are over. */
  left: number;
  /** How many pods of the same controller were evicted for a taint within the hour, by events. */
  before: number;
}

// The node's own state is told by the node; while it lasts nothing is placed there (node lifecycle controller adds NoSchedule, too).
const OF_STATE = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);
const HOUR = 3_600_000;

const tainted = (world: World): ReadonlyMap<string, Node> =>
  world.memo(
    world.snapshot,
    'index:expelling',
    () =>
      new Map(
        world.snapshot
          .seen('Node')
          .filter((node) => listOf(node.spec?.taints).some(isExpelling))
          .map((node) => [node.metadata.name, node]),
      ),
  );

const isExpelling = ({ effect, key }: Taint): boolean => effect === 'NoExecute' && !OF_STATE.has(key ?? '');

/** Seconds for which a pod may stay; null for as long as it likes, or not at all. The first toleration that fits counts (taint-eviction-controller). */
function graceOf({ spec }: Pod, taint: Taint): number | null {
  const toleration = listOf(spec?.tolerations).find((each) => tolerates([each], taint));
  return toleration?.tolerationSeconds ?? null;
}

/**
 * Null where its node expels nobody, where it may stay, and where it was there before the taint and nobody of its kind was evicted: that one
 * eviction is what the taint is for. Who was placed beside the taint will be evicted, and the next one placed as it was.
 */
export function expelledOf(world: World, pod: Pod): Expelled | null {
  const nodes = tainted(world);
  const node = nodes.size > 0 ? nodes.get(pod.spec?.nodeName ?? '') : undefined;
  if (!node || pod.metadata.deletionTimestamp) return null;
  return world.memo(pod, 'pod:expelled', () => {
    const placed = timeOf(conditionOf(pod, 'PodScheduled')?.since) ?? timeOf(pod.status?.startTime) ?? timeOf(pod.metadata.creationTimestamp) ?? 0;
    const before = evictedBefore(world, pod);
    for (const [index, taint] of listOf(node.spec?.taints).entries()) {
      const grace = isExpelling(taint) ? graceOf(pod, taint) : null;
      const since = timeOf(taint.timeAdded);
      if (grace === null || (before === 0 && (since === null || placed <= since))) continue;
      const left = Math.max(0, grace - (world.now - Math.max(placed, since ?? 0)) / 1000);
      const text = `taint ${taintText(taint)} of ${node.metadata.name}, tolerated for ${duration(grace)}`;
      return { taint: taintText(taint), grace, left, before, evidence: evidenceAt(node, `/spec/taints/${index}`, text, taint.timeAdded ?? null) };
    }
    return null;
  });
}

/** Its controller deletes no pod for a taint; whoever does says so of the pod, which is gone by now (pkg/controller/tainteviction). */
function evictedBefore(world: World, pod: Pod): number {
  const owner = controllerRef(pod)?.name;
  if (!owner) return 0;
  const names = new Set(
    eventsWith(world, 'TaintManagerEviction')
      .filter(({ about, last }) => about.namespace === pod.metadata.namespace && about.name?.startsWith(`${owner}-`) && world.now - last < HOUR)
      .map(({ about }) => about.name ?? ''),
  );
  names.delete(pod.metadata.name);
  return names.size;
}

export const EXPELLED_TYPE = {
  taint: { type: 'string', doc: 'key=value:NoExecute' },
  grace: { type: 'double', doc: 'seconds that its toleration grants' },
  left: { type: 'double', doc: 'seconds left of them' },
  before: { type: 'double', doc: 'pods of the same controller evicted for a taint within the hour, by events' },
  evidence: { type: 'Evidence', doc: 'the taint' },
} as const;
