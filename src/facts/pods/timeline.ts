import type { Pod } from '../../model/kinds.ts';
import { maybe } from '../../model/read.ts';
import type { TraceStep } from '../../model/trace.ts';
import { conditionOf } from '../address.ts';
import { lastRun, type Slot, slotsOf, stateOf } from './containers.ts';
import { addressesOf } from '../network/endpoints-slices.ts';
import { listOf } from '../lists.ts';
import { eventsOf } from '../events/event-index.ts';
import { sandboxCondition } from './ladder.ts';
import { matchesLabels } from '../selectors.ts';
import { isoOf, timeOf } from '../time.ts';
import type { World } from '../world.ts';
import { isFinished } from './phase.ts';

export interface Timeline {
  /** In time order, as far as it came. */
  steps: TraceStep[];
  /** The first step it has not taken; null once it is through. */
  waits: { step: string; seconds: number } | null;
  /** Its containers were started again since: the times of their first start are gone. */
  restarted: number;
}

/**
 * When a pod took each step on the way to traffic, by its own conditions and container states (whole seconds). A condition tells its
 * last change: of a pod that became ready again the time is that of the last time. Nobody writes down when an endpoint was published.
 */
export function timelineOf(world: World, pod: Pod): Timeline {
  const born = timeOf(pod.metadata.creationTimestamp);
  const since = (type: string): string | null => {
    const condition = type === 'sandbox' ? sandboxCondition(pod) : conditionOf(pod, type);
    return condition?.status === 'True' ? condition.since : null;
  };
  const mains = slotsOf(pod).filter(({ role }) => role !== 'init');
  const restarted = mains.reduce((sum, { status }) => sum + (status?.restartCount ?? 0), 0);
  // One that has ended, or waits for its next start, had begun.
  const starts = mains
    .map(({ status }) => timeOf((status?.state?.running ?? status?.state?.terminated ?? status?.lastState?.terminated)?.startedAt))
    .filter((time) => time !== null);
  const inits = slotsOf(pod).some(({ role }) => role === 'init');
  const pulled = eventsOf(world, pod)
    .filter(({ reason, message }) => reason === 'Pulled' && /^Successfully pulled image/.test(message))
    .map(({ last }) => last);
  // The kubelet writes these two conditions with its next status, often once the containers run: it was so before they did.
  const firstStart = restarted === 0 ? Math.min(...starts, ...pulled) : Number.POSITIVE_INFINITY;
  const before = (at: string | null): string | null => ((timeOf(at) ?? 0) > firstStart ? isoOf(firstStart) : at);
  const found: [step: string, at: string | null][] = [
    ['created', pod.metadata.creationTimestamp ?? ''],
    ['scheduled', since('PodScheduled')],
    ['sandbox', before(since('sandbox'))],
    ...(inits ? [['initialized', before(since('Initialized'))] as [string, string | null]] : []),
    // Events expire, and an image that is there already is not pulled.
    ...(pulled.length > 0 ? [['image', isoOf(Math.max(...pulled))] as [string, string | null]] : []),
    ['started', mains.length > 0 && starts.length === mains.length ? isoOf(Math.max(...starts)) : null],
    ['ready', since('Ready')],
    ...endpointStep(world, pod),
  ];
  const missing = isFinished(pod) ? undefined : found.find(([, at]) => at === null);
  // Old servers have no condition for the sandbox: what comes after it shows that it was there.
  const last = found.findLastIndex(([, at]) => at !== null);
  const waits = missing && found.indexOf(missing) > last ? missing : undefined;
  const steps = found
    .filter(([, at]) => at !== null)
    .map(
      ([step, at]): TraceStep => ({
        step,
        at: at ?? '',
        after: born === null || !timeOf(at) ? null : Math.max(0, ((timeOf(at) ?? 0) - born) / 1000),
      }),
    );
  const ordered = steps
    .map((step, index) => ({ step, index }))
    .sort((a, b) => (a.step.after ?? Infinity) - (b.step.after ?? Infinity) || a.index - b.index)
    .map(({ step }) => step);
  const newest = Math.max(0, ...ordered.map(({ at }) => timeOf(at) ?? 0));
  return {
    steps: [...slowestOf(ordered), ...endOf(slotsOf(pod), born)],
    waits: waits ? { step: waits[0], seconds: Math.max(0, (world.now - newest) / 1000) } : null,
    restarted,
  };
}

/** The end of what ran, where nothing of it runs any more; of a pod whose init container failed, that one's. No wait, however long it took. */
function endOf(slots: readonly Slot[], born: number | null): TraceStep[] {
  const mains = slots.filter(({ role }) => role !== 'init');
  // The process of a StartError never was.
  const runs = (of: readonly Slot[]) =>
    of.map((slot) => ({ name: slot.name, record: lastRun(slot)?.record ?? {} })).filter(({ record }) => timeOf(record.startedAt) !== null);
  const failed = slots.filter((slot) => slot.role === 'init' && stateOf(slot.status) !== 'running' && (lastRun(slot)?.record.exitCode ?? 0) !== 0);
  const ran = mains.some((slot) => stateOf(slot.status) === 'running') ? [] : runs(mains);
  const ended = ran.length > 0 && ran.length === mains.length ? ran : runs(failed);
  const last = Math.max(0, ...ended.map(({ record }) => timeOf(record.finishedAt) ?? 0));
  if (ended.length === 0) return [];
  const words = ended.map(
    ({ name, record: { reason = '', exitCode = 0 } }) =>
      `${slots.length > 1 ? `${name} ` : ''}${['', 'Error', 'Completed'].includes(reason) ? '' : `${reason}, `}code ${exitCode}`,
  );
  return [{ step: 'ended', at: isoOf(last), after: born === null || last === 0 ? null : Math.max(0, (last - born) / 1000), how: words.join('; ') }];
}

/** The step before which the longest time passed; none where nothing took a second. */
function slowestOf(steps: readonly TraceStep[]): TraceStep[] {
  const took = steps.map(({ after }, index) => (index === 0 || after === null ? 0 : after - (steps[index - 1]?.after ?? after)));
  const most = Math.max(0, ...took);
  return steps.map((step, index) => (most >= 1 && took[index] === most && took.indexOf(most) === index ? { ...step, slowest: true } : step));
}

/** Whether a Service that selects the pod sends to it; no step where none does, or slices were not read. */
function endpointStep(world: World, pod: Pod): [string, string | null][] {
  const { namespace = '', labels = {} } = pod.metadata;
  const services = listOf(maybe(world.snapshot.list('Service', namespace))).filter(
    ({ spec }) => Object.keys(spec?.selector ?? {}).length > 0 && matchesLabels(spec?.selector ?? {}, labels),
  );
  if (services.length === 0 || world.snapshot.gap('EndpointSlice', namespace)) return [];
  const sent = services.some((service) => addressesOf(world, service).list.some((address) => address.ready && address.pod === pod.metadata.uid));
  return [['endpoint', sent ? '' : null]];
}
