import type { Node, Pod, PodSpec } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { listOf } from '../lists.ts';
import { isFinished } from '../pods/phase.ts';
import { labelsOf } from './placement.ts';
import { matchesSelector } from '../selectors.ts';
import type { World } from '../world.ts';

type Affinity = NonNullable<PodSpec['affinity']>;
type Term = NonNullable<NonNullable<Affinity['podAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']>[number];

const required = (pod: Pod, kind: 'podAffinity' | 'podAntiAffinity'): readonly Term[] =>
  listOf(pod.spec?.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution);

interface Placed {
  pod: Pod;
  node: Node;
}

/** Why the plugin InterPodAffinity refuses a node: the kind and the words, null where it does not. */
export interface NeighbourRefusal {
  kind: 'pod-affinity' | 'anti-affinity';
  says: string;
  /** The pod that stands in the way; null for an affinity that finds nobody. */
  pod: Pod | null;
}

/**
 * Prepares the check of one pod against every node by required pod affinity and anti-affinity, in both directions.
 * Terminating pods still count, for the scheduler counts them. Raises Unknown where a namespace selector needs
 * namespaces that could not be read.
 */
export function neighbourCheck(world: World, pod: Pod): (node: Node) => NeighbourRefusal | null {
  const placed = placedPods(world);
  const wants = required(pod, 'podAffinity').map((term) => {
    const partners = placed.filter((other) => selects(world, term, pod, other.pod));
    // The first pod of a group that selects itself may go anywhere (interpodaffinity/filtering.go).
    return { term, domains: domainsOf(term, partners), alone: partners.length === 0 && selects(world, term, pod, pod) };
  });
  const avoids = required(pod, 'podAntiAffinity').map((term) => ({
    term,
    taken: holders(
      term,
      placed.filter((other) => selects(world, term, pod, other.pod)),
    ),
  }));
  const avoided = guards(world).flatMap(({ pod: other, node }) =>
    required(other, 'podAntiAffinity')
      .filter((term) => selects(world, term, other, pod))
      .map((term) => ({ term, taken: holders(term, [{ pod: other, node }]) })),
  );
  return (node) => {
    const labels = labelsOf(node);
    for (const { term, domains, alone } of wants) {
      const domain = labels[term.topologyKey ?? ''];
      if (domain === undefined || (!domains.has(domain) && !alone)) {
        return { kind: 'pod-affinity', says: `no pod with ${selectorText(term.labelSelector)} shares its ${term.topologyKey}`, pod: null };
      }
    }
    for (const [list, whose] of [
      [avoids, 'the pod must not share'],
      [avoided, 'it must not share'],
    ] as const) {
      for (const { term, taken } of list) {
        const holder = taken.get(labels[term.topologyKey ?? ''] ?? '');
        if (holder) return { kind: 'anti-affinity', says: `${holder.metadata.name} is there and ${whose} its ${term.topologyKey}`, pod: holder };
      }
    }
    return null;
  };
}

function placedPods(world: World): Placed[] {
  return world.memo(world.snapshot, 'scheduling:placed', () => {
    const nodes = new Map((need(world.snapshot.list('Node')) ?? []).map((node) => [node.metadata.name, node]));
    const out: Placed[] = [];
    for (const pod of need(world.snapshot.list('Pod')) ?? []) {
      const node = nodes.get(pod.spec?.nodeName ?? '');
      if (node && !isFinished(pod)) out.push({ pod, node });
    }
    return out;
  });
}

const guards = (world: World): Placed[] =>
  world.memo(world.snapshot, 'scheduling:guards', () => placedPods(world).filter(({ pod }) => required(pod, 'podAntiAffinity').length > 0));

function selects(world: World, term: Term, owner: Pod, other: Pod): boolean {
  return inNamespaces(world, term, owner, other.metadata.namespace ?? '') && matchesSelector(term.labelSelector, labelsOf(other));
}

// No namespaces and no selector: the pod's own namespace. An empty selector: every namespace.
function inNamespaces(world: World, term: Term, owner: Pod, namespace: string): boolean {
  if (term.namespaces?.includes(namespace)) return true;
  const selector = term.namespaceSelector;
  if (!selector) return (term.namespaces ?? []).length === 0 && namespace === (owner.metadata.namespace ?? '');
  if (!selector.matchLabels && !selector.matchExpressions) return true;
  const found = need(world.snapshot.get('Namespace', undefined, namespace));
  return found !== null && matchesSelector(selector, found.metadata.labels ?? {});
}

const domainsOf = (term: Term, partners: readonly Placed[]): Set<string> => new Set(holders(term, partners).keys());

function holders(term: Term, partners: readonly Placed[]): Map<string, Pod> {
  const out = new Map<string, Pod>();
  for (const { pod, node } of partners) {
    const domain = labelsOf(node)[term.topologyKey ?? ''];
    if (domain !== undefined && !out.has(domain)) out.set(domain, pod);
  }
  return out;
}

/** Whom the required terms of a pod are about, `app=web` or `app=web in one ZONE-LABEL`; '' without any. */
export const affinityText = (pod: Pod, kind: 'podAffinity' | 'podAntiAffinity'): string =>
  required(pod, kind)
    .map((term) => selectorText(term.labelSelector) + (term.topologyKey === 'kubernetes.io/hostname' ? '' : ` in one ${term.topologyKey ?? 'domain'}`))
    .join('; ');

function selectorText(selector: Term['labelSelector']): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const terms = listOf(selector?.matchExpressions).map((term) => `${term.key} ${term.operator} ${(term.values ?? []).join('|')}`.trim());
  return [...labels, ...terms].join(',') || 'any labels';
}
