import { listOf } from '../facts/lists.ts';
import { ownerChain } from '../facts/owners.ts';
import type { World } from '../facts/world.ts';
import { identityOf } from '../model/identity.ts';
import { CERTAINTIES } from '../model/layer.ts';
import type { Hit } from './evaluate.ts';
import { byText } from '../model/order.ts';

/** Siblings with one cause are one finding: the first keeps its words, the others lend subjects and evidence. */
export interface Cause extends Hit {
  /** Every object the cause was seen on. */
  seenOn: Hit['object'][];
  /** What was said of each of them, by identity. */
  titles: Map<string, string>;
}

const EVIDENCE_LIMIT = 6;

/** `asked`: what is in scope. A neighbour with the same trouble is a subject, and neither speaks for it nor dates it. */
export function mergeSiblings(world: World, hits: readonly Hit[], asked: (object: Hit['object']) => boolean): Cause[] {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const key = keyOf(world, hit);
    const group = groups.get(key);
    if (group) group.push(hit);
    else groups.set(key, [hit]);
  }
  return [...groups.values()].map((group) => mergeGroup(group, new Set(group.filter(({ object }) => asked(object)))));
}

const OWN_NUMBERS = /\b(?:\d{4}[-/]\d\d[-/]\d\d|[\da-f]{8,}|\d{6,}|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?)/g;

/** What controllers add to their own name for what they make: the hash of a template, and five letters (apimachinery, util/rand). */
const MADE_UP = /\*(?:-[bcdfghjklmnpqrstvwxz2456789]{6,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;

function keyOf(world: World, hit: Hit): string {
  const { rule, layer, title } = hit.finding;
  if (hit.same) return `${rule}|${layer}|${hit.same}`;
  if (hit.about.length > 0 && hit.about[0] !== hit.object) return `${rule}|${layer}|${hit.finding.subjects.map(identityOf).sort().join(' ')}`;
  const line = [hit.object, ...ownerChain(world, hit.object)];
  const top = line.at(-1) ?? hit.object;
  // Siblings differ in their own names only, and in the times and numbers of what their processes said. An owner's name may be part
  // of what both tell (a ServiceAccount of the same name), so those are left out, too.
  const words = line
    .reduce((text, { metadata }) => text.replaceAll(metadata.name, '*'), title)
    .replace(MADE_UP, '*')
    .replace(OWN_NUMBERS, '#');
  // Its controller may not have been read; its uid is known all the same.
  const above = listOf(top.metadata.ownerReferences).find(({ controller }) => controller)?.uid;
  return `${rule}|${layer}|${above ?? top.metadata.uid ?? identityOf(hit.finding.on)}|${words}`;
}

function mergeGroup(group: Hit[], own: ReadonlySet<Hit>): Cause {
  const sorted = [...group].sort(
    (a, b) => rank(a) - rank(b) || Number(own.has(b)) - Number(own.has(a)) || byText(identityOf(a.finding.on), identityOf(b.finding.on)),
  );
  const first = sorted[0] as Hit;
  const finding = { ...first.finding };
  const merged = <T>(pick: (hit: Hit) => readonly T[], key: (item: T) => string): T[] => [
    ...new Map(sorted.flatMap(pick).map((item) => [key(item), item])).values(),
  ];
  finding.subjects = merged((hit) => hit.finding.subjects, identityOf);
  finding.evidence = merged(
    (hit) => hit.finding.evidence,
    (item) => `${identityOf(item.object)}${item.pointer}`,
  ).slice(0, Math.max(EVIDENCE_LIMIT, first.finding.evidence.length));
  finding.breaks = merged((hit) => hit.finding.breaks, String);
  finding.unread = merged(
    (hit) => hit.finding.unread,
    (gap) => JSON.stringify(gap),
  );
  const since = (own.size > 0 ? [...own] : sorted)
    .map((hit) => hit.finding.since)
    .filter((time): time is string => Boolean(time))
    .sort()[0];
  if (since) finding.since = since;
  return {
    ...first,
    finding,
    titles: new Map(sorted.map((hit) => [identityOf(hit.finding.on), hit.finding.title])),
    seenOn: merged((hit) => [hit.object], identityOf),
    about: merged((hit) => hit.about, identityOf),
    of: merged((hit) => hit.of, identityOf),
  };
}

const rank = (hit: Hit): number => CERTAINTIES.indexOf(hit.finding.certainty);
