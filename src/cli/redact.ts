import { UserError } from '../model/errors.ts';
import { visible } from '../render/escape.ts';
import { plural } from '../facts/words.ts';
import { openSource, writeRecording } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { withSpinner } from './spinner.ts';
import { print } from './terminal.ts';
import { version } from '../model/version.ts';

/** `redact PATH -o FOLDER`: a recording, a bundle or a dump of any kind as a recording without the values that look like secrets. */
export async function redact(path: string, flags: Flags): Promise<number> {
  const [folder] = [flags.output].flat();
  if (!folder) throw new UserError('redact writes a new recording; it is not said where to.', 'kubectl strata redact PATH -o FOLDER');
  const { snapshot, scope } = await withSpinner((say) => openSource({ ...sourceOptions(flags), from: [path], onProgress: say }));
  const { values, objects } = await writeRecording(folder, snapshot, scope, `kubectl-strata ${version}`);
  const kinds = new Map<string, number>();
  for (const { kind, at } of objects) kinds.set(kind, (kinds.get(kind) ?? 0) + at.length);
  const where = [...kinds].map(([kind, n]) => `${n} in ${kind}`).join(', ');
  await print(
    `${plural(values, 'value')} ${values === 1 ? 'is' : 'are'} redacted${values > 0 ? visible(` (${where}); redaction.json says where`) : ''}.\nThe recording is in ${visible(folder)}. Look through it before you share it: what no rule knows is not found.\n`,
  );
  return 0;
}
