import type { World } from '../facts/world.ts';
import { identityOf } from '../model/identity.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Capability, Layer } from '../model/layer.ts';
import type { Gap } from '../model/read.ts';
import type { Cause } from './merge.ts';
import { type Need, restsOn } from './relations.ts';

/** Causes by effect: who breaks what this one lacks, with the objects on the way. */
export interface Links {
  causes: Map<Cause, Cause[]>;
  /** From the cause's object down to what lacked it. */
  way: Map<Cause, KubeObject[]>;
  rings: Cause[][];
  /** What could not be read while looking for the cause of a finding that lacks something and has none. */
  blind: Map<Cause, Gap[]>;
}

/** Who breaks what, by capability and object. */
export type Breakers = ReadonlyMap<string, readonly Cause[]>;

export function breakersOf(causes: readonly Cause[]): Breakers {
  const breakers = new Map<string, Cause[]>();
  for (const cause of causes) {
    for (const capability of cause.finding.breaks) {
      for (const object of [...cause.about, ...cause.seenOn]) {
        const key = keyOf(capability, object);
        const list = breakers.get(key);
        if (!list) breakers.set(key, [cause]);
        else if (!list.includes(cause)) list.push(cause);
      }
    }
  }
  return breakers;
}

/** Finds for each cause that lacks something those that break it, and cuts the rings. */
export function linkCauses(world: World, causes: readonly Cause[]): Links {
  const breakers = breakersOf(causes);
  const links: Links = { causes: new Map(), way: new Map(), rings: [], blind: new Map() };
  for (const effect of causes) {
    const lacks = effect.finding.lacks;
    if (!lacks) continue;
    const gaps: Gap[] = [];
    const starts = effect.of.length > 0 ? effect.of : effect.seenOn;
    // Two that break the same thing of one object stand beside each other: neither is short of it because of the other.
    const own = new Set(effect.finding.breaks.flatMap((capability) => [...effect.about, ...effect.seenOn].map((object) => keyOf(capability, object))));
    const { found, way } = nearest(
      world,
      starts.map((object) => ({ capability: lacks, object })),
      breakers,
      gaps,
      { effect, own },
    );
    if (found.length > 0) {
      links.causes.set(effect, found);
      links.way.set(effect, way);
    } else if (gaps.length > 0) links.blind.set(effect, gaps);
  }
  links.rings = breakRings(causes, links.causes);
  return links;
}

const keyOf = (capability: Capability, object: KubeObject): string => `${capability}|${object.metadata.uid ?? ''}|${identityOf(object)}`;

/** Breadth first along the relation table; the nearest breakers are the causes, `way` leads from the first of them to what lacks it. */
export function nearest(
  world: World,
  needs: readonly Need[],
  breakers: Breakers,
  gaps: Gap[],
  but: { effect: Cause | null; own: ReadonlySet<string> },
): { found: Cause[]; way: KubeObject[] } {
  let front: { need: Need; way: KubeObject[] }[] = needs.map((need) => ({ need, way: [need.object] }));
  const visited = new Set<string>();
  for (let steps = 0; front.length > 0 && steps < 8; steps += 1) {
    const found = new Set<Cause>();
    let first: KubeObject[] = [];
    for (const { need, way } of front) {
      const key = keyOf(need.capability, need.object);
      for (const cause of but.own.has(key) ? [] : (breakers.get(key) ?? [])) {
        if (cause === but.effect) continue;
        if (found.size === 0) first = way;
        found.add(cause);
      }
    }
    if (found.size > 0) return { found: [...found], way: first };
    const next: typeof front = [];
    for (const { need, way } of front) {
      for (const more of restsOn(world, need, gaps)) {
        const key = keyOf(more.capability, more.object);
        if (visited.has(key)) continue;
        visited.add(key);
        next.push({ need: more, way: [more.object, ...way] });
      }
    }
    front = next;
  }
  return { found: [], way: [] };
}

const isOn =
  (layer: Layer) =>
  ({ finding }: Cause): boolean =>
    finding.layer === layer;

/** Findings that lack each other: the member on the write path becomes the root, the ring is kept to be shown, each member before what it lacks. */
function breakRings(causes: readonly Cause[], links: Map<Cause, Cause[]>): Cause[][] {
  const rings: Cause[][] = [];
  const done = new Set<Cause>();
  const visit = (at: Cause, path: Cause[]): void => {
    const loop = path.indexOf(at);
    if (loop >= 0) {
      const ring = path.slice(loop);
      const first = ring.indexOf(ring.find(isOn('admission')) ?? ring.find(isOn('api')) ?? at);
      links.delete(ring[first] as Cause);
      rings.push([...ring.slice(first), ...ring.slice(0, first)]);
      return;
    }
    if (done.has(at)) return;
    for (const cause of links.get(at) ?? []) visit(cause, [...path, at]);
    done.add(at);
  };
  for (const cause of causes) visit(cause, []);
  return rings;
}

/** The roots above a cause; itself where it has none. */
export function rootsOf(cause: Cause, links: Links, seen = new Set<Cause>()): Cause[] {
  if (seen.has(cause)) return [];
  seen.add(cause);
  const above = links.causes.get(cause);
  if (!above) return [cause];
  return [...new Set(above.flatMap((each) => rootsOf(each, links, seen)))];
}

/** Whose process it is, where sandboxes or volumes wait for it. */
const AGENT_OF: Partial<Record<Layer, string>> = {
  cni: 'It belongs to the network plugin, for which pods without a sandbox wait.',
  csi: 'It belongs to the storage driver, for which volumes wait.',
};

/** A process that ends or does not answer is an application's, unless sandboxes or volumes fail for want of it: then it is their plugin. */
export function agentOf(cause: Cause, links: Links): { layer: Layer; says: string } | null {
  if (cause.finding.layer !== 'application' || links.causes.has(cause)) return null;
  for (const [
    {
      finding: { layer },
    },
    above,
  ] of links.causes) {
    const says = above.includes(cause) ? AGENT_OF[layer] : undefined;
    if (says) return { layer, says };
  }
  return null;
}
