import { type DiagnoseOptions, inspect, type Inspection } from '../engine/index.ts';
import { parseSelector } from '../facts/selector-text.ts';
import { duration } from '../facts/time.ts';
import { identityOf } from '../model/identity.ts';
import type { GateChange, GateRef } from '../model/gate.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Report } from '../model/report.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { changeAt, changesOf, openingOf, saidOf } from './changes.ts';
import { fenceOf } from './fence.ts';
import { countCost } from './load.ts';
import { type Look, lookAt } from './look.ts';
import { reportOf } from './outcome.ts';
import { blindness } from './sight.ts';
import { soakNeeded } from './soak.ts';
import type { Fence, GateState, Track } from './state.ts';
import { find, labelsOf, shortName, workloadsIn } from './targets.ts';
import { type Decision, decide, goesOnRunning } from './verdict.ts';

export interface Step {
  state: GateState;
  /** What is new since the look before. */
  changes: GateChange[];
  /** What it waits for, in one line. */
  waits: string;
  decision?: Decision;
  /** With the decision: the whole report. */
  report?: Report;
}

/** How long the API server may be out of reach before a gate that never saw anything gives up, in ms. */
export const FIRST_CONTACT = 30_000;

/**
 * One look more. Pure: the clock is the snapshot's, so the same snapshots give the same verdict at the same second,
 * whether they come from a cluster or from a recording.
 */
export function advance(before: GateState, snapshot: Snapshot, options: DiagnoseOptions = {}): Step {
  // Clocks step back; a gate's does not.
  const now = Math.max(snapshot.now, before.lookedAt ?? 0);
  const started: GateState = { ...before, startedAt: before.startedAt ?? now - (before.options.head ?? 0) * 1000, looks: before.looks + 1 };
  const scope = {
    ...before.options.scope,
    targets: before.options.targets.map(({ kind, name, namespace }) => ({ kind, name, ...(namespace ? { namespace } : {}) })),
  };
  const why = blindness(snapshot, before.options);
  const step =
    why === ''
      ? lookInTheLight(started, inspect(snapshot, scope, options), snapshot, now)
      : lookInTheDark(started, why, now, () => inspect(snapshot, scope, options).report);
  return { ...step, state: { ...step.state, cost: countCost(before.cost, snapshot.cost, now) } };
}

function lookInTheLight(started: GateState, inspection: Inspection, snapshot: Snapshot, now: number): Step {
  const fresh = started.fence === null;
  const refs = fresh ? refsOf(snapshot, started) : Object.values(started.tracks).map((track) => track.ref);
  const fenced = fresh ? { ...started, ...fenceOf(started, inspection, refs, now) } : started;
  const all = refs.map((ref) => find(inspection.world, ref).object).filter((object): object is KubeObject => object !== null);
  const looks = refs.map((ref) => lookAt(fenced.tracks[identityOf(ref)] as Track, { state: fenced, inspection, all, now, atFence: fresh }));
  const tracks = Object.fromEntries(looks.map((look) => [identityOf(look.ref), look.track]));
  const sightings = {
    ...fenced.sightings,
    ...Object.fromEntries(looks.flatMap((look) => look.held.map((held) => [held.key, { ...held.sighting, said: saidOf(held) }]))),
  };
  const next: GateState = {
    ...fenced,
    ...(fresh && fenced.fence ? { fence: withoutOwn(fenced.fence, looks) } : {}),
    tracks,
    sightings,
    lookedAt: now,
    blindSince: null,
    blind: fenced.blind + (fenced.blindSince === null ? 0 : now - fenced.blindSince),
    soak: soakOf(fenced, looks, now),
    deadline: deadlineOf({ ...fenced, tracks }, looks),
  };
  const decision = decide(next, looks, now);
  const changes = [...(fresh ? openingOf(next, looks, now) : []), ...changesOf(fenced, next, looks, now)];
  return finish(fenced, { next, looks, changes, decision, now }, () => inspection.report);
}

/** What already holds the revision under test back is its own, however early the gate began. */
function withoutOwn(fence: Fence, looks: readonly Look[]): Fence {
  const own = new Set(looks.filter((look) => look.state !== 'preexisting').flatMap((look) => look.held.map(({ finding }) => finding.id)));
  return { ...fence, findings: fence.findings.filter(({ id }) => !own.has(id)) };
}

interface Outcome {
  next: GateState;
  looks: readonly Look[];
  changes: GateChange[];
  decision: Decision | null;
  /** ms. */
  now: number;
}

