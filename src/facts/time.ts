/** Milliseconds of an RFC 3339 time; null where absent or unreadable (a StartError says 1970, which is no time either). */
export function timeOf(text: string | null | undefined): number | null {
  if (!text) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms <= 0 ? null : ms;
}

/** Seconds from `text` to `now`, never negative (clocks differ); null where there is no time. */
export function ageOf(now: number, text: string | null | undefined): number | null {
  const ms = timeOf(text);
  return ms === null ? null : Math.max(0, (now - ms) / 1000);
}

/** Whether that was less than so many seconds ago; false where nobody knows when it was. */
export function isWithin(now: number, text: string | null | undefined, seconds: number): boolean {
  const age = ageOf(now, text);
  return age !== null && age < seconds;
}

/** RFC 3339 of ms since 1970, as Kubernetes writes it: without fractions that are zero; '' for 0. */
export const isoOf = (ms: number): string => (ms > 0 ? new Date(ms).toISOString().replace('.000Z', 'Z') : '');

/** Seconds as kubectl prints ages, two units at the most: 12s, 4m10s, 3h, 2d4h. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  const parts: [number, string][] = [
    [Math.floor(s / 86400), 'd'],
    [Math.floor(s / 3600) % 24, 'h'],
    [Math.floor(s / 60) % 60, 'm'],
    [s % 60, 's'],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  if (first < 0) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([n], index) => index === 0 || n > 0)
    .map(([n, unit]) => `${n}${unit}`)
    .join('');
}

/** creationTimestamp in ms; 0 where there is none. */
export const bornAt = (object: { metadata: { creationTimestamp?: string | undefined } }): number => timeOf(object.metadata.creationTimestamp) ?? 0;
