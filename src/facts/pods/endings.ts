import type { KubeObject, Pod } from '../../model/kinds.ts';
import type { Ending } from '../../model/layer.ts';
import { maybe } from '../../model/read.ts';
import { isTrue } from '../address.ts';
import { type Run, stateOf } from './containers.ts';
import { type EventRecord, eventsOf } from '../events/event-index.ts';
import { nodeOf } from '../nodes.ts';
import { containerEvents, probeFailures, probeSpec, type ProbeType } from './probe.ts';
import { HOOK_REASONS, IMAGE_REASONS, REFUSED_REASONS, type Rung } from './ladder.ts';
import { timeOf } from '../time.ts';
import { combine, type Told } from '../events/told.ts';
import type { World } from '../world.ts';

export interface Verdict {
  ended: Ending | '';
  /** The probe that ended it, where one did. */
  probe: ProbeType | null;
  /** The event of the hook that ended it, where one did. */
  hook: EventRecord | null;
  /** The probe, hook or loss of its sandbox that may have ended it, where the events of that time are not there to tell. */
  doubt: ProbeType | 'postStart' | 'sandbox' | null;
}

const plain = (ended: Ending | ''): Verdict => ({ ended, probe: null, hook: null, doubt: null });

/** Life of a finished run in ms. A StartError has `startedAt` 1970: the process never was. */
interface Life {
  from: number;
  to: number;
}

function lifeOf({ record }: Run): Life | null {
  const to = timeOf(record.finishedAt);
  return to === null ? null : { from: timeOf(record.startedAt) ?? to, to };
}

// Event and container times come from two clocks of one machine and carry whole seconds.
const SLACK = 2000;

const within = (event: EventRecord, { from, to }: Life): boolean => event.first <= to + SLACK && event.last >= from - SLACK;

const isKill = ({ record }: Run): boolean => [137, 143].includes(record.exitCode ?? 0) || [9, 15].includes(record.signal ?? 0);

// pkg/kubelet/kuberuntime/kuberuntime_manager.go: "Container app failed liveness probe, will be restarted"; before 1.13 "Container failed liveness probe.. Container will be killed".
const KILLED = /failed (liveness|startup) probe/;

const times = (records: readonly EventRecord[]): number => records.reduce((sum, { count }) => sum + count, 0);

/** Whether these ended every run of the container, as far as events were let through. */
function endsEveryStart(world: World, pod: Pod, { slot }: Rung, ends: readonly EventRecord[]): boolean {
  const starts = times(containerEvents(world, pod, slot).filter((record) => record.reason === 'Started'));
  return times(ends) >= 2 && starts > 0 && times(ends) >= starts - 1;
}

/** The probe that ended every start that events tell of, where no record of a run is left. */
function killerOf(world: World, pod: Pod, rung: Rung): ProbeType | null {
  const kills = containerEvents(world, pod, rung.slot).filter((record) => record.reason === 'Killing' && KILLED.test(record.message));
  return kills[0] && endsEveryStart(world, pod, rung, kills) ? typeOf(kills[0]) : null;
}

const typeOf = (record: EventRecord): ProbeType => (KILLED.exec(record.message)?.[1] ?? 'liveness') as ProbeType;

/** The probe for which the kubelet ended this run, by its Killing event or by failures right before a kill. */
function probeOf(world: World, pod: Pod, rung: Rung, run: Run): ProbeType | null {
  const life = lifeOf(run);
  if (!life) return null;
  const kills = containerEvents(world, pod, rung.slot).filter((record) => record.reason === 'Killing' && KILLED.test(record.message));
  const own = kills.find((record) => within(record, life));
  if (own) return typeOf(own);
  for (const type of ['liveness', 'startup'] as const) {
    const spec = probeSpec(rung.slot.spec, type);
    if (!spec) continue;
    // A loop outlasts the kubelet's allowance of events: later kills leave none. Who obeys SIGTERM ends with a code of its own;
    // it was killed all the same where, as long as events were let through, every start ended so.
    const earlier = kills.filter((record) => typeOf(record) === type);
    if (rung.looping && ((times(earlier) >= 2 && isKill(run)) || endsEveryStart(world, pod, rung, earlier))) return type;
    if (!isKill(run)) continue;
    const grace = spec.terminationGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 30;
    const window = (grace + (spec.periodSeconds ?? 10) + (spec.timeoutSeconds ?? 1)) * 1000 + SLACK;
    const failed = probeFailures(world, pod, rung.slot, type);
    if (failed.some((record) => record.last <= life.to + SLACK && record.last >= Math.max(life.to - window, life.from - SLACK))) return type;
  }
  return null;
}

// client-go, tools/record/events_cache.go: 25 events of one source about one object, then one more in five minutes.
const ALLOWANCE = 25;
// kube-apiserver, --event-ttl
const KEPT = 3_600_000;

/**
 * The hook, or the probe that had the time, that may have ended this run while no event could tell: used up, expired, or not read.
 * A container that goes with its sandbox is stopped in order, and may end with code 0 (pkg/kubelet/kuberuntime, killPodWithSyncResult).
 */
