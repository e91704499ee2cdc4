import { setTimeout as sleep } from 'node:timers/promises';
import type { Coverage } from '../../model/coverage.ts';
import type { KubeObject } from '../../model/kinds.ts';
import type { Door } from '../door.ts';
import { type Consistency, coverageOf, FROM_CACHE, type Listed, PARTIAL, read } from './list.ts';
import { localNow } from './skew.ts';
import type { Answer, Transport } from './transport.ts';
import { readEvent } from './watch-event.ts';
import { type Want, pathOf } from './want.ts';

/** One list that is kept up to date. */
export interface Watched {
  /** As it is now; reads it where it was not read yet, or may not be watched and is old. Every failure ends in the coverage. */
  now(consistency: Consistency): Promise<Listed>;
  /** Whether a watch was lost and is not back yet. */
  isLost(): boolean;
  /** The server answers again: no more waiting. */
  nudge(): void;
  /** Listed once more beside the watch: a watch that has told something else is begun anew. */
  check(consistency: Consistency): Promise<Listed>;
  close(): void;
}

export interface Around {
  transport: Transport;
  door: Door;
  /** Told of every change, and of every loss. */
  changed(): void;
  tally: Tally;
  /** Whether one connection more may be held open. */
  mayOpen(): boolean;
  random?: () => number;
}

/** Of all lists together. */
export interface Tally {
  /** Connections that are open now. */
  open: number;
  /** Watches begun, and of those how often one went on where another had ended or broken. */
  watches: number;
  resumed: number;
  /** Broken ones, and lists read again because a version had become too old. */
  lost: number;
  relisted: number;
  /** Kinds that may not be watched. */
  polled: Set<string>;
}

/** Times in ms. A watch that is back within this has missed nothing, and nobody need know. */
const GRACE = 3_000;
/** A look waits so long for a watch that is about to be back. */
const WAIT = 1_500;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;
/** Bookmarks come about once a minute (apiserver, storage/cacher); who has sent one is not silent for longer. */
const SILENCE = 150_000;
const ANSWER = 30_000;
/** A connection that cannot be resumed this often begins anew with a list. */
const TRIES = 4;

/** How long a list that is not watched stays good. */
const POLL = 2_000;
const AGES: { [state in Coverage['state']]?: number } = { forbidden: 30_000, 'not-served': 30_000, 'not-collected': 60_000, truncated: 30_000 };
const ONE = 10_000;
/** Leases are renewed every few seconds: a watch on them would never be still, and cost more than asking now and then. */
const RESTLESS = new Map([['Lease', 15_000]]);

