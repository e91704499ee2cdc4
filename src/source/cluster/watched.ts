import { setTimeout as sleep } from 'node:timers/promises';
import type { Coverage } from '../../model/coverage.ts';
import type { Door } from '../door.ts';
import { type Consistency, coverageOf, FROM_CACHE, type Listed, read } from './list.ts';
import { createLoss, type Loss } from './loss.ts';
import { localNow } from './skew.ts';
import type { Transport } from './transport.ts';
import type { Want } from './want.ts';
import { type Copy, follow, keyOf, pauseAfter } from './watch.ts';

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
  let held: Copy | null = null;
  let refused = false;
  let stop = new AbortController();
  let wake = new AbortController();
  let closed = false;
  const loss = createLoss(changed, () => void tally.lost++);

  const isWatchable = (): boolean => !refused && want.name === undefined && !RESTLESS.has(kind) && mayOpen();
  /** What is held is history: the next one who asks lists again. */
  const drop = (): void => {
    held = null;
    due = 0;
    stop.abort();
    loss.found();
  };
  const watching = {
    want,
    transport,
    door,
    changed,
    random,
    opened: loss.found,
    lost: loss.lose,
    begun: (again: boolean): void => {
      tally.watches++;
      if (again) tally.resumed++;
    },
    rest: async (ms: number, signal: AbortSignal): Promise<void> => {
      wake = new AbortController();
      await sleep(ms, undefined, { signal: AbortSignal.any([wake.signal, signal]), ref: false }).catch(() => undefined);
    },
  };

  const watch = async (copy: Copy, { signal }: AbortController): Promise<void> => {
    tally.open++;
    const ending = await follow(copy, watching, signal);
    tally.open--;
    if (ending === 'stopped' || signal.aborted) return;
    if (ending === 'refused') {
      refused = true;
      tally.polled.add(kind);
    } else tally.relisted++;
    drop();
    changed();
  };
  const list = async (consistency: Consistency): Promise<Listed> => {
    const listed = await read(want, transport, door, consistency);
    const { coverage, objects } = listed;
    base = listed;
    failures = coverage.state === 'failed' || coverage.state === 'expired' ? failures + 1 : 0;
    due = localNow() + (failures > 0 ? pauseAfter(failures, random) : goodFor(want, coverage));
    const isWhole = coverage.state === 'complete' && coverage.message === undefined;
    if (closed || !isWhole || !coverage.resourceVersion || !isWatchable()) return listed;
    held = { objects: new Map(objects.map((object) => [keyOf(object), object])), array: null, version: coverage.resourceVersion };
    stop = new AbortController();
    void watch(held, stop);
    return listed;
  };

  return {
    async now(consistency) {
      const since = loss.since();
      if (since !== null && held) await loss.back(Math.min(WAIT, Math.max(0, since + GRACE - localNow())));
      if (held) return told(want, held, loss, consistency);
      if (base && listing === null && localNow() < due) return base;
      return (listing ??= list(consistency).finally(() => void (listing = null)));
    },
    isLost: () => loss.since() !== null || (held === null && base?.coverage.state === 'failed'),
    nudge() {
      failures = 0;
      if (base?.coverage.state === 'failed') due = 0;
      wake.abort();
    },
    async check(consistency) {
      const [before, listed] = [held, await read(want, transport, door, consistency)];
      if (held !== null && held === before) {
        if (!isSame(held, listed)) drop();
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

/** ms for which a list that is not watched need not be read again. */
const goodFor = ({ resource, name }: Want, { state }: Coverage): number => AGES[state] ?? RESTLESS.get(resource.kind) ?? (name === undefined ? POLL : ONE);

/** What is held, as a list; where its watch has been lost for too long, a list that failed. */
function told(want: Want, copy: Copy, loss: Loss, { signal }: Consistency): Listed {
  const since = loss.since();
  const at = since ?? localNow();
  if (since !== null && localNow() - since >= GRACE) {
    const message = `the watch broke off ${Math.round((localNow() - since) / 1000)} s ago: ${loss.words() || 'no reason was given'}`;
    return { objects: [], at: NaN, coverage: { ...coverageOf(want, 'failed', 0, undefined, at), message } };
  }
  copy.array ??= [...copy.objects.values()];
  const coverage = coverageOf(want, 'complete', copy.array.length, copy.version, at);
  // Without storage nothing new can come, and a watch is as old as the cache.
  return { objects: copy.array, at, coverage: signal.aborted ? { ...coverage, message: FROM_CACHE } : coverage };
}

const isSame = (copy: Copy, { coverage, objects }: Listed): boolean =>
  coverage.state === 'complete' &&
  objects.length === copy.objects.size &&
  objects.every((object) => copy.objects.get(keyOf(object))?.metadata.resourceVersion === object.metadata.resourceVersion);
