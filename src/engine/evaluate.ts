import { subjectOf } from '../facts/address.ts';
import { likenessOf } from '../facts/likeness.ts';
import type { World } from '../facts/world.ts';
import type { Finding } from '../model/finding.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Stage } from '../model/layer.ts';
import { type Gap, Unknown } from '../model/read.ts';
import type { BrokenRule, Skip } from '../model/report.ts';
import type { CompiledRule, Program } from './compile.ts';
import { contextOf, elementOf } from './context.ts';
import { fire } from './fire.ts';
import type { Ladder } from './ladder.ts';

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

/** What the evaluation of every rule goes by, and where what fires is put. */
interface Evaluating {
  world: World;
  program: Program;
  ladder: Ladder;
  asked(object: KubeObject): boolean;
  hits: Hit[];
}

/** One rule at work, over all its objects. */
interface Turn extends Evaluating {
  compiled: CompiledRule;
  skips: Map<string, Skip>;
  twins: Twins;
}

/** Rules look at everything that was read, because causes may be anywhere; what they had to skip is told only of what was asked about. */
export function evaluate(world: World, program: Program, ladder: Ladder, asked: (object: KubeObject) => boolean, strict = false): Evaluation {
  const evaluating: Evaluating = { world, program, ladder, asked, hits: [] };
  const result: Evaluation = { hits: evaluating.hits, skipped: [], broken: [] };
  for (const compiled of program.rules) {
    const turn: Turn = { ...evaluating, compiled, skips: new Map(), twins: new Map() };
    try {
      for (const kind of compiled.rule.kind) {
        for (const object of ladder.at(kind, compiled.rule.at)) look(turn, object);
      }
    } catch (error) {
      // A broken rule costs one rule. Tests run strictly: there the same error is fatal.
      if (strict) throw new Error(`rule ${compiled.rule.id}: ${message(error)}`, { cause: error });
      result.broken.push({ rule: compiled.rule.id, message: message(error) });
    }
    result.skipped.push(...turn.skips.values());
  }
  return result;
}

const message = (error: unknown): string => (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));

function skip({ asked, skips, compiled }: Turn, object: KubeObject, why: Gap): void {
  if (!asked(object)) return;
  const key = `${why.reason}|${why.kind}|${why.namespace ?? ''}`;
  const known = skips.get(key);
  if (known) known.objects += 1;
  else skips.set(key, { rule: compiled.rule.id, objects: 1, why });
}

/** How often a likeness was looked at, and what the first of it gave. */
type Twins = Map<number, { seen: number; hits: Hit[] }>;

// So many of a kind show their own evidence; of thousands the rest would say the same again.
const LOOKED_AT = 3;

/** The rule on one object; on the fourth pod that is like three others, what it said of the first. */
function look(turn: Turn, object: KubeObject): void {
  const { twins, hits } = turn;
  const likeness = likenessOf(turn.world, object);
  const known = likeness === 0 ? undefined : twins.get(likeness);
  if (known && known.seen >= LOOKED_AT) {
    for (const hit of known.hits) hits.push(retold(hit, object));
    return;
  }
  const from = hits.length;
  scan(turn, object);
  if (known) known.seen += 1;
  else if (likeness !== 0) twins.set(likeness, { seen: 1, hits: hits.slice(from) });
}

function retold(hit: Hit, object: KubeObject): Hit {
  const itself = hit.about[0] === hit.object;
  const on = subjectOf(object);
  const title = hit.finding.title.replaceAll(hit.object.metadata.name, object.metadata.name);
  const subjects = itself ? [on] : hit.finding.subjects;
  return { ...hit, object, about: itself ? [object] : hit.about, finding: { ...hit.finding, on, subjects, title, evidence: [], unread: [] } };
}

function scan(turn: Turn, object: KubeObject): void {
  const { world, program, ladder, compiled, hits } = turn;
  const gaps: Gap[] = [];
  program.cel.within({ world, object, gaps }, () => {
    const base = contextOf(world, program, compiled, object);
    const elements = tried(turn, object, () => (compiled.each ? (compiled.each()(base) as unknown[]) : [null])) ?? [];
    for (const element of elements) {
      const context = compiled.rule.each ? elementOf(base, compiled.rule.each.name, element) : base;
      const holds = compiled.when === null || tried(turn, object, () => compiled.when?.()(context) === true);
      if (!holds) continue;
      const stage = ladder.standing(object).at.find((at) => compiled.rule.at.includes(at)) as Stage;
      hits.push(fire(compiled, object, stage, context, gaps));
    }
  });
}

/** Unknown in `each` or `when` skips the rule for this object. */
function tried<T>(turn: Turn, object: KubeObject, run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    skip(turn, object, error.gap);
    return null;
  }
}
