import type { Finding, Subject } from './finding.ts';
import type { Verdict } from './report.ts';

export interface Change {
  /** JSON pointer; into what was before, where it is there alone. */
  pointer: string;
  /** Which items of the lists on the way it is in, by their type or name. */
  item?: string | undefined;
  /** Undefined where it was not there. */
  before: unknown;
  after: unknown;
}

export interface Comparison {
  apiVersion: 'kubectl-strata/v1';
  kind: 'Comparison';
  before: ComparisonSide;
  after: ComparisonSide;
  findings: { gained: Finding[]; lost: Finding[]; changed: { before: Finding; after: Finding }[] };
  objects: {
    added: Subject[];
    removed: Subject[];
    /** The same name with another uid: deleted and made again. */
    replaced: Subject[];
    /** Times and ids that only move along stand behind all others. */
    changed: { object: Subject; changes: Change[]; more: number }[];
    /** There on one side; the other side did not read the list it would stand in. */
    unknown: (Subject & { missing: 'before' | 'after' })[];
  };
}

export interface ComparisonSide {
  name: string;
  capturedAt: string;
  verdict: Verdict;
}
