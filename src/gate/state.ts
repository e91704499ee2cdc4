import type { GateChange, GateNote, GateRef } from '../model/gate.ts';
import type { GateOptions } from './options.ts';

/** Taken at the first look that saw anything. What is older than it is no evidence against the rollout. */
export interface Fence {
  /** ms. */
  at: number;
  targets: Record<string, FencedTarget>;
  /** Findings that were there, and whether they stood on something of the rollout's own. */
  findings: GateNote[];
  /** Nodes that were not Ready. */
  nodes: string[];
}

export interface FencedTarget {
  uid: string;
  generation: number;
  revision: string;
  resourceVersion: string;
}

/** What was followed of one target from look to look. */
export interface Track {
  ref: GateRef;
  /** No name was given for it: it is here because it is in the namespace. */
  implied: boolean;
  /** Broken before the fence and not being rolled out: it is told, and never fails the gate. */
  preexisting: boolean;
  uid: string;
  /** The last thing said of it, so that a line comes only when something changes. */
  said: string;
  /** Looks in a row at which it failed, or was not there. */
  failed: number;
  absent: number;
  /** ms when it was last found done, for as long as it stays done. */
  doneAt: number | null;
  seenOnce: boolean;
  /** Restart counts at the fence, by pod uid and container; pods born later start at 0. */
  restarts: Record<string, number>;
  restarted: number;
  /** Seconds of the longest run that ended since the fence, and of the back-off that follows the newest restart. */
  longestRun: number;
  backOff: number;
}

/** One cause of one target, over time. Times in ms. */
export interface Sighting {
  first: number;
  last: number;
  /** How long it was seen to hold, gaps in sight left out. */
  held: number;
  looks: number;
  /** How often what proves it has changed: a new attempt, a new restart, a higher count. */
  attempts: number;
  print: string;
  /** What the log last said of it. */
  said: string;
}

export interface CostAt {
  /** ms. */
  at: number;
  requests: number;
  bytes: number;
}

/** Plain data, replaced and never changed: the same looks give the same state. */
export interface GateState {
  options: GateOptions;
  startedAt: number | null;
  fence: Fence | null;
  lookedAt: number | null;
  looks: number;
  tracks: Record<string, Track>;
  sightings: Record<string, Sighting>;
  soak: { since: number | null; print: string };
  /** Since when nothing can be seen; null where the last look saw. */
  blindSince: number | null;
  blind: number;
  changes: GateChange[];
  /** What the first look and the one before this had cost, and when; null before there was one. */
  cost: { first: CostAt; before: CostAt } | null;
  deadline: { seconds: number; says: string; own: number };
}

/** The state before the first look. */
export const begin = (options: GateOptions): GateState => ({
  options,
  startedAt: null,
  fence: null,
  lookedAt: null,
  looks: 0,
  tracks: {},
  sightings: {},
  soak: { since: null, print: '' },
  blindSince: null,
  blind: 0,
  changes: [],
  cost: null,
  deadline: { seconds: options.timeout ?? 600, says: 'nothing is there yet that would set one', own: 600 },
});
