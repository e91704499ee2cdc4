/** What is over and still to be seen where all is well: a pod that was replaced, a container that runs again. */
import { controllerOf, controllerRef } from '../facts/owners.ts';
import { lastRun, type Slot, slotsOf, stateOf } from '../facts/pods/containers.ts';
import { endingOf } from '../facts/pods/endings.ts';
import { failureMatters } from '../facts/pods/leftovers.ts';
import { standingOf } from '../facts/pods/stage.ts';
import { ageOf, duration, timeOf } from '../facts/time.ts';
import { ago, some } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { Pod } from '../model/kinds.ts';
import type { Scope } from '../model/snapshot.ts';
import { inScope } from './scope.ts';

export function overInWords(world: World, scope: Scope): string[] {
  const left: Pod[] = [];
  const again: string[] = [];
  for (const pod of world.snapshot.seen('Pod')) {
    if (pod.status?.phase === 'Failed') {
      if (isReplaced(world, pod) && inScope(world, scope, pod)) left.push(pod);
    } else if (hasRestarted(pod) && inScope(world, scope, pod)) again.push(...runsAgain(world, pod));
  }
  const ended = left.length === 1 ? 'has ended and was replaced; it stays' : 'have ended and were replaced; they stay';
  return [
    ...(left.length > 0
      ? [`${some(left.map((pod) => `Pod/${pod.metadata.name}`))} ${ended} until somebody deletes ${left.length === 1 ? 'it' : 'them'}.`]
      : []),
    ...again.slice(0, MOST),
  ];
}

const MOST = 3;
const SETS = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController']);

/** Its controller was read and has what it wants without it. */
const isReplaced = (world: World, pod: Pod): boolean =>
  SETS.has(controllerRef(pod)?.kind ?? '') && controllerOf(world, pod).state === 'known' && !failureMatters(world, pod);

const hasRestarted = ({ status }: Pod): boolean =>
  Array.isArray(status?.containerStatuses) && status.containerStatuses.some((each) => (each?.restartCount ?? 0) > 0);

/** So fresh that somebody may have been called for it. */
const FRESH = 600_000;
/** What runs for hours between two ends is no loop. */
const LONG = 3600;

/** It came back so often, and again today, that whoever asks should know. */
const OFTEN = { times: 3, every: 12 * 3600, last: 24 * 3600 };

function runsAgain(world: World, pod: Pod): string[] {
  const told = slotsOf(pod).flatMap((slot) =>
    stateOf(slot.status) === 'running' ? (oftenInWords(world, pod, slot) ?? freshInWords(world, pod, slot) ?? []) : [],
  );
  // In trouble it is a finding's to tell.
  return told.length > 0 && standingOf(world, pod).at[0] === 'goal' ? told : [];
}

function oftenInWords(world: World, pod: Pod, slot: Slot): string | null {
  const times = slot.status?.restartCount ?? 0;
  const run = lastRun(slot);
  const age = ageOf(world.now, pod.status?.startTime);
  const quiet = ageOf(world.now, run?.record.finishedAt);
  if (!run || age === null || quiet === null || times < OFTEN.times || age / times > OFTEN.every || quiet > OFTEN.last) return null;
  const { ended, probe } = endingOf(world, pod, { slot, at: 'start', looping: true, run, waits: false });
  const how = ended === 'oom' ? 'out of memory' : probe ? `killed by its ${probe} probe` : `with code ${run.record.exitCode ?? 0}`;
  return `Container ${slot.name} of Pod/${pod.metadata.name} has restarted ${times} times in ${duration(age)}, last ${ago(world.now, run.record.finishedAt)}, ${how}, and runs again.`;
}

function freshInWords(world: World, pod: Pod, { name, status }: Slot): string | null {
  const { exitCode = 0, startedAt, finishedAt } = status?.lastState?.terminated ?? {};
  if (exitCode === 0 || world.now - (timeOf(finishedAt) ?? 0) >= FRESH) return null;
  const ran = ((timeOf(finishedAt) ?? 0) - (timeOf(startedAt) ?? Number.POSITIVE_INFINITY)) / 1000;
  return ran > LONG
    ? `Container ${name} of Pod/${pod.metadata.name} ended with code ${exitCode} ${ago(world.now, finishedAt)}, after ${duration(ran)}, and runs again.`
    : null;
}
