import { FAMILIES } from '../facts/index.ts';
import type { VariableDoc } from '../facts/family.ts';
import type { Cel, Expression } from './cel.ts';
import { createCel } from './cel.ts';
import type { Rule } from './rule.ts';
import { type Template, parseTemplate } from './template.ts';

/** A rule ready to run. Expressions are parsed on first use, so a rule that nothing triggers costs nothing. */
export interface CompiledRule {
  rule: Rule;
  let: [name: string, run: () => Expression][];
  each: (() => Expression) | null;
  when: (() => Expression) | null;
  same: (() => Expression) | null;
  about: (() => Expression)[];
  of: (() => Expression)[];
  evidence: (() => Expression)[];
  template(field: TemplateField): () => Template;
  breaks: (() => Template)[];
  next: (() => Template)[];
}

export type TemplateField = 'layer' | 'heading' | 'certainty' | 'permanence' | 'since' | 'expected' | 'actual' | 'conclusion' | 'lacks';

export interface Program {
  cel: Cel;
  rules: CompiledRule[];
  variables: readonly VariableDoc[];
  /** Those that put an object on a rung: their record has `at`. */
  rungs: readonly VariableDoc[];
}

export function compileRules(rules: readonly Rule[]): Program {
  const cel = createCel(FAMILIES);
  const variables = FAMILIES.flatMap((family) => family.variables ?? []);
  const types = Object.assign({}, ...FAMILIES.map((family) => family.types ?? {})) as Record<string, object>;
  const rungs = variables.filter(({ type }) => 'at' in (types[type.replace('?', '')] ?? {}));
  return { cel, variables, rungs, rules: rules.map((rule) => compileRule(rule, cel)) };
}

function compileRule(rule: Rule, cel: Cel): CompiledRule {
  const expression = (source: string): (() => Expression) => once(() => cel.compile(source));
  const template = (source: string): (() => Template) => once(() => parseTemplate(source, cel));
  const fields = new Map<TemplateField, () => Template>();
  const since = rule.since === undefined ? '' : rule.since.includes('{') ? rule.since : `{${rule.since}}`;
  return {
    rule,
    let: Object.entries(rule.let).map(([name, source]) => [name, expression(source)]),
    each: rule.each ? expression(rule.each.list) : null,
    when: rule.when ? expression(rule.when) : null,
    same: rule.same ? expression(rule.same) : null,
    about: rule.about.map(expression),
    of: rule.of.map(expression),
    evidence: rule.evidence.map(expression),
    breaks: rule.breaks.map(template),
    next: rule.next.map(template),
    template(field) {
      let compiled = fields.get(field);
      if (!compiled) {
        const source = field === 'since' ? since : field === 'heading' ? (rule.heading ?? rule.title) : rule[field];
        fields.set(field, (compiled = template(source)));
      }
      return compiled;
    },
  };
}

function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
