import type { Pod } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { type Heartbeat, HEARTBEAT_TYPE, heartbeatOf } from '../clock.ts';
import type { Family } from '../family.ts';
import { lazy } from '../lazy.ts';
import type { World } from '../world.ts';

export interface Component extends Addressed {
  name: string;
  /** Null where there is none, or it was never renewed. */
  lease: Heartbeat | null;
  renewed: string;
  age: number;
  stale: boolean;
  holder: string;
  /** False where no Lease of that name exists: managed control planes keep theirs elsewhere, which proves nothing. */
  known: boolean;
  pods: readonly Pod[];
}

// leaderelection defaults: a Lease of 15 s, renewed every 2 s; whoever misses it three times over is not late.
const FULL = 15;

/**
 * Seconds without renewal after which nobody holds the Lease: a holder that lives renews well within its duration, a successor
 * comes soon after. Short Leases are those of small set-ups, or released ones (duration 1, no holder).
 */
const limitOf = (duration: number): number => (duration >= FULL ? 3 * duration : Math.max(10, 1.5 * duration + 2));

/** A control-plane component that elects its leader by a Lease in kube-system: kube-scheduler, kube-controller-manager, cloud-controller-manager. */
export function componentFacts(world: World, name: string): Component {
  return world.memo(world.snapshot, `component:${name}`, () => {
    const facts: Component = lazy<Component>({
      name: () => name,
      lease: () => {
        const lease = need(world.snapshot.get('Lease', 'kube-system', name));
        return lease && heartbeatOf(world, lease);
      },
      renewed: () => facts.lease?.renewed ?? '',
      age: () => facts.lease?.age ?? 0,
      stale: () => facts.lease !== null && facts.lease.age > limitOf(facts.lease.duration),
      holder: () => facts.lease?.holder ?? '',
      known: () => facts.lease !== null,
      pods: () => world.snapshot.seen('Pod', 'kube-system').filter((pod) => isOf(pod, name)),
      evidence: () =>
        facts.lease?.evidence ??
        evidenceAt(
          { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace: 'kube-system' } },
          '',
          `no Lease ${name} in kube-system`,
        ),
    });
    return facts;
  });
}

// kubeadm's static pods carry component=NAME; others name them after the component and the node.
const isOf = (pod: Pod, name: string): boolean => {
  const labels = pod.metadata.labels;
  return labels?.['component'] === name || labels?.['k8s-app'] === name || pod.metadata.name.startsWith(`${name}-`);
};

export const family: Family = {
  name: 'components',
  doc: 'Control-plane components by the Lease they renew.',
  types: {
    Lease: HEARTBEAT_TYPE,
    Component: {
      name: { type: 'string', doc: 'name of component and Lease' },
      lease: { type: 'Lease?', doc: 'its Lease; null where there is none' },
      renewed: { type: 'string', doc: "RFC 3339, '' where it is not known" },
      age: { type: 'double', doc: 'seconds since the last renewal' },
      stale: { type: 'bool', doc: 'the Lease exists and nobody has renewed it for three of its durations' },
      holder: { type: 'string', doc: 'who held it last' },
      known: { type: 'bool', doc: 'the Lease exists; managed control planes have none, which proves nothing' },
      pods: { type: 'list<object>', doc: 'its pods in kube-system, from what was read' },
      evidence: { type: 'Evidence', doc: 'time of renewal' },
    },
  },
  functions: [
    {
      name: 'component',
      args: [{ name: 'name', type: 'string' }],
      returns: 'Component',
      doc: 'kube-scheduler, kube-controller-manager, cloud-controller-manager. Fields raise unknown where Leases of kube-system may not be read.',
      call: (world, _object, name) => componentFacts(world, String(name)),
    },
  ],
};
