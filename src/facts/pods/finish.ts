import type { Pod } from '../../model/kinds.ts';
import { lastRun, stateOf } from './containers.ts';
import { eventsOf } from '../events/event-index.ts';
import { failureMatters } from './leftovers.ts';
import { listOf } from '../lists.ts';
import { finishedRungs, type Rung } from './ladder.ts';
import { timeOf } from '../time.ts';
import type { World } from '../world.ts';

// Proxies that are put beside a container and never end by themselves.
const PROXIES = /^(istio-proxy|linkerd-proxy|envoy|envoy-sidecar|consul-dataplane|kuma-sidecar|daprd|cloud-sql-proxy|cloudsql-proxy|vault-agent)$/;
const SOON = 120_000;
/** Workers of one pod may end at different times; half an hour after the first the others are company that does not leave. */
const LATE = 1_800_000;

/**
 * Containers that keep a pod from finishing: the work is done, they run on. Only where nothing is started again;
 * a sidecar proper (an init container with restartPolicy Always) is ended by the kubelet and does not count.
 */
export function lingering(pod: Pod, rungs: readonly Rung[], now: number): Rung[] {
  if ((pod.spec?.restartPolicy ?? 'Always') === 'Always') return [];
  const main = rungs.filter(({ slot }) => slot.role === 'main');
  const ends = main.filter(({ slot }) => stateOf(slot.status) === 'terminated').map(({ slot }) => timeOf(lastRun(slot)?.record.finishedAt) ?? now);
  const running = main.filter(({ slot }) => stateOf(slot.status) === 'running');
  if (ends.length === 0 || ends.length + running.length < main.length) return [];
  const quiet = now - ends.reduce((latest, end) => Math.max(latest, end), 0);
  const patience = running.every(({ slot }) => PROXIES.test(slot.name)) ? SOON : LATE;
  return quiet > patience ? running : [];
}

/** A server that answers the kubelet's SIGTERM with 0 ends as a success, though its probe killed it (restartPolicy OnFailure). */
function killedIntoSuccess(world: World, pod: Pod): boolean {
  const probed = listOf(pod.spec?.containers).some((spec) => spec.livenessProbe || spec.startupProbe);
  if (!probed || pod.spec?.restartPolicy === 'Always') return false;
  const ends = listOf(pod.status?.containerStatuses).map((status) => timeOf(status.state?.terminated?.finishedAt) ?? 0);
  const end = ends.reduce((latest, time) => Math.max(latest, time), 0);
  const grace = (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
  return eventsOf(world, pod).some(
    (record) =>
      record.reason === 'Killing' && /failed (liveness|startup) probe/.test(record.message) && record.last >= end - grace - 2000 && record.last <= end + 2000,
  );
}

/** Rungs of a pod in phase Succeeded or Failed. */
export function overRungs(world: World, pod: Pod): { at: 'goal' | 'finish'; rungs: Rung[] } {
  const rungs = finishedRungs(pod);
  if (pod.status?.phase === 'Failed') return { at: failureMatters(world, pod) ? 'finish' : 'goal', rungs };
  if (!killedIntoSuccess(world, pod) || !failureMatters(world, pod)) return { at: 'goal', rungs };
  return { at: 'finish', rungs: rungs.map((rung) => ({ ...rung, at: 'finish', run: lastRun(rung.slot) })) };
}
