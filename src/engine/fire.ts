/** A rule that holds becomes a finding: its words filled in, its evidence and objects collected, its holes marked. */
import { subjectOf } from '../facts/address.ts';
import { headline } from '../facts/headline.ts';
import type { Evidence, Finding, Subject } from '../model/finding.ts';
import type { KubeObject } from '../model/kinds.ts';
import { CAPABILITIES, CERTAINTIES, type Capability, type Certainty, LAYERS, type Layer, PERMANENCES, type Permanence, type Stage } from '../model/layer.ts';
import { type Gap, Unknown } from '../model/read.ts';
import type { CompiledRule, TemplateField } from './compile.ts';
import type { Hit } from './evaluate.ts';
import { type Template, say } from './template.ts';

export function fire(compiled: CompiledRule, object: KubeObject, stage: Stage, context: object, hinted: Gap[]): Hit {
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
  const piecesOf = (template: Template, unreadable = '(unread)'): string[] =>
    template.parts.map((part) => (typeof part === 'string' ? part : hole(() => say(part.run(context)), unreadable)));
  const fill = (template: Template): string => piecesOf(template).join('');
  // A sentence that is left out takes its space with it; what is quoted keeps its own.
  const words = (field: TemplateField, unreadable?: string): string => {
    const { parts } = compiled.template(field)();
    const pieces = piecesOf(compiled.template(field)(), unreadable);
    return pieces.reduce((line, piece, index) => line + (line.endsWith(' ') && typeof parts[index] === 'string' ? piece.trimStart() : piece), '').trim();
  };
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
  // What nobody asked for hides no more than what nobody thought of.
  const refused = (): number => [...unread, ...hinted].filter((gap) => gap.reason !== 'not-collected').length;
  const gapsBefore = refused();
  const lacks = words('lacks', '');
  const of = lacks ? objects(compiled.of) : [];
  // Its cause may hide where nothing could be read.
  const blind = refused() > gapsBefore;
  const permanence = words('permanence', '');
  const certainty = member<Certainty>('certainty', CERTAINTIES);
  const finding: Finding = {
    id: '',
    rule: rule.id,
    layer,
    stage,
    role: rule.role,
    certainty: blind && certainty === 'proven' ? 'likely' : certainty,
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
    next: unlike(compiled.next.map((template) => named(fill(template()).replace(/ -n {2}/g, ' ').trim(), object))),
    chain: [],
    layers: {},
    unread: [],
    breaks: compiled.breaks.map((template) => fill(template()).trim()).filter((c): c is Capability => (CAPABILITIES as readonly string[]).includes(c)),
    ...(lacks ? { lacks: member<Capability>('lacks', CAPABILITIES) } : {}),
  };
  const same = compiled.same ? hole(() => say(compiled.same?.()(context)), '') : '';
  finding.unread = distinct([...unread, ...hinted]);
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

/** Lines that are not the same: kubectl takes `Pod` and `pod` for one. */
const unlike = (lines: readonly string[]): string[] =>
  lines.filter((line, index) => line !== '' && lines.findIndex((other) => other.toLowerCase() === line.toLowerCase()) === index);

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
