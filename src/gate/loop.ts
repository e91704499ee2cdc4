import type { DiagnoseOptions } from '../engine/index.ts';
import { UserError } from '../model/errors.ts';
import type { Report } from '../model/report.ts';
import type { Scope, Snapshot } from '../model/snapshot.ts';
import type { Followed } from '../source/index.ts';
import { advance, type Step } from './advance.ts';
import type { GateOptions } from './options.ts';
import { begin } from './state.ts';
import { createLimit, type Limits } from './limit.ts';

/** Seconds between two looks: short while something moves, longer while nothing does. */
const FIRST_MS = 1000;
const LONGEST_MS = 5000;
/** Where changes are told: between two looks, however much happens. */
const LEAST_MS = 400;
/** A look must not cost more of the time than it leaves free. */
const SHARE = 4;
/** A server's clock that stands still for this long is a recording's: no deadline would ever come. */
const STILL_MS = 5000;

export interface Gate {
  report: Report;
  snapshot: Snapshot;
  options: GateOptions;
}

export interface Watching {
  /** What is known of the end before anything has been seen. */
  limits?: Limits;
  /** Told after each look. */
  onStep(step: Step): void;
  /** Each snapshot as it was read, for whoever keeps them. */
  onLook?(snapshot: Snapshot): void;
  wait(ms: number): Promise<unknown>;
}

/** Looks at a cluster until there is a verdict. `optionsFor`: what is asked, once the first look has told namespaces and types. */
export async function watchGate(followed: Followed, optionsFor: (scope: Scope) => GateOptions, watching: Watching, judging: DiagnoseOptions): Promise<Gate> {
  let pause = FIRST_MS;
  let options: GateOptions | null = null;
  let state: Step['state'] | null = null;
  let clock = { now: Number.NaN, since: 0 };
  const limit = createLimit(watching.limits);
  for (;;) {
    const started = performance.now();
    const { snapshot, scope, still } = await followed.next(false, limit.endOf(state));
    if (still) throw nothingMoves();
    // A Date header is whole seconds; what is behind them is measured here.
    if (!(Math.abs(snapshot.now - clock.now) <= 1000)) clock = { now: snapshot.now, since: started };
    else if (started - clock.since > STILL_MS) throw nothingMoves();
    // Targets of a type that only discovery knows are resolved when the server has first answered.
    if (options === null || (state !== null && state.fence === null)) {
      options = { ...optionsFor(scope), head: limit.head() };
      state = state === null ? begin(options) : { ...state, options };
    }
    let seen = snapshot;
    let step: Step = advance(state as Step['state'], seen, judging);
    // A watch may have stood still unnoticed: the verdict is that of lists read for it, and the look that called for it never was.
    if (step.decision && step.state.fence && followed.idle && seen.server.reached !== false) {
      seen = (await followed.next(true, limit.endOfCheck(step.state, step.state.blindSince !== null))).snapshot;
      step = advance(state as Step['state'], seen, judging);
    }
    watching.onLook?.(seen);
    state = step.state;
    watching.onStep(step);
    if (step.report) return { report: step.report, snapshot: seen, options };
    const spent = performance.now() - started;
    if (state.blindSince === null) limit.took(spent);
    pause = step.changes.length > 0 ? FIRST_MS : Math.min(LONGEST_MS, pause * 1.25);
    const rest = Math.max(Math.min(pause, dueIn(state, seen.now)), spent * SHARE > LONGEST_MS ? Math.min(spent, LONGEST_MS) : 0);
    const longest = Math.max(FIRST_MS / 4, Math.min(rest, limit.left(state)));
    if (followed.idle) await followed.idle(Math.min(longest, Math.max(LEAST_MS, spent)), longest);
    else await watching.wait(longest);
  }
}

const nothingMoves = (): UserError =>
  new UserError(
    "This server's clock stands still: it gives back a recording, in which nothing moves.",
    'Judge its one moment with kubectl strata; a gate needs a cluster.',
  );

/** ms until something may be decided by time alone: the soak, or the deadline. */
function dueIn(state: Step['state'], now: number): number {
  const deadline = (state.startedAt ?? now) + state.deadline.seconds * 1000 - now;
  const soak = state.soak.since === null ? Number.POSITIVE_INFINITY : state.soak.since + state.options.soak * 1000 - now;
  return Math.max(FIRST_MS / 4, Math.min(deadline > 0 ? deadline : LONGEST_MS, soak > 0 ? soak : FIRST_MS));
}

export interface Replayed {
  report: Report;
  looks: number;
}

/** The same looks, judged again. Null where they end before there is a verdict. `optionsFor`: as for a gate that watches, from the first look on. */
export async function replayGate(
  looks: AsyncIterable<Snapshot>,
  optionsFor: (snapshot: Snapshot) => GateOptions,
  onStep: (step: Step) => void,
  judging: DiagnoseOptions,
): Promise<Replayed | null> {
  let state: Step['state'] | null = null;
  for await (const snapshot of looks) {
    if (state === null) state = begin(optionsFor(snapshot));
    else if (state.fence === null) state = { ...state, options: optionsFor(snapshot) };
    const step: Step = advance(state, snapshot, judging);
    state = step.state;
    onStep(step);
    if (step.report) return { report: step.report, looks: state.looks };
  }
  return null;
}