export function createWatched(want: Want, { transport, door, changed, tally, mayOpen, random = Math.random }: Around): Watched {
  const { kind } = want.resource;
  let base: Listed | null = null;
  let listing: Promise<Listed> | null = null;
  let due = 0;
  let failures = 0;
  /** Null while nothing is watched. */
  let held: Map<string, KubeObject> | null = null;
  let array: KubeObject[] | null = null;
  let version = '';
  let refused = false;
  let lostAt: number | null = null;
  let lostWords = '';
  let stop = new AbortController();
  let wake = new AbortController();
  let closed = false;
  const back: (() => void)[] = [];

  const isWatchable = (): boolean => !refused && want.name === undefined && !RESTLESS.has(kind) && mayOpen();
  const found = (): void => {
    if (lostAt !== null) changed();
    lostAt = null;
    for (const each of back.splice(0)) each();
  };
  const lose = (words: string): void => {
    if (lostAt === null) tally.lost++;
    lostAt ??= localNow();
    lostWords = words;
    changed();
  };
  /** What is held is history: the next one who asks lists again. */
  const drop = (): void => {
    held = null;
    array = null;
    due = 0;
    stop.abort();
    found();
  };

  const list = async (consistency: Consistency): Promise<Listed> => {
    const listed = await read(want, transport, door, consistency);
    const { coverage } = listed;
    base = listed;
    failures = coverage.state === 'failed' || coverage.state === 'expired' ? failures + 1 : 0;
    due = localNow() + (failures > 0 ? pauseAfter(failures) : (AGES[coverage.state] ?? RESTLESS.get(kind) ?? (want.name === undefined ? POLL : ONE)));
    if (closed || coverage.state !== 'complete' || coverage.message !== undefined || !coverage.resourceVersion || !isWatchable()) return listed;
    held = new Map(listed.objects.map((object) => [keyOf(object), object]));
    array = null;
    version = coverage.resourceVersion;
    stop = new AbortController();
    void follow(stop.signal);
    return listed;
  };

  /** One watch after another, until there is none to go on from. */
  const follow = async (signal: AbortSignal): Promise<void> => {
    tally.open++;
    let tries = 0;
    while (!signal.aborted) {
      const began = localNow();
      let lines = 0;
      let ending: { gone: boolean; message: string } | null = null;
      let marked = false;
      const seconds = 300 + Math.floor(random() * 120);
      const query = new URLSearchParams({ watch: '1', allowWatchBookmarks: 'true', resourceVersion: version, timeoutSeconds: String(seconds), ...(want.fields ? { fieldSelector: want.fields } : {}) });
      tally.watches++;
      const answer = await transport.stream(`${pathOf(want)}?${query.toString()}`, {
        ...(want.part === 'metadata' ? { accept: PARTIAL } : {}), signal, patience: ANSWER, silence: () => (marked ? SILENCE : seconds * 1000 + ANSWER),
        onOpen: () => {
          if (!signal.aborted) found();
        },
      }, (line) => {
        if (signal.aborted || held === null) return false;
        lines++;
        try {
          const told = readEvent(line, want, door);
          if (told.type === 'noise') return true;
          if (told.type === 'error') {
            ending = told;
            return false;
          }
          if (told.version !== '') version = told.version;
          if (told.type === 'bookmark') return (marked = true);
          const key = keyOf(told.object);
          if (told.type === 'set') held.set(key, told.object);
          else held.delete(key);
          array = null;
          changed();
          return true;
        } catch {
          ending = { gone: true, message: 'a line of the watch is no JSON' };
          return false;
        }
      });
      if (signal.aborted) break;
      const over = ending as { gone: boolean; message: string } | null;
      if (isForbidden(answer)) {
        refused = true;
        tally.polled.add(kind);
        drop();
        changed();
        break;
      }
      tries = lines > 0 || localNow() - began > ANSWER ? 0 : tries + 1;
      if (answer.code === 410 || over?.gone || tries > TRIES) {
        tally.relisted++;
        drop();
        changed();
        break;
      }
      // Its time was up: it goes on where it ended. One that ends as it begins would spin.
      const clean = answer.code === 200 && over === null;
      if (!clean) lose(over?.message ?? answer.message);
      if (!clean || tries > 1) await resting(pauseAfter(Math.max(1, tries), answer), signal);
      if (!signal.aborted) tally.resumed++;
    }
    tally.open--;
  };

  const resting = async (ms: number, signal: AbortSignal): Promise<void> => {
    wake = new AbortController();
    await sleep(ms, undefined, { signal: AbortSignal.any([wake.signal, signal]), ref: false }).catch(() => undefined);
  };
  const pauseAfter = (times: number, answer?: Answer): number => {
    const asked = Number(answer?.headers['retry-after']);
    const least = Number.isFinite(asked) && asked > 0 ? asked * 1000 : FIRST_PAUSE * 2 ** (times - 1);
    return Math.min(LONGEST_PAUSE, least) * (1 + random() * 0.3);
  };
  const isBack = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      back.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });

  return {
    async now(consistency) {
      if (lostAt !== null && held) await isBack(Math.min(WAIT, Math.max(0, lostAt + GRACE - localNow())));
      if (held === null) {
        if (base && listing === null && localNow() < due) return base;
        return (listing ??= list(consistency).finally(() => void (listing = null)));
      }
      const since = lostAt;
      const at = since ?? localNow();
      if (since !== null && localNow() - since >= GRACE) {
        const message = `the watch broke off ${Math.round((localNow() - since) / 1000)} s ago: ${lostWords || 'no reason was given'}`;
        return { objects: [], at: NaN, coverage: { ...coverageOf(want, 'failed', 0, undefined, at), message } };
      }
      array ??= [...held.values()];
      const coverage = coverageOf(want, 'complete', array.length, version, at);
      // Without storage nothing new can come, and a watch is as old as the cache.
      return { objects: array, at, coverage: consistency.signal.aborted ? { ...coverage, message: FROM_CACHE } : coverage };
    },
    isLost: () => lostAt !== null || (held === null && base?.coverage.state === 'failed'),
    nudge() {
      failures = 0;
      if (base?.coverage.state === 'failed') due = 0;
      wake.abort();
    },
    async check(consistency) {
      const [before, listed] = [held, await read(want, transport, door, consistency)];
      if (held !== null && held === before) {
        const same = listed.coverage.state === 'complete' && listed.objects.length === held.size && listed.objects.every((object) => held?.get(keyOf(object))?.metadata.resourceVersion === object.metadata.resourceVersion);
        if (!same) drop();
      } else if (held === null) {
        base = listed;
        due = 0;
      }
      return listed;
    },
    close() {
      closed = true;
      drop();
    },
  };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** 403: list, and not watch. 405: some aggregated APIs know no watch at all. 404 and 400 come from what takes `watch` for a name. */
const isForbidden = ({ code }: Answer): boolean => code === 403 || code === 405 || code === 404 || code === 400;
