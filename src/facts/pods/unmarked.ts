import type { Evidence } from '../../model/finding.ts';
import type { Pod } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { conditionOf } from '../address.ts';
import type { FieldDoc } from '../family.ts';
import { nodeOf } from '../nodes.ts';
import { ageOf, timeOf } from '../time.ts';
import { ago } from '../words.ts';
import type { World } from '../world.ts';
import type { Box } from './box.ts';
import { unmetGates } from './readiness-gates.ts';

/** What runs, and that nothing says no to, is not called ready. */
export interface Unmarked {
  /** What it is, as a sentence begins. */
  what: string;
  actual: string;
  /** What the node controller did to it, as a further sentence; '' where it did nothing. */
  by: string;
  evidence: Evidence[];
}

// The kubelet writes its status within seconds of a change, and once a minute in any case.
const SYNC = 120;

/**
 * A running container without a readiness probe is ready at once, and a pod whose containers are ready and that has no gate is Ready
 * (pkg/kubelet/prober, pkg/kubelet/status/generate.go). Null where a probe, a gate or a container may say no. Raises Unknown without the node.
 */
export function unmarkedOf(world: World, pod: Pod, boxes: readonly Box[]): Unmarked | null {
  const ready = conditionOf(pod, 'Ready');
  const short = boxes.filter(({ at }) => at !== 'goal');
  const idle = short.filter((box) => box.at === 'ready' && box.ended === 'running' && box.probe === null);
  if (!ready || ready.status === 'True' || boxes.length === 0 || idle.length < short.length || unmetGates(pod).length > 0) return null;
  if ((ageOf(world.now, ready.since) ?? 0) < SYNC) return null;
  const node = need(nodeOf(world, pod));
  const reports = node && conditionOf(node, 'Ready');
  if (reports?.status !== 'True' || (ageOf(world.now, reports.since) ?? SYNC) < SYNC) return null;
  const [first] = idle;
  return {
    what: first
      ? `Container ${first.name} runs, nothing asks whether it is ready, and it is not called so`
      : 'Every container is ready, no gate is left, and the pod is not called Ready',
    actual: first ? `container ${first.name} runs without a readiness probe` : 'its containers are ready',
    // While a node is not Ready its pods are called so, too (pkg/controller/nodelifecycle, MarkPodsNotReady); the kubelet has to take that back.
    by:
      (timeOf(reports.since) ?? 0) > (timeOf(ready.since) ?? 0)
        ? `While a node is not ready its pods are called so, too; ${node?.metadata.name} is Ready again since ${ago(world.now, reports.since)}, and that was not taken back.`
        : '',
    evidence: [ready.evidence, ...idle.map((box) => box.evidence), reports.evidence],
  };
}

export const UNMARKED_TYPE: Record<string, FieldDoc> = {
  what: { type: 'string', doc: 'what it is, as a sentence begins' },
  actual: { type: 'string', doc: 'how its containers are' },
  by: { type: 'string', doc: "what was written while its node was not ready, as a further sentence; ''" },
  evidence: { type: 'list<Evidence>', doc: 'the conditions of pod and node, and the statuses' },
};
