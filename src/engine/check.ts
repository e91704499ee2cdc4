/**
 * Type-checks the expressions of rules against the fact tables and the Kubernetes schema. CI only: typed fields
 * refuse real data at run time (a restartCount is declared int and arrives as a double).
 */
import type { Family } from '../facts/family.ts';
import { hintMacro, newEnvironment } from './cel.ts';
import type { Rule } from './rule.ts';

/** Kubernetes types: name to fields, and the type of each kind. */
export interface KubeTypes {
  types: Record<string, Record<string, string>>;
  kinds: Record<string, string>;
}

type Environment = ReturnType<typeof newEnvironment>;

export interface Checker {
  /** What is wrong with a rule; [] if nothing is. */
  check(rule: Rule): string[];
}

const HOLE = /\{\{|\}\}/g;

/** A checker of rules against the fact tables and the Kubernetes schema; `classes` are those of every text table. For tests and the build: the engine that judges checks nothing. */
export function createChecker(families: readonly Family[], kube: KubeTypes, classes: readonly string[]): Checker {
  const base = newEnvironment({ typed: true });
  const records = Object.assign({}, ...families.map((family) => family.types ?? {})) as NonNullable<Family['types']>;
  const shapes: KubeTypes['types'] = { ...kube.types };
  const celType = (type: string): string => celTypeOf(type, records);
  for (const [name, fields] of Object.entries(records)) {
    shapes[name] = Object.fromEntries(Object.entries(fields).map(([field, { type }]) => [field, celType(type)]));
  }
  registerTypes(base, shapes);
  const named = [...Object.keys(kube.types), ...Object.keys(records)];
  const never = (): never => {
    throw new Error('checked, never run');
  };
  for (const type of [...named, 'string', 'double']) {
    // The engine derives != from ==.
    base.registerOperator(`${type} == null`, never);
  }
  base.registerOperator('double == int', never);
  for (const operator of ['+', '-', '*']) {
    base.registerOperator(`double ${operator} int`, (a: number) => a);
    base.registerOperator(`int ${operator} double`, (_a: bigint, b: number) => b);
  }
  base.registerFunction('hint(ast): dyn', hintMacro(() => []) as never);
  for (const fn of families.flatMap((family) => family.functions ?? [])) {
    const least = fn.args.filter((arg) => !arg.type.endsWith('?')).length;
    for (let arity = least; arity <= fn.args.length; arity += 1) {
      const parameters = fn.args
        .slice(0, arity)
        .map((arg) => loose(arg.type))
        .join(', ');
      base.registerFunction(`${fn.name}(${parameters}): ${celType(fn.returns)}`, never);
    }
  }
  const members = closedSets(records, classes);
  return { check: (rule) => checkRule(rule, base, families, kube, members, celType) };
}

/** Types in the order of their use; a type inside itself (a JSON schema) is opaque there. */
function registerTypes(env: Environment, shapes: KubeTypes['types']): void {
  const done = new Set<string>();
  const open = new Set<string>();
  const register = (name: string): void => {
    if (done.has(name)) return;
    open.add(name);
    const fields: Record<string, string> = {};
    for (const [field, type] of Object.entries(shapes[name] ?? {})) {
      const used = [...type.matchAll(/[A-Za-z]\w*/g)].map((match) => match[0]).filter((each) => shapes[each]);
      for (const each of used) if (!open.has(each)) register(each);
      fields[field] = used.some((each) => open.has(each)) ? 'dyn' : type;
    }
    open.delete(name);
    done.add(name);
    env.registerType(name, { fields });
  };
  for (const name of Object.keys(shapes)) register(name);
}

/** `Text?` is a Text that may be null; object is whatever the API served. */
function celTypeOf(type: string, records: object): string {
  return type.replaceAll('?', '').replace(/[A-Za-z]\w*/g, (name) => (BUILT_IN.has(name) || Object.hasOwn(records, name) ? name : 'dyn'));
}

const BUILT_IN = new Set(['string', 'double', 'int', 'bool', 'dyn', 'list', 'map']);

// Arguments accept any record or number: only strings and lists of strings are worth refusing.
const loose = (type: string): string => (/^(string|list<string>)\??$/.test(type) ? type.replace('?', '') : 'dyn');

function closedSets(records: NonNullable<Family['types']>, classes: readonly string[]): Map<string, Set<string>> {
  const sets = new Map<string, Set<string>>([['class', new Set([...classes, 'unknown', ''])]]);
  const all = Object.values(records).flatMap((fields) => Object.entries(fields));
  // A name that some other record uses for free text has no closed set.
  const open = new Set(all.filter(([, { oneOf }]) => !oneOf).map(([field]) => field));
  for (const fields of Object.values(records)) {
    for (const [field, { oneOf }] of Object.entries(fields)) {
      if (!oneOf || open.has(field)) continue;
      const set = sets.get(field) ?? new Set<string>();
      for (const value of oneOf) set.add(value);
      sets.set(field, set);
    }
  }
  return sets;
}

