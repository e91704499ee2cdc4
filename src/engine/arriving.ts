import type { World } from '../facts/world.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Capability } from '../model/layer.ts';
import type { Ladder } from './ladder.ts';
import type { Cause } from './merge.ts';
import { type Need, restsOn } from './relations.ts';

/** What an agent of the node gives as soon as it runs: who failed for want of it tries again by himself. */
const AWAITED: readonly Capability[] = ['network', 'serves'];

const STEPS = 4;

/** The pods that would give what the finding lacks; what it was seen on gives it nothing, however young it is. */
function giversOf(world: World, { finding: { lacks }, of, seenOn }: Cause): Set<KubeObject> {
  const givers = new Set<KubeObject>();
  if (!lacks || !AWAITED.includes(lacks)) return givers;
  let front: Need[] = (of.length > 0 ? of : seenOn).map((object) => ({ capability: lacks, object }));
  for (let steps = 0; steps < STEPS && front.length > 0; steps += 1) {
    for (const { capability, object } of front) if (object.kind === 'Pod' && capability === 'ready' && !seenOn.includes(object)) givers.add(object);
    front = front.flatMap((need) => (need.object.kind === 'Pod' && need.capability === 'ready' ? [] : restsOn(world, need, [])));
  }
  return givers;
}

/**
 * The agent that would give what the finding lacks and is just being started, or replaced; null where there is none, where all of them are well,
 * or where one fails.
 */
export function arrivingFor(world: World, ladder: Ladder, cause: Cause): KubeObject | null {
  let comer: KubeObject | null = null;
  for (const giver of giversOf(world, cause)) {
    const { at, young } = ladder.standing(giver);
    const leaves = giver.metadata.deletionTimestamp !== undefined;
    if (!at.includes('goal') && !young) return null;
    if (young || leaves) comer ??= giver;
  }
  return comer;
}

export const comesInWords = ({ metadata }: KubeObject): string =>
  `Pod ${metadata.name}, which gives what it lacks, is just being ${metadata.deletionTimestamp ? 'replaced' : 'started'}.`;
