import type { Pod } from '../../model/kinds.ts';
import { isTrue } from '../address.ts';
import { groupBy } from '../lists.ts';
import { formatQuantity } from '../quantity.ts';
import { type Amounts, amountsOf } from './resources.ts';
import { pinnedTo, unmetDemands } from './demands.ts';
import { type Block, fitsOf, type NodeFit } from './fit.ts';
import { type Predicate, PREDICATE_KINDS, type PredicateKind } from './message.ts';
import { some } from '../words.ts';
import type { World } from '../world.ts';

/** One change that alone would give the pod a node. */
export interface Change {
  kind: PredicateKind;
  /** In words: `uncordon node-2`, `500m cpu less asked, or that much freed on node-1`. */
  says: string;
  /** Nodes that would then take it. */
  nodes: string[];
}

/** Kinds that `fitsOf` judges itself; the rest is known from the scheduler's text only. */
const JUDGED = new Set<PredicateKind>([
  'resources',
  'pods',
  'taint',
  'affinity',
  'cordon',
  'ports',
  'pod-affinity',
  'anti-affinity',
  'volume-node',
  'narrowed',
]);

/** Taints by which a node tells of its own trouble; nobody should tolerate them to get a pod placed. */
const TROUBLE =
  /^node\.kubernetes\.io\/(?:not-ready|unreachable|memory-pressure|disk-pressure|pid-pressure|network-unavailable)\b|^[\w.-]{1,253}\/uninitialized\b/;

/** Whether a node controller set it because the node is in trouble, by its words (`KEY=VALUE:EFFECT`). */
export const isTroubleTaint = (taint: string): boolean => TROUBLE.test(taint);
const isTrouble = (block: Block): boolean => block.kind === 'taint' && isTroubleTaint(block.says);

/**
 * A node in trouble of its own that has nothing else against the pod. Pods that cannot leave it still hold their ports
 * and still repel by anti-affinity there: that ends with the trouble.
 */
export const isLost = ({ blocks }: NodeFit): boolean =>
  blocks.some(isTrouble) && blocks.every((block) => isTrouble(block) || block.kind === 'anti-affinity' || block.kind === 'ports');

/**
 * Nodes as they stand for the pod. Where the scheduler names one reason that we cannot judge ourselves, the nodes
 * that we find nothing against are taken to have that one.
 */
export function standings(world: World, pod: Pod, predicates: readonly Predicate[]): NodeFit[] {
  const pinned = pinnedTo(pod);
  const fits = fitsOf(world, pod).filter((fit) => pinned === '' || fit.node.metadata.name === pinned);
  const foreign = predicates.filter((predicate) => !JUDGED.has(predicate.kind));
  if (foreign.length === 0) return fits;
  const kinds = new Set(foreign.map((predicate) => predicate.kind));
  const blocks = foreign.map(({ kind, reason }): Block => ({ kind: kinds.size === 1 ? kind : 'other', says: reason }));
  // It speaks of more nodes than those: so of some with which we find something else besides, as a cordon that came later.
  const spread = foreign.reduce((sum, { n }) => sum + n, 0) > fits.filter((fit) => fit.blocks.length === 0).length;
  return fits.map((fit) =>
    fit.blocks.length === 0
      ? { ...fit, blocks }
      : spread
        ? { ...fit, blocks: [...fit.blocks, ...blocks.filter(({ kind }) => !fit.blocks.some((own) => own.kind === kind))] }
        : fit,
  );
}

/**
 * What would admit the pod by itself, best first: a node that is to get well, then what opens most nodes, then the order
 * of the scheduler's plugins. Reasons known from the scheduler's text only are no advice.
 */
export function changesOf(world: World, pod: Pod, fits: readonly NodeFit[]): Change[] {
  const keyOf = (fit: NodeFit): string => {
    if (isLost(fit)) return 'lost';
    if (fit.blocks.some(isTrouble)) return '';
    const kind = fit.blocks[0]?.kind;
    const single = kind !== undefined && JUDGED.has(kind) && fit.blocks.every((block) => block.kind === kind);
    if (!single || (kind === 'affinity' && namesNode(world, pod))) return '';
    return kind === 'resources' || kind === 'affinity' ? kind : [kind, ...fit.blocks.map((block) => block.says)].join('\0');
  };
  const changes = [...groupBy(fits, keyOf)].flatMap(([key, group]): Change[] => {
    const kind = group[0]?.blocks[0]?.kind;
    if (key === '' || !kind) return [];
    return [
      {
        kind: key === 'lost' ? 'taint' : kind,
        says: wordsFor(world, pod, key === 'lost' ? key : kind, group),
        nodes: group.map((fit) => fit.node.metadata.name),
      },
    ];
  });
  const rank = (change: Change): number => PREDICATE_KINDS.indexOf(change.kind);
  const isHealing = (change: Change): number => Number(change.says.includes(HEALED));
  return changes.sort((a, b) => isHealing(b) - isHealing(a) || b.nodes.length - a.nodes.length || rank(a) - rank(b));
}

/** The name of a machine is nothing that another one may be labelled with. */
const namesNode = (world: World, pod: Pod): boolean => unmetDemands(world, pod).some(({ text }) => text.startsWith('kubernetes.io/hostname'));

