import { type Inspection, nearInWords } from '../engine/index.ts';
import { duration } from '../facts/time.ts';
import { workFacts } from '../facts/workloads/workload.ts';
import { deadlineOf, progressedAt } from '../facts/workloads/rollout.ts';
import type { World } from '../facts/world.ts';
import { identityOf } from '../model/identity.ts';
import type { Finding } from '../model/finding.ts';
import type { GateRef } from '../model/gate.ts';
import type { KubeObject } from '../model/kinds.ts';
import { attempt } from '../model/read.ts';
import { type Deadline, deadlineFor } from './deadline.ts';
import { withWishes } from './conditions.ts';
import { standingOf } from './done.ts';
import { type Unmet, unmet } from './expectations.ts';
import { type Holder, holdersOf } from './holders.ts';
import { ownFinding } from './own-finding.ts';
import { type Ruling, rule, sightingOf } from './permanence.ts';
import { rolloutConditionsOf } from './rollout-conditions.ts';
import { countRestarts } from './soak.ts';
import type { Standing } from './standing.ts';
import type { GateState, Sighting, Track } from './state.ts';
import { find } from './targets.ts';

/** A cause that holds a target back, how long it was seen, and what that means. */
export interface Held {
  finding: Finding;
  key: string;
  sighting: Sighting;
  /** Runs of its containers that ended since the fence; 0 where it is nothing that runs. */
  runs: number;
  ruling: Ruling;
}

/** One target at one look. */
export interface Look {
  ref: GateRef;
  track: Track;
  object: KubeObject | null;
  standing: Standing | null;
  state: Standing['state'] | 'absent' | 'gone' | 'preexisting';
  says: string;
  /** Of what does not exist: what is called nearly so, as the end of a sentence. */
  near?: string;
  held: Held[];
  /** What the caller expects of it is not there yet: nothing of what is there is judged. */
  unbegun: boolean;
  deadline: Deadline | null;
  /** Its own controller says that the deadline of its rollout has passed. */
  gaveUp: GaveUp | null;
}

/** ProgressDeadlineExceeded of a Deployment's present template. */
export interface GaveUp {
  /** ms. */
  at: number;
  /** spec.progressDeadlineSeconds. */
  seconds: number;
  /** After the fence; one from before it is history, and no reason to end. */
  fresh: boolean;
}

/** How long an object may be away before it counts as deleted: `kubectl replace --force` makes it anew. */
const AWAY = 10_000;

/** What a look at any target is taken with. */
export interface Sight {
  state: GateState;
  inspection: Inspection;
  /** Every target that was found. */
  all: readonly KubeObject[];
  /** ms. */
  now: number;
  /** The first look that saw anything: what restarted before it does not count. */
  atFence: boolean;
}

/** How one target stands at this look, what holds it back, and what follows for the next look. */
export function lookAt(track: Track, sight: Sight): Look {
  const { state, inspection, all, now, atFence } = sight;
  const { ref } = track;
  const { object, known } = find(inspection.world, ref);
  if (!object) return missing(track, known, sight);
  const { fence } = state;
  const same = track.uid === '' || track.uid === object.metadata.uid;
  const followed: Track = {
    ...(same ? track : { ...track, restarts: {}, restarted: 0, longestRun: 0, backOff: 0 }),
    uid: object.metadata.uid ?? '',
    seenOnce: true,
    absent: 0,
  };
  const standing = withWishes(standingOf(inspection.world, object, new Set(fence?.nodes)), object, state.options.wishes, () =>
    rolloutConditionsOf(inspection.world, object),
  );
  const fencedAt = fence?.at ?? now;
  const counted = countRestarts(followed, standing.pods?.current ?? [], fencedAt, atFence);
  const open = unmet(object, state.options.expect, fence?.targets[identityOf(ref)], all);
  // What stands there while the expected rollout has not begun is not what was asked about, whatever is wrong with it.
  const holders: Holder[] = standing.state === 'done' || open ? [] : holdersOf(inspection, object, standing, counted, fencedAt);
  const failing = standing.state === 'failed' ? lastWord(track) : null;
  const follow = (finding: Finding, runs: number, ruled: (sighting: Sighting) => Ruling): Held => followHolder(sight, ref, { finding, runs, ruled });
  const held = holders.map(({ finding, circumstances }) =>
    follow(finding, circumstances.runs, (sighting) => (failing && circumstances.whole ? failing : rule(finding, sighting, circumstances))),
  );
  if (open) held.push(follow(notBegun(ref, object, open), 0, () => ({ fails: 'deadline', says: 'it may yet begin' })));
  else if (failing && !holders.some(({ circumstances }) => circumstances.whole)) held.push(follow(saidFailed(ref, object, standing.says), 0, () => failing));
  const is: Look['state'] = track.preexisting ? 'preexisting' : open ? 'moving' : standing.state;
  // What a controller gave up on is not what was asked for.
  const given = standing.state === 'done' || open ? null : gaveUp(inspection.world, object, fencedAt);
  const says = open ? `${open.actual}; ${open.expected} is expected` : `${standing.says}${given ? `; ${gaveUpInWords(given)}` : ''}`;
  return {
    ref,
    object,
    standing,
    held,
    unbegun: open !== null,
    state: is,
    says,
    track: {
      ...counted,
      said: says,
      failed: standing.state === 'failed' ? track.failed + 1 : 0,
      doneAt: is === 'done' ? (track.doneAt ?? now) : null,
    },
    deadline: deadlineFor(inspection.world, object, standing),
    gaveUp: given,
  };
}

