import { readFileSync } from 'node:fs';
import { UserError } from '../model/errors.ts';
import type { TextTable } from '../model/text.ts';
import { type Rule, readRule } from './rule.ts';

/** What a rule is worth where a kind cannot be read: nothing, or less. Kinds it does not need are not in it. */
export type RuleNeeds = Record<string, 'blind' | 'weaker'>;

export interface RuleSet {
  rules: Rule[];
  texts: TextTable[];
  /** By rule; the build finds it out by trying. */
  needs?: Record<string, RuleNeeds> | undefined;
}

let builtIn: RuleSet | undefined;

/** The rules that ship with the product: JSON made by the build, read once. */
export function loadRules(): RuleSet {
  builtIn ??= parseRuleSet(readBuilt());
  return builtIn;
}

/** `{rules: [{file, rule}], texts: [...], needs?}` as the build writes it. */
export function parseRuleSet(raw: unknown): RuleSet {
  const { rules, texts, needs } = raw as { rules: { file: string; rule: unknown }[]; texts: TextTable[]; needs?: RuleSet['needs'] };
  return { rules: rules.map(({ file, rule }) => readRule(rule, file)), texts, ...(needs ? { needs } : {}) };
}

function readBuilt(): unknown {
  // Beside the bundle when shipped; in dist/ when the sources run by themselves.
  for (const place of ['./rules.json', '../../dist/rules.json']) {
    try {
      return JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new UserError('the built-in rules are missing (rules.json)', 'build the project first: npm run build');
}
