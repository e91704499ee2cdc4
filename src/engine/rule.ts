import type { Role } from '../model/finding.ts';
import { CAPABILITIES, CERTAINTIES, LAYERS, PERMANENCES, STAGES, type Stage } from '../model/layer.ts';
import { UserError } from '../model/errors.ts';

/** A rule as written in `rules/<layer>/<id>.yaml`. Strings marked T are templates, E are CEL expressions. */
export interface Rule {
  id: string;
  /** One of the layers, or T. */
  layer: string;
  /** What the rule finds, for people browsing the catalogue. */
  title: string;
  /** T: the one true sentence of this finding; `title` where absent. */
  heading?: string;
  kind: string[];
  at: Stage[];
  /** E by name, evaluated when used. */
  let: Record<string, string>;
  /** `name in E`: one finding an element. */
  each?: { name: string; list: string };
  /** E: bool. */
  when?: string;
  /** E: the objects to act on, where they are not the object scanned. */
  about: string[];
  /** E: a key that makes findings on unrelated objects one (a registry, a node). */
  same?: string;
  certainty: string;
  permanence: string;
  /** E or T: RFC 3339. */
  since?: string;
  expected: string;
  actual: string;
  conclusion: string;
  /** E: values that know their address. */
  evidence: string[];
  breaks: string[];
  lacks: string;
  /** E: the objects that should give what is lacking, where the relation table cannot know. */
  of: string[];
  next: string[];
  covers: string[];
  role: Extract<Role, 'root' | 'risk'>;
  status: 'stable' | 'experimental' | 'deprecated';
  file: string;
}

const KEYS = new Set([
  'id',
  'layer',
  'title',
  'heading',
  'kind',
  'at',
  'let',
  'each',
  'when',
  'about',
  'same',
  'certainty',
  'permanence',
  'since',
  'expected',
  'actual',
  'conclusion',
  'evidence',
  'breaks',
  'lacks',
  'of',
  'next',
  'covers',
  'role',
  'status',
]);

/** Checks the shape of a parsed rule file. Errors name the file and the key. */
export function readRule(raw: unknown, file: string): Rule {
  const fail = (what: string): never => {
    throw new UserError(`${file}: ${what}`, 'see CONTRIBUTING.md, "A rule"');
  };
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return fail('not a rule: expected a mapping');
  const data = raw as Record<string, unknown>;
  for (const key of Object.keys(data)) if (!KEYS.has(key)) fail(`unknown key "${key}"`);
  const text = (key: string, fallback?: string): string => {
    const value = data[key] ?? fallback;
    return typeof value === 'string' && value !== '' ? value : fail(`"${key}" must be a text`);
  };
  const optional = (key: string): string | undefined => (data[key] === undefined ? undefined : text(key));
  const texts = (key: string): string[] => {
    const value = data[key] ?? [];
    const list = Array.isArray(value) ? value : [value];
    return list.every((item) => typeof item === 'string') ? list : fail(`"${key}" must be a list of texts`);
  };
  const oneOf = (key: string, value: string, allowed: readonly string[]): string =>
    value.includes('{') || allowed.includes(value) ? value : fail(`"${key}" must be one of ${allowed.join(' ')}`);

  const id = text('id');
  if (!file.endsWith(`${id}.yaml`) && !file.endsWith(`${id}.json`)) fail(`id "${id}" must be the file's name`);
  const at = texts('at').map((stage) => oneOf('at', stage, STAGES) as Stage);
  if (at.length === 0) fail(`"at" is missing: name the rungs of the ladder the rule looks at (${STAGES.join(' ')})`);
  const lets = (data['let'] ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries(lets)) if (typeof value !== 'string') fail(`let "${name}" must be an expression`);
  const each = optional('each');
  const eachParts = each === undefined ? undefined : (/^(\w+) in ([\s\S]+)$/.exec(each) ?? fail('"each" reads: name in list'));
  const evidence = texts('evidence');
  if (evidence.length === 0) fail('"evidence" is missing: a conclusion without evidence is an opinion');
  const rule: Rule = {
    id,
    file,
    layer: oneOf('layer', text('layer'), LAYERS),
    title: text('title'),
    kind: texts('kind').length > 0 ? texts('kind') : fail('"kind" is missing'),
    at,
    let: lets as Record<string, string>,
    about: texts('about'),
    certainty: oneOf('certainty', text('certainty', 'proven'), CERTAINTIES),
    permanence: oneOf('permanence', text('permanence', 'corroborated'), PERMANENCES),
    expected: text('expected'),
    actual: text('actual'),
    conclusion: text('conclusion'),
    evidence,
    breaks: texts('breaks').map((item) => oneOf('breaks', item, CAPABILITIES)),
    lacks: data['lacks'] === undefined ? '' : oneOf('lacks', text('lacks'), CAPABILITIES),
    of: texts('of'),
    next: texts('next'),
    covers: texts('covers'),
    role: oneOf('role', text('role', 'root'), ['root', 'risk']) as Rule['role'],
    status: oneOf('status', text('status', 'stable'), ['stable', 'experimental', 'deprecated']) as Rule['status'],
  };
  if (rule.next.length === 0) fail('"next" is missing: every finding says what to do');
  const heading = optional('heading');
  const when = optional('when');
  const same = optional('same');
  const since = optional('since');
  return {
    ...rule,
    ...(heading ? { heading } : {}),
    ...(when ? { when } : {}),
    ...(same ? { same } : {}),
    ...(since ? { since } : {}),
    ...(eachParts ? { each: { name: eachParts[1] as string, list: eachParts[2] as string } } : {}),
  };
}
