import type { KubeObject, Pod } from '../../model/kinds.ts';
import { attempt } from '../../model/read.ts';
import { conditionOf } from '../address.ts';
import { listOf, textsOf } from '../lists.ts';
import { podsOn } from '../skew.ts';
import { ageOf, duration, isWithin, timeOf } from '../time.ts';
import { type Told, told } from '../events/told.ts';
import { ago, cut } from '../words.ts';
import type { World } from '../world.ts';

// cluster-autoscaler gives a node 15 minutes (--max-node-provision-time); victims of preemption have their grace period.
const NODE_COMES = 900;
const ROOM_COMES = 120;

/** Room is on its way: a node that an autoscaler has asked for, or pods that preemption has told to leave. */
export function isComing(world: World, pod: Pod): boolean {
  const answer = attempt(() => answerOf(world, pod));
  const added =
    answer !== null &&
    !isVain(world, answer) &&
    !isMissed(world, answer) &&
    (answer.reason === 'TriggeredScaleUp' || isNomination(answer)) &&
    (ageOf(world.now, answer.last) ?? NODE_COMES) < NODE_COMES;
  const nominated = pod.status?.nominatedNodeName;
  if (added || !nominated) return added;
  return isWithin(world.now, pod.metadata.creationTimestamp, ROOM_COMES) || isLeaving(world, nominated);
}

/** A pod on that node still has grace: deletionTimestamp is the end of it. */
const isLeaving = (world: World, node: string): boolean => podsOn(world, node).some(({ metadata }) => (timeOf(metadata.deletionTimestamp) ?? 0) > world.now);

/** The newest word of any autoscaler about a pod: each may take back what it, or another one, said before. */
function answerOf(world: World, object: KubeObject): Told | null {
  const answers = [scalerTold(world, object), karpenterTold(world, object)].filter((each): each is Told => each !== null);
  return answers.reduce<Told | null>((newest, each) => (newest && (timeOf(newest.last) ?? 0) >= (timeOf(each.last) ?? 0) ? newest : each), null);
}

/** It asks for a node again and again, for longer than one takes to come: the cloud gives it none. */
const isVain = (world: World, { count, first }: Told): boolean => count >= 3 && (ageOf(world.now, first) ?? 0) > NODE_COMES;

/** The machine it asked for was launched, and never came. */
const isMissed = (world: World, told: Told): boolean => {
  const claim = machineOf(world, told);
  return claim !== undefined && isLost(world, claim);
};

// Its group is being tried again, or its template is not known yet: no last word (cluster-autoscaler, core/scaleup/orchestrator skipped reasons).
const PASSES = /backoff|back-off|not ready|initializing/i;

/** The autoscaler's newest word is that no node it may add would take the pod, and it stands; null where it is not, or none spoke. */
export function declinedBy(world: World, pod: Pod): Told | null {
  const answer = answerOf(world, pod);
  if (!answer || (ageOf(world.now, answer.last) ?? NODE_COMES) >= NODE_COMES || PASSES.test(answer.message)) return null;
  return answer.reason === 'NotTriggerScaleUp' || (answer.reason === 'FailedScheduling' && LASTS.test(answer.message) && !COMES_BACK.test(answer.message))
    ? answer
    : null;
}

// What no node pool can satisfy: labels, taints, sizes, its own limits (karpenter, scheduling/nodeclaim.go and scheduler.go).
const LASTS = /\bincompatible with (?:nodepool|provisioner)\b|\bincompatible requirements\b|\bdid not tolerate\b|\bno instance type\b|\bexceed limits for\b/i;
// An offering is out of stock for minutes; ports, spreading and volumes depend on other pods.
const COMES_BACK = /\boffering|\btopology|\bhost ?port|\baffinity\b|\bvolume/i;

const isNomination = ({ reason, source }: Told): boolean => reason === 'Nominated' && /karpenter/i.test(source);

