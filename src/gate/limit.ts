import { FIRST_CONTACT } from './advance.ts';
import { HOLDING } from './verdict.ts';
import type { GateState } from './state.ts';

/** Of whoever started the gate. */
export interface Limits {
  /** When the command began, by `performance.now()`. */
  began: number;
  /** --timeout, in seconds. */
  timeout?: number | undefined;
  /** --request-timeout, in ms: what one look may take. */
  look?: number | undefined;
}

/** Until when a look is waited for. Times in ms by `performance.now()`, for a server that hangs tells none. */
export interface Limit {
  endOf(state: GateState | null): number;
  /** Of the lists that are read again for a verdict; `dark`: it is given because nothing can be seen. */
  endOfCheck(state: GateState, dark: boolean): number;
  /** Until the gate's own end. */
  left(state: GateState | null): number;
  /** A look that saw. */
  took(ms: number): void;
  /** Seconds from the command to the end of its first look. */
  head(): number;
}

/**
 * What a look that begins shortly before the end, or behind it, gets nevertheless: an answer that is on its way must not be cut off, and a server
 * that hangs must not hold up a pipeline. The first look reads everything; later ones get twice the longest that saw.
 */
const FIRST = 5_000;
const LEAST = 2_000;
const MOST = 10_000;

export function createLimit({ began, timeout, look }: Limits = { began: performance.now() }): Limit {
  let longest = 0;
  let first: number | null = null;
  const end = (state: GateState | null): number => {
    if (timeout !== undefined) return began + timeout * 1000;
    if (state === null) return Number.POSITIVE_INFINITY;
    if (state.fence === null) return began + FIRST_CONTACT;
    // Whoever is ready may hold beyond a computed deadline.
    return began + (state.soak.since === null ? state.deadline.seconds : state.deadline.own + HOLDING) * 1000;
  };
  const after = (least: number, state: GateState | null): number => {
    const now = performance.now();
    return Math.min(Math.max(end(state), now + least), now + (look || Number.POSITIVE_INFINITY));
  };
  const least = (): number => (longest === 0 ? FIRST : Math.min(MOST, Math.max(LEAST, 2 * longest)));
  return {
    endOf: (state) => after(least(), state),
    endOfCheck: (state, dark) => after(dark ? LEAST : least(), state),
    left: (state) => end(state) - performance.now(),
    took: (ms) => void (longest = Math.max(longest, ms)),
    head: () => Math.round((first ??= performance.now() - began)) / 1000,
  };
}
