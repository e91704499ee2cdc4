import { listOf } from '../facts/lists.ts';
import { duration, timeOf } from '../facts/time.ts';
import type { ContainerStatus, Pod } from '../model/kinds.ts';
import type { GateState, Track } from './state.ts';

/** After a restart the next crash may be this far off although all looks well: the kubelet's back-off between two tries. */
const AFTER_RESTART = 30;
const MARGIN = 1.2;
const SURVIVAL = 1.5;

/** The kubelet waits 10 s, 20 s, 40 s, ... 5 min before it starts a container again (`pkg/kubelet`, MaxContainerBackOff). */
const backOffAfter = (restarts: number): number => (restarts <= 0 ? 0 : Math.min(300, 10 * 2 ** (restarts - 1)));

const boxes = (pod: Pod): ContainerStatus[] => [...listOf(pod.status?.initContainerStatuses), ...listOf(pod.status?.containerStatuses)];

const boxKey = (pod: Pod, box: ContainerStatus): string => `${pod.metadata.uid ?? pod.metadata.name}/${box.name ?? ''}`;

/** What restarted since the fence, how long it had run, and how long the kubelet now waits. `atFence`: what is there already is the base. */
export function countRestarts(track: Track, pods: readonly Pod[], fencedAt: number, atFence: boolean): Track {
  const restarts = { ...track.restarts };
  let restarted = 0;
  let longestRun = track.longestRun;
  let backOff = 0;
  for (const pod of pods) {
    for (const box of boxes(pod)) {
      const key = boxKey(pod, box);
      const count = box.restartCount ?? 0;
      const base = (restarts[key] ??= atFence ? count : 0);
      if (count <= base) continue;
      restarted += count - base;
      backOff = Math.max(backOff, backOffAfter(count));
      const ended = box.lastState?.terminated;
      const [from, to] = [timeOf(ended?.startedAt), timeOf(ended?.finishedAt)];
      if (from !== null && to !== null && to >= fencedAt) longestRun = Math.max(longestRun, (to - from) / 1000);
    }
  }
  return { ...track, restarts, restarted, longestRun, backOff };
}

/** Runs of these containers that ended since the fence: one for each restart, and the one that no restart has followed yet. */
export const runsEnded = (track: Track, pod: Pod, names: ReadonlySet<string>, fencedAt: number): number =>
  boxes(pod)
    .filter(({ name = '' }) => names.size === 0 || names.has(name))
    .reduce((sum, box) => {
      const last = box.state?.terminated ?? (box.state?.waiting ? box.lastState?.terminated : undefined);
      const open = last && last.exitCode !== 0 && (timeOf(last.finishedAt) ?? 0) >= Math.floor(fencedAt / 1000) * 1000 ? 1 : 0;
      return sum + Math.max(0, (box.restartCount ?? 0) - (track.restarts[boxKey(pod, box)] ?? 0)) + open;
    }, 0);

/** The container behind a pointer into a pod's status; '' where it leads elsewhere. */
export function boxAt(pod: Pod, pointer: string): string {
  const [, init, index] = /^\/status\/(?:(initContainerStatuses)|containerStatuses)\/(\d+)/.exec(pointer) ?? [];
  return index === undefined ? '' : (listOf(init ? pod.status?.initContainerStatuses : pod.status?.containerStatuses)[Number(index)]?.name ?? '');
}

/** How often this pod's containers were restarted since the fence. */
export const restartsOf = (track: Track, pod: Pod): number =>
  boxes(pod).reduce((sum, box) => sum + Math.max(0, (box.restartCount ?? 0) - (track.restarts[boxKey(pod, box)] ?? 0)), 0);

/** How long everything must hold before it counts, and why. */
export function soakNeeded(state: GateState, runs: boolean): { seconds: number; says: string } {
  const tracks = Object.values(state.tracks).filter((track) => !track.preexisting);
  // A finished Job or a bound claim does not come undone by waiting.
  if (!runs) return { seconds: 0, says: 'nothing of it goes on running' };
  const { soak } = state.options;
  if (!tracks.some((track) => track.restarted > 0)) return { seconds: soak, says: `${duration(soak)} without a change` };
  const backOff = Math.ceil(MARGIN * Math.max(...tracks.map((track) => track.backOff)));
  const survival = Math.ceil(SURVIVAL * Math.max(...tracks.map((track) => track.longestRun)));
  const seconds = Math.max(soak, AFTER_RESTART, backOff, survival);
  const why =
    seconds === survival
      ? `the last run ended after ${duration(survival / SURVIVAL)}`
      : seconds === backOff
        ? `the back-off is ${duration(backOff / MARGIN)}`
        : 'a container restarted';
  return { seconds, says: `${duration(seconds)} without a change, as ${why}` };
}
