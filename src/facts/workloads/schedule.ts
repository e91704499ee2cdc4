/** A CronJob's schedule, evaluated backwards from a moment: standard five fields, `@hourly` and the like. */

interface Fields {
  minute: Set<number>;
  hour: Set<number>;
  day: Set<number>;
  month: Set<number>;
  weekday: Set<number>;
  /** Day and weekday are alternatives only when both are restricted. */
  anyDay: boolean;
  anyWeekday: boolean;
}

const MACROS: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MINUTE = 60_000;
const YEAR = 366 * 24 * 60 * MINUTE;

/**
 * The times (ms) at which the schedule was due in (`from`, `to`], newest first, at most `limit`. Null where the schedule
 * does not parse. Without a zone the controller's own applies, which is taken to be UTC.
 */
export function dueTimes(schedule: string, zone: string | null, from: number, to: number, limit: number): number[] | null {
  const fields = parse(schedule);
  const local = localClock(zone);
  if (!fields || !local) return null;
  const out: number[] = [];
  const end = Math.max(from, to - YEAR);
  let at = Math.floor(to / MINUTE) * MINUTE;
  while (at > end && out.length < limit) {
    const time = local(at);
    if (!fields.month.has(time.month) || !dayMatches(fields, time)) {
      at -= (time.hour * 60 + time.minute + 1) * MINUTE;
    } else if (!fields.hour.has(time.hour)) {
      at -= (time.minute + 1) * MINUTE;
    } else {
      if (fields.minute.has(time.minute)) out.push(at);
      at -= MINUTE;
    }
  }
  return out;
}

const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a schedule parses and names only days that its months do not have, as the 31st of February. */
export function neverDue(schedule: string): boolean {
  const fields = parse(schedule);
  if (!fields?.anyWeekday) return false;
  const first = Math.min(...fields.day);
  return [...fields.month].every((month) => first > (LONGEST[month - 1] ?? 31));
}

interface Clock {
  minute: number;
  hour: number;
  day: number;
  month: number;
  weekday: number;
}

function localClock(zone: string | null): ((at: number) => Clock) | null {
  if (zone === null || zone === 'UTC' || zone === 'Etc/UTC') {
    return (at) => {
      const date = new Date(at);
      return {
        minute: date.getUTCMinutes(),
        hour: date.getUTCHours(),
        day: date.getUTCDate(),
        month: date.getUTCMonth() + 1,
        weekday: date.getUTCDay(),
      };
    };
  }
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      minute: 'numeric',
      hour: 'numeric',
      day: 'numeric',
      month: 'numeric',
      weekday: 'short',
    });
    return (at) => {
      const parts = Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value]));
      const number = (name: string): number => Number(parts[name]);
      return {
        minute: number('minute'),
        hour: number('hour'),
        day: number('day'),
        month: number('month'),
        weekday: DAYS.indexOf((parts['weekday'] ?? '').toLowerCase()),
      };
    };
  } catch {
    return null;
  }
}

function dayMatches({ day, weekday, anyDay, anyWeekday }: Fields, time: Clock): boolean {
  const byDay = day.has(time.day);
  const byWeekday = weekday.has(time.weekday);
  return anyDay || anyWeekday ? byDay && byWeekday : byDay || byWeekday;
}

function parse(schedule: string): Fields | null {
  const text = schedule.trim().replace(/^(?:CRON_)?TZ=\S+\s+/, '');
  const parts = (MACROS[text.toLowerCase()] ?? text).split(/\s+/);
  if (parts.length !== 5) return null;
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = parts;
  const minute = field(minutes, 0, 59);
  const hour = field(hours, 0, 23);
  const day = field(days, 1, 31);
  const month = field(months, 1, 12, MONTHS, 1);
  const weekday = field(weekdays, 0, 7, DAYS, 0);
  if (!minute || !hour || !day || !month || !weekday) return null;
  if (weekday.has(7)) weekday.add(0);
  return { minute, hour, day, month, weekday, anyDay: /^[*?]/.test(days), anyWeekday: /^[*?]/.test(weekdays) };
}

function field(text: string, low: number, high: number, names: readonly string[] = [], offset = 0): Set<number> | null {
  const out = new Set<number>();
  const number = (word: string): number => {
    const index = names.indexOf(word.toLowerCase());
    return index >= 0 ? index + offset : /^\d+$/.test(word) ? Number(word) : Number.NaN;
  };
  for (const part of text.split(',')) {
    const match = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(part);
    if (!match) return null;
    const step = match[4] === undefined ? 1 : Number(match[4]);
    const start = match[1] ? low : number(match[2] ?? '');
    const end = match[1] ? high : match[3] !== undefined ? number(match[3]) : match[4] === undefined ? start : high;
    if (!(step > 0) || !(start >= low) || !(end <= high) || !(start <= end)) return null;
    for (let value = start; value <= end; value += step) out.add(value);
  }
  return out;
}
