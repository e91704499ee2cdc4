/** Why something could not be read. `not-collected`: nobody asked (a dump without that kind). */
export type GapReason = 'forbidden' | 'failed' | 'truncated' | 'not-collected' | 'expired';

export interface Gap {
  reason: GapReason;
  kind: string;
  /** Namespace asked for; absent for cluster scope. */
  namespace?: string | undefined;
  name?: string | undefined;
  /** The server's own words, where it had any. */
  message?: string | undefined;
}

/** Three-valued: only a complete list or a 404 makes `absent`. */
export type Read<T> = { state: 'known'; value: T } | { state: 'absent' } | { state: 'unknown'; why: Gap };

/** It was read. */
export const known = <T>(value: T): Read<T> => ({ state: 'known', value });
export const absent: Read<never> = { state: 'absent' };
/** Whether it is there cannot be told, and why. */
export const unknown = (why: Gap): Read<never> => ({ state: 'unknown', why });

/**
 * Raised by facts when the answer depends on something that could not be read.
 * The engine turns it into a skipped rule or a marked hole, never into a finding.
 */
export class Unknown extends Error {
  readonly gap: Gap;
  constructor(gap: Gap) {
    super(`${gap.reason}: ${gap.kind}${gap.namespace ? ` in ${gap.namespace}` : ''}${gap.name ? ` "${gap.name}"` : ''}`);
    this.name = 'Unknown';
    this.gap = gap;
  }
}

/** The value; null where proven absent; raises Unknown otherwise. */
export function need<T>(read: Read<T>): T | null {
  if (read.state === 'known') return read.value;
  if (read.state === 'absent') return null;
  throw new Unknown(read.why);
}

/** The value if known; null for absent and unknown alike. Use only where a null cannot be mistaken for absence. */
export function maybe<T>(read: Read<T>): T | null {
  return read.state === 'known' ? read.value : null;
}

/** Runs a fact and gives null instead of Unknown. Any other error passes. */
export function attempt<T>(fact: () => T): T | null {
  try {
    return fact();
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

/** What a fact could not read; null where it could. */
export function gapIn(fact: () => unknown): Gap | null {
  try {
    fact();
    return null;
  } catch (error) {
    if (error instanceof Unknown) return error.gap;
    throw error;
  }
}

/**
 * Those of a list for which a fact is proven to hold. Raises Unknown where it holds for none and could not be told of one;
 * what nobody asked for is no loss: a namespace is read without what stands behind every object of the cluster.
 */
export function proven<T>(list: readonly T[], fact: (item: T) => boolean): T[] {
  const found = list.filter((item) => attempt(() => fact(item)) === true);
  for (const item of found.length > 0 ? [] : list) {
    const gap = gapIn(() => fact(item));
    if (gap && gap.reason !== 'not-collected') throw new Unknown(gap);
  }
  return found;
}

/** A fact about something that stands aside: false where nobody asked for what it needs, Unknown where it was refused. */
export function aside(fact: () => boolean): boolean {
  const gap = gapIn(fact);
  if (gap && gap.reason !== 'not-collected') throw new Unknown(gap);
  return gap === null && fact();
}
