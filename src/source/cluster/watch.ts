import type { KubeObject } from '../../model/kinds.ts';
import type { Door } from '../door.ts';
import { type Answer, askedPause } from './answer.ts';
import { PARTIAL } from './list.ts';
import { localNow } from './skew.ts';
import type { Transport } from './transport.ts';
import { type Want, pathOf } from './want.ts';
import { readEvent } from './watch-event.ts';

/** A list as it is held. */
export interface Copy {
  objects: Map<string, KubeObject>;
  /** The same as an array; null until somebody asks for it after a change. */
  array: KubeObject[] | null;
  /** resourceVersion of the last change, or of the last bookmark. */
  version: string;
}

export interface Watching {
  want: Want;
  transport: Transport;
  door: Door;
  /** A watch is begun; `again` where another had ended or broken. */
  begun(again: boolean): void;
  /** The copy is another now. */
  changed(): void;
  /** The server has taken the watch. */
  opened(): void;
  /** It broke off. */
  lost(words: string): void;
  /** Waits before it is begun again; the signal ends it. */
  rest(ms: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

/** Why no watch goes on: what happened since cannot be told any more, the kind may not be watched, or the signal came. */
export type Ending = 'expired' | 'refused' | 'stopped';

/** Times in ms. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;
/** Bookmarks come about once a minute (apiserver, storage/cacher); who has sent one is not silent for longer. */
const SILENCE = 150_000;
const ANSWER = 30_000;
/** A connection that cannot be resumed this often begins anew with a list. */
const TRIES = 4;

export const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Keeps a copy up to date, with one watch after another until there is none to go on from. */
export async function follow(copy: Copy, watching: Watching, signal: AbortSignal): Promise<Ending> {
  let tries = 0;
  for (let again = false; !signal.aborted; again = true) {
    const began = localNow();
    watching.begun(again);
    const { answer, lines, fault } = await watchOnce(copy, watching, signal);
    if (signal.aborted) break;
    if (isRefused(answer)) return 'refused';
    tries = lines > 0 || localNow() - began > ANSWER ? 0 : tries + 1;
    if (answer.code === 410 || fault?.gone || tries > TRIES) return 'expired';
    // Its time was up: it goes on where it ended. One that ends as it begins would spin.
    const clean = answer.code === 200 && fault === null;
    if (!clean) watching.lost(fault?.message ?? answer.message);
    if (!clean || tries > 1) await watching.rest(pauseAfter(Math.max(1, tries), watching.random, answer), signal);
  }
  return 'stopped';
}

/** ms to wait after so many failures in a row. */
export function pauseAfter(times: number, random: () => number, answer?: Answer): number {
  const least = (answer && askedPause(answer)) || FIRST_PAUSE * 2 ** (times - 1);
  return Math.min(LONGEST_PAUSE, least) * (1 + random() * 0.3);
}

interface Watched {
  answer: Answer;
  /** How many came. */
  lines: number;
  /** What ended it from within; `gone`: nothing can be resumed from here. */
  fault: { gone: boolean; message: string } | null;
}

async function watchOnce(copy: Copy, watching: Watching, signal: AbortSignal): Promise<Watched> {
  const { want, random } = watching;
  const seconds = 300 + Math.floor(random() * 120);
  const query = new URLSearchParams({
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion: copy.version,
    timeoutSeconds: String(seconds),
    ...(want.fields ? { fieldSelector: want.fields } : {}),
  });
  let marked = false;
  const seen: Omit<Watched, 'answer'> = { lines: 0, fault: null };
  const options = {
    ...(want.part === 'metadata' ? { accept: PARTIAL } : {}),
    signal,
    patience: ANSWER,
    silence: () => (marked ? SILENCE : seconds * 1000 + ANSWER),
    onOpen: () => {
      if (!signal.aborted) watching.opened();
    },
  };
  const answer = await watching.transport.stream(`${pathOf(want)}?${query.toString()}`, options, (line) => {
    if (signal.aborted) return false;
    seen.lines++;
    try {
      const told = take(line, copy, watching);
      if (told.type === 'error') seen.fault = told;
      if (told.type === 'bookmark') marked = true;
    } catch {
      seen.fault = { gone: true, message: 'a line of the watch is no JSON' };
    }
    return seen.fault === null;
  });
  return { answer, ...seen };
}

/** What a line tells is put into the copy. Raises where it is no JSON. */
function take(line: string, copy: Copy, { want, door, changed }: Watching): ReturnType<typeof readEvent> {
  const told = readEvent(line, want, door);
  if (told.type === 'noise' || told.type === 'error') return told;
  if (told.version !== '') copy.version = told.version;
  if (told.type === 'bookmark') return told;
  if (told.type === 'set') copy.objects.set(keyOf(told.object), told.object);
  else copy.objects.delete(keyOf(told.object));
  copy.array = null;
  changed();
  return told;
}

/** 403: list, and not watch. 405: some aggregated APIs know no watch at all. 404 and 400 come from what takes `watch` for a name. */
const isRefused = ({ code }: Answer): boolean => code === 403 || code === 405 || code === 404 || code === 400;
