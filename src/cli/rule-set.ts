import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type RuleSet, loadRules, parseRuleSet } from '../engine/load.ts';
import type { RuleTest } from '../engine/tester.ts';
import { isTextTable, joinTables, readTextTable } from '../engine/text-table.ts';
import { UserError } from '../model/errors.ts';
import type { TextTable } from '../model/text.ts';
import type { Flags } from './flags.ts';

/** The built-in rules and, under ids of their own (`user/...`), those of `--rules DIR`; its text tables come before the built-in ones. */
export async function rulesOf(flags: Pick<Flags, 'rules'>): Promise<RuleSet> {
  const builtIn = loadRules();
  if (!flags.rules || flags.rules.length === 0) return builtIn;
  const own = await Promise.all(flags.rules.map(readFolder));
  return {
    ...builtIn,
    rules: [...builtIn.rules, ...own.flatMap(({ rules }) => rules)],
    texts: joinTables(
      builtIn.texts,
      own.flatMap(({ texts }) => texts.map(({ table }) => table)),
    ),
  };
}

/** A rule of one's own and the test beside it; null where there is none. */
export interface TestedRule {
  rule: RuleSet['rules'][number];
  test: RuleTest | null;
}

/** A text table of one's own. */
export interface OwnTable {
  file: string;
  table: TextTable;
}

interface Folder {
  rules: RuleSet['rules'];
  texts: OwnTable[];
}

/** The rules of a folder with their tests (`NAME.test.yaml`), and its text tables, whose examples are their tests. */
export async function testedRules(folder: string): Promise<{ rules: TestedRule[]; texts: OwnTable[] }> {
  const [{ rules, texts }, files] = await Promise.all([readFolder(folder), listed(folder)]);
  return {
    texts,
    rules: await Promise.all(
      rules.map(async (rule) => {
        const file = rule.file.replace(/\.yaml$/, '.test.yaml');
        return { rule, test: files.includes(file) ? ((await parsed(folder, file)) as RuleTest) : null };
      }),
    ),
  };
}

async function parsed(folder: string, file: string): Promise<unknown> {
  // A CommonJS package: of one that is imported late only the default export is sure to be there.
  const { default: yaml } = await import('yaml');
  const document = yaml.parseDocument(await readFile(join(folder, file), 'utf8'), { prettyErrors: true });
  const [problem] = document.errors;
  if (problem) throw new UserError(`${file}: ${problem.message.split('\n')[0]}`, 'A text with ": " in it needs quotes or >- in YAML.');
  return document.toJS() as unknown;
}

// Beside the tables that ship: the sentences that none of them names, and why.
const NO_RULES = /(?:\.test|(?:^|\/)omitted)\.yaml$/;

async function readFolder(folder: string): Promise<Folder> {
  const files = (await listed(folder)).filter((file) => file.endsWith('.yaml') && !NO_RULES.test(file)).sort();
  if (files.length === 0) throw new UserError(`There is no rule in ${folder}.`, 'A rule is a file NAME.yaml; see CONTRIBUTING.md, "A rule".');
  const all = await Promise.all(files.map(async (file) => ({ file, rule: await parsed(folder, file) })));
  const texts = all.filter(({ rule }) => isTextTable(rule)).map(({ file, rule }) => ({ file, table: readTextTable(rule, file) }));
  const { rules } = parseRuleSet({ rules: all.filter(({ rule }) => !isTextTable(rule)), texts: [] });
  return { rules: rules.map((rule) => ({ ...rule, id: `user/${rule.id}` })), texts };
}

async function listed(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`The rules in ${folder} could not be read (${code}).`, '--rules takes a folder with rule files.');
  }
}
