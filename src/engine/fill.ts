/** What a rule says of one object, filled in; a hole where something could not be read. */
import type { Evidence, Subject } from '../model/finding.ts';
import type { KubeObject } from '../model/kinds.ts';
import { type Gap, Unknown } from '../model/read.ts';
import type { Expression } from './cel.ts';
import type { CompiledRule, TemplateField } from './compile.ts';
import { type Template, say } from './template.ts';

export interface Filler {
  /** What could not be read so far, in the order it was asked for. */
  unread: readonly Gap[];
  fill(template: Template): string;
  /** A field in words; `unreadable` stands in each hole. */
  words(field: TemplateField, unreadable?: string): string;
  /** A field that is one of a few words. Raises an Error where it is none of them: the rule is broken. */
  member<T extends string>(field: TemplateField, allowed: readonly T[]): T;
  objects(list: readonly (() => Expression)[]): KubeObject[];
  evidence(): Evidence[];
  /** The key that makes findings on unrelated objects one; '' for none. */
  same(): string;
}

export function createFiller(compiled: CompiledRule, context: object): Filler {
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
  const words = (field: TemplateField, unreadable?: string): string => {
    const template = compiled.template(field)();
    return joined(template, piecesOf(template, unreadable));
  };
  return {
    unread,
    words,
    fill: (template) => piecesOf(template).join(''),
    member<T extends string>(field: TemplateField, allowed: readonly T[]) {
      const value = words(field, field === 'certainty' ? 'likely' : '');
      if (allowed.includes(value as T)) return value as T;
      throw new Error(`"${field}" came out as "${value}", not one of ${allowed.join(' ')}`);
    },
    objects: (list) => list.flatMap((run) => hole(() => objectsIn(run()(context)), [])),
    evidence: () => compiled.evidence.flatMap((run) => hole(() => evidenceIn(run()(context)), [])),
    same: () => (compiled.same ? hole(() => say(compiled.same?.()(context)), '') : ''),
  };
}

/** A sentence that is left out takes its space with it; what is quoted keeps its own. */
function joined({ parts }: Template, pieces: readonly string[]): string {
  const add = (line: string, piece: string, index: number): string =>
    line + (line.endsWith(' ') && typeof parts[index] === 'string' ? piece.trimStart() : piece);
  return pieces.reduce(add, '').trim();
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
  throw new Error('a value listed under "evidence" has no address: name a fact, cond(object, TYPE) or see(object, POINTER)');
}
