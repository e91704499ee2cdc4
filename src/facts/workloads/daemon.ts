import type { DaemonSet, KubeObject, Node, Pod, Toleration } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { listOf } from '../lists.ts';
import { ownedList } from '../owners.ts';
import { pinnedTo } from '../scheduling/demands.ts';
import { matchesNode, taintText, tolerates } from '../scheduling/placement.ts';
import { some } from '../words.ts';
import type { World } from '../world.ts';

/** A node on which a DaemonSet wants no pod, and why. */
export interface SkippedNode extends Addressed {
  node: string;
  /** `labels outside the node selector`, or the taints it does not tolerate. */
  why: string;
}

// The controller gives its pods these (pkg/controller/daemon/util, AddOrUpdateDaemonPodTolerations).
const OWN: Toleration[] = [
  ...['not-ready', 'unreachable'].map((key) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: 'NoExecute' })),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];
const HOST_NETWORK: Toleration = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists' };

/** Nodes that the controller leaves out: it applies name, affinity and taints itself, without any event. Raises Unknown without the nodes. */
export function skippedNodes(world: World, set: KubeObject): SkippedNode[] {
  return (need(world.snapshot.list('Node')) ?? []).flatMap((node) => {
    const why = refusal(set, node);
    return why === null
      ? []
      : [
          {
            node: node.metadata.name,
            why,
            evidence: evidenceAt(node, '/spec', `${node.metadata.name} is left out: ${why}`),
          },
        ];
  });
}

function refusal(set: KubeObject, node: Node): string | null {
  const spec = (set as DaemonSet).spec?.template?.spec;
  if (spec?.nodeName && spec.nodeName !== node.metadata.name) return 'another node is named';
  if (!matchesNode(spec, node)) return 'labels outside the node selector or affinity';
  const tolerations = [...listOf(spec?.tolerations), ...OWN, ...(spec?.hostNetwork ? [HOST_NETWORK] : [])];
  const taints = listOf(node.spec?.taints).filter((taint) => taint.effect !== 'PreferNoSchedule' && !tolerates(tolerations, taint));
  return taints.length > 0 ? `taint ${some(taints.map(taintText))} is not tolerated` : null;
}

/** Nodes that should have a pod of the set and have none. May raise Unknown. */
export function emptyNodes(world: World, set: KubeObject): string[] {
  const pods = (need(ownedList(world, set, 'Pod')) ?? []) as Pod[];
  const skipped = new Set(skippedNodes(world, set).map((each) => each.node));
  const taken = new Set(pods.flatMap((pod) => pod.spec?.nodeName || pinnedTo(pod) || []));
  return (need(world.snapshot.list('Node')) ?? []).map((node) => node.metadata.name).filter((name) => !taken.has(name) && !skipped.has(name));
}
