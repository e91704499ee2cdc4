import type { Pod } from '../../model/kinds.ts';
import { asksForRestart, type Run, type Slot } from './containers.ts';
import { timeOf } from '../time.ts';

// pkg/kubelet/kubelet.go: 10 s, doubled up to 5 min, forgotten after 10 min without an end.
const backOff = (restarts: number): number => Math.min(300, 10 * 2 ** Math.max(0, restarts - 1));
const FORGOTTEN = 600;
const RARE = 7200;

/**
 * Whether a container that runs right now is between two ends of a loop. A loop caught running looks well: ready, even.
 * It is over once the run outlives the one before it by far, and one end alone is no loop.
 */
export function isLooping(pod: Pod, slot: Slot, now: number): boolean {
  const restarts = slot.status?.restartCount ?? 0;
  const last = slot.status?.lastState?.terminated;
  if (restarts > 0 && !last) return startsAgain(pod, slot, restarts, now);
  const finished = timeOf(last?.finishedAt);
  if (restarts === 0 || !last || finished === null) return false;
  const quiet = (now - finished) / 1000;
  if (quiet > Math.max(FORGOTTEN, 3 * backOff(restarts))) return false;
  // The limit stays what it is: nothing heals a container that outgrew it.
  if (last.reason === 'OOMKilled') return true;
  const up = (now - (timeOf(slot.status?.state?.running?.startedAt) ?? now)) / 1000;
  const ran = (finished - (timeOf(last.startedAt) ?? finished)) / 1000;
  if (restarts === 1) return ran <= FORGOTTEN && up <= ran;
  // It works for long and ends in order to be started anew.
  if (ran > FORGOTTEN && asksForRestart(slot.spec, last.exitCode ?? 0)) return false;
  if (ran > RARE || (ran > FORGOTTEN && restarts < 3)) return false;
  return up <= 2 * ran + 30;
}

/** The record of the run before is gone, with the dead container that it was read from (the kubelet's garbage collection): the count and the times remain. */
function startsAgain(pod: Pod, slot: Slot, restarts: number, now: number): boolean {
  const born = timeOf(pod.status?.startTime);
  const started = timeOf(slot.status?.state?.running?.startedAt);
  if (born === null || started === null || restarts < 3) return false;
  const round = (started - born) / 1000 / restarts;
  return round <= FORGOTTEN && (now - started) / 1000 <= 2 * round + 30;
}

/** What image, volumes and a busy node may add to a start. */
const SETUP = 60;

/**
 * RFC 3339, since when it ends again and again: since its pod was set up where so many runs and the pauses between them fill all the time
 * since then, else since this end. Pauses never get shorter before a loop is over.
 */
export function loopingSince(pod: Pod, slot: Slot, { record }: Run): string {
  const restarts = slot.status?.restartCount ?? 0;
  const ended = record.finishedAt ?? '';
  const [born, started, finished] = [timeOf(pod.status?.startTime), timeOf(record.startedAt), timeOf(ended)];
  if (restarts < 2 || born === null || started === null || finished === null) return ended;
  const next = timeOf(slot.status?.state?.running?.startedAt);
  const pause = next === null ? backOff(restarts) : (next - finished) / 1000;
  // What never was has a start of 1970.
  const ran = started < born ? 0 : (finished - started) / 1000;
  return (finished - born) / 1000 <= restarts * (ran + pause) + ran + SETUP ? (pod.status?.startTime ?? ended) : ended;
}
