import type { Coverage } from './coverage.ts';
import type { GateResult } from './gate.ts';
import type { Finding, LayerState } from './finding.ts';
import type { Layer } from './layer.ts';
import type { Gap } from './read.ts';
import type { ConnectionStep } from './server.ts';
import type { Cost, Scope, SourceInfo } from './snapshot.ts';

export const VERDICTS = ['healthy', 'failed', 'progressing', 'inconclusive', 'nothing-matched', 'unreachable'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Exit codes are an interface (DESIGN section 5). */
export const EXIT: Record<Verdict, number> = {
  healthy: 0,
  failed: 1,
  progressing: 2,
  inconclusive: 3,
  'nothing-matched': 4,
  unreachable: 5,
};
export const EXIT_USAGE = 64;
export const EXIT_BUG = 70;

export interface WorkloadState {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name: string;
  uid?: string | undefined;
  verdict: Verdict;
  generation?: number | undefined;
  observedGeneration?: number | undefined;
  desired?: number | undefined;
  ready?: number | undefined;
  updated?: number | undefined;
  /** Why it is progressing, or what is known of it, in a few words. */
  says?: string | undefined;
  layers: Partial<Record<Layer, LayerState>>;
}

/** Something in scope that is short of its goal and that no finding explains. */
export interface OpenObject {
  kind: string;
  namespace?: string | undefined;
  name: string;
  uid?: string | undefined;
  /** The rungs it stands at; empty where that could not be told. */
  at: string[];
  verdict: Extract<Verdict, 'progressing' | 'inconclusive'>;
}

export interface Skip {
  rule: string;
  /** How many objects the rule could not judge. */
  objects: number;
  why: Gap;
}

export interface BrokenRule {
  rule: string;
  message: string;
}

export interface Report {
  apiVersion: 'kubectl-strata/v1';
  kind: 'Report';
  verdict: Verdict;
  /** RFC 3339. */
  capturedAt: string;
  source: SourceInfo & {
    server?: string | undefined;
    version?: string | undefined;
    context?: string | undefined;
    connection?: ConnectionStep[] | undefined;
  };
  scope: Scope;
  /** Roots first; order total and stable. */
  findings: Finding[];
  workloads: WorkloadState[];
  /** Kept apart from `workloads`: a claim, a Service, a terminating pod that nothing explains. */
  open: OpenObject[];
  /** Counts of what was in scope, for the one line that a healthy namespace gets. */
  counts: Record<string, number>;
  coverage: Coverage[];
  skipped: Skip[];
  broken: BrokenRule[];
  notes: string[];
  cost: Cost;
  /** Of a gate: what was waited for, and what came of it. */
  gate?: GateResult | undefined;
}
