import type { World } from '../world.ts';
import type { Text } from '../../model/text.ts';

/** What a predicate is about; decides how it can be checked against the nodes. */
export const PREDICATE_KINDS = [
  'resources',
  'pods',
  'taint',
  'affinity',
  'cordon',
  'name',
  'ports',
  'pod-affinity',
  'anti-affinity',
  'spread',
  'claim',
  'volume',
  'volume-node',
  'volume-count',
  'device',
  'narrowed',
  'gang',
  'extender',
  'error',
  'other',
] as const;
export type PredicateKind = (typeof PREDICATE_KINDS)[number];

/** One reason why nodes were refused. */
export interface Predicate {
  /** Nodes it was said of; the total where it was said of the pod as a whole. */
  n: number;
  /** The scheduler's words, without the count. */
  reason: string;
  kind: PredicateKind;
  /** Row of the text table `scheduling`; `unknown` where none matched. */
  class: string;
  layer: Text['layer'];
  says: string;
  captures: Record<string, string>;
  /** Count and reason as the scheduler wrote them. */
  text: string;
}

/**
 * How its counts stand to the number of nodes. `short`: of some nodes nothing is told, as in a text that was cut. `over`: some are counted
 * more than once, as old schedulers told every fault of a node. One node may lack several resources, and only resource predicates are
 * reported together today: every other plugin ends the node's turn.
 */
export interface Sum {
  told: number;
  is: 'whole' | 'short' | 'over' | '';
}

export interface SchedulingMessage {
  /** Nodes in the cluster as the scheduler counted them; 0 where the text has no count. */
  total: number;
  predicates: Predicate[];
  sum: Sum;
  /** What preemption answered, without its own head; '' where the text has none. */
  preemption: string;
  /** The text ends in the middle: events are cut at 1024 characters. */
  cut: boolean;
}

// Order matters: the first match names the kind. Wordings of 1.9 to 1.36 (`pkg/scheduler/framework/plugins/*`).
const KINDS: readonly [RegExp, PredicateKind][] = [
  [/^Too many pods|^Insufficient pods/, 'pods'],
  [/^Insufficient |^Node didn't have enough resource|^PodFitsResources/, 'resources'],
  [/taint|^PodToleratesNodeTaints/, 'taint'],
  [/were unschedulable|^NodeUnschedulable/, 'cordon'],
  [/volume node affinity conflict|PersistentVolume's node affinity|no available volume zone|^NoVolumeZoneConflict|^VolumeNodeAffinityConflict/, 'volume-node'],
  [/anti-affinity/, 'anti-affinity'],
  [/pod affinity|inter-pod affinity|affinity rules/, 'pod-affinity'],
  [/node affinity|node selector|^MatchNodeSelector|pod affinity terms conflict/, 'affinity'],
  [/requested (node|host) ?name|^HostName|^NodeName/, 'name'],
  [/free ports|^PodFitsHostPorts/, 'ports'],
  [/topology spread/, 'spread'],
  [/max volume count|^MaxVolumeCount/, 'volume-count'],
  // The claim is bound: it is one pod's alone.
  [/ReadWriteOncePod/, 'volume'],
  [/PersistentVolumeClaim|persistentvolumeclaim|^PVC \S+ was not created for pod|unbound immediate|ephemeral volume|pvc\(s\) bound to non-?existent/, 'claim'],
  [/persistent volume|pvc\(s\)|free storage|no available disk|CSI driver|^VolumeBinding/, 'volume'],
  [/[Rr]esource ?[Cc]laim|device class|allocate all claims|devices?\b/, 'device'],
  [/didn't satisfy plugin/, 'narrowed'],
  [/^running |^binding |plugin "|^skip schedule|AssumePod/, 'error'],
];

/** Said before any node is looked at. */
const WHOLE: Readonly<Record<string, PredicateKind>> = { 'gang-short': 'gang', 'gang-incomplete': 'gang', extender: 'extender' };

/** Splits FailedScheduling text or the PodScheduled message into predicates. Any text gives at least one predicate, except ''. */
export function readSchedulingMessage(world: Pick<World, 'classify'>, message: string): SchedulingMessage {
  const text = message
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/ \(repeated \d+ times\)$/, '');
  const head = /(\d+)\/(\d+) nodes are available:\s*/.exec(text);
  if (!head) return { total: 0, ...oldOrWhole(world, text), preemption: '', cut: text.endsWith('...') };
  const total = Number(head[2]);
  const [filter, preemption] = splitPreemption(text.slice(head.index + head[0].length));
  const parts = filter === '' ? [] : filter.split(/,\s+(?=\d+ )/);
  const predicates = parts.map((part): Predicate => {
    const counted = /^(\d+) (.*)$/s.exec(part);
    return predicateOf(world, counted ? Number(counted[1]) : total, counted?.[2] ?? part, part);
  });
  return { total, predicates, sum: sumOf(predicates, total), preemption, cut: text.endsWith('...') };
}

// The filter's part ends in a full stop of its own; what post-filters say follows, "no new claims to deallocate,"
// (1.34) and "still not schedulable," being noise of the device plugin before it.
function splitPreemption(rest: string): [filter: string, preemption: string] {
  const at = /\.?\s*(?:(?:no new claims to deallocate|still not schedulable),?\s*)*(preemption: |$)/.exec(rest);
  const filter = (at ? rest.slice(0, at.index) : rest).replace(/\.+$/, '').replace(/\.\s+not found$/, '');
  const preemption = at?.[1] ? rest.slice(at.index + at[0].length) : '';
  return [
    filter.trim(),
    preemption
      .replace(/^\d+\/\d+ nodes are available:\s*/, '')
      .replace(/\.$/, '')
      .trim(),
  ];
}

// Before 1.9: "No nodes are available that match all of the predicates: Insufficient cpu (1), ...".
function oldOrWhole(world: Pick<World, 'classify'>, text: string): Pick<SchedulingMessage, 'predicates' | 'sum'> {
  const sum: Sum = { told: 0, is: '' };
  if (text === '') return { predicates: [], sum };
  const single = /^(\d+) (\D.*)$/.exec(text);
  if (single) return { predicates: [predicateOf(world, Number(single[1]), single[2] ?? '', text)], sum };
  const old = /match all of the (?:following )?predicates:?:\s*(.*?)\.?$/.exec(text);
  if (!old) return { predicates: [predicateOf(world, 0, text.replace(/\.$/, ''), text)], sum };
  const predicates = (old[1] ?? '').split(/,\s+/).map((part) => {
    const counted = /^(.*?) \((\d+)\)$/.exec(part);
    return predicateOf(world, Number(counted?.[2] ?? 0), counted?.[1] ?? part, part);
  });
  return { predicates, sum };
}

function predicateOf(world: Pick<World, 'classify'>, n: number, reason: string, text: string): Predicate {
  const row = world.classify('scheduling', reason);
  const kind = WHOLE[row.class] ?? KINDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other';
  return { n, reason, kind, class: row.class, layer: row.layer, says: row.says, captures: row.captures, text };
}

function sumOf(predicates: readonly Predicate[], total: number): Sum {
  let single = 0;
  let shared = 0;
  let most = 0;
  for (const { n, kind } of predicates) {
    if (kind === 'resources' || kind === 'pods') {
      shared += n;
      most = Math.max(most, n);
    } else {
      single += n;
    }
  }
  const told = single + shared;
  return { told, is: told < total ? 'short' : single + most > total ? 'over' : 'whole' };
}
