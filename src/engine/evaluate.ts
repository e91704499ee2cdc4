import { subjectOf } from '../facts/address.ts';
import { headline } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { Evidence, Finding, Subject } from '../model/finding.ts';
import type { KubeObject } from '../model/kinds.ts';
import { CAPABILITIES, CERTAINTIES, type Capability, type Certainty, LAYERS, type Layer, PERMANENCES, type Permanence, type Stage } from '../model/layer.ts';
import { type Gap, Unknown } from '../model/read.ts';
import type { BrokenRule, Skip } from '../model/report.ts';
import type { CompiledRule, Program, TemplateField } from './compile.ts';
import { contextOf, elementOf } from './context.ts';
import type { Ladder } from './ladder.ts';
import { type Template, say } from './template.ts';

/** One rule firing on one object, before siblings are merged and causes are linked. */
export interface Hit {
  finding: Finding;
  object: KubeObject;
  /** Objects the finding is about; a capability it breaks is broken on these. */
  about: KubeObject[];
  /** Objects that should give what it lacks, named by the rule. */
  of: KubeObject[];
  /** A key that makes findings on unrelated objects one; '' for none. */
  same: string;
}

export interface Evaluation {
  hits: Hit[];
  skipped: Skip[];
  broken: BrokenRule[];
}

/** Rules look at everything that was read, because causes may be anywhere; what they had to skip is told only of what was asked about. */
export function evaluate(world: World, program: Program, ladder: Ladder, asked: (object: KubeObject) => boolean, strict = false): Evaluation {
  const result: Evaluation = { hits: [], skipped: [], broken: [] };
  for (const compiled of program.rules) {
    const skips = new Map<string, Skip>();
    const crowd: Crowd = new Map();
    try {
      for (const kind of compiled.rule.kind) {
        for (const object of ladder.at(kind, compiled.rule.at)) {
          scan(world, program, ladder, compiled, object, crowd, result.hits, (gap) => asked(object) && note(skips, compiled.rule.id, gap));
        }
      }
    } catch (error) {
      // A broken rule costs one rule. Tests run strictly: there the same error is fatal.
      if (strict) throw new Error(`rule ${compiled.rule.id}: ${message(error)}`, { cause: error });
      result.broken.push({ rule: compiled.rule.id, message: message(error) });
    }
    result.skipped.push(...skips.values());
  }
  return result;
}

const message = (error: unknown): string => (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));

function note(skips: Map<string, Skip>, rule: string, why: Gap): void {
  const key = `${why.reason}|${why.kind}|${why.namespace ?? ''}`;
  const skip = skips.get(key);
  if (skip) skip.objects += 1;
  else skips.set(key, { rule, objects: 1, why });
}

function scan(
  world: World, program: Program, ladder: Ladder, compiled: CompiledRule, object: KubeObject, crowd: Crowd, hits: Hit[], skip: (gap: Gap) => void,
): void {
  const gaps: Gap[] = [];
  program.cel.within({ world, object, gaps }, () => {
    const base = contextOf(world, program, compiled, object);
    const elements = tried(() => (compiled.each ? (compiled.each()(base) as unknown[]) : [null]), skip) ?? [];
    for (const element of elements) {
      const context = compiled.rule.each ? elementOf(base, compiled.rule.each.name, element) : base;
      const holds = compiled.when === null || tried(() => compiled.when?.()(context) === true, skip);
      if (!holds) continue;
      const stage = ladder.standing(object).at.find((at) => compiled.rule.at.includes(at)) as Stage;
      hits.push(fire(compiled, object, stage, context, gaps, crowd));
    }
  });
}

/** Unknown in `each` or `when` skips the rule for this object. */
function tried<T>(run: () => T, skip: (gap: Gap) => void): T | null {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    skip(error.gap);
    return null;
  }
}

/** Findings of one rule by what they say: of thousands of siblings only the first few are worked out in full. */
type Crowd = Map<string, Finding[]>;

const WORKED_OUT = 3;

