import type { Pod } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { conditionOf } from '../address.ts';
import { eventsOf } from '../events/event-index.ts';
import { listOf } from '../lists.ts';
import { kubeletReports, onSilentNode } from '../nodes.ts';
import { kubeletNow } from '../skew.ts';
import { expelledOf } from './expelled.ts';
import { lingering, overRungs } from './finish.ts';
import { hasSandbox, isWell, type Rung, rungsOf, sandboxCondition } from './ladder.ts';
import { resizeOf } from './resize.ts';
import { isCurrent } from '../events/recovery.ts';
import { slotsOf, stateOf } from './containers.ts';
import { timeOf } from '../time.ts';
import { isHeld } from '../volumes/volumes-events.ts';
import type { World } from '../world.ts';
import { isFinished } from './phase.ts';

export interface PodStanding {
  at: Stage[];
  rungs: Rung[];
}

const VOLUMES = new Set(['FailedMount', 'FailedAttachVolume', 'FailedMapVolume', 'VolumePermissionChangeInProgress']);
const SANDBOX = new Set(['FailedCreatePodSandBox', 'FailedPodSandBoxStatus', 'FailedCreatePodContainer', 'NetworkNotReady', 'FailedPrepareDynamicResources']);

/**
 * The kubelet waits for all volumes before it asks for a sandbox (pkg/kubelet/kubelet.go, SyncPod), and no condition tells the two apart.
 * The newest complaint does; where there is none the pod stands at both.
 */
function beforeSandbox(world: World, pod: Pod): Stage[] {
  const events = eventsOf(world, pod);
  const newest = events.find((record) => (VOLUMES.has(record.reason) || SANDBOX.has(record.reason)) && isCurrent(world, pod, record, events));
  if (newest && SANDBOX.has(newest.reason)) return ['sandbox'];
  // An old complaint about a volume that is not repeated may be behind the pod.
  if (newest && isHeld(world, pod, newest)) return ['volumes'];
  const mounts = listOf(pod.spec?.volumes).some((volume) => !volume.emptyDir && !volume.downwardAPI);
  return mounts ? ['volumes', 'sandbox'] : ['sandbox'];
}

const TRIED = new Set(['Pulling', 'Pulled', 'Created', 'Started']);

/**
 * A pod's status is written before its sandbox is made, and again when all that could be started has been: a postStart hook that does not end
 * keeps the first (pkg/kubelet/kubelet.go, SyncPod; kuberuntime_container.go, startContainer). What was done with a container since then proves the sandbox.
 */
function triedSince(world: World, pod: Pod): boolean {
  const from = timeOf(sandboxCondition(pod)?.since) ?? timeOf(pod.metadata.creationTimestamp) ?? 0;
  const newest = eventsOf(world, pod).find(({ reason, fieldPath }) =>
    TRIED.has(reason) ? fieldPath !== '' : VOLUMES.has(reason) || SANDBOX.has(reason) || reason === 'SandboxChanged',
  );
  return newest !== undefined && TRIED.has(newest.reason) && newest.last >= from;
}

/** With the image on the node the container itself is what takes so long: a hook, or a runtime that does not answer. */
function pulled(world: World, pod: Pod, { slot }: Rung): boolean {
  if (stateOf(slot.status) !== 'waiting' || slot.status?.state?.waiting?.message) return false;
  const path = `spec.${slot.role === 'main' ? 'containers' : 'initContainers'}{${slot.name}}`;
  const newest = eventsOf(world, pod).find((record) => record.fieldPath === path);
  return newest !== undefined && ['Pulled', 'Created', 'Started'].includes(newest.reason);
}

/** By the pod's own status; events only where it says that it is not at its goal. */
function ownStages(pod: Pod, rungs: readonly Rung[]): Stage[] {
  const stages = new Set(rungs.map((rung) => rung.at).filter((at) => at !== 'goal'));
  if (stages.size > 0) return [...stages];
  const ready = conditionOf(pod, 'Ready');
  // A container that has done its work is not ready either, and wants no more.
  const finished = rungs.some(({ slot }) => slot.role === 'main' && stateOf(slot.status) === 'terminated');
  return ready && ready.status !== 'True' && !finished ? ['ready'] : ['goal'];
}

/** Its rungs are worked out only where somebody asks for its containers. */
const WELL: PodStanding = { at: ['goal'], rungs: [] };

/** Where the pod stands on the ladder: every rung one of its containers stands at. */
export function standingOf(world: World, pod: Pod): PodStanding {
  return world.memo(pod, 'pod:standing', () => {
    const now = kubeletNow(world, pod);
    const all = (at: Stage[]): PodStanding => ({ at, rungs: rungsOf(pod, now).map((rung) => ({ ...rung, at: at[0] ?? 'goal', run: null })) });
    if (isWell(pod, now)) {
      if (onSilentNode(world, pod)) return all(['lost']);
      // Its node keeps it for a while only.
      return expelledOf(world, pod) ? { at: ['condition'], rungs: [] } : WELL;
    }
    const leaves = timeOf(pod.metadata.deletionTimestamp);
    if (leaves !== null) {
      // deletionTimestamp is the end of the grace period, not its start (apimachinery, ObjectMeta). A silent kubelet will not keep to it.
      const over: Stage[] = leaves < world.now ? ['terminate'] : [];
      const at: Stage[] = kubeletReports(world, pod) ? over : [...over, 'lost'];
      return { at: at.length > 0 ? at : ['goal'], rungs: rungsOf(pod, now) };
    }
    if (isFinished(pod)) {
      const over = overRungs(world, pod);
      return { at: [over.at], rungs: over.rungs };
    }
    if (!pod.spec?.nodeName) return all(['schedule']);
    const slots = slotsOf(pod);
    const own = hasSandbox(pod, slots) || triedSince(world, pod) ? null : beforeSandbox(world, pod);
    const rungs = rungsOf(pod, now, slots).map((rung) => (rung.at === 'image' && pulled(world, pod, rung) ? { ...rung, at: 'start' as Stage } : rung));
    const late = lingering(pod, rungs, now);
    for (const rung of late) if (rung.at === 'goal') rung.at = 'finish';
    const stages = own ?? ownStages(pod, rungs);
    // It does its work; what is wanted of it has changed since, and it was not given that.
    const at: Stage[] = stages[0] === 'goal' && resizeOf(pod, now) ? ['condition'] : stages;
    if (at[0] !== 'goal' && !kubeletReports(world, pod)) return { at: ['lost'], rungs };
    return own ? all(own) : { at, rungs };
  });
}
