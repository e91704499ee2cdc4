import { EXIT } from '../model/report.ts';
import { openSource } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { outputsOf, put } from './outputs.ts';
import { withSpinner } from './spinner.ts';

/** The program: open the source, read, judge, render, exit. */
export async function diagnose(targets: string[], flags: Flags): Promise<number> {
  const outputs = await outputsOf(flags.output);
  let engine: ReturnType<typeof load> | undefined;
  const load = async () => {
    const { diagnose: judge, rulesOf } = await import('./judging.ts');
    return { judge, rules: await rulesOf(flags) };
  };
  // Rules of the user's own are put right before anything is asked.
  if (flags.rules?.length) await (engine = load());
  const { snapshot, scope } = await withSpinner((say) =>
    openSource({
      ...sourceOptions(flags),
      targets,
      // The first request has just been sent: the engine is loaded while its answer is on the way.
      onProgress: (text) => {
        engine ??= load();
        // Whatever it fails with is told where it is awaited.
        engine.catch(() => undefined);
        say(text);
      },
    }),
  );
  const { judge, rules } = await (engine ??= load());
  const report = judge(snapshot, scope, { rules, risks: flags.risks ?? false });
  process.exitCode = EXIT[report.verdict];
  await put(outputs, report, flags, rules);
  return EXIT[report.verdict];
}