/** `diagnosis`: what is wrong, as a diagnosis tells it; asked for only where the gate ends. */
function finish(before: GateState, { next, looks, changes, decision, now }: Outcome, diagnosis: () => Report): Step {
  const state: GateState = { ...next, changes: [...before.changes, ...changes] };
  const report = decision ? { decision, report: reportOf(state, diagnosis(), looks, decision, now) } : {};
  return { state, changes, waits: waitsFor(state, looks, now), ...report };
}

/** Nothing counts that happens now: a soak begins anew, and nothing is seen to hold. */
function lookInTheDark(started: GateState, why: string, now: number, diagnosis: () => Report): Step {
  const first = started.blindSince === null;
  const next: GateState = { ...started, blindSince: started.blindSince ?? now, soak: { since: null, print: '' } };
  const changes = first ? [changeAt(next, now, '', `nothing can be seen: ${why}`)] : [];
  const used = now - (started.startedAt ?? now);
  const over =
    used >= (started.fence ? started.deadline.seconds * 1000 : Math.min(FIRST_CONTACT, (started.options.timeout ?? Number.POSITIVE_INFINITY) * 1000));
  const decision: Decision | null = over
    ? { verdict: 'unreachable', says: `${why}; nothing has been seen for ${duration((now - (next.blindSince ?? now)) / 1000)}` }
    : null;
  const looks = Object.values(started.tracks).map(
    (track): Look => ({
      ref: track.ref,
      track,
      object: null,
      standing: null,
      state: 'unknown',
      says: 'could not be read',
      held: [],
      unbegun: false,
      deadline: null,
      gaveUp: null,
    }),
  );
  return finish(started, { next, looks, changes, decision, now }, diagnosis);
}

/** What a gate waits for: what was named, or every workload that has the labels. */
function refsOf(snapshot: Snapshot, { options }: GateState): GateRef[] {
  if (options.targets.length > 0) return options.targets;
  const fits = options.scope.selector ? parseSelector(options.scope.selector) : null;
  return workloadsIn(snapshot, options.scope, (object) => !fits || fits(labelsOf(object)));
}

/** Since when nothing has moved: targets done, the same pods, no restart. Null while something is open. */
function soakOf(state: GateState, looks: readonly Look[], now: number): GateState['soak'] {
  const judged = looks.filter((look) => look.state !== 'preexisting');
  if (judged.length === 0 || judged.some((look) => look.state !== 'done')) return { since: null, print: '' };
  const print = JSON.stringify(
    judged.map(({ object, standing, track }) => [
      object?.metadata.uid,
      object?.metadata.generation,
      (standing?.pods?.current ?? []).map((pod) => pod.metadata.uid).sort(),
      track.restarted,
    ]),
  );
  return { since: state.soak.since !== null && state.soak.print === print ? state.soak.since : now, print };
}

/** The longest of what the targets need, and what has to hold afterwards; --timeout caps it. */
function deadlineOf(state: GateState, looks: readonly Look[]): GateState['deadline'] {
  const own = looks
    .filter((look) => look.state !== 'preexisting')
    .map((look) => look.deadline)
    .filter((each) => each !== null)
    .reduce((a, b) => (b.seconds > a.seconds ? b : a), { seconds: 0, says: '' });
  if (own.seconds === 0) return state.deadline;
  const soak = goesOnRunning(looks) ? Math.max(state.options.soak, 30) : 0;
  const total = own.seconds + soak;
  const { timeout } = state.options;
  const seconds = Math.min(total, timeout ?? total);
  return {
    own: total,
    seconds,
    says: `${own.says}${soak > 0 ? ` + ${duration(soak)} soak` : ''}${seconds < total ? `, cut to ${duration(seconds)} by --timeout` : ''}`,
  };
}

function waitsFor(state: GateState, looks: readonly Look[], now: number): string {
  const left = duration(Math.max(0, state.deadline.seconds - (now - (state.startedAt ?? now)) / 1000));
  if (state.blindSince !== null) return `${left} left: nothing can be seen for ${duration((now - state.blindSince) / 1000)}`;
  const open = looks.filter((look) => look.state !== 'done' && look.state !== 'preexisting');
  const [first] = open;
  if (!first) return `everything is ready; holding for ${soakNeeded(state, goesOnRunning(looks)).says}`;
  // Ahead of what a narrow terminal cuts off.
  return `${left} left: ${shortName(first.ref)}: ${first.says}${open.length > 1 ? `, and ${open.length - 1} more` : ''}`;
}
