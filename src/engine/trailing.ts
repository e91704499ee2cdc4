/**
 * What is short of its goal without a rule that speaks of it, because it only waits: for what is left in it, for its user, its pods, its node.
 * Where the relation table leads from it to a cause, it belongs under that cause and does not stand beside it as if it moved.
 */
import { listOf } from '../facts/lists.ts';
import { nodeFacts } from '../facts/nodes.ts';
import { ownerChain } from '../facts/owners.ts';
import { claimFacts } from '../facts/volumes/claims.ts';
import { pdbFacts } from '../facts/workloads/autoscaling-budgets.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject, Node, PersistentVolumeClaim, Pod } from '../model/kinds.ts';
import { attempt } from '../model/read.ts';
import { type Capability, STAGES, type Stage } from '../model/layer.ts';
import { breakersOf, type Links, nearest, rootsOf } from './causality.ts';
import type { Ladder } from './ladder.ts';
import type { Cause } from './merge.ts';
import type { Need } from './relations.ts';

const own =
  (...capabilities: Capability[]) =>
  (_world: World, object: KubeObject): Need[] =>
    capabilities.map((capability) => ({ capability, object }));

/** Waits for a node that the scheduler has yet to choose, and so for the pods that use it. */
const users = (world: World, claim: KubeObject): Need[] => {
  const facts = claimFacts(world, claim as PersistentVolumeClaim);
  return attempt(() => facts.waits) === true ? (attempt(() => facts.users) ?? []).map((object) => ({ capability: 'ready', object, final: true })) : [];
};

/** A node may be not ready for many reasons; only one that names its network waits for the network's agents. */
const network = (world: World, node: KubeObject): Need[] =>
  attempt(() => nodeFacts(world, node as Node).text?.layer) === 'cni' ? [{ capability: 'network', object: node }] : [];

/** A machine goes when it is empty, and when what made it lets it go: a budget that is asked for its pods, or its maker, may hold both. */
const machine = (world: World, node: KubeObject): Need[] => {
  const claims = listOf(node.metadata.ownerReferences).flatMap(({ uid }) => (uid ? (world.snapshot.byUid(uid) ?? []) : []));
  const budgets = world.snapshot
    .seen('PodDisruptionBudget')
    .filter((pdb) => (attempt(() => pdbFacts(world, pdb).evictors) ?? []).some((evictor) => evictor.node === node.metadata.name));
  return [node, ...claims, ...budgets].map((object) => ({ capability: 'gone', object }));
};

/** Whose machine tells nothing of it any more. A neighbour that hangs in the runtime keeps others from starting, not from being ready. */
const itsNode = (world: World, pod: KubeObject): Need[] => {
  const name = (pod as Pod).spec?.nodeName;
  const node = name ? world.snapshot.get('Node', undefined, name) : null;
  return node?.state === 'known' ? (['kubelet', 'runtime'] as const).map((capability) => ({ capability, object: node.value, final: true })) : [];
};

/** A pod whose work is done ends with the rest of it: what is said of its Job is said of it. */
const makers = (world: World, pod: KubeObject): Need[] => ownerChain(world, pod).map((object) => ({ capability: 'ready', object, final: true }));

/** By rung, then by kind. What a pod waits for itself has its own rules. */
const WAITS: Partial<Record<Stage, Record<string, (world: World, object: KubeObject) => Need[]>>> = {
  terminate: { Namespace: own('gone'), CustomResourceDefinition: own('gone'), Node: machine },
  bind: { PersistentVolumeClaim: users },
  notready: { Node: network },
  ready: { Pod: itsNode },
  finish: { Pod: makers },
  select: { Service: own('endpoints') },
  endpoints: { Service: own('endpoints') },
};

const OPEN = STAGES.filter((stage) => WAITS[stage] !== undefined);

/** By root, the objects in scope that follow from it and that no finding explains yet. */
export function trailingOf(
  world: World,
  ladder: Ladder,
  causes: readonly Cause[],
  links: Links,
  open: (object: KubeObject) => boolean,
): Map<Cause, KubeObject[]> {
  const trailing = new Map<Cause, KubeObject[]>();
  if (causes.length === 0) return trailing;
  const breakers = breakersOf(causes.filter(({ finding }) => finding.certainty !== 'undetermined'));
  const kinds = new Set(OPEN.flatMap((stage) => Object.keys(WAITS[stage] ?? {})));
  for (const kind of kinds) {
    for (const object of ladder.at(kind, OPEN)) {
      if (!open(object)) continue;
      const needs = ladder.standing(object).at.flatMap((stage) => WAITS[stage]?.[kind]?.(world, object) ?? []);
      const { found } = nearest(world, needs, breakers, [], { effect: null, own: new Set() });
      for (const root of new Set(found.flatMap((cause) => rootsOf(cause, links)))) trailing.set(root, [...(trailing.get(root) ?? []), object]);
    }
  }
  return trailing;
}
