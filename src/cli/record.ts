import type { Snapshot } from '../model/snapshot.ts';
import { openSource, writeRecording } from '../source/index.ts';
import { visible } from '../render/escape.ts';
import { plural } from '../render/text/words.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { withSpinner } from './spinner.ts';
import { print } from './terminal.ts';
import { version } from '../model/version.ts';

/** `record [TARGET...] -o DIR`: what a diagnosis would read, kept as it was read. 0 once it is written, whatever it holds. */
export async function record(targets: string[], flags: Flags & { output?: string }): Promise<number> {
  const { snapshot, scope } = await withSpinner((say) => openSource({ ...sourceOptions(flags), targets, onProgress: say }));
  const directory = flags.output ?? nameFor(scope.all ? 'all' : scope.namespaces.join('-'), snapshot.capturedAt);
  await writeRecording(directory, snapshot, scope, `kubectl-strata ${version}`);
  await print(`${visible(contents(snapshot))} are in ${visible(directory)}.\nRead it with: kubectl strata --from ${visible(directory)}\n`);
  return 0;
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
