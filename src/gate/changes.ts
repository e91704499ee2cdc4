import { duration } from '../facts/time.ts';
import { some } from '../facts/words.ts';
import { identityOf } from '../model/identity.ts';
import type { GateChange } from '../model/gate.ts';
import type { Held, Look } from './look.ts';
import { goesOnRunning } from './verdict.ts';
import { timesInWords, timesSeen } from './permanence.ts';
import { soakNeeded } from './soak.ts';
import type { GateState } from './state.ts';
import { imagesOf, shortName } from './targets.ts';
import { isReady } from '../facts/pods/phase.ts';

/** A line of the log; seconds count from the start of the gate. */
export function changeAt(state: GateState, now: number, target: string, text: string): GateChange {
  return { at: new Date(now).toISOString(), after: Math.round((now - (state.startedAt ?? now)) / 100) / 10, target, text };
}

/** The fence in words: what is waited for, and for how long. */
export function openingOf(state: GateState, looks: readonly Look[], now: number): GateChange[] {
  const lines = looks.map((look) => {
    const { object, standing, ref } = look;
    if (!object) return changeAt(state, now, shortName(ref), look.says);
    const { generation } = object.metadata;
    const images = imagesOf(object);
    const facts = [
      ref.kind.split('.')[0] ?? '',
      generation === undefined ? '' : `generation ${generation}`,
      standing?.revision ? `revision ${standing.revision}` : '',
      images.length > 0 ? `image ${some(images)}` : '',
    ].filter(Boolean);
    return changeAt(state, now, shortName(ref), `${facts.join(', ')}${look.state === 'preexisting' ? `; ${look.says}, and was before: not waited for` : ''}`);
  });
  return looks.length === 0 ? [] : [...lines, changeAt(state, now, '', `deadline ${duration(state.deadline.seconds)}: ${state.deadline.says}`)];
}

/** One line for each thing that is not as it was at the look before. */
export function changesOf(before: GateState, after: GateState, looks: readonly Look[], now: number): GateChange[] {
  const say = (target: string, text: string): GateChange => changeAt(after, now, target, text);
  const lines: GateChange[] = [];
  if (before.blindSince !== null && before.fence !== null)
    lines.push(say('', `sees again, after ${duration((now - before.blindSince) / 1000)} of which nothing is known`));
  if (before.lookedAt !== null && before.deadline.own !== after.deadline.own)
    lines.push(say('', `deadline is now ${duration(after.deadline.seconds)}: ${after.deadline.says}`));
  for (const look of looks) {
    const name = shortName(look.ref);
    const old = before.tracks[identityOf(look.ref)];
    if (old && old.uid !== '' && look.object && old.uid !== look.object.metadata.uid) lines.push(say(name, 'was deleted and made again: followed anew'));
    if (old && look.track.restarted > old.restarted) lines.push(say(name, restartWords(look)));
    if (look.says !== old?.said && look.state !== 'preexisting')
      lines.push(say(name, `${look.says}${look.standing?.acts ? `; it goes on with: ${look.standing.acts}` : ''}`));
    if (look.state === 'preexisting') continue;
    for (const held of look.held) {
      const text = holderWords(held, before.sightings[held.key]?.said ?? '');
      if (text) lines.push(say(name, text));
    }
  }
  if (after.soak.since === now && looks.some((look) => look.state === 'done')) {
    const { seconds, says } = soakNeeded(after, goesOnRunning(looks));
    if (seconds > 0) lines.push(say('', `everything is ready; it has to hold for ${says}`));
  }
  return lines;
}

function restartWords({ track, standing }: Look): string {
  const pods = (standing?.pods?.current ?? []).filter((pod) => !isReady(pod)).map((pod) => pod.metadata.name);
  const ran = track.longestRun > 0 ? `, the longest run was ${duration(track.longestRun)}` : '';
  return `${track.restarted} ${track.restarted === 1 ? 'restart' : 'restarts'} since the gate began${pods.length > 0 ? ` (${some(pods)})` : ''}${ran}`;
}

/** More attempts than these decide nothing more, and are not worth a line each. */
const TOLD = 3;

/** First sight of a cause, the next attempts of the cluster, and each time its meaning changes. */
export const saidOf = ({ sighting, runs, ruling }: Held): string => `${Math.min(TOLD, timesSeen(sighting, runs))}/${ruling.fails}`;

function holderWords(held: Held, said: string): string {
  const { finding, sighting, runs, ruling } = held;
  if (saidOf(held) === said || finding.certainty === 'undetermined') return '';
  const [, meaning] = said.split('/');
  if (meaning === ruling.fails && (ruling.fails === 'deadline' || ruling.fails === 'never')) return '';
  const seen = timesSeen(sighting, runs);
  const times = seen > 1 && ruling.fails !== 'now' ? ` (${timesInWords(seen, runs)})` : '';
  const means = { now: 'fails: ', soon: '', deadline: 'waits for the deadline: ', never: 'does not fail it: ' }[ruling.fails] + ruling.says;
  return `${finding.layer.toUpperCase()} ${finding.title}${times}; ${means}`;
}
