/** Every time in a text that names its offset, RFC 3339 in UTC: `2024-05-01T10:00:00Z`, Go's and chrono's `2024-05-01 10:00:00.123 +0000 UTC`. */
export function timesIn(text: string): string[] {
  const times: string[] = [];
  for (const [, day = '', clock = '', offset = ''] of text.matchAll(/(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(Z|UTC|[+-]\d\d:?\d\d)/g)) {
    const zone = offset === 'UTC' ? 'Z' : offset.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
    const at = Date.parse(`${day}T${clock.slice(0, 12)}${zone}`);
    if (!Number.isNaN(at)) times.push(new Date(at).toISOString());
  }
  return times.sort();
}

// Replicated's bundles: the collector's local time, without its zone.
const IN_NAME = /(\d{4}-\d\d-\d\d)T(\d\d)[_-](\d\d)[_-](\d\d)/;

/** A time in a file's or folder's name, taken as UTC for want of a zone; null where there is none. */
export function timeInName(name: string): string | null {
  const [, day = '', hour = '', minute = '', second = ''] = IN_NAME.exec(name) ?? [];
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/**
 * The clock of a bundle: what the tool wrote down, unless an object is of later. Collecting takes its time: judged by the
 * tool's end, everything would look as old as the collecting took; judged by its start, it would be from the future.
 * The name comes after the objects, because it does not say its zone. Null where nothing says anything.
 */
export function captureTime(stated: readonly string[], inObjects: string | null, inName: string | null, modified: number): string | null {
  const [start] = [...stated].sort();
  if (start !== undefined) return inObjects !== null && Date.parse(inObjects) > Date.parse(start) ? inObjects : start;
  return inObjects ?? inName ?? (modified > 0 ? new Date(modified).toISOString() : null);
}