const HEALED = 'well again';

/** Taints that somebody lifts: a pod that tolerates them is placed where it cannot start. */
const LIFTED: [RegExp, (taint: string, names: string) => string][] = [
  [/\/agent-not-ready\b/, (taint, names) => `the agent that takes taint ${taint} off, working on ${names}`],
  [/^node\.cloudprovider\.kubernetes\.io\/shutdown\b/, (taint, names) => `${names} started again (taint ${taint})`],
  // Set by a person for a machine that is off, and taken off by one (KEP-2268).
  [/^node\.kubernetes\.io\/out-of-service\b/, (taint, names) => `taint ${taint} taken off ${names} by whoever set it`],
];

/** Its condition is well by now, and only the taint is left: the node controller takes it off within seconds (pkg/controller/nodelifecycle). */
function healedInWords(fits: readonly NodeFit[], names: string, taint: string): string {
  const isWell = fits.every(({ node }) => isTrue(node, 'Ready') && !PRESSURES.some((type) => isTrue(node, type)));
  return isWell && LEFT_OVER.test(taint)
    ? `taint ${taint} off ${names}, ${fits.length === 1 ? 'which is' : 'which are'} ${HEALED} by now: kube-controller-manager takes it off`
    : `${names} ${HEALED} (taint ${taint})`;
}

const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];
const LEFT_OVER = /^node\.kubernetes\.io\//;

function wordsFor(world: World, pod: Pod, kind: PredicateKind | 'lost', fits: readonly NodeFit[]): string {
  const names = some(fits.map((fit) => fit.node.metadata.name));
  const blocks = fits[0]?.blocks ?? [];
  const said = blocks.map((block) => block.says).join(' and ');
  switch (kind) {
    case 'lost':
      return healedInWords(fits, names, blocks.filter(isTrouble)[0]?.says ?? '');
    case 'cordon':
      return `uncordon ${names}`;
    case 'taint':
      return LIFTED.find(([taint]) => taint.test(said))?.[1](said, names) ?? `a toleration for ${said} (${names})`;
    case 'affinity':
      return `${unmetDemands(world, pod)
        .map((demand) => demand.text)
        .join(' and ')} on ${names}`;
    case 'resources': {
      const best = leastShort(fits);
      return best ? `${amountsText(best.short)} less asked, or that much freed on ${best.node.metadata.name}` : '';
    }
    case 'pods':
      return `room for one more pod on ${names}`;
    case 'ports':
      return `${said.replace(' is taken by ', ' given up by ')} (${names})`;
    default:
      return `${names} if it were not that ${said}`;
  }
}

/** Less than is asked even when empty: nothing that is freed there helps. */
const couldNever = ({ node, free, short }: Pick<NodeFit, 'node' | 'free' | 'short'>): boolean => {
  const allocatable = amountsOf(node.status?.allocatable);
  return Object.entries(short).some(([resource, lack]) => (allocatable[resource] ?? 0) < lack + (free[resource] ?? 0) - 1e-9);
};

/** The node that lacks least, measured against what it can give; nodes refused only for room come first, of them those that could hold the pod. */
export function leastShort<T extends Pick<NodeFit, 'node' | 'free' | 'short'> & Partial<NodeFit>>(fits: readonly T[]): T | null {
  const lacking = fits.filter((fit) => Object.keys(fit.short).length > 0);
  const onlyRoom = lacking.filter((fit) => (fit.blocks ?? []).every((block) => block.kind === 'resources' || block.kind === 'pods'));
  const near = onlyRoom.length > 0 ? onlyRoom : lacking;
  const able = near.filter((fit) => !couldNever(fit));
  const pool = able.length > 0 ? able : near;
  const lack = (fit: T): number =>
    Math.max(...Object.entries(fit.short).map(([resource, value]) => value / Math.max(value, value + Math.max(0, fit.free[resource] ?? 0))));
  return [...pool].sort((a, b) => Object.keys(a.short).length - Object.keys(b.short).length || lack(a) - lack(b))[0] ?? null;
}

/** `2 cpu and 4Gi memory`. */
export const amountsText = (amounts: Amounts): string =>
  Object.entries(amounts)
    .map(([resource, value]) => `${formatQuantity(resource, value)} ${resource}`)
    .join(' and ');

/**
 * Whether our own judgement repeats the scheduler's counts: for each kind we judge, as many nodes whose first
 * reason it is. False where the cluster changed since, or where something decides that we do not see.
 */
export function agrees(fits: readonly NodeFit[], predicates: readonly Predicate[], total: number): boolean {
  if (total !== fits.length || predicates.length === 0) return false;
  return predicates.every(({ kind, n, reason }) => {
    if (!JUDGED.has(kind) || kind === 'narrowed') return true;
    const own = fits.filter(({ blocks }) => {
      const first = blocks[0];
      if (first?.kind !== kind && !(isRoom(kind) && isRoom(first?.kind))) return false;
      return kind !== 'resources' || blocks.some((block) => reason === `Insufficient ${block.says}`);
    });
    return kind === 'taint' ? own.length >= n : own.length === n;
  });
}

const isRoom = (kind: PredicateKind | undefined): boolean => kind === 'resources' || kind === 'pods';
