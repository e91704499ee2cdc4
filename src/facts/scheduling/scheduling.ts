import type { KubeObject, Pod } from '../../model/kinds.ts';
import { attempt, maybe } from '../../model/read.ts';
import { type Addressed, conditionOf, evidenceAt, pointerTo } from '../address.ts';
import { componentFacts } from '../control-plane/components.ts';
import { lazy } from '../lazy.ts';
import { listOf } from '../lists.ts';
import { nodeFacts } from '../nodes.ts';
import { podsOn } from '../skew.ts';
import { controllerOf } from '../owners.ts';
import { formatQuantity } from '../quantity.ts';
import { type Preempted, preemptedOf } from './preempted.ts';
import { gatekeepersOf } from './gatekeepers.ts';
import { roomOf } from './room.ts';
import { type Amounts, amountsOf, hostPortsOf } from './resources.ts';
import { autoscalerOf, declinedBy, isComing, unreadyPools } from './autoscaler.ts';
import { agrees, changesOf, type Change, isLost, leastShort, standings } from './changes.ts';
import { demandsOf, type LabelDemand } from './demands.ts';
import { askedOf, fitsOf, type NodeFit, signatureOf } from './fit.ts';
import { isCordonTaint, matchesNode, untolerated } from './placement.ts';
import { agentsAtFault, type Withheld, withheldFrom } from './agents.ts';
import { oversizeOn, troubledNodes } from './nodes.ts';
import { phraseOf } from './phrases.ts';
import { type Predicate, readSchedulingMessage, type SchedulingMessage, type Sum } from './message.ts';
import { controllerRef } from '../owners.ts';
import { selectedNodeOf } from '../volumes/claims-class.ts';
import { claimVolumesOf } from '../volumes/pod-claims.ts';
import { ageOf } from '../time.ts';
import { schedSays, schedWhy } from './words.ts';
import { type Told, told } from '../events/told.ts';
import { join } from '../words.ts';
import { pdbFacts } from '../workloads/autoscaling-budgets.ts';
import type { World } from '../world.ts';

/** The node that comes nearest to having room. */
export interface Best extends Addressed {
  node: string;
  free: Amounts;
  short: Amounts;
  /** `node-1: 4 cpu - 3500m requested = 500m free, 1 asked`. */
  text: string;
}

/** A claim of the pod that keeps it from being placed. */
export interface PodClaim extends Addressed {
  name: string;
  volume: string;
  /** foreign: it has the name that an ephemeral volume needs for its own claim. */
  state: 'absent' | 'pending' | 'lost' | 'deleting' | 'foreign';
  /** That in words, as `is pending`. */
  says: string;
  object: KubeObject | null;
  /** The node that the scheduler has chosen for it; ''. */
  node: string;
}

export interface Gate extends Addressed {
  name: string;
}

/** What is known of a pod that has no node yet. */
export interface SchedFacts extends Addressed {
  /** The scheduler's words: the condition's, which is kept up to date, else the newest event's. '' where it said nothing. */
  message: string;
  /** `Unschedulable`, `SchedulerError`, `SchedulingGated`; '' where only an event, or nothing, speaks. */
  reason: string;
  total: number;
  predicates: Predicate[];
  adds: boolean;
  /** How the counts stand to the number of nodes. */
  sum: Sum;
  cut: boolean;
  /** `3 lack memory, 2 have taint dedicated=db`. */
  summary: string;
  /** Why no node fits, as a heading, and what follows. */
  says: string;
  why: string;
  preemption: string;
  /** The pod that it replaces had to leave for one of higher priority; null where nothing tells so. */
  preempted: Preempted | null;
  /** Neither condition nor event: no scheduler has taken the pod up, as far as was read. */
  silent: boolean;
  gates: Gate[];
  /** What failed of those that set the gates: objects of the gate's API group that belong to the pod's controller. */
  gatekeepers: KubeObject[];
  /** Node where room is being made by preemption; not an assignment. */
  nominated: string;
  /** How far the room is that is being made for it, in sentences; ''. */
  making: string;
  asked: Amounts;
  demands: LabelDemand[];
  ports: string[];
  nodes: NodeFit[];
  best: Best | null;
  /** Set where no node the pod's labels allow could hold it even when empty. */
  oversize: Best | null;
  changes: Change[];
  admits: string;
  /** RFC 3339, since when kube-scheduler is silent, whose word this is; '' while it renews its Lease, or another scheduler speaks. */
  asleep: string;
  /** Said by a scheduler that is silent since, and by what was read a node would take the pod. */
  over: boolean;
  /** Nodes that have nothing against the pod now: the scheduler has not tried again yet. */
  fits: string[];
  agrees: boolean;
  claims: PodClaim[];
  /** Those for which the scheduler has chosen a node: it waits for them before it binds the pod (VolumeBinding PreBind, ten minutes). */
  awaits: PodClaim[];
  /** What an autoscaler answered, as a sentence; '' where none did. */
  autoscaler: string;
  /** Room is on its way: a node that the autoscaler adds, or pods that preemption has told to leave. */
  coming: boolean;
  /** The autoscaler's word that it adds no node for the pod; null where its newest word is another. Raises Unknown without events. */
  declined: Told | null;
  /** Something about the nodes themselves keeps each from taking it, however empty: room that is made helps nothing. */
  barred: boolean;
  /** `waiting` while room is on its way, `corroborated` where nothing brings any, else `capacity`. */
  permanence: 'waiting' | 'corroborated' | 'capacity';
  /** The newest FailedScheduling event; null without one. */
  told: Told | null;
  /** `room` where nodes that would take the pod are lost to trouble of their own. */
  /** Devices that a node has and does not offer. */
  withheld: Withheld[];
  /** Agents of nodes that are not ready, and for whose work the pod waits. */
  agents: Pod[];
  /** What makes the pods of its group, while too few of them are there. */
  group: KubeObject[];
  /** Node pools of an autoscaler that would have to add a machine, none of which is ready. */
  pools: KubeObject[];
  lacks: '' | 'room' | 'ready' | 'gone';
  lost: KubeObject[];
  /** What keeps room from coming free: budgets over drains, where the nodes that are being drained are all that is missing, and pods sent away for it. */
  drains: KubeObject[];
  since: string;
}

