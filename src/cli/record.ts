import type { Snapshot } from '../model/snapshot.ts';
import { duration } from '../facts/time.ts';
import { UserError } from '../model/errors.ts';
import { createTimeline, followSource, openSource, writeRecording, writeTimeline } from '../source/index.ts';
import { visible } from '../render/escape.ts';
import { plural } from '../facts/words.ts';
import { type Flags, milliseconds, sourceOptions } from './flags.ts';
import { withSpinner } from './spinner.ts';
import { print } from './terminal.ts';
import { version } from '../model/version.ts';

export interface RecordFlags extends Flags {
  output?: string;
  follow?: string;
}

/** `record [TARGET...] -o DIR`: what a diagnosis would read, kept as it was read. 0 once it is written, whatever it holds. */
export async function record(targets: string[], flags: RecordFlags): Promise<number> {
  if (flags.follow !== undefined) return follow(targets, flags, milliseconds(flags.follow, '--follow') ?? 0);
  const { snapshot, scope } = await withSpinner((say) => openSource({ ...sourceOptions(flags), targets, onProgress: say }));
  const directory = flags.output ?? nameFor(scope.all ? 'all' : scope.namespaces.join('-'), snapshot.capturedAt);
  const { values, objects } = await writeRecording(directory, snapshot, scope, `kubectl-strata ${version}`);
  const redacted =
    values > 0
      ? `${plural(values, 'value')} that ${values === 1 ? 'looks like a secret is' : 'look like secrets are'} not in it (redaction.json names ${plural(objects.length, 'object')}).\n`
      : '';
  const silent = snapshot.server.reached === false ? `${visible(snapshot.source.name)} does not answer: that is all it holds.\n` : '';
  await print(`${visible(contents(snapshot))} are in ${visible(directory)}.\n${silent}${redacted}Read it with: kubectl strata --from ${visible(directory)}\n`);
  return 0;
}

/** Something that changes is seen at once, and time passes where nothing does: a gate judges by both. */
const LEAST_MS = 400;
const LONGEST_MS = 1000;

/** A server's clock that stands still for this long is a recording's. */
const STILL_MS = 5000;

/** `record --follow D`: every change for so long, or until it is interrupted, beside the last state. */
async function follow(targets: string[], flags: RecordFlags, ms: number): Promise<number> {
  if (flags.from?.length) throw new UserError('A recording stands still: there is nothing to follow.', 'Leave out --from, or leave out --follow.');
  if (ms <= 0) throw new UserError('--follow needs to know for how long.', 'Write it like --follow 5m.');
  const timeline = createTimeline();
  const followed = await followSource({ ...sourceOptions(flags), targets, watch: true, onProgress: () => undefined });
  const interrupted = untilInterrupted();
  try {
    const { snapshot, scope, looks } = await withSpinner(async (say) => {
      let end = Number.POSITIVE_INFINITY;
      let clock = { now: Number.NaN, since: 0 };
      for (let looks = 1; ; looks += 1) {
        const last = performance.now() >= end || interrupted.is() || timeline.full();
        const { snapshot, scope } = await followed.next(last);
        timeline.add(snapshot);
        // A Date header is whole seconds; what is behind them is measured here.
        if (!(Math.abs(snapshot.now - clock.now) <= 1000)) clock = { now: snapshot.now, since: performance.now() };
        else if (snapshot.server.reached !== false && performance.now() - clock.since > STILL_MS)
          throw new UserError(
            "This server's clock stands still: it gives back a recording, and there is nothing to follow.",
            'Leave out --follow to keep its one moment.',
          );
        if (looks === 1) end = performance.now() + ms;
        if (last) return { snapshot, scope, looks };
        say(`following: ${looks} looks, ${duration(Math.max(0, end - performance.now()) / 1000)} left`);
        await Promise.race([followed.idle?.(LEAST_MS, Math.min(LONGEST_MS, Math.max(LEAST_MS, end - performance.now()))), interrupted.promise]);
      }
    });
    const directory = flags.output ?? nameFor(scope.all ? 'all' : scope.namespaces.join('-'), snapshot.capturedAt);
    await writeRecording(directory, snapshot, scope, `kubectl-strata ${version}`);
    await writeTimeline(directory, null, timeline.lines());
    const room = timeline.full() ? 'There was no room for more. ' : '';
    await print(
      `${visible(contents(snapshot))} and ${plural(looks, 'look')} before, are in ${visible(directory)}.\n${room}Judge it with: kubectl strata gate [TYPE/NAME...] --from ${visible(directory)}\n`,
    );
    return 0;
  } finally {
    interrupted.done();
    followed.close();
  }
}

/** Whoever interrupts has seen enough, and wants to keep it; a second time ends the program. */
function untilInterrupted(): { is(): boolean; promise: Promise<void>; done(): void } {
  const others = process.listeners('SIGINT');
  const restore = (): void => others.forEach((each) => process.on('SIGINT', each));
  let is = false;
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  const hear = (): void => {
    is = true;
    end();
    restore();
  };
  process.removeAllListeners('SIGINT');
  process.once('SIGINT', hear);
  return {
    is: () => is,
    promise,
    done() {
      if (is) return;
      process.removeListener('SIGINT', hear);
      restore();
    },
  };
}

/** `strata-orders-20260301T132005Z`. */
function nameFor(place: string, capturedAt: string): string {
  return `strata-${place}-${capturedAt.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}`;
}

function contents(snapshot: Snapshot): string {
  const objects = snapshot.kinds().reduce((sum, kind) => sum + snapshot.seen(kind).length, 0);
  const gaps = snapshot.coverage.filter(({ state }) => state !== 'complete' && state !== 'not-served').length;
  const asked = snapshot.source.kind === 'cluster' ? ` with ${plural(snapshot.cost.requests, 'request')}` : '';
  const missing = gaps > 0 ? `, ${plural(gaps, 'list')} not in full` : '';
  return `${plural(objects, 'object')} of ${plural(snapshot.kinds().length, 'kind')}, read ${snapshot.capturedAt}${asked}${missing},`;
}
