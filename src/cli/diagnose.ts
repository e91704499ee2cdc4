import { diagnose as judge } from '../engine/index.ts';
import { EXIT } from '../model/report.ts';
import { openSource } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { outputsOf, put } from './outputs.ts';
import { rulesOf } from './rule-set.ts';
import { withSpinner } from './spinner.ts';

/** The program: open the source, read, judge, render, exit. */
export async function diagnose(targets: string[], flags: Flags): Promise<number> {
  const [outputs, rules] = await Promise.all([outputsOf(flags.output), rulesOf(flags)]);
  const { snapshot, scope } = await withSpinner((say) => openSource({ ...sourceOptions(flags), targets, onProgress: say }));
  const report = judge(snapshot, scope, { rules, risks: flags.risks ?? false });
  process.exitCode = EXIT[report.verdict];
  await put(outputs, report, flags);
  return EXIT[report.verdict];
}
