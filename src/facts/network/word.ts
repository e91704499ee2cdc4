import type { KubeObject, Pod } from '../../model/kinds.ts';
import { attempt, maybe } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import type { Family } from '../family.ts';
import { nodeFacts, nodeOf } from '../nodes.ts';
import { networkControllers } from './plugins.ts';
import { combine, currentEvents, type Told } from '../events/told.ts';
import type { World } from '../world.ts';

/** A sentence about a pod's network by somebody who knows more than the kubelet, with what table `sandboxes` says of it. */
export interface NetworkWord extends Told {
  meaning: Text;
}

/**
 * The kubelet quotes what the plugin answered; why there is no address or no interface is known to the controller that
 * hands them out, or to the agent of the node. They tell it of the pod, of the node or of the agent's own pod.
 * The newest such warning that table `sandboxes` knows; null where none was read.
 */
export function networkWord(world: World, pod: Pod): NetworkWord | null {
  return world.memo(pod, 'pod:network-word', () => {
    const node = maybe(nodeOf(world, pod));
    const told = [pod, node, ...(node ? nodeFacts(world, node).agents : [])] as (KubeObject | null)[];
    for (const object of told) {
      if (object === null) continue;
      const events = (attempt(() => currentEvents(world, object, [])) ?? []).filter((event) => event.type === 'Warning' && event.source !== 'kubelet');
      for (const event of events) {
        const meaning = world.classify('sandboxes', event.message);
        if (meaning.class !== 'unknown' && meaning.layer === 'cni') return { ...combine(world, object, event, events), meaning };
      }
    }
    return null;
  });
}

export const family: Family = {
  name: 'network',
  doc: "What is told of a pod's network beside the words of its kubelet.",
  types: {
    NetworkWord: {
      reason: { type: 'string', doc: 'reason of the event' },
      message: { type: 'string', doc: 'its words' },
      count: { type: 'double', doc: 'how often it was told' },
      first: { type: 'string', doc: 'RFC 3339 of the first time' },
      last: { type: 'string', doc: 'RFC 3339 of the last time' },
      source: { type: 'string', doc: 'who said it' },
      meaning: { type: 'Text', doc: 'the words by table sandboxes' },
      evidence: { type: 'Evidence', doc: 'the event' },
    },
  },
  functions: [
    {
      name: 'networkControllers',
      args: [],
      returns: 'list<object>',
      doc: 'Deployments and StatefulSets of the network plugin: what serves the network of all nodes.',
      call: (world) => networkControllers(world),
    },
  ],
  variables: [
    {
      name: 'handedOut',
      kinds: ['Pod'],
      type: 'NetworkWord?',
      doc: 'What the controller that hands out addresses and interfaces, or the agent of the node, says of it; null where neither does.',
      of: (world, object) => networkWord(world, object as unknown as Pod),
    },
  ],
};
