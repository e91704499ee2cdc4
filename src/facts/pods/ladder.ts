import type { Pod } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { conditionOf, isTrue, plainCondition } from '../address.ts';
import { lastRun, restartsAfter, type Run, type Slot, slotsOf, stateOf } from './containers.ts';
import { isLooping } from './loop.ts';
import { isReady } from './phase.ts';
import { resizeOf } from './resize.ts';

/** Where one container stands, by the pod's own status alone. */
export interface Rung {
  slot: Slot;
  at: Stage;
  /** It is started again and again, even if it happens to run at the moment of reading. */
  looping: boolean;
  /** The finished run that says why it does not run; null where none does. */
  run: Run | null;
  /** It has not been tried, because a container before it is not through. */
  waits: boolean;
}

// pkg/kubelet/images/types.go
export const IMAGE_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ImageInspectError',
  'ErrImageNeverPull',
  'InvalidImageName',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
// pkg/kubelet/kuberuntime/kuberuntime_container.go, pkg/kubelet/container/sync_result.go
export const REFUSED_REASONS: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'StartError',
  'PreCreateHookError',
  'PreStartHookError',
  'VerifyNonRootError',
  'RunInitContainerError',
  'ContainerCannotRun',
]);
export const HOOK_REASONS: ReadonlySet<string> = new Set(['PostStartHookError']);

const waitingReason = ({ status }: Slot): string => status?.state?.waiting?.reason ?? '';

/** '' where there is no such condition. */
const statusOf = (pod: Pod, type: string): string => plainCondition(pod, type)?.status ?? '';

/** A container that may start: everything before it has been passed. */
function rungOf(pod: Pod, slot: Slot, now: number): Rung {
  const { status, role } = slot;
  const here = (at: Stage, run: Run | null = null, looping = false): Rung => ({ slot, at, looping, run, waits: false });
  const crash: Stage = role === 'init' ? 'init' : 'start';
  const run = lastRun(slot);
  switch (stateOf(status)) {
    case 'waiting': {
      const reason = waitingReason(slot);
      if (IMAGE_REASONS.has(reason)) return here('image');
      if (REFUSED_REASONS.has(reason) || HOOK_REASONS.has(reason)) return here(crash, null, (status?.restartCount ?? 0) > 0);
      if (reason === 'CrashLoopBackOff') return here(crash, run, true);
      // It ran before and is made anew, as after the loss of its sandbox.
      return run ? here(crash, run, (status?.restartCount ?? 0) > 1) : here('image');
    }
    case 'terminated': {
      const code = run?.record.exitCode ?? 0;
      if (restartsAfter(pod, slot, code)) return here(crash, run, (status?.restartCount ?? 0) > 0);
      return code === 0 ? here('goal') : here('finish', run);
    }
    default: {
      if (isLooping(pod, slot, now)) return here(crash, run, true);
      if (role === 'init') return here('init');
      if (status?.started === false && slot.spec.startupProbe) return here('startup');
      // Pods of old dumps may lack `ready`; then the pod's own condition decides.
      const ready = status?.ready ?? isTrue(pod, 'ContainersReady');
      return here(ready ? 'goal' : 'ready');
    }
  }
}

const hasRun = ({ status }: Slot): boolean => stateOf(status) !== 'waiting' || Boolean(status?.lastState?.terminated);

/** Past its init containers; once it has been, the statuses of those may have been collected as garbage. */
function isInitialized(pod: Pod, slots: readonly Slot[]): boolean {
  const status = statusOf(pod, 'Initialized');
  if (status !== '') return status === 'True';
  return slots.some((slot) => slot.role === 'main' && hasRun(slot));
}

/** Whether an init container lets the next one start: a regular one by its success, a sidecar by having started. */
function letsPass({ role, status }: Slot): boolean {
  if (role === 'init') return status?.state?.terminated ? status.state.terminated.exitCode === 0 : status?.ready === true && !status.state?.running;
  return Boolean(status?.state?.running) && status?.started !== false;
}

/**
 * Every container with its rung. While the pod initialises only the first init container that is not through can be to blame;
 * whatever comes after it merely waits ('init').
 */
export function rungsOf(pod: Pod, now: number, slots = slotsOf(pod)): Rung[] {
  const initialized = isInitialized(pod, slots);
  const idle = (slot: Slot, at: Stage): Rung => ({ slot, at, looping: false, run: null, waits: at !== 'goal' });
  let blocked = false;
  return slots.map((slot) => {
    if (initialized) return slot.role === 'init' ? idle(slot, 'goal') : rungOf(pod, slot, now);
    // A sidecar that fails again does not stop what it had let pass before.
    if (blocked && stateOf(slot.status) !== 'running') return idle(slot, 'init');
    const passed = slot.role !== 'main' && letsPass(slot);
    blocked ||= slot.role !== 'main' && !passed;
    return passed && slot.role === 'init' ? idle(slot, 'goal') : rungOf(pod, slot, now);
  });
}

/** Containers of a pod that is over: nothing is started again, whatever the policy. */
export function finishedRungs(pod: Pod): Rung[] {
  return slotsOf(pod).map((slot) => {
    const run = lastRun(slot);
    const failed = run !== null && run.record.exitCode !== 0;
    return { slot, at: failed ? 'finish' : 'goal', looping: false, run: failed ? run : null, waits: false };
  });
}

/** Before 1.28 the condition was called PodHasNetwork, and was off. */
export const sandboxCondition = (pod: Pod) => conditionOf(pod, 'PodReadyToStartContainers') ?? conditionOf(pod, 'PodHasNetwork');

/** Whether the pod has a sandbox with a network. Says yes for any container that shows that it must have one. */
export function hasSandbox(pod: Pod, slots = slotsOf(pod)): boolean {
  if (slots.some((slot) => stateOf(slot.status) === 'running')) return true;
  const status = statusOf(pod, 'PodReadyToStartContainers') || statusOf(pod, 'PodHasNetwork');
  if (status !== '') return status === 'True';
  // The kubelet gives a pod on the host's network its address at once, so there it proves nothing.
  if (pod.status?.podIP && !pod.spec?.hostNetwork) return true;
  return slots.some((slot) => hasRun(slot) || !['', 'ContainerCreating', 'PodInitializing'].includes(waitingReason(slot)));
}

/** At its goal beyond doubt, without a look at anything else: Ready, and no container in a loop. */
export function isWell(pod: Pod, now: number): boolean {
  const { phase = 'Running' } = pod.status ?? {};
  if (phase !== 'Running' || pod.metadata.deletionTimestamp || !isReady(pod) || resizeOf(pod, now)) return false;
  const { containerStatuses, initContainerStatuses } = pod.status ?? {};
  const restarted = (list: typeof containerStatuses): boolean => Array.isArray(list) && list.some((status) => (status?.restartCount ?? 0) > 0);
  if (!restarted(containerStatuses) && !restarted(initContainerStatuses)) return true;
  return !slotsOf(pod).some((slot) => slot.role !== 'init' && stateOf(slot.status) === 'running' && isLooping(pod, slot, now));
}
