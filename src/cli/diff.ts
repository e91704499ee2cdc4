import { compareRecordings } from '../engine/compare.ts';
import { diagnose } from '../engine/index.ts';
import { renderComparison } from '../render/comparison.ts';
import { openSource } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { rulesOf } from './rule-set.ts';
import { print, styleOf } from './terminal.ts';
import { wantsJson } from './text-or-json.ts';

const DIFFERENT = 1;

/** `diff BEFORE AFTER`: findings and objects that came, went or changed. 0 where nothing did, 1 where something did, as diff. */
export async function diff(before: string, after: string, flags: Flags): Promise<number> {
  const json = wantsJson(flags);
  const rules = await rulesOf(flags);
  const read = async (path: string) => {
    const { snapshot, scope } = await openSource({ ...sourceOptions(flags), from: [path] });
    return { snapshot, report: diagnose(snapshot, scope, { rules }) };
  };
  const [old, now] = [await read(before), await read(after)];
  const comparison = compareRecordings(old, now);
  await print(json ? `${JSON.stringify(comparison, null, 2)}\n` : renderComparison(comparison, styleOf(flags)));
  const { findings, objects } = comparison;
  const count = [findings.gained, findings.lost, findings.changed, objects.added, objects.removed, objects.replaced, objects.changed].reduce(
    (sum, list) => sum + list.length,
    0,
  );
  return count > 0 || comparison.before.verdict !== comparison.after.verdict ? DIFFERENT : 0;
}
