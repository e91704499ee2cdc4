import type { KubeObject, Node, Pod, PodDisruptionBudget } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, need } from '../../model/read.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { isFinished, isReady } from '../pods/phase.ts';
import { lazy } from '../lazy.ts';
import { groupBy, listOf, textsOf } from '../lists.ts';
import { controllerRef } from '../owners.ts';
import { matchesSelector } from '../selectors.ts';
import { ageOf } from '../time.ts';
import type { World } from '../world.ts';

/** A sign that somebody wants pods of a budget gone. */
export interface Evictor extends Addressed {
  /** The node that is being emptied; '' where a pod itself was told to go. */
  node: string;
  /** kubectl drain or cordon, cluster-autoscaler, karpenter: as far as the sign tells. */
  by: string;
  text: string;
  /** RFC 3339, '' where the sign has no time. */
  since: string;
}

export interface Pdb extends Addressed {
  at: Stage[];
  young: boolean;
  allowed: number;
  healthy: number;
  wanted: number;
  expected: number;
  condition: AddressedCondition | null;
  /** The controller cannot compute it, so every eviction is refused. */
  failing: boolean;
  pods: Pod[];
  /** Pods of it that are not Ready: they use the budget up. */
  sick: Pod[];
  /** Those of them that run and that it keeps all the same. */
  keeps: Pod[];
  /** It asks for as many healthy pods as there are: it never allows an eviction. */
  never: boolean;
  /** Who is waiting for an eviction that it does not allow; a budget that nobody waits for blocks nothing. */
  evictors: Evictor[];
  /** Nodes that look like it and are cordoned for so long that nobody may be waiting. */
  shut: Evictor[];
  /** Other budgets over the same pods: the eviction API refuses pods with two. */
  overlaps: KubeObject[];
  /** Pods of it that run and that another budget selects, too: they are never evicted, whatever either allows. */
  shared: Pod[];
}

const YOUNG = 120;

/** The facts of a PodDisruptionBudget, made once a snapshot. */
export function pdbFacts(world: World, pdb: PodDisruptionBudget): Pdb {
  return world.memo(pdb, 'pdb', () => {
    const { status } = pdb;
    const observed = status?.observedGeneration !== undefined;
    const keeps = (pod: Pod): boolean => facts.shared.includes(pod) || (facts.allowed === 0 && guards(pdb, pod));
    const signs = (): Evictor[] => world.memo(pdb, 'pdb:signs', () => evictorsOf(world, podsOf(world, pdb), keeps));
    const facts: Pdb = lazy<Pdb>({
      // Where pods were not read the rule misses them, and says so.
      at: () =>
        facts.failing ||
        (observed &&
          (facts.allowed === 0 || (attempt(() => facts.shared) ?? []).length > 0) &&
          facts.expected > 0 &&
          (attempt(() => facts.evictors) ?? [null]).length > 0)
          ? ['condition']
          : ['goal'],
      young: () =>
        !facts.failing && attempt(() => facts.evictors)?.every((evictor) => evictor.since !== '' && (ageOf(world.now, evictor.since) ?? 0) < YOUNG) === true,
      allowed: () => status?.disruptionsAllowed ?? 0,
      healthy: () => status?.currentHealthy ?? 0,
      wanted: () => status?.desiredHealthy ?? 0,
      expected: () => status?.expectedPods ?? 0,
      condition: () => conditionOf(pdb, 'DisruptionAllowed'),
      failing: () => facts.condition?.status === 'False' && facts.condition.reason === 'SyncFailed',
      pods: () => podsOf(world, pdb),
      sick: () => podsOf(world, pdb).filter((pod) => !isReady(pod)),
      keeps: () => facts.sick.filter((pod) => guards(pdb, pod)),
      never: () => facts.expected > 0 && facts.wanted >= facts.expected,
      evictors: () => signs().filter((sign) => !isLeftSo(world, sign)),
      shut: () => (observed && facts.allowed === 0 ? signs().filter((sign) => isLeftSo(world, sign)) : []),
      overlaps: () => overlapsOf(world, pdb),
      shared: () => podsOf(world, pdb).filter((pod) => pod.status?.phase === 'Running' && budgetsOf(world, pod).length > 1),
      evidence: () =>
        facts.condition?.evidence ??
        evidenceAt(pdb, '/status/disruptionsAllowed', `disruptionsAllowed ${facts.allowed}, ${facts.healthy} of ${facts.wanted} healthy`),
    });
    return facts;
  });
}

/** A null selector selects nothing, an empty one everything (policy/v1). */
function podsOf(world: World, pdb: PodDisruptionBudget): Pod[] {
  const pods = need(world.snapshot.list('Pod', pdb.metadata.namespace)) ?? [];
  return world.memo(pdb, 'pdb:pods', () => pods.filter((pod) => !isFinished(pod) && matchesSelector(pdb.spec?.selector, textsOf(pod.metadata.labels))));
}

