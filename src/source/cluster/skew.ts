/**
 * Ages must be counted on the server's clock: all times in objects are from there. Every answer's Date header tells it to
 * the second; a difference below two seconds is rounding and travel.
 */
export interface ServerClock {
  see(date: number, received: number): void;
  /** It serves a recording, and says so: its clock stands at this date, and did so from the first answer on. */
  stop(date: number): void;
  /** ms to add to this machine's clock. */
  skew(): number;
  /** The server's time when this machine's clock said `local`; one and the same where it stands. */
  at(local: number): number;
}

/** ms since 1970 as this machine counted them when the program began: a clock that is set meanwhile changes nothing. */
export const localNow = (): number => performance.timeOrigin + performance.now();

/** A server whose date stays the same for so long has a clock that stands: it serves a recording. */
const STANDS = 3_000;

export function createServerClock(): ServerClock {
  // The truncated second and the travel time both make the server look late: the largest value is the nearest.
  let best = -Infinity;
  let same = { date: NaN, since: 0 };
  let stands = false;
  const skew = (): number => (stands ? same.date - localNow() : Number.isFinite(best) && Math.abs(best) >= 2_000 ? best : 0);
  return {
    stop(date) {
      if (Number.isNaN(date)) return;
      same = { date, since: Number.NEGATIVE_INFINITY };
      stands = true;
    },
    see(date, received) {
      if (Number.isNaN(date)) return;
      if (date !== same.date) same = { date, since: received };
      stands = received - same.since >= STANDS;
      best = Math.max(best, date - received);
    },
    skew,
    at: (local) => (stands ? same.date : local + skew()),
  };
}
