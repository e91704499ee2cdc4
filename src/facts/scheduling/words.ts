import { attempt } from '../../model/read.ts';
import { formatQuantity } from '../quantity.ts';
import type { SchedFacts } from './scheduling.ts';
import { ago, some } from '../words.ts';

type Judged = Pick<SchedFacts, 'oversize' | 'predicates' | 'summary' | 'demands' | 'best' | 'withheld' | 'asleep' | 'fits' | 'total' | 'cut' | 'sum'>;

/** The pod asks for more than any node it may use has when empty; null where one is large enough, or the nodes were not read. */
const tooLarge = (facts: Judged): SchedFacts['oversize'] => (facts.predicates.some(({ kind }) => kind === 'resources') ? attempt(() => facts.oversize) : null);

const withheldOf = (facts: Judged): SchedFacts['withheld'] => attempt(() => facts.withheld) ?? [];

/** Why no node fits, as a heading. */
export function schedSays(facts: Judged): string {
  if (facts.predicates.length > 0 && facts.predicates.every(({ kind }) => kind === 'gang')) return facts.summary;
  if (facts.predicates.some(({ kind }) => kind === 'extender')) return `The pod is not judged: ${facts.summary}`;
  const large = tooLarge(facts);
  const [kept] = large ? withheldOf(facts) : [];
  if (kept) return `No node fits: ${kept.text}`;
  if (!large) return `No node fits: ${facts.summary}${nearest(facts)}`;
  const nobodys = unoffered(large);
  if (nobodys.length > 0)
    return `No node${facts.demands.length > 0 ? ' that its labels allow' : ''} offers ${nobodys.map((resource) => `${resource} (${formatQuantity(resource, large.short[resource] ?? 0)} asked)`).join(' or ')}`;
  const lacks = Object.entries(large.short).map(([resource, lack]) => {
    const has = large.free[resource] ?? 0;
    return `${formatQuantity(resource, has + lack)} ${resource} asked, the largest ${facts.demands.length > 0 ? 'that its labels allow ' : ''}has ${formatQuantity(resource, has)}`;
  });
  return `No node is large enough: ${lacks.join('; ')}`;
}

/** What a node only has if something offers it there: devices of a plugin, huge pages set aside. */
const unoffered = ({ free, short }: NonNullable<SchedFacts['oversize']>): string[] =>
  Object.keys(short).filter((resource) => (resource.includes('/') || resource.startsWith('hugepages-')) && (free[resource] ?? 0) === 0);

/** How much the best node lacks, where room is all that is lacking. */
function nearest(facts: Judged): string {
  if (facts.predicates.length !== 1 || facts.predicates[0]?.kind !== 'resources') return '';
  const best = attempt(() => facts.best);
  const [first] = Object.entries(best?.short ?? {});
  if (!best || !first) return '';
  const [resource, lack] = first;
  const has = best.free[resource] ?? 0;
  return ` (${formatQuantity(resource, has + lack)} asked, ${best.node} has ${formatQuantity(resource, Math.max(0, has))} free)`;
}

/** What follows from the scheduler's answer, in a few sentences. */
export function schedWhy(facts: Judged, now: number): string {
  // It looks again whenever a node or a pod changes; one that is gone does not, and what kept the pod off may be over.
  if (facts.asleep !== '') return `The scheduler said so before it fell silent, ${ago(now, facts.asleep)}; nobody has looked since.`;
  if (facts.predicates.some(({ kind }) => kind === 'gang')) return 'No node is looked at before the group is complete.';
  if (facts.predicates.some(({ kind }) => kind === 'extender')) return 'The scheduler asks this program for each pod, and came to no verdict on any node.';
  const fits = attempt(() => facts.fits) ?? [];
  const changed = fits.length > 0 ? ` By what was read ${some(fits)} would take it now: something has changed since, or the scheduler sees more.` : '';
  return `The scheduler has looked at every node${grounds(facts)}${sumOf(facts)}${changed}`;
}

/** Every node is refused by something. More than all together are no riddle: a node may lack two resources, and old schedulers told all its faults. */
function sumOf({ total, cut, predicates, sum: { told, is } }: Judged): string {
  return predicates.length > 0 && is === 'short'
    ? ` Its counts make ${told} of ${total}${cut ? ', as its text is cut' : ''}: why the others were refused is not told.`
    : '';
}

function grounds(facts: Judged): string {
  const large = tooLarge(facts);
  if (large && withheldOf(facts).length > 0) return '. A node keeps devices back that are unhealthy, or whose device plugin does not run there.';
  if (large && unoffered(large).some((resource) => resource.startsWith('hugepages-')))
    return '. Huge pages are set aside on the node itself, each size for its own.';
  if (large && unoffered(large).length > 0)
    return '. A node has such a resource while a device plugin on it, or whoever wrote its status, says so: the plugin does not run there, or no node of the kind has come.';
  if (large) return '. Nothing that is freed makes room for this pod: it has to ask for less, or a larger node has to come.';
  return facts.predicates.some(({ kind }) => kind === 'resources' || kind === 'pods') ? '; requests decide, not usage.' : '.';
}
