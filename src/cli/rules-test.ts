import { lintRuleTest, runRuleCase } from '../engine/tester.ts';
import { UserError } from '../model/errors.ts';
import { renderTable } from '../render/table.ts';
import { visible } from '../render/escape.ts';
import { plural } from '../render/text/words.ts';
import type { Flags } from './flags.ts';
import { type TestedRule, rulesOf, testedRules } from './rule-set.ts';
import { print, styleOf } from './terminal.ts';

const FAILED = 1;

/** `rules test [FOLDER...]`: the tests beside rules of one's own, together with the built-in rules. 0 where all hold, 1 where one does not. */
export async function testRules(folders: string[], flags: Flags): Promise<number> {
  const named = [...folders, ...(flags.rules ?? [])];
  if (named.length === 0) throw new UserError('No folder with rules was given.', 'kubectl strata rules test FOLDER: rules NAME.yaml with their tests NAME.test.yaml beside them.');
  const own = (await Promise.all(named.map(testedRules))).flat();
  const rules = await rulesOf({ rules: named });
  const results = own.map((one) => ({ one, wrong: wrongIn(one, (test, each) => runRuleCase(one.rule.id, test, each, rules)) }));
  const rows = results.map(({ one, wrong }) => [wrong.length === 0 ? 'ok' : 'FAILS', one.rule.file, wrong.length === 0 ? plural(one.test?.cases.length ?? 0, 'case') : plural(wrong.length, 'complaint')]);
  await print(renderTable(['', 'RULE', ''], rows, styleOf(flags)));
  for (const { one, wrong } of results) if (wrong.length > 0) await print(`\n${visible(one.rule.file)}\n${wrong.map((line) => `  ${visible(line)}\n`).join('')}`);
  return results.every(({ wrong }) => wrong.length === 0) ? 0 : FAILED;
}

type Run = (...args: [test: NonNullable<TestedRule['test']>, each: NonNullable<TestedRule['test']>['cases'][number]]) => string[];

function wrongIn({ rule, test }: TestedRule, run: Run): string[] {
  if (test === null || typeof test !== 'object') return [`there is no test beside it: ${rule.file.replace(/\.yaml$/, '.test.yaml')}`];
  const sloppy = lintRuleTest(test);
  if (!Array.isArray(test.cases)) return sloppy;
  return [...sloppy, ...test.cases.flatMap((each) => {
    try {
      return run(test, each).map((line) => `${each.name}: ${line}`);
    } catch (error) {
      // Cases run strictly: what would cost one rule in a diagnosis is a fault of its writer here.
      return [`${each.name}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`];
    }
  })];
}
