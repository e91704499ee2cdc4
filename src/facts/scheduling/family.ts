import { CAPABILITIES, LAYERS } from '../../model/layer.ts';
import type { KubeObject, Pod } from '../../model/kinds.ts';
import type { Family } from '../family.ts';
import { schedFacts } from './scheduling.ts';
import { PREDICATE_KINDS } from './message.ts';

const AMOUNTS = 'map<string, double>';

export const family: Family = {
  name: 'scheduling',
  doc: "Why a pod has no node: the scheduler's words taken apart, and each node judged again from what was read.",
  types: {
    Preempted: {
      says: { type: 'string', doc: 'who had to leave which node for whom, in a sentence' },
      evidence: { type: 'Evidence', doc: 'the event about the pod that left' },
    },
    Sched: {
      message: { type: 'string', doc: "the scheduler's words: the condition PodScheduled, else the newest FailedScheduling event; '' where it said nothing" },
      reason: { type: 'string', doc: 'reason of PodScheduled=False: Unschedulable, SchedulerError, SchedulingGated' },
      total: { type: 'double', doc: 'nodes as the scheduler counted them; 0 where the text has no count' },
      predicates: { type: 'list<Predicate>', doc: 'the reasons, in the order of the text; preemption left out' },
      adds: { type: 'bool', doc: 'the counts cover every node; one node may lack several resources at once' },
      cut: { type: 'bool', doc: 'the text ends in the middle (events are cut at 1024 characters)' },
      summary: { type: 'string', doc: '`3 lack memory, 2 have taint dedicated=db`' },
      says: { type: 'string', doc: 'why no node fits, as a heading: by its sizes where no node could ever hold it, else by the summary' },
      why: { type: 'string', doc: 'what follows from that, in a sentence or two' },
      preemption: { type: 'string', doc: "what preemption answered, '' where the text has none" },
      preempted: { type: 'Preempted?', doc: 'the pod that it replaces had to leave for one of higher priority' },
      silent: { type: 'bool', doc: 'neither condition nor event: no scheduler has taken the pod up; raises unknown where events were not read' },
      gates: { type: 'list<SchedulingGate>', doc: 'spec.schedulingGates' },
      gatekeepers: { type: 'list<object>', doc: "what failed of those that set them: objects of the gate's API group that belong to the pod's controller" },
      making: { type: 'string', doc: "who leaves for it on a node, or how far a node is that comes for it, in sentences; ''" },
      nominated: { type: 'string', doc: 'node on which preemption is making room; not an assignment' },
      asked: { type: AMOUNTS, doc: "requests by the kubelet's own formula: init containers, sidecars, pod level, overhead; and one place (`pods`)" },
      demands: { type: 'list<LabelDemand>', doc: 'node labels the pod demands' },
      ports: { type: 'list<string>', doc: 'ports of the node it takes: `80/TCP`' },
      nodes: {
        type: 'list<NodeFit>',
        doc: 'each node as it stands for the pod; raises unknown where nodes, or pods of all namespaces, were not read',
      },
      best: {
        type: 'Best?',
        doc: 'the node that comes nearest to having room; null where room is not the matter; raises unknown as `nodes`, unless no node could ever hold it',
      },
      oversize: {
        type: 'Best?',
        doc: 'no node its labels allow could hold it even when empty: the largest of them; raises unknown where nodes were not read',
      },
      changes: { type: 'list<Change>', doc: 'changes of which each alone would give it a node; raises unknown as `nodes`' },
      admits: {
        type: 'string',
        doc: "the first two of `changes` in words, '' without any or where no node could ever hold it; raises unknown as `nodes`",
      },
      asleep: {
        type: 'string',
        doc: "RFC 3339, since when kube-scheduler is silent, whose word this is; '' while it runs, or another scheduler speaks",
      },
      over: {
        type: 'bool',
        doc: 'said by a scheduler that is silent since, and by what was read a node would take the pod now',
      },
      fits: {
        type: 'list<string>',
        doc: 'nodes with nothing against it now: the scheduler has not tried again; raises unknown as `nodes`',
      },
      agrees: { type: 'bool', doc: "our own judgement of the nodes gives the scheduler's counts; raises unknown as `nodes`" },
      claims: { type: 'list<PodClaim>', doc: 'claims of the pod that are absent or not bound' },
      awaits: { type: 'list<PodClaim>', doc: 'those for which the scheduler has chosen a node; it waits for them before it binds the pod' },
      autoscaler: { type: 'string', doc: "what an autoscaler answered, as a sentence; ''" },
      coming: { type: 'bool', doc: 'room is on its way: the autoscaler adds a node for it, or preemption makes room' },
      declined: {
        type: 'Told?',
        doc: "the autoscaler's word that it adds no node for the pod, where that is its newest; raises unknown where events were not read",
      },
      barred: { type: 'bool', doc: 'labels, taints set on purpose, or its size keep it from every node, however empty' },
      permanence: {
        type: 'string',
        doc: '`waiting` while room is on its way, `corroborated` where nothing brings any, else `capacity`',
        oneOf: ['waiting', 'corroborated', 'capacity'],
      },
      told: { type: 'Told?', doc: 'the newest FailedScheduling event; raises unknown where events were not read' },
      agents: { type: 'list<object>', doc: 'DaemonSet pods that are not ready, on nodes that keep devices back or wear the taint of that agent' },
      group: { type: 'list<object>', doc: 'what makes the pods of its group, while too few of them are there' },
      pools: { type: 'list<object>', doc: 'node pools of Karpenter, where none is ready and no other autoscaler has spoken' },
      lacks: { type: 'string', doc: '`room` where nodes that would take it are lost', oneOf: ['', ...CAPABILITIES] },
      drains: {
        type: 'list<object>',
        doc: 'what keeps room from coming free: budgets that keep a drain from ending, where cordoned nodes are all that is missing, and pods sent away for it that have not ended in their time',
      },
      lost: {
        type: 'list<object>',
        doc: 'nodes that nothing keeps from taking it but their own trouble (not-ready, unreachable, pressure), by the nodes alone where not all pods were read; raises unknown where nodes were not read',
      },
      since: { type: 'string', doc: 'RFC 3339, first refusal, else the creation' },
      evidence: { type: 'Evidence', doc: 'condition PodScheduled, or the event' },
    },
    Predicate: {
      n: { type: 'double', doc: 'nodes it was said of; the total where it is about the pod as a whole' },
      reason: { type: 'string', doc: "the scheduler's words without the count" },
      text: { type: 'string', doc: "the scheduler's words" },
      kind: { type: 'string', doc: 'what it is about', oneOf: PREDICATE_KINDS },
      class: { type: 'string', doc: 'row of table `scheduling`; `unknown`' },
      layer: { type: 'string', doc: "layer of that row, or ''", oneOf: ['', ...LAYERS] },
      says: { type: 'string', doc: 'what the row says' },
      captures: { type: 'map<string, string>', doc: 'what the row captured' },
    },
    Best: {
      node: { type: 'string', doc: 'its name' },
      free: { type: AMOUNTS, doc: 'allocatable less the requests placed there' },
      short: { type: AMOUNTS, doc: 'what is asked beyond that' },
      text: { type: 'string', doc: '`node-1: 4 cpu - 3500m requested = 500m free, 1 asked`' },
      evidence: { type: 'Evidence', doc: 'status.allocatable of the node' },
    },
    LabelDemand: {
      text: { type: 'string', doc: '`disktype=ssd`, `zone in (a, b)`' },
      nodes: { type: 'double', doc: 'nodes that satisfy it; raises unknown where nodes were not read' },
      has: { type: 'list<string>', doc: 'values that nodes have for the same label' },
      evidence: { type: 'Evidence', doc: 'the nodeSelector entry or the affinity' },
    },
    NodeFit: {
      node: { type: 'object', doc: 'the Node' },
      blocks: { type: 'list<Block>', doc: "what stands against the pod, in the order of the scheduler's plugins" },
      free: { type: AMOUNTS, doc: 'allocatable less the requests placed there' },
      short: { type: AMOUNTS, doc: 'what is asked beyond that' },
    },
    Block: {
      kind: { type: 'string', doc: 'what it is about', oneOf: PREDICATE_KINDS },
      says: { type: 'string', doc: '`dedicated=db:NoSchedule`, `port 80/TCP is taken by web-1`' },
    },
    Change: {
      kind: { type: 'string', doc: 'what it is about', oneOf: PREDICATE_KINDS },
      says: { type: 'string', doc: 'the change in words' },
      nodes: { type: 'list<string>', doc: 'nodes that would then take the pod' },
    },
    PodClaim: {
      name: { type: 'string', doc: 'name of the claim' },
      volume: { type: 'string', doc: "the pod's name for it" },
      state: { type: 'string', doc: 'why it is not usable', oneOf: ['absent', 'pending', 'lost', 'deleting', 'foreign'] },
      says: { type: 'string', doc: 'that in words: `is pending`' },
      object: { type: 'object?', doc: 'the claim; null where absent' },
      node: { type: 'string', doc: "node the scheduler has chosen for it; ''" },
      evidence: { type: 'Evidence', doc: "the claim's phase, or the volume that names it" },
    },
    SchedulingGate: {
      name: { type: 'string', doc: 'name of the gate; who set it removes it' },
      evidence: { type: 'Evidence', doc: 'the gate' },
    },
  },
  variables: [
    { name: 'sched', kinds: ['Pod'], type: 'Sched', doc: 'why the pod has no node', of: (world, object: KubeObject) => schedFacts(world, object as Pod) },
  ],
};