/**
 * What has not started is evicted whatever a budget says; what runs and is not Ready, too, where the budget always allows it or has its
 * healthy pods (pkg/registry/core/pod/storage/eviction.go, canIgnorePDB and unhealthyPodEvictionPolicy).
 */
function guards({ spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  if (isReady(pod)) return true;
  if (pod.status?.phase === 'Pending') return false;
  return spec?.unhealthyPodEvictionPolicy !== 'AlwaysAllow' && (status?.currentHealthy ?? 0) < (status?.desiredHealthy ?? 0);
}

/**
 * Signs of somebody emptying a node: cordoned (kubectl drain does that first), or the taint an autoscaler sets before it evicts;
 * or a pod that was marked as a disruption target and is still there. Drains leave DaemonSet pods alone.
 */
function evictorsOf(world: World, pods: readonly Pod[], isGuarded: (pod: Pod) => boolean): Evictor[] {
  const movable = pods.filter((pod) => controllerRef(pod)?.kind !== 'DaemonSet' && !pod.metadata.deletionTimestamp && isGuarded(pod));
  const nodes = [...groupBy(movable, (pod) => pod.spec?.nodeName ?? '').keys()].filter((name) => name !== '').sort();
  const emptied = nodes.flatMap((name) => {
    const node = attempt(() => need(world.snapshot.get('Node', undefined, name)));
    const evictor = node ? emptying(node) : null;
    return node && evictor && (isTaken(node) || !stays(world, name)) ? [evictor] : [];
  });
  const marked = movable.flatMap((pod) => {
    const target = conditionOf(pod, 'DisruptionTarget');
    const text = `Pod ${pod.metadata.name}: ${target?.message || target?.reason}`;
    return target?.status === 'True' ? [{ node: '', by: target.reason, text, since: target.since, evidence: target.evidence }] : [];
  });
  return [...emptied, ...marked];
}

const CORDON = 'a drain or cordon';
const DAY = 86_400;

/** A drain ends within hours, well or not; a cordon of days, or of nobody knows when, is how somebody left the node. */
const isLeftSo = (world: World, { by, since }: Evictor): boolean => by === CORDON && (ageOf(world.now, since) ?? DAY) >= DAY;

const TAINTS: Record<string, string> = {
  ToBeDeletedByClusterAutoscaler: 'cluster-autoscaler',
  'karpenter.sh/disrupted': 'karpenter',
  'karpenter.sh/disruption': 'karpenter',
};

const isTaken = (node: Node): boolean => listOf(node.spec?.taints).some((taint) => TAINTS[taint.key ?? ''] !== undefined);

/** A drain asks for all pods of the node at once: where one is left that no budget keeps, the node is merely cordoned. */
const stays = (world: World, node: string): boolean =>
  world.snapshot
    .seen('Pod')
    .some(
      (pod) =>
        pod.spec?.nodeName === node &&
        !isFinished(pod) &&
        !pod.metadata.deletionTimestamp &&
        !['DaemonSet', 'Node'].includes(controllerRef(pod)?.kind ?? '') &&
        !isHeld(world, pod),
    );

const budgetsOf = (world: World, pod: Pod): readonly PodDisruptionBudget[] =>
  world.snapshot.seen('PodDisruptionBudget', pod.metadata.namespace).filter((pdb) => matchesSelector(pdb.spec?.selector, textsOf(pod.metadata.labels)));

/** A pod with two budgets is never evicted (eviction.go, "does not support"). */
function isHeld(world: World, pod: Pod): boolean {
  const budgets = budgetsOf(world, pod);
  return budgets.length > 1 || budgets.some((pdb) => (pdb.status?.disruptionsAllowed ?? 0) === 0 && guards(pdb, pod));
}

function emptying(node: Node): Evictor | null {
  const { name } = node.metadata;
  const taints = listOf(node.spec?.taints);
  const index = taints.findIndex((taint) => TAINTS[taint.key ?? ''] !== undefined);
  const taint = taints[index];
  if (taint) {
    const by = TAINTS[taint.key ?? ''] ?? '';
    return {
      node: name,
      by,
      text: `Node ${name} is being emptied by ${by}`,
      since: taint.timeAdded ?? '',
      evidence: evidenceAt(node, `/spec/taints/${index}`, `taint ${taint.key}`),
    };
  }
  if (node.spec?.unschedulable !== true) return null;
  const since = taints.find((each) => each.key === 'node.kubernetes.io/unschedulable')?.timeAdded ?? '';
  return {
    node: name,
    by: CORDON,
    text: `Node ${name} is cordoned and still has its pods`,
    since,
    evidence: evidenceAt(node, '/spec/unschedulable', `Node ${name} unschedulable`, since || null),
  };
}

function overlapsOf(world: World, pdb: PodDisruptionBudget): KubeObject[] {
  const labels = podsOf(world, pdb).map((pod) => textsOf(pod.metadata.labels));
  return world.snapshot
    .seen('PodDisruptionBudget', pdb.metadata.namespace)
    .filter((other) => other !== pdb && labels.some((each) => matchesSelector(other.spec?.selector, each)));
}
