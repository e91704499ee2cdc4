import { UserError } from '../../model/errors.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { hasTimeline, readTimeline } from './timeline.ts';

/** A moment of a time line: ms since the epoch, or ms after its first look; the last there is. */
export type Moment = { at: number } | { after: number } | 'last';

/**
 * What was known at a moment of a recording: the last look that is not later. The looks behind it are not read. Raises UserError
 * where there is no time line, and where the moment lies outside it, with its span.
 */
export async function readMoment(directory: string, moment: Moment): Promise<Snapshot> {
  if (!(await hasTimeline(directory)))
    throw new UserError(
      `${directory} holds one moment, and no time line to choose another from.`,
      'Leave out --at; kubectl strata gate --record and kubectl strata record --follow keep a time line, in a folder.',
    );
  let first: Snapshot | null = null;
  let found: Snapshot | null = null;
  let last: Snapshot | null = null;
  for await (const look of (await readTimeline(directory, true)).looks) {
    first ??= look;
    last = look;
    if (moment === 'last') continue;
    const wanted = 'at' in moment ? moment.at : first.now + moment.after;
    if (look.now > wanted) break;
    found = look;
    if (look.now === wanted) return look;
    last = null;
  }
  if (!first) throw new UserError(`The time line of ${directory} is empty.`, 'Record it again with kubectl strata gate --record.');
  if (moment === 'last') return last ?? first;
  // Behind what was found stands a later look: it was the present until then.
  if (found && last) return found;
  throw await outside(directory, moment, first);
}

async function outside(directory: string, moment: Exclude<Moment, 'last'>, first: Snapshot): Promise<UserError> {
  let last = first;
  for await (const look of (await readTimeline(directory, true)).looks) last = look;
  const asked = new Date('at' in moment ? moment.at : first.now + moment.after).toISOString();
  const length = Math.floor((last.now - first.now) / 1000);
  return new UserError(
    `${asked} is not in the time line of ${directory}: it goes from ${first.capturedAt} to ${last.capturedAt}.`,
    `Give a time between these, or a duration from its beginning up to ${length}s.`,
  );
}