function fire(compiled: CompiledRule, object: KubeObject, stage: Stage, context: object, hinted: Gap[], crowd: Crowd): Hit {
  const { rule } = compiled;
  const unread: Gap[] = [];
  const hole = <T>(run: () => T, otherwise: T): T => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      unread.push(error.gap);
      return otherwise;
    }
  };
  const fill = (template: Template, unreadable = '(unread)'): string =>
    template.parts.map((part) => (typeof part === 'string' ? part : hole(() => say(part.run(context)), unreadable))).join('');
  const words = (field: TemplateField, unreadable?: string): string => fill(compiled.template(field)(), unreadable).trim();
  const member = <T extends string>(field: TemplateField, allowed: readonly T[]): T => {
    const value = words(field, field === 'certainty' ? 'likely' : '');
    if (allowed.includes(value as T)) return value as T;
    throw new Error(`"${field}" came out as "${value}", not one of ${allowed.join(' ')}`);
  };
  const objects = (list: readonly (() => (context: object) => unknown)[]): KubeObject[] =>
    list.flatMap((run) => hole(() => objectsIn(run()(context)), []));

  const layer = member<Layer>('layer', LAYERS);
  const heading = headline(words('heading'));
  const since = rule.since ? words('since') : '';
  const about = objects(compiled.about);
  const on = subjectOf(object);
  const subjects = about.length > 0 ? about.map(subjectOf) : [on];
  const said = `${layer}|${heading}|${object.metadata.namespace ?? ''}`;
  const before = crowd.get(said) ?? [];
  const model = compiled.same === null && before.length >= WORKED_OUT ? before[0] : undefined;
  if (model) {
    const finding: Finding = { ...model, stage, on, subjects, ...(since ? { since } : {}), evidence: [], unread: [] };
    return { finding, object, about: about.length > 0 ? about : [object], of: model.lacks ? objects(compiled.of) : [], same: '' };
  }
  const gapsBefore = unread.length + hinted.length;
  const lacks = words('lacks', '');
  const of = lacks ? objects(compiled.of) : [];
  // Its cause may hide where nothing could be read.
  const blind = unread.length + hinted.length > gapsBefore;
  const permanence = words('permanence', '');
  const finding: Finding = {
    id: '',
    rule: rule.id,
    layer,
    stage,
    role: rule.role,
    certainty: blind && member<Certainty>('certainty', CERTAINTIES) === 'proven' ? 'likely' : member<Certainty>('certainty', CERTAINTIES),
    permanence: permanence === '' ? 'corroborated' : member<Permanence>('permanence', PERMANENCES),
    ...(since ? { since } : {}),
    on,
    subjects,
    title: heading,
    expected: words('expected'),
    actual: words('actual'),
    conclusion: words('conclusion'),
    evidence: compiled.evidence.flatMap((run) => hole(() => evidenceIn(run()(context)), [])),
    effects: [],
    // What stands in no namespace is asked for without one.
    next: compiled.next.map((template) => named(fill(template()).replace(/ -n {2}/g, ' ').trim(), object)).filter((line) => line !== ''),
    chain: [],
    layers: {},
    unread: [],
    breaks: compiled.breaks.map((template) => fill(template()).trim()).filter((c): c is Capability => (CAPABILITIES as readonly string[]).includes(c)),
    ...(lacks ? { lacks: member<Capability>('lacks', CAPABILITIES) } : {}),
  };
  const same = compiled.same ? hole(() => say(compiled.same?.()(context)), '') : '';
  finding.unread = distinct([...unread, ...hinted]);
  crowd.set(said, [...before, finding]);
  return { finding, object, about: about.length > 0 ? about : [object], of, same };
}

/** Text rows name `{ns} {name} {node} {kind}` without knowing the object; a line whose name is missing is dropped. */
function named(line: string, object: KubeObject): string {
  const node = (object['spec'] as { nodeName?: unknown } | undefined)?.nodeName;
  const names: Record<string, unknown> = { ns: object.metadata.namespace, name: object.metadata.name, node: object.kind === 'Node' ? object.metadata.name : node, kind: object.kind };
  let whole = true;
  const filled = line.replace(/\{(ns|name|node|kind)\}/g, (_match, name: string) => {
    if (typeof names[name] === 'string') return names[name];
    whole = false;
    return '';
  });
  return whole ? filled : '';
}

function distinct(gaps: Gap[]): Gap[] {
  const seen = new Map(gaps.map((gap) => [`${gap.reason}|${gap.kind}|${gap.namespace ?? ''}|${gap.name ?? ''}`, gap]));
  return [...seen.values()];
}

/** Objects in a value: an object, a list of them, or a subject that names one. */
function objectsIn(value: unknown): KubeObject[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  const candidate = value as { kind?: unknown; metadata?: unknown; name?: unknown; object?: unknown };
  if (typeof candidate.kind === 'string' && candidate.metadata) return [value as KubeObject];
  if (typeof candidate.kind === 'string' && typeof candidate.name === 'string') return [absentee(value as Subject)];
  if (candidate.object) return objectsIn(candidate.object);
  throw new Error(`not an object: ${say(value).slice(0, 80)}`);
}

/** A subject that is not in the snapshot (a ConfigMap that does not exist) still has an address. */
const absentee = ({ apiVersion, kind, namespace, name, uid }: Subject): KubeObject => ({
  apiVersion: apiVersion ?? '',
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) },
});

function evidenceIn(value: unknown): Evidence[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(evidenceIn);
  const { evidence } = value as { evidence?: unknown };
  if (evidence !== undefined) return Array.isArray(evidence) ? evidence.flatMap(evidenceIn) : evidenceIn(evidence);
  const item = value as Evidence;
  if (typeof item.pointer === 'string' && item.object) return [item];
  throw new Error('a value listed under "evidence" has no address');
}
