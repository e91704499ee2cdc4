import { createHash } from 'node:crypto';
import { duration } from '../facts/time.ts';
import { plural } from '../facts/words.ts';
import type { Finding } from '../model/finding.ts';
import type { Sighting } from './state.ts';

/** How long and how often a cause must be seen before it fails a rollout by itself. */
const PERMANENT_MS = 500;
const CORROBORATED = { ms: 20_000, attempts: 2, alone: 60_000 };
/** A cause that comes and goes (a container that runs between two crashes) is one cause while it comes back within this. */
const FORGET = 180_000;
/** Between two looks further apart than this nobody knows whether it held. */
const MOST_BETWEEN = 10_000;

/** What of a finding moves when the cluster has tried again: the values that prove it. */
const printOf = (finding: Finding): string =>
  createHash('sha1')
    .update(JSON.stringify(finding.evidence.map(({ object, pointer, value, time }) => [object.uid, pointer, value, time])))
    .digest('hex')
    .slice(0, 16);

/** The same cause, seen once more. */
export function sightingOf(before: Sighting | undefined, finding: Finding, now: number, lookedAt: number | null): Sighting {
  const print = printOf(finding);
  if (!before || now - before.last > FORGET) return { first: now, last: now, held: 0, looks: 1, attempts: 1, print, said: '' };
  const steady = before.last === lookedAt;
  return {
    ...before,
    last: now,
    print,
    looks: before.looks + 1,
    held: before.held + (steady ? Math.min(MOST_BETWEEN, now - before.last) : 0),
    attempts: before.attempts + (before.print === print ? 0 : 1),
  };
}

export interface Circumstances {
  /** It stands on the target itself: nothing of the revision can come to be. */
  whole: boolean;
  /** Not one pod of the new revision is ready, and every one that is not is held by this. */
  every: boolean;
  /** The old revision's end gives room for the new. */
  release: boolean;
  /** The target is a Job: it counts its failing pods itself. */
  counted: boolean;
  /** Runs that ended so since the fence, in all its pods; 0 where it is nothing that runs. */
  runs: number;
}

/** `now`: fails. `soon`: fails when it goes on holding. `deadline`: only the deadline decides. `never`: it waits, or is not proven. */
export interface Ruling {
  fails: 'now' | 'soon' | 'deadline' | 'never';
  says: string;
}

/** What runs is counted by its runs, as the pods' restarts count them; anything else by how often what proves it was written anew. */
export const timesSeen = ({ attempts }: Sighting, runs: number): number => (runs > 0 ? runs : attempts);
/** `3 runs ended so`, `confirmed 3 times`. */
export const timesInWords = (times: number, runs: number): string => (runs > 0 ? `${plural(times, 'run')} ended so` : `confirmed ${times} times`);

/** Stages at which a container has run and ended. */
export const RUN_STAGES: ReadonlySet<string> = new Set(['start', 'finish']);

/** When a cause fails the rollout: now, once it is confirmed, at the deadline, or never. */
export function rule(finding: Finding, sighting: Sighting, { whole, every, release, counted, runs }: Circumstances): Ruling {
  if (finding.certainty === 'undetermined') return { fails: 'never', says: 'it is not proven' };
  if (finding.permanence === 'waiting') return { fails: 'never', says: 'it waits' };
  // A program that is slow to become ready is not a broken one; how long it may take is the deadline's business.
  if (finding.stage === 'ready' || finding.stage === 'startup') return { fails: 'deadline', says: 'it may yet become ready' };
  // Pods are moved away from a node that is lost.
  if (finding.on.kind === 'Node') return { fails: 'deadline', says: 'pods may be moved to another node' };
  if (counted && !whole && RUN_STAGES.has(finding.stage)) return { fails: 'deadline', says: 'the Job counts its failures itself' };
  if (finding.permanence === 'transient') return { fails: 'deadline', says: 'it may pass' };
  if (finding.permanence === 'capacity' && (finding.stage === 'schedule' || !whole)) return { fails: 'deadline', says: 'room may be made' };
  if (finding.stage === 'schedule' && release) return { fails: 'deadline', says: "the old revision's end frees some" };
  if (finding.permanence === 'capacity' && release) return { fails: 'deadline', says: "the old revision's end frees some" };
  if (!whole && !every) return { fails: 'deadline', says: 'not every new pod has it' };
  if (finding.permanence === 'permanent')
    return sighting.looks >= 2 && sighting.held >= PERMANENT_MS
      ? { fails: 'now', says: 'permanent' }
      : { fails: 'soon', says: 'permanent, to be confirmed by another look' };
  const { ms, attempts, alone } = CORROBORATED;
  if (sighting.held >= alone) return { fails: 'now', says: `held for ${duration(sighting.held / 1000)}` };
  // A crash is to be seen only until the next run; what counts is how often it came back, and in how long.
  const span = sighting.last - sighting.first;
  const times = timesSeen(sighting, runs);
  if (span >= ms && times > attempts) return { fails: 'now', says: `${timesInWords(times, runs)} in ${duration(span / 1000)}` };
  return {
    fails: 'soon',
    says: `fails ${runs > 0 ? `when ${attempts + 1} runs have ended so` : `when it is confirmed ${attempts + 1} times`}, over ${duration(ms / 1000)} or more, or when it has held for ${duration(alone / 1000)}`,
  };
}
