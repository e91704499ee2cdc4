/** How far the room is that is being made for a pod: by preemption on a node that stands, or by a node that comes. */
import type { Node, Pod } from '../../model/kinds.ts';
import { attempt } from '../../model/read.ts';
import { conditionOf } from '../address.ts';
import { told } from '../events/told.ts';
import { listOf, textsOf } from '../lists.ts';
import { podsOn } from '../skew.ts';
import { matchesSelector } from '../selectors.ts';
import { duration, timeOf } from '../time.ts';
import { cut, plural, some } from '../words.ts';
import type { World } from '../world.ts';

/** In sentences; '' where none is being made, as far as can be seen. */
export const roomOf = (world: World, pod: Pod): string => [nominationOf(world, pod), attempt(() => arrivalOf(world, pod))].filter(Boolean).join(' ');

/** The victims of a preemption keep their grace, and a node that is nominated is not yet given (pkg/scheduler/framework/preemption). */
function nominationOf(world: World, pod: Pod): string {
  const node = pod.status?.nominatedNodeName;
  if (!node) return '';
  const leaving = podsOn(world, node).filter(({ metadata, spec }) => metadata.deletionTimestamp && (spec?.priority ?? 0) < (pod.spec?.priority ?? 0));
  if (leaving.length === 0)
    return `Preemption has nominated ${node}, and nobody leaves there now: a nomination is no assignment, and others may take the room.`;
  const last = Math.max(...leaving.map(({ metadata }) => timeOf(metadata.deletionTimestamp) ?? 0));
  const left = (last - world.now) / 1000;
  const grace = left > 0 ? `within ${duration(left)}` : `and should have done so ${duration(-left)} ago`;
  const over = leaving.filter((victim) => isOverBudget(world, victim));
  const past = over.length > 0 ? ` The budget of ${some(over)} allows no disruption; preemption keeps to budgets only where it finds others to send away.` : '';
  return `Preemption makes room on ${node}: ${some(leaving)} of lower priority ${leaving.length === 1 ? 'leaves' : 'leave'}, ${grace}.${past}`;
}

const isOverBudget = (world: World, { metadata }: Pod): boolean =>
  world.snapshot
    .seen('PodDisruptionBudget', metadata.namespace)
    .some(({ spec, status }) => status?.disruptionsAllowed === 0 && matchesSelector(spec?.selector, textsOf(metadata.labels)));

// The machine is asked for before the word of it is written, by clocks of several machines.
const SKEW = 60_000;

/** Nodes that joined since the autoscaler asked for one: which is on its way from there to taking pods. */
function arrivalOf(world: World, pod: Pod): string {
  const answer = told(world, pod, ['TriggeredScaleUp', 'Nominated']);
  const from = timeOf(answer?.first) ?? Number.POSITIVE_INFINITY;
  const joined = world.snapshot.seen('Node').filter(({ metadata }) => (timeOf(metadata.creationTimestamp) ?? 0) >= from - SKEW);
  if (!answer || joined.length === 0) return '';
  const short = joined.map((node) => ({ node, why: lacksOf(node) })).find(({ why }) => why !== '');
  if (!short) return `Since then ${plural(joined.length, 'node')} joined and ${joined.length === 1 ? 'is' : 'are'} ready (${some(joined)}).`;
  const age = duration((world.now - (timeOf(short.node.metadata.creationTimestamp) ?? world.now)) / 1000);
  return `Since then node ${short.node.metadata.name} joined, ${age} ago, and ${short.why}.`;
}

/** What a node that came still lacks to take pods: its kubelet's word, its network, or an agent that takes its taint away. */
function lacksOf(node: Node): string {
  const ready = conditionOf(node, 'Ready');
  if (ready?.status !== 'True') return `is not ready: ${cut(ready?.message || ready?.reason || 'it has not reported', 160)}`;
  if (conditionOf(node, 'NetworkUnavailable')?.status === 'True') return 'has no network yet';
  const taint = listOf(node.spec?.taints).find(
    ({ key = '' }) => key === 'node.cloudprovider.kubernetes.io/uninitialized' || /\/agent-not-ready$|^karpenter\.sh\/unregistered$/.test(key),
  );
  return taint ? `still has taint ${taint.key}` : '';
}
