import type { Obj } from '../api.ts';
import type { Root } from '../experiments/experiment.ts';

export interface Ending {
  verdict: 'healthy' | 'failed' | 'progressing' | 'inconclusive';
  /** Seconds from its first look to the verdict: the earliest that would not be rash, and the latest that is fast enough. */
  within: readonly [number, number];
  /** The one cause that fails it. None may be named as failing where there is none. */
  root?: Root;
  /** What the page must say, spaces and line breaks made one space. */
  says?: readonly RegExp[];
}

/** One change to a running workload, judged by the gate and beside it by what kubectl itself has for that. */
export interface Rollout {
  /** Also its namespace. */
  id: string;
  title: string;
  /** TYPE/NAME, as kubectl takes it. */
  target: string;
  /** Seconds: `--timeout` of all three. */
  limit: number;
  /** Who asks: the name of a kubeconfig. Admin, if not said. */
  as?: string;
  /** Further flags of the gate. */
  flags?: readonly string[];
  /** The gate is given the manifest of what was applied, not the name. */
  byManifest?: true;
  /** What a pipeline asks `kubectl wait` for. */
  wait: string;
  /** The start state, applied and settled. */
  before?(ns: string): Promise<void>;
  /** What is applied; all three begin when it has been accepted. */
  change(ns: string): readonly Obj[];
  /** Happens while they wait. */
  during?(ns: string): Promise<void>;
  /** Heals what was broken beyond the namespace. */
  restore?(ns: string): Promise<void>;
  expect: Ending;
  /** Name of the folder under `test/gate/recorded/` that keeps its recording. */
  fixture?: string;
}
