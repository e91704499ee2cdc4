import { diagnose } from '../engine/index.ts';
import { minimize as shrink } from '../engine/minimize.ts';
import { UserError } from '../model/errors.ts';
import { visible } from '../render/escape.ts';
import { plural } from '../facts/words.ts';
import { openSource, writeRecording } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { rulesOf } from './rule-set.ts';
import { withSpinner } from './spinner.ts';
import { print } from './terminal.ts';
import { version } from '../model/version.ts';

/** `minimize PATH -o FOLDER`: the smallest recording with the same verdict and causes, to be shared or kept as a test. */
export async function minimize(path: string, flags: Flags): Promise<number> {
  const [folder] = [flags.output].flat();
  if (!folder) throw new UserError('minimize writes a new recording; it is not said where to.', 'kubectl strata minimize PATH -o FOLDER');
  const rules = await rulesOf(flags);
  const { snapshot, scope } = await withSpinner((say) => openSource({ ...sourceOptions(flags), from: [path], onProgress: say }));
  const { snapshot: small, tries, limited } = shrink(snapshot, (part) => diagnose(part, scope, { rules }));
  await writeRecording(folder, small, scope, `kubectl-strata ${version}`);
  const size = (of: typeof snapshot): string =>
    `${plural(
      of.kinds().reduce((sum, kind) => sum + of.seen(kind).length, 0),
      'object',
    )} of ${plural(of.kinds().length, 'kind')}`;
  await print(
    `${size(small)}, of ${size(snapshot)}, say the same (found in ${tries} tries${limited ? '; more could perhaps go' : ''}).\nThey are in ${visible(folder)}.\n`,
  );
  return 0;
}