/** Why a pod has no node, made once a snapshot; fields raise Unknown where nodes or other pods were not read. */
export function schedFacts(world: World, pod: Pod): SchedFacts {
  return world.memo(pod, 'sched', () => {
    const condition = conditionOf(pod, 'PodScheduled');
    const open = condition && condition.status !== 'True' ? condition : null;
    const parsed = (): SchedulingMessage =>
      world.memo(world.snapshot, `scheduling:message:${facts.message}`, () => readSchedulingMessage(world, facts.message));
    const answer = (): Answer => answerOf(world, pod, facts.message, parsed());
    const facts: SchedFacts = lazy<SchedFacts>({
      message: () =>
        open?.message && open.reason !== 'SchedulingGated' ? open.message : open || pod.spec?.nodeName ? '' : (attempt(() => facts.told)?.message ?? ''),
      reason: () => open?.reason ?? '',
      total: () => parsed().total,
      predicates: () => parsed().predicates,
      sum: () => parsed().sum,
      adds: () => parsed().sum.is === 'whole',
      cut: () => parsed().cut,
      preemption: () => parsed().preemption,
      preempted: () => preemptedOf(world, pod),
      summary: () => summaryOf(world, pod, facts),
      says: () => schedSays(facts),
      why: () => schedWhy(facts, world.now),
      asleep: () => asleepSince(world, pod),
      over: () => facts.asleep !== '' && (attempt(() => facts.fits)?.length ?? 0) > 0,
      silent: () => !open && !pod.spec?.nodeName && facts.awaits.length === 0 && facts.told === null,
      gates: () =>
        listOf(pod.spec?.schedulingGates).map((gate, index) => ({
          name: gate.name ?? '',
          evidence: evidenceAt(pod, pointerTo('spec', 'schedulingGates', index), `scheduling gate ${gate.name ?? ''}`),
        })),
      gatekeepers: () => gatekeepersOf(world, pod),
      nominated: () => pod.status?.nominatedNodeName ?? '',
      making: () => roomOf(world, pod),
      asked: () => askedOf(pod),
      demands: () => demandsOf(world, pod),
      ports: () => hostPortsOf(pod).map(({ port, protocol }) => `${port}/${protocol}`),
      nodes: () => answer().nodes,
      // The size of the nodes alone may already say that none could ever hold it.
      best: () => (facts.predicates.some(({ kind }) => kind === 'gang' || kind === 'extender') ? null : (facts.oversize ?? answer().best)),
      oversize: () => oversizeOf(world, pod),
      changes: () => answer().changes,
      admits: () =>
        (facts.oversize ? [] : facts.changes.slice(0, 2))
          .map((change) => change.says)
          .join('; or ')
          .trim(),
      fits: () => answer().fits,
      agrees: () => answer().agrees,
      claims: () => claimsOf(world, pod, facts),
      awaits: () =>
        (facts.message === '' || BINDING.test(facts.message)) && !pod.spec?.nodeName
          ? facts.claims.filter(({ state, node }) => state === 'pending' && node !== '')
          : [],
      autoscaler: () => autoscalerOf(world, pod),
      coming: () => isComing(world, pod),
      declined: () => declinedBy(world, pod),
      barred: () => attempt(() => facts.oversize) != null || (facts.predicates.length > 0 && facts.predicates.every(isBarred)),
      permanence: () => (facts.coming ? 'waiting' : facts.barred || attempt(() => facts.declined) ? 'corroborated' : 'capacity'),
      told: () => told(world, pod, ['FailedScheduling']),
      withheld: () => withheldFrom(world, pod),
      agents: () => agentsAtFault(world, pod),
      group: () => (facts.predicates.some(({ class: row }) => row === 'gang-short') ? [maybe(controllerOf(world, pod))].filter((owner) => owner !== null) : []),
      // A cloud's own autoscaler beside it may still bring one.
      pools: () => (facts.autoscaler === '' && attempt(() => facts.oversize) == null ? unreadyPools(world, pod) : []),
      lacks: () => lackOf(facts),
      lost: () => (facts.predicates.some((each) => each.kind === 'taint') ? (attempt(() => answer().lost) ?? troubledNodes(world, pod)) : []),
      drains: () => [...drainsHeld(world, pod, facts.predicates), ...victimsLeft(world, pod)],
      since: () => open?.since || pod.metadata.creationTimestamp || '',
      evidence: () => open?.evidence ?? attempt(() => facts.told)?.evidence ?? evidenceAt(pod, '/spec/nodeName', 'no node'),
    });
    return facts;
  });
}

