import { lintRuleTest, runRuleCase } from '../engine/tester.ts';
import { wrongRows } from '../engine/text-table.ts';
import { UserError } from '../model/errors.ts';
import { renderTable } from '../render/table.ts';
import { visible } from '../render/escape.ts';
import { plural, some } from '../facts/words.ts';
import type { Flags } from './flags.ts';
import { type OwnTable, type TestedRule, rulesOf, testedRules } from './rule-set.ts';
import { print, styleOf } from './terminal.ts';

const FAILED = 1;

/** `rules test [FOLDER...]`: the tests beside rules of one's own, and the examples in text tables, together with what is built in. 0 where all hold, 1 where one does not. */
export async function testRules(folders: string[], flags: Flags): Promise<number> {
  const named = [...folders, ...(flags.rules ?? [])];
  if (named.length === 0)
    throw new UserError('No folder with rules was given.', 'kubectl strata rules test FOLDER: rules NAME.yaml with their tests NAME.test.yaml beside them.');
  const own = await Promise.all(named.map(testedRules));
  const rules = await rulesOf({ rules: named });
  const ofRule = (one: TestedRule): Result => ({
    file: one.rule.file,
    held: plural(one.test?.cases.length ?? 0, 'case'),
    wrong: wrongIn(one, (test, each) => runRuleCase(one.rule.id, test, each, rules)),
  });
  const ofTable = ({ file, table }: OwnTable): Result => ({
    file,
    held: plural(table.rows.length, 'text'),
    wrong: wrongRows(table, rules.texts),
  });
  const results = own.flatMap((folder) => [...folder.rules.map(ofRule), ...folder.texts.map(ofTable)]);
  const rows = results.map(({ file, held, wrong }) => [
    wrong.length === 0 ? 'ok' : 'FAILS',
    file,
    wrong.length === 0 ? held : plural(wrong.length, 'complaint'),
  ]);
  await print(renderTable(['', 'RULE', ''], rows, styleOf(flags)));
  for (const { file, wrong } of results) if (wrong.length > 0) await print(`\n${visible(file)}\n${wrong.map((line) => `  ${visible(line)}\n`).join('')}`);
  return results.every(({ wrong }) => wrong.length === 0) ? 0 : FAILED;
}

interface Result {
  file: string;
  /** What it held, where nothing is wrong. */
  held: string;
  wrong: string[];
}

type Run = (...args: [test: NonNullable<TestedRule['test']>, each: NonNullable<TestedRule['test']>['cases'][number]]) => string[];

function wrongIn({ rule, test }: TestedRule, run: Run): string[] {
  if (test === null || typeof test !== 'object') return [`there is no test beside it: ${rule.file.replace(/\.yaml$/, '.test.yaml')}`];
  const sloppy = lintRuleTest(test);
  if (!Array.isArray(test.cases)) return sloppy;
  const broken = new Map<string, string[]>();
  const wrong = test.cases.flatMap((each) => {
    try {
      return run(test, each).map((line) => `${each.name}: ${line}`);
    } catch (error) {
      // Cases run strictly: what would cost one rule in a diagnosis is a fault of its writer here.
      const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      broken.set(message, [...(broken.get(message) ?? []), each.name]);
      return [];
    }
  });
  // A mistake in the rule shows in every case that comes to it; it is one.
  return [...sloppy, ...[...broken].map(([message, names]) => `${namesOf(names, test.cases.length)}: ${message}`), ...wrong];
}

const namesOf = (names: readonly string[], all: number): string =>
  names.length === 1 ? (names[0] ?? '') : names.length === all ? 'every case' : `${plural(names.length, 'case')} (${some(names)})`;
