import { UserError } from '../model/errors.ts';
import { visible } from '../render/escape.ts';
import { plural } from '../render/text/words.ts';
import { openSource, writeRecording } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { withSpinner } from './spinner.ts';
import { print } from './terminal.ts';
import { version } from '../model/version.ts';

const MARKER = /<redacted [0-9a-f]{12} \d+>/g;

/** `redact PATH -o FOLDER`: a recording, a bundle or a dump of any kind as a recording without the values that look like secrets. */
export async function redact(path: string, flags: Flags): Promise<number> {
  const [folder] = [flags.output].flat();
  if (!folder) throw new UserError('redact writes a new recording; it is not said where to.', 'kubectl strata redact PATH -o FOLDER');
  const { snapshot, scope } = await withSpinner((say) => openSource({ ...sourceOptions(flags), from: [path], onProgress: say }));
  await writeRecording(folder, snapshot, scope, `kubectl-strata ${version}`);
  const places = new Map<string, number>();
  for (const kind of snapshot.kinds()) {
    const found = JSON.stringify(snapshot.seen(kind)).match(MARKER)?.length ?? 0;
    if (found > 0) places.set(kind, found);
  }
  const total = [...places.values()].reduce((sum, n) => sum + n, 0);
  const where = [...places].map(([kind, n]) => `${n} in ${kind}`).join(', ');
  await print(`${plural(total, 'value')} ${total === 1 ? 'is' : 'are'} redacted${total > 0 ? ` (${where})` : ''}; of Secrets and ConfigMaps only the names of their keys are kept.\nThe recording is in ${visible(folder)}. Look through it before you share it: what no rule knows is not found.\n`);
  return 0;
}