/** Pods that preemption sent away for it and that have not ended in their time. */
function victimsLeft(world: World, { spec, status }: Pod): KubeObject[] {
  const node = status?.nominatedNodeName;
  return node
    ? podsOn(world, node).filter(
        (victim) => (ageOf(world.now, victim.metadata.deletionTimestamp) ?? 0) > 0 && (victim.spec?.priority ?? 0) < (spec?.priority ?? 0),
      )
    : [];
}

/** A drained node comes back when its drain has ended; a taint beside it may be there for good, and so are labels that the pod does not ask for. */
function drainsHeld(world: World, { spec }: Pod, predicates: readonly Predicate[]): KubeObject[] {
  if (!predicates.some(({ kind }) => kind === 'cordon') || !predicates.every(({ kind }) => kind === 'cordon' || kind === 'taint')) return [];
  // The scheduler names a cordon first, whatever else keeps the pod off (the order of its filters).
  const barred = new Set(
    world.snapshot
      .seen('Node')
      .filter((node) => !matchesNode(spec, node) || untolerated(spec, node).some((taint) => !isCordonTaint(taint)))
      .map((node) => node.metadata.name),
  );
  return world.snapshot.seen('PodDisruptionBudget').filter((pdb) => {
    const facts = pdbFacts(world, pdb);
    return (
      (facts.allowed === 0 || (attempt(() => facts.shared) ?? []).length > 0) &&
      (attempt(() => facts.evictors) ?? []).some(({ node }) => node !== '' && !barred.has(node))
    );
  });
}

function lackOf(facts: SchedFacts): SchedFacts['lacks'] {
  if (facts.agents.length > 0 || facts.group.length > 0) return 'ready';
  if (facts.lost.length > 0) return 'room';
  if (facts.drains.length > 0) return 'gone';
  return facts.pools.length > 0 ? 'ready' : '';
}

function asleepSince(world: World, pod: Pod): string {
  if ((pod.spec?.schedulerName ?? 'default-scheduler') !== 'default-scheduler') return '';
  const scheduler = componentFacts(world, 'kube-scheduler');
  return attempt(() => scheduler.known && scheduler.stale) === true ? scheduler.renewed : '';
}

/** It had chosen a node, and gave up its wait for the volumes; it chooses again. */
const BINDING = /binding volumes: (?:context deadline exceeded|timed out)/;

