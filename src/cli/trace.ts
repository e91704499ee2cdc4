import { trace } from '../engine/trace.ts';
import { UserError } from '../model/errors.ts';
import { EXIT } from '../model/report.ts';
import { renderTrace } from '../render/trace.ts';
import { openSource } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { rulesOf } from './rule-set.ts';
import { withSpinner } from './spinner.ts';
import { print, styleOf } from './terminal.ts';
import { documentOf, wantsJson } from './text-or-json.ts';

/** `trace TARGET...`: what an object made, by UID, and how long its pods took for each step. 0 where it is there, whatever its state. */
export async function traceObjects(targets: string[], flags: Flags): Promise<number> {
  const json = wantsJson(flags, 'a trace');
  if (targets.length === 0) throw new UserError('There is nothing to trace.', 'Name an object: kubectl strata trace deployment/web');
  const [{ snapshot, scope }, rules] = await Promise.all([
    withSpinner((say) => openSource({ ...sourceOptions(flags), targets, onProgress: say })),
    rulesOf(flags),
  ]);
  if (snapshot.server.reached === false) throw new UserError(`${snapshot.source.name} does not answer.`, 'kubectl strata says why.', EXIT.unreachable);
  const roots = trace(snapshot, scope, rules);
  if (roots.length === 0)
    throw new UserError(
      `There is no ${targets.join(', ')} here, or it may not be read.`,
      'kubectl strata access tells what you may read.',
      EXIT['nothing-matched'],
    );
  await print(json ? documentOf('Trace', { capturedAt: snapshot.capturedAt, objects: roots }) : renderTrace(roots, styleOf(flags)));
  return EXIT.healthy;
}