function checkRule(
  rule: Rule,
  base: Environment,
  families: readonly Family[],
  kube: KubeTypes,
  members: Map<string, Set<string>>,
  celType: (type: string) => string,
): string[] {
  const wrong: string[] = [];
  const env = base.clone();
  const kinds = rule.kind;
  env.registerVariable('object', kinds.length === 1 ? (kube.kinds[kinds[0] as string] ?? 'dyn') : 'dyn');
  for (const name of ['kind', 'ns', 'name', 'born']) env.registerVariable(name, 'string');
  for (const variable of families.flatMap((family) => family.variables ?? [])) {
    if (env.hasVariable(variable.name)) continue;
    if (kinds.every((kind) => variable.kinds.includes('*') || variable.kinds.includes(kind))) env.registerVariable(variable.name, celType(variable.type));
  }
  const check = (where: string, source: string, wanted?: string): string => {
    if (source.length > 140) wrong.push(`${where}: ${source.length} characters; a fact is missing`);
    for (const literal of strayLiterals(source, members)) wrong.push(`${where}: ${literal}`);
    const result = env.check(source);
    if (!result.valid) wrong.push(`${where}: ${(result.error?.message ?? 'does not check').split('\n')[0]} in ${source}`);
    else if (wanted && result.type !== wanted && result.type !== 'dyn') wrong.push(`${where}: gives ${result.type}, not ${wanted}`);
    return result.valid ? (result.type ?? 'dyn') : 'dyn';
  };
  const lets = Object.entries(rule.let);
  // A let that uses the element, or another such let, has no meaning before there is one.
  const bound = rule.each ? [rule.each.name] : [];
  const uses = (source: string): boolean => bound.some((name) => new RegExp(`\\b${name}\\b`).test(source));
  const late = lets.filter(([name, source]) => uses(source) && bound.push(name));
  const early = lets.filter((each) => !late.includes(each));
  for (const [name, source] of early) env.registerVariable(name, registered(check(`let ${name}`, source)));
  if (rule.each) {
    const list = check('each', rule.each.list);
    env.registerVariable(rule.each.name, /^list<(.+)>$/.exec(list)?.[1] ?? 'dyn');
  }
  for (const [name, source] of late) env.registerVariable(name, registered(check(`let ${name}`, source)));
  if (rule.when) check('when', rule.when, 'bool');
  if (rule.same) check('same', rule.same);
  for (const field of ['about', 'of', 'evidence'] as const) for (const source of rule[field]) check(field, source);
  const templates = {
    layer: rule.layer,
    heading: rule.heading ?? '',
    certainty: rule.certainty,
    permanence: rule.permanence,
    expected: rule.expected,
    actual: rule.actual,
    conclusion: rule.conclusion,
    lacks: rule.lacks,
  };
  for (const [field, text] of Object.entries(templates)) for (const hole of holes(text)) check(field, hole);
  if (rule.since) for (const hole of rule.since.includes('{') ? holes(rule.since) : [rule.since]) check('since', hole);
  for (const [field, list] of [
    ['next', rule.next],
    ['breaks', rule.breaks],
  ] as const)
    for (const text of list) for (const hole of holes(text)) check(field, hole);
  return wrong;
}

// The checker names an unparameterised list or map in a form it does not take back.
const registered = (type: string): string => (type === 'list' ? 'list<dyn>' : type === 'map' ? 'map<dyn, dyn>' : type === 'null' ? 'dyn' : type);

function holes(template: string): string[] {
  return [...template.replace(HOLE, '').matchAll(/\{((?:[^{}"']|"[^"]*"|'[^']*')*)\}/g)].map((match) => match[1] as string);
}

/** A literal compared with a field that has a closed set of values must be a member. */
function strayLiterals(source: string, members: Map<string, Set<string>>): string[] {
  const stray: string[] = [];
  for (const match of source.matchAll(/\.(\w+)\s*(?:[!=]=\s*("[^"]*"|'[^']*')|in\s*\[([^\]]*)\])/g)) {
    const allowed = members.get(match[1] as string);
    if (!allowed) continue;
    const literals = [...(match[2] ?? match[3] ?? '').matchAll(/"([^"]*)"|'([^']*)'/g)].map((each) => each[1] ?? each[2] ?? '');
    for (const literal of literals) if (!allowed.has(literal)) stray.push(`"${literal}" is never a value of ${match[1]}`);
  }
  return stray;
}
