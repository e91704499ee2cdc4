import { duration } from '../facts/time.ts';
import { plural, some } from '../facts/words.ts';
import type { PassedDeadline } from '../model/gate.ts';
import type { Verdict } from '../model/report.ts';
import { gaveUpInWords, type Held, type Look } from './look.ts';
import { expects } from './options.ts';
import { soakNeeded } from './soak.ts';
import type { GateState } from './state.ts';
import { shortName } from './targets.ts';

export interface Decision {
  verdict: Verdict;
  /** Why, in one sentence. */
  says: string;
  /** The limit at which it was given. */
  passed?: PassedDeadline | undefined;
}

/** Looks in a row before something that may only be a moment's picture counts. */
const CONFIRMED = 2;

/** The verdict of a look that saw, or null while it is too early for one. */
export function decide(state: GateState, looks: readonly Look[], now: number): Decision | null {
  if (looks.length === 0) return { verdict: 'nothing-matched', says: 'there is no workload to wait for' };
  const failing = looks.flatMap((look) =>
    look.state === 'preexisting' ? [] : look.held.filter(({ ruling }) => ruling.fails === 'now').map((held) => ({ look, held })),
  )[0];
  if (failing) return { verdict: 'failed', says: causeInWords(failing.held) };
  const absent = looks.filter((look) => look.state === 'absent');
  if (absent.length > 0 && !expects(state.options.expect) && absent.every(({ track }) => track.absent >= CONFIRMED)) {
    return {
      verdict: 'nothing-matched',
      says: `${some(absent.map(({ ref }) => [ref.name === '' ? '' : ref.kind.split('.')[0], shortName(ref)].filter(Boolean).join('/')))} ${absent.length === 1 ? 'does' : 'do'} not exist${nearInWords(absent)}`,
    };
  }
  if (looks.every((look) => look.state === 'preexisting'))
    return {
      verdict: 'nothing-matched',
      says: `nothing is being rolled out; ${plural(looks.length, 'workload')} ${looks.length === 1 ? 'was' : 'were'} broken before`,
    };
  const open = looks.filter((look) => look.state !== 'done' && look.state !== 'preexisting');
  if (open.length === 0) {
    const held = state.soak.since === null ? 0 : (now - state.soak.since) / 1000;
    const needed = soakNeeded(state, goesOnRunning(looks));
    if (held >= needed.seconds && state.looks >= CONFIRMED) return { verdict: 'healthy', says: passedInWords(looks, needed.says) };
    return expired(state, now) ? { verdict: 'progressing', says: `everything is ready, but held for only ${duration(held)} of ${needed.says}` } : null;
  }
  const blind = open.filter((look) => look.state === 'unknown');
  if (blind.length === open.length && state.looks >= CONFIRMED) return { verdict: 'inconclusive', says: blindInWords(blind) };
  const passed = passedBy(state, open, now);
  return passed ? { ...atDeadline(state, open, passed), passed } : null;
}

/** Seconds for which whoever was ready in time may hold beyond a computed deadline. */
export const HOLDING = 300;

/** The gate's own time, and the computed deadline before --timeout cut it. */
const expired = (state: GateState, now: number): boolean => {
  const used = (now - (state.startedAt ?? now)) / 1000;
  return state.options.timeout !== undefined ? used >= state.options.timeout : used >= state.deadline.own + HOLDING;
};

const hasGivenUp = (look: Look): boolean => look.state === 'moving' && look.gaveUp?.fresh === true;
const isFirm = ({ ruling }: Held): boolean => ruling.fails !== 'never';

/** A target's own controller has given up on it, and why is known; or the gate's own time is over. */
function passedBy(state: GateState, open: readonly Look[], now: number): PassedDeadline | null {
  const begun = state.startedAt ?? now;
  const lost = open.find((look) => hasGivenUp(look) && look.held.some(isFirm));
  if (lost?.gaveUp)
    return {
      by: 'progressDeadlineSeconds',
      at: new Date(lost.gaveUp.at).toISOString(),
      seconds: lost.gaveUp.seconds,
      target: shortName(lost.ref),
    };
  const { seconds, own } = state.deadline;
  return now - begun >= seconds * 1000 ? { by: seconds < own ? 'timeout' : 'computed', at: new Date(begun + seconds * 1000).toISOString(), seconds } : null;
}