/** A Job that has failed, a claim that is lost, a Stalled resource. */
const lastWord = (track: Track): Ruling =>
  track.failed >= 1 ? { fails: 'now', says: 'its own status says so' } : { fails: 'soon', says: 'to be confirmed by another look' };

const notBegun = (ref: GateRef, object: KubeObject, open: Unmet): Finding =>
  ownFinding(ref, object, {
    rule: 'expectation',
    title: `The rollout that was expected of ${ref.kind.split('.')[0]}/${ref.name} has not begun`,
    ...open,
    conclusion: 'What is there is judged by nobody here: it is not what was asked for.',
    next: [`${kubectlIn(ref)} get ${ref.kind.toLowerCase()} ${ref.name} -o yaml`],
  });

const saidFailed = (ref: GateRef, object: KubeObject, says: string): Finding =>
  ownFinding(ref, object, {
    rule: 'said-failed',
    title: `${ref.kind.split('.')[0]} ${ref.name} ${says}`,
    expected: 'comes to its goal',
    actual: says,
    conclusion: 'Its own status says so, and nobody tries again.',
    pointer: '/status',
    next: [`${kubectlIn(ref)} describe ${ref.kind.toLowerCase()} ${ref.name}`],
  });

const kubectlIn = ({ namespace }: GateRef): string => `kubectl${namespace ? ` -n ${namespace}` : ''}`;

function gaveUp(world: World, object: KubeObject, fencedAt: number): GaveUp | null {
  if (object.kind !== 'Deployment' || attempt(() => workFacts(world, object).deadline) !== true) return null;
  const at = progressedAt(object) ?? 0;
  return { at, seconds: deadlineOf(object), fresh: at >= Math.floor(fencedAt / 1000) * 1000 };
}

/** `of`: whose it is, where that is not clear from where it is said. */
export const gaveUpInWords = ({ at, seconds, fresh }: GaveUp, of = ''): string =>
  of
    ? `the progressDeadlineSeconds of ${of} (${duration(seconds)}) ran out at ${new Date(at).toISOString().slice(11, 19)}Z`
    : fresh
      ? `its progressDeadlineSeconds of ${duration(seconds)} ran out at ${new Date(at).toISOString().slice(11, 19)}Z`
      : `its progressDeadlineSeconds of ${duration(seconds)} had run out before the gate began`;

function followHolder(
  { state, now }: Pick<Sight, 'state' | 'now'>,
  ref: GateRef,
  { finding, runs, ruled }: { finding: Finding; runs: number; ruled: (sighting: Sighting) => Ruling },
): Held {
  const key = `${identityOf(ref)} ${finding.rule} ${finding.layer}`;
  const sighting = sightingOf(state.sightings[key], finding, now, state.lookedAt);
  return { finding, key, sighting, runs, ruling: ruled(sighting) };
}

/** A target that no list has; `known`: they could be read. */
function missing(track: Track, known: boolean, sight: Sight): Look {
  const { state } = sight;
  const { ref } = track;
  const say = (says: string, more: Partial<Track> = {}): Pick<Look, 'track' | 'says'> => ({ says, track: { ...track, said: says, ...more } });
  const base = { ref, object: null, standing: null, held: [], unbegun: false, deadline: null, gaveUp: null };
  if (!known) return { ...base, ...say('could not be read'), state: 'unknown' };
  // ttlSecondsAfterFinished takes a finished Job away; that it finished was seen.
  if (track.seenOnce && track.doneAt !== null && ref.kind === 'Job') return { ...base, ...say('was complete, and has been removed since'), state: 'done' };
  const absent = track.absent + 1;
  if (!track.seenOnce) {
    const words = ref.name === '' ? '' : nearInWords(sight.inspection.world, ref.namespace ? [ref.namespace] : state.options.scope.namespaces, ref);
    const near = words && `; ${words.replace('There', 'there')}`;
    return { ...base, ...say(`does not exist${near}`, { absent }), near, state: 'absent' };
  }
  const gone = ownFinding(ref, null, {
    rule: 'gone',
    title: `${ref.kind.split('.')[0]} ${ref.name} was deleted while the gate watched`,
    expected: 'it exists',
    actual: 'it is in no list any more',
    conclusion: 'Somebody, or what owns it, deleted it.',
    pointer: '',
    next: [],
  });
  const ruled = ({ held }: Sighting): Ruling => (held >= AWAY ? { fails: 'now', says: 'it stays away' } : { fails: 'soon', says: 'it may be made again' });
  const held = absent < 2 ? [] : [followHolder(sight, ref, { finding: gone, runs: 0, ruled })];
  return { ...base, held, ...say('was deleted', { absent, doneAt: null }), state: 'gone' };
}