/** Labels that no node has, and taints that somebody has set on purpose; the nodes' own trouble passes. */
const isBarred = ({ kind, reason }: Predicate): boolean =>
  kind === 'affinity' ||
  (kind === 'taint' && /\{/.test(reason) && !reason.includes('node.kubernetes.io/') && !reason.includes('node.cloudprovider.kubernetes.io/'));

type Answer = Pick<SchedFacts, 'nodes' | 'best' | 'changes' | 'fits' | 'agrees' | 'lost'>;

/** One answer for all pods of one shape that were told the same. */
function answerOf(world: World, pod: Pod, message: string, { predicates, total }: SchedulingMessage): Answer {
  return world.memo(world.snapshot, `scheduling:answer:${signatureOf(world, pod)}:${message}`, () => {
    const answer: Answer = lazy<Answer>({
      nodes: () => standings(world, pod, predicates),
      best: () => bestOf(answer.nodes),
      changes: () => changesOf(world, pod, answer.nodes),
      // A node in trouble may not bear its taint yet, or no more.
      fits: () => answer.nodes.filter((fit) => fit.blocks.length === 0 && nodeFacts(world, fit.node).at === 'goal').map((fit) => fit.node.metadata.name),
      agrees: () => agrees(fitsOf(world, pod), predicates, total),
      lost: () => answer.nodes.filter(isLost).map((fit) => fit.node),
    });
    return answer;
  });
}

function bestOf(fits: readonly NodeFit[]): Best | null {
  const fit = leastShort(fits);
  if (!fit) return null;
  const allocatable = amountsOf(fit.node.status?.allocatable);
  return bestFrom(fit, (resource, asks) => {
    const left = fit.free[resource] ?? 0;
    const [has, requested, room] = [allocatable[resource] ?? 0, (allocatable[resource] ?? 0) - left, Math.max(0, left)].map((value) =>
      formatQuantity(resource, value),
    );
    return `${has} ${resource} - ${requested} requested = ${room} free, ${asks} asked`;
  });
}

function oversizeOf(world: World, pod: Pod): Best | null {
  const fit = leastShort(oversizeOn(world, pod) ?? []);
  return fit && bestFrom(fit, (resource, asks) => `${formatQuantity(resource, fit.free[resource] ?? 0)} ${resource} in all, ${asks} asked`);
}

function bestFrom({ node, free, short }: Pick<NodeFit, 'node' | 'free' | 'short'>, words: (resource: string, asks: string) => string): Best {
  const name = node.metadata.name;
  const text = `${name}: ${Object.entries(short)
    .map(([resource, lack]) => words(resource, formatQuantity(resource, (free[resource] ?? 0) + lack)))
    .join('; ')}`;
  return { node: name, free, short, text, evidence: evidenceAt(node, '/status/allocatable', text) };
}

function summaryOf(world: World, pod: Pod, facts: SchedFacts): string {
  return join(
    facts.predicates.map((predicate) => phraseOf(world, pod, facts, predicate)),
    ', ',
  );
}

/** What the scheduler itself says of a claim, for one that was not read. */
function claimInText(facts: SchedFacts, name: string): PodClaim['state'] | null {
  for (const { reason } of facts.predicates) {
    const [, claim, words = ''] = /persistentvolumeclaim "([^"]+)" (not found|bound to non-existent|is being deleted)/.exec(reason) ?? [];
    if (claim === name) return words === 'not found' ? 'absent' : words === 'is being deleted' ? 'deleting' : 'lost';
  }
  return null;
}

function claimsOf(world: World, pod: Pod, facts: SchedFacts): PodClaim[] {
  return rawClaimsOf(world, pod, facts).map((claim) => ({ ...claim, says: CLAIM_SAYS[claim.state] ?? `is ${claim.state}` }));
}

const CLAIM_SAYS: Partial<Record<PodClaim['state'], string>> = {
  absent: 'does not exist',
  foreign: 'is not its own: an ephemeral volume takes none that it did not make',
};

function rawClaimsOf(world: World, pod: Pod, facts: SchedFacts): Omit<PodClaim, 'says'>[] {
  return claimVolumesOf(pod).flatMap(({ claim: name, volume, index, ephemeral }): Omit<PodClaim, 'says'>[] => {
    const read = world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, name);
    const claim = maybe(read);
    const at = pointerTo('spec', 'volumes', index);
    if (read.state === 'absent')
      return [
        {
          name,
          volume,
          state: 'absent',
          object: null,
          node: '',
          evidence: evidenceAt(pod, at, `volume ${volume} needs claim ${name}, which does not exist`),
        },
      ];
    if (claim && ephemeral && !claim.metadata.deletionTimestamp && controllerRef(claim)?.uid !== pod.metadata.uid) {
      const owner = controllerRef(claim);
      const words = `claim ${name} is ${owner ? `of ${owner.kind} ${owner.name}` : "nobody's"}, and volume ${volume} needs one of this name that is the pod's`;
      return [{ name, volume, state: 'foreign', object: claim, node: '', evidence: evidenceAt(claim, '/metadata/ownerReferences', words) }];
    }
    const said = read.state === 'unknown' ? claimInText(facts, name) : null;
    if (said) return [{ name, volume, state: said, object: null, node: '', evidence: facts.evidence }];
    const phase = (claim?.['status'] as { phase?: string } | undefined)?.phase;
    if (!claim || (phase === 'Bound' && !claim.metadata.deletionTimestamp)) return [];
    const state = claim.metadata.deletionTimestamp ? 'deleting' : phase === 'Lost' ? 'lost' : 'pending';
    const evidence = evidenceAt(claim, '/status/phase', `claim ${name} is ${state}`);
    return [{ name, volume, state, object: claim, node: selectedNodeOf(claim), evidence }];
  });
}