function doubtOf(world: World, pod: Pod, rung: Rung, run: Run): Verdict['doubt'] {
  const life = lifeOf(run);
  if (!life) return null;
  const recent = eventsOf(world, pod).filter(({ last }) => last >= life.from - KEPT);
  // Every run leaves a Started, and most a Pulled or BackOff behind: where none is kept, a Killing would not be either (--event-ttl may be minutes).
  const kept = recent.some(({ last }) => last >= life.from - SLACK);
  const heard = kept && world.snapshot.gap('Event', pod.metadata.namespace) === null && world.now - life.to < KEPT;
  if (heard && times(recent) < ALLOWANCE) return null;
  if (rung.slot.spec.lifecycle?.postStart) return 'postStart';
  return (
    (['startup', 'liveness'] as const).find((type) => {
      const spec = probeSpec(rung.slot.spec, type);
      return spec && life.to - life.from + SLACK >= ((spec.initialDelaySeconds ?? 0) + (spec.periodSeconds ?? 10) * ((spec.failureThreshold ?? 3) - 1)) * 1000;
    }) ?? (!heard && run.record.exitCode === 0 ? 'sandbox' : null)
  );
}

function hookOf(world: World, pod: Pod, rung: Rung, run: Run): EventRecord | null {
  const life = lifeOf(run);
  if (!life || !rung.slot.spec.lifecycle?.postStart) return null;
  const failed = containerEvents(world, pod, rung.slot).filter((record) => record.reason === 'FailedPostStartHook');
  return failed.find((record) => within(record, life)) ?? (rung.looping && endsEveryStart(world, pod, rung, failed) ? failed[0] : null) ?? null;
}

/** Why a finished run ended. The code comes last: 137 says SIGKILL and nothing of who sent it. */
function endOf(world: World, pod: Pod, rung: Rung, run: Run): Verdict {
  const { reason, exitCode } = run.record;
  if (reason === 'OOMKilled') return plain('oom');
  // The kubelet's own words for a container it cannot find, and the runtime's for one it lost (exit 255).
  if (reason === 'ContainerStatusUnknown' || (reason === 'Unknown' && exitCode === 255)) return plain('kubelet');
  if (REFUSED_REASONS.has(reason ?? '')) return plain('refused');
  const hook = hookOf(world, pod, rung, run);
  if (hook) return { ...plain('hook'), hook };
  const probe = probeOf(world, pod, rung, run);
  if (probe) return { ...plain('probe'), probe };
  return isKill(run) ? plain('killed') : { ...plain('exit'), doubt: doubtOf(world, pod, rung, run) };
}

/** The node's own SystemOOM at the moment a run was killed: the kernel ran out of memory outside of any limit (pkg/kubelet/oom). */
export function systemOom(world: World, pod: Pod, { run }: Rung): Told | null {
  const life = run && isKill(run) ? lifeOf(run) : null;
  const node = maybe(nodeOf(world, pod));
  if (!life || !node) return null;
  const near = { from: life.to - 3 * SLACK, to: life.to + SLACK };
  const events = eventsOf(world, node).filter((record) => record.reason === 'SystemOOM' && within(record, near));
  return events[0] ? combine(world, node, events[0], events) : null;
}

// Docker and old kubelets told of a container that never started by the event alone.
const isRefusedByEvent = (world: World, pod: Pod, { slot }: Rung): boolean =>
  containerEvents(world, pod, slot).some((record) => record.reason === 'Failed' && /failed to (?:start|create|generate)/i.test(record.message));

/** The one reason why a container does not run; the current state comes before the last one. */
export function endingOf(world: World, pod: Pod, rung: Rung): Verdict {
  return world.memo(rung, 'ending', () => {
    const { slot, run } = rung;
    const reason = slot.status?.state?.waiting?.reason ?? '';
    const state = stateOf(slot.status);
    if (state === 'waiting' && IMAGE_REASONS.has(reason)) return plain('image');
    if (state === 'waiting' && REFUSED_REASONS.has(reason)) return plain('refused');
    if (state === 'waiting' && HOOK_REASONS.has(reason)) return plain('hook');
    if (run && endedByKubelet(pod)) return plain(run.record.reason === 'OOMKilled' ? 'oom' : '');
    if (run) return endOf(world, pod, rung, run);
    const killer = rung.looping ? killerOf(world, pod, rung) : null;
    if (killer) return { ...plain('probe'), probe: killer };
    if (reason === 'CrashLoopBackOff') return plain(isRefusedByEvent(world, pod, rung) ? 'refused' : '');
    if (rung.looping) return plain('');
    return plain(state === 'running' ? 'running' : '');
  });
}

type Ended = Pod | (KubeObject & { status?: Pod['status'] });

/** Evicted, preempted or deleted with its node, and failed of that (condition DisruptionTarget, since 1.26). */
export const wasDisrupted = (pod: Ended): boolean => pod.status?.phase === 'Failed' && isTrue(pod, 'DisruptionTarget');

/** A pod that was ended as a whole (evicted, over its deadline, a node that shuts down): what its containers' codes say follows from that. */
export const endedByKubelet = (pod: Ended): boolean => wasDisrupted(pod) || (pod.status?.phase === 'Failed' && Boolean(pod.status?.reason));