// TriggeredScaleUp is Normal and newer than the refusal it answers; both are cluster-autoscaler's and Karpenter's words.
const scalerTold = (world: World, object: KubeObject): Told | null =>
  told(world, object, ['TriggeredScaleUp', 'NotTriggerScaleUp', 'Nominated', 'FailedScaleUp']);

// Karpenter refuses with the reason that the scheduler uses, too; its own words begin so (sigs.k8s.io/karpenter, scheduling/events.go).
const karpenterTold = (world: World, object: KubeObject): Told | null => told(world, object, ['FailedScheduling'], '^Failed to schedule pod, ');

/** What an autoscaler answered, as a sentence; '' where none did. */
export function autoscalerOf(world: World, object: KubeObject): string {
  const answer = attempt(() => answerOf(world, object));
  if (!answer || (answer.reason === 'Nominated' && !isNomination(answer))) return '';
  const unlaunched = launchOf(world, answer);
  return `The autoscaler (${answer.source}) said ${ago(world.now, answer.last)}: ${answer.message}${isVain(world, answer) ? `, as it has for ${duration(ageOf(world.now, answer.first) ?? 0)}` : ''}.${unlaunched === '' ? '' : ` ${unlaunched}`}`;
}

/** The NodeClaim that Karpenter nominated. */
function machineOf(world: World, { message }: Told): KubeObject | undefined {
  const name = /^Pod should schedule on: nodeclaim\/([a-z0-9][a-z0-9.-]*)/.exec(message)?.[1];
  return name ? world.snapshot.seen('NodeClaim.karpenter.sh').find(({ metadata }) => metadata.name === name) : undefined;
}

/** Why the machine that Karpenter nominated was not launched, in its own words; '' where that is not seen. */
function launchOf(world: World, told: Told): string {
  const claim = machineOf(world, told);
  const name = claim?.metadata.name;
  const launched = claim ? conditionOf(claim, 'Launched') : null;
  if (launched && launched.status !== 'True' && launched.message !== '') return `NodeClaim ${name ?? ''}: ${cut(launched.message, 240)}`;
  return claim && isLost(world, claim)
    ? `The machine of NodeClaim ${name ?? ''} was launched ${ago(world.now, launched?.since ?? '')} and has not registered as a node.`
    : '';
}

/** Karpenter's node pools that might serve the pod, where none of them is ready: it passes them over (`ignoring nodepool, not ready`), and adds no machine. */
export function unreadyPools(world: World, pod: Pod): KubeObject[] {
  const pools = world.snapshot.seen('NodePool.karpenter.sh').filter((pool) => !pool.metadata.deletionTimestamp && mayLabel(pool, pod));
  return pools.length > 0 && pools.every((pool) => conditionOf(pool, 'Ready')?.status === 'False') ? [...pools] : [];
}

interface Template {
  metadata?: { labels?: Record<string, string> };
  spec?: { requirements?: { key?: string; operator?: string; values?: string[] }[] };
}

/**
 * A label without a domain is nobody's but the pool's own: without a word of it there, no machine of it will have it
 * (sigs.k8s.io/karpenter, scheduling/requirements.go, Compatible: "does not have known values").
 */
function mayLabel(pool: KubeObject, pod: Pod): boolean {
  const { template } = (pool['spec'] ?? {}) as { template?: Template };
  const labels = textsOf(template?.metadata?.labels);
  const asked = Object.entries(textsOf(pod.spec?.nodeSelector)).filter(([key]) => !key.includes('/'));
  return asked.every(
    ([key, value]) =>
      labels[key] === value ||
      listOf(template?.spec?.requirements).some((each) => each.key === key && (each.operator !== 'In' || listOf(each.values).includes(value))),
  );
}

// A machine joins within minutes; Karpenter gives it up after 15 (nodeclaim/lifecycle/liveness.go).
const JOINS = 600;

/** Launched long ago, and no node has registered for it. */
const isLost = (world: World, claim: KubeObject): boolean => {
  const launched = conditionOf(claim, 'Launched');
  return launched?.status === 'True' && conditionOf(claim, 'Registered')?.status !== 'True' && (ageOf(world.now, launched.since) ?? 0) > JOINS;
};
