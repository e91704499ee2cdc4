/**
 * Ages must be counted on the server's clock: all times in objects are from there. Every answer's Date header tells it to
 * the second; a difference below two seconds is rounding and travel.
 */
export interface ServerClock {
  see(date: number, received: number): void;
  /** ms to add to this machine's clock. */
  skew(): number;
}

export function createServerClock(): ServerClock {
  // The truncated second and the travel time both make the server look late: the largest value is the nearest.
  let best = -Infinity;
  return {
    see(date, received) {
      if (!Number.isNaN(date)) best = Math.max(best, date - received);
    },
    skew: () => (Number.isFinite(best) && Math.abs(best) >= 2_000 ? best : 0),
  };
}
