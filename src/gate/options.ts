import type { GateRef } from '../model/gate.ts';
import type { Wishes } from './conditions.ts';
import type { Scope } from '../model/snapshot.ts';

/** What must be true of a target besides its own goal, so that a rollout that never started does not pass. */
export interface Expectations {
  /** Image references that a container of the target's template must have. */
  images: string[];
  /** Least metadata.generation. */
  generation?: number | undefined;
  /** Generation, or the object itself, must be newer than at the fence. */
  change?: boolean | undefined;
}

/** Plain data: it is kept in a recording so that the same gate can be replayed. Times in seconds. */
export interface GateOptions {
  scope: Scope;
  /** Named targets; empty for every workload in scope. */
  targets: GateRef[];
  /** Caps the computed deadline; absent for none. */
  timeout?: number | undefined;
  /** How long it took until the first look was done: a limit is counted from the command on. Absent for nothing. */
  head?: number | undefined;
  /** Least time for which everything must hold. */
  soak: number;
  expect: Expectations;
  /** Absent where the kinds' own goals are all that is asked for. */
  wishes?: Wishes | undefined;
}

export const SOAK = 10;

/** Whether the caller said anything of what is to come. */
export const expects = ({ images, generation, change }: Expectations): boolean => images.length > 0 || generation !== undefined || change === true;
