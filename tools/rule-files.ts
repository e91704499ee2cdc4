/** The rule set of the working tree, for tests and tools: never a stale build. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { type RuleSet, parseRuleSet } from '../src/engine/load.ts';
import type { RuleTest } from '../src/engine/tester.ts';
import { type RuleFiles, collectRules } from './rules.ts';

export const RULES_DIR = join(import.meta.dirname, '..', 'rules');

export const files: RuleFiles = await collectRules(RULES_DIR);

let loaded: RuleSet | undefined;

export const ruleSet = (): RuleSet => (loaded ??= parseRuleSet(files));

/** The test beside a rule file; null where there is none. */
export function ruleTest(file: string): RuleTest | null {
  const path = join(RULES_DIR, file.replace(/\.yaml$/, '.test.yaml'));
  return existsSync(path) ? (parse(readFileSync(path, 'utf8')) as RuleTest) : null;
}

export const ruleId = (file: string): string => basename(file, '.yaml');
