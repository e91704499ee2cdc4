import type { Node, Pod } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import { lazy } from '../lazy.ts';
import { listOf, textsOf } from '../lists.ts';
import { expressionText, labelsOf, matchesTerm } from './placement.ts';
import type { World } from '../world.ts';

/** One thing the pod demands of a node's labels. */
export interface LabelDemand extends Addressed {
  /** `disktype=ssd`, `zone in (a, b)`; alternatives joined by `or`. */
  text: string;
  /** Nodes that satisfy it. Raises Unknown where the nodes could not be read. */
  nodes: number;
  /** Values that nodes have for the same label; empty where none has the label at all. */
  has: string[];
}

/** nodeSelector entry by entry, then required node affinity as one demand (its terms are alternatives). */
export function demandsOf(world: World, pod: Pod): LabelDemand[] {
  const nodes = (): readonly Node[] => need(world.snapshot.list('Node')) ?? [];
  const demand = (text: string, keys: string[], pointer: string, test: (node: Node) => boolean): LabelDemand =>
    lazy<LabelDemand>({
      text: () => text,
      nodes: () => nodes().filter(test).length,
      has: () => [...new Set(nodes().flatMap((node) => keys.flatMap((key) => labelsOf(node)[key] ?? [])))].sort(),
      evidence: () => evidenceAt(pod, pointer, `needs a node with ${text}`),
    });
  const out = Object.entries(textsOf(pod.spec?.nodeSelector)).map(([key, value]) =>
    demand(`${key}=${value}`, [key], pointerTo('spec', 'nodeSelector', key), (node) => labelsOf(node)[key] === value),
  );
  const terms = listOf(pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms);
  if (terms.length > 0) {
    const text = terms.map((term) => [...listOf(term.matchExpressions), ...listOf(term.matchFields)].map(expressionText).join(' and ')).join(' or ');
    const keys = terms.flatMap((term) => listOf(term.matchExpressions).flatMap((each) => each.key ?? []));
    const pointer = '/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution';
    out.push(demand(text, keys, pointer, (node) => terms.some((term) => matchesTerm(term, labelsOf(node), node.metadata.name))));
  }
  return out;
}

/** The demands that no node satisfies; all of them where each has some node and only together they have none. */
export function unmetDemands(world: World, pod: Pod): LabelDemand[] {
  const all = demandsOf(world, pod);
  const unmet = all.filter((demand) => demand.nodes === 0);
  return unmet.length > 0 ? unmet : all;
}

/** The node a pod is tied to by name: the DaemonSet controller does that for its pods. '' where there is none. */
export function pinnedTo(pod: Pod): string {
  const terms = listOf(pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms);
  const names = terms.flatMap((term) =>
    listOf(term.matchFields)
      .filter((field) => field.key === 'metadata.name' && field.operator === 'In')
      .flatMap((field) => field.values ?? []),
  );
  return terms.length > 0 && names.length === terms.length ? (names[0] ?? '') : '';
}
