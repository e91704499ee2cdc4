import type { Finding } from './finding.ts';
import type { Verdict } from './report.ts';

/** One object that a gate waits for. */
export interface GateRef {
  /** kindKey. */
  kind: string;
  name: string;
  namespace?: string | undefined;
  /** Where `-f` found it; line from 1. */
  file?: string | undefined;
  line?: number | undefined;
}

/** `done`: at its goal. `waiting`: by design, on a person or a condition. `gone`: was there, and is no more. */
export const GATE_STATES = ['done', 'moving', 'waiting', 'failed', 'unknown', 'absent', 'gone', 'preexisting'] as const;
export type GateState = (typeof GATE_STATES)[number];

export interface GateTarget extends GateRef {
  apiVersion: string;
  uid?: string | undefined;
  state: GateState;
  /** In the words of the exit codes; `healthy` is passed. */
  verdict: Verdict;
  /** Where it stands, in words. */
  says: string;
  generation?: number | undefined;
  revision?: string | undefined;
  desired?: number | undefined;
  ready?: number | undefined;
  /** Ids of the findings that hold it back. */
  findings: string[];
  /** What a person should know of a pass: a partition that keeps ordinals back, a claim that waits for its first pod. */
  remarks: string[];
  /** Seconds after the fence at which it was done; absent where it was not. */
  doneAfter?: number | undefined;
}

/** One line of the log: what changed, when. */
export interface GateChange {
  /** RFC 3339. */
  at: string;
  /** Seconds after the fence. */
  after: number;
  /** `orders/web`; empty for what is about the whole. */
  target: string;
  text: string;
}

export interface GateDeadline {
  seconds: number;
  /** The sum, as a person would write it down. */
  says: string;
  /** The limit that ended it; absent where a verdict came before any. */
  passed?: PassedDeadline | undefined;
}

/** `computed`: the sum above. `timeout`: the caller's, which cut it. `progressDeadlineSeconds`: a Deployment's own, as its controller says. */
export interface PassedDeadline {
  by: 'computed' | 'timeout' | 'progressDeadlineSeconds';
  /** RFC 3339. */
  at: string;
  seconds: number;
  /** `orders/web`, whose progressDeadlineSeconds it is. */
  target?: string | undefined;
}

/** What a gate adds to the report on its last look. */
export interface GateResult {
  /** RFC 3339: the fence, and the look that decided. */
  startedAt: string;
  endedAt: string;
  seconds: number;
  /** Why it ended as it did, in one sentence. */
  says: string;
  deadline: GateDeadline;
  /** What had to hold, and held, at the end. */
  soak: { seconds: number; held: number; says: string };
  targets: GateTarget[];
  changes: GateChange[];
  /** There before the fence and no evidence against the rollout; with what the rollout removed. */
  preexisting: GateNote[];
  repaired: GateNote[];
  /** Seconds during which nothing could be seen. */
  blind: number;
  looks: number;
  /** Absent where no request was sent: looks that were made up. */
  load?: GateLoad | undefined;
}

interface Load {
  requests: number;
  bytes: number;
}

/** What a gate cost the API server. */
export interface GateLoad extends Load {
  first: Load;
  /** After the first look, before the last one. */
  between: Load;
  perMinute: Load;
  /** Connections held open at the end. */
  watches: number;
}

export type GateNote = Pick<Finding, 'id' | 'rule' | 'layer' | 'title'>;