function atDeadline(state: GateState, open: readonly Look[], { by, seconds }: PassedDeadline): Decision {
  const capped = state.deadline.seconds < state.deadline.own;
  const firm = open.flatMap((look) => look.held.filter(isFirm).map((held) => ({ look, held })));
  const expected = firm.find(({ held }) => held.finding.rule === 'gate/expectation');
  if (expected) return { verdict: 'failed', says: `${causeInWords(expected.held)}, ${atLimit(by, seconds)}` };
  const [first] = firm.filter(({ look }) => by === 'computed' || hasGivenUp(look));
  if (first)
    return {
      verdict: 'failed',
      says: `${causeInWords(first.held)}${first.look.gaveUp?.fresh ? `; ${gaveUpInWords(first.look.gaveUp, shortName(first.look.ref))}` : `, ${atLimit(by, seconds)}`}`,
    };
  const absent = open.filter((look) => look.state === 'absent');
  if (absent.length === open.length)
    return { verdict: 'nothing-matched', says: `${some(absent.map(({ ref }) => shortName(ref)))}: nothing of that name has appeared${nearInWords(absent)}` };
  const blind = open.filter((look) => look.state === 'unknown' || look.standing?.gap);
  if (blind.length > 0) return { verdict: 'inconclusive', says: blindInWords(blind) };
  const waiting = open.find((look) => look.state === 'waiting');
  if (waiting && open.every((look) => look.state === 'waiting'))
    return {
      verdict: 'progressing',
      says: `${shortName(waiting.ref)} waits: ${waiting.says}${waiting.standing?.acts ? `; it goes on with: ${waiting.standing.acts}` : ''}`,
    };
  const cause = firm[0];
  const [one] = open;
  const where = one ? `${shortName(one.ref)}: ${one.says}` : '';
  const unproven = open.some((look) => look.held.some(({ finding }) => finding.certainty === 'undetermined'));
  if (!cause && (open.some(hasGivenUp) || (!capped && unproven))) return { verdict: 'inconclusive', says: `${where}, and nothing proves why` };
  return {
    verdict: 'progressing',
    says: cause ? `${where}; ${causeInWords(cause.held)} (${cause.held.ruling.says})` : `${where}, and nothing is proven to be in its way`,
  };
}

const atLimit = (by: PassedDeadline['by'], seconds: number): string => `still so at the ${by === 'timeout' ? '--timeout' : 'deadline'} of ${duration(seconds)}`;

const causeInWords = ({ finding }: Held): string => `${finding.layer.toUpperCase()}, ${finding.title}`;

const nearInWords = (absent: readonly Look[]): string => absent.map(({ near = '' }) => near).join('');

const blindInWords = (blind: readonly Look[]): string => {
  const gap = blind.map((look) => look.standing?.gap).find(Boolean);
  const [one] = blind;
  return `${one ? `${shortName(one.ref)}: ${one.says}` : ''}${gap ? ` (no "list" on ${gap.kind}${gap.namespace ? ` in ${gap.namespace}` : ''}: ${gap.reason})` : ''}`;
};

const TERMINAL = new Set(['Job', 'CronJob', 'PersistentVolumeClaim', 'Namespace', 'CustomResourceDefinition']);

/** Whether anything of it can come undone by itself. */
export const goesOnRunning = (looks: readonly Look[]): boolean => looks.some((look) => look.state !== 'preexisting' && !TERMINAL.has(look.ref.kind));

function passedInWords(looks: readonly Look[], soak: string): string {
  const judged = looks.filter((look) => look.state === 'done');
  const [only] = judged;
  const words = judged.length === 1 && only ? only.says : `${judged.length} targets are at their goal`;
  return goesOnRunning(looks) ? `${words}; held for ${soak}` : words;
}
