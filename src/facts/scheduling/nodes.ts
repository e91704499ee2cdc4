import type { KubeObject, Node, Pod } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { add, amountsOf, type Amounts, podRequests } from './resources.ts';
import { isTroubleTaint } from './changes.ts';
import { pinnedTo } from './demands.ts';
import { shortOf } from './fit.ts';
import { cordoned, isCordonTaint, matchesNode, taintText, untolerated } from './placement.ts';
import type { World } from '../world.ts';

/** What the Node objects alone tell, where the pods of other namespaces were not read. Everything here raises Unknown without the nodes. */
export const nodesFor = (world: World, pod: Pod): readonly Node[] => {
  const pinned = pinnedTo(pod);
  return (need(world.snapshot.list('Node')) ?? []).filter((node) => pinned === '' || node.metadata.name === pinned);
};

/** The taints that stand first against the pod: 1.35 (and late 1.34) no longer name them in the text. */
export function taintsInTheWay(world: World, pod: Pod): string[] {
  const named = nodesFor(world, pod)
    .filter((node) => !cordoned(pod.spec, node))
    .flatMap((node) => untolerated(pod.spec, node).slice(0, 1).map(taintText));
  return [...new Set(named)];
}

/** Nodes that their own trouble keeps from being looked at, and no label, cordon or other taint does. */
export function troubledNodes(world: World, pod: Pod): KubeObject[] {
  return nodesFor(world, pod).filter((node) => {
    const taints = untolerated(pod.spec, node)
      .filter((taint) => !isCordonTaint(taint))
      .map(taintText);
    return taints.length > 0 && taints.every(isTroubleTaint) && !cordoned(pod.spec, node) && matchesNode(pod.spec, node);
  });
}

/** The nodes the pod's labels allow, with what it asks beyond all that they have; null where one of them, empty, would hold it. */
export function oversizeOn(world: World, pod: Pod): { node: Node; short: Amounts; free: Amounts }[] | null {
  const asked = add({ pods: 1 }, podRequests(pod));
  const nodes = nodesFor(world, pod).filter((node) => matchesNode(pod.spec, node));
  const out = nodes.map((node) => {
    const free = amountsOf(node.status?.allocatable);
    return { node, free, short: shortOf(asked, free) };
  });
  return out.length > 0 && out.every((each) => Object.keys(each.short).length > 0) ? out : null;
}
