/** Judging: a snapshot and rules in, a report out. No clock, no network, no printing. */
import { type World, createWorld } from '../facts/world.ts';
import { podsOn } from '../facts/skew.ts';
import { ownerChain } from '../facts/owners.ts';
import { doubtOf } from '../facts/pods/leftovers.ts';
import { isFinished } from '../facts/pods/phase.ts';
import { rungsInWords } from '../facts/rungs.ts';
import { classifier } from '../facts/texts.ts';
import { type Finding, ROLES } from '../model/finding.ts';
import { identityOf } from '../model/identity.ts';
import type { KubeObject, Pod } from '../model/kinds.ts';
import { CERTAINTIES, type Certainty, LAYERS } from '../model/layer.ts';
import type { Report } from '../model/report.ts';
import type { Scope, Snapshot } from '../model/snapshot.ts';
import { arrivingFor, comesInWords } from './arriving.ts';
import { agentOf, type Links, linkCauses, rootsOf } from './causality.ts';
import { type Program, compileRules } from './compile.ts';
import { effectOf, effectsOf } from './effects.ts';
import { evaluate } from './evaluate.ts';
import { createLadder, type Ladder } from './ladder.ts';
import { type RuleSet, loadRules } from './load.ts';
import { type Cause, mergeSiblings } from './merge.ts';
import { namespacesNamed, namespacesUnheld, missingInWords } from './near.ts';
import { overInWords } from './over.ts';
import { layersAt } from './path.ts';
import { definesTarget, inScope } from './scope.ts';
import { trailingOf } from './trailing.ts';
import { judge } from './verdict.ts';
import { byText } from '../model/order.ts';

export { nearInWords } from './near.ts';

export interface DiagnoseOptions {
  rules?: RuleSet;
  /** Show risks that touch no cause, too. */
  risks?: boolean;
  /** A rule that throws is fatal (tests). */
  strict?: boolean;
}

const programs = new WeakMap<RuleSet, { program: Program; classify: ReturnType<typeof classifier> }>();

/** A report and what it was made of, for who has to know more than it prints. */
export interface Inspection {
  report: Report;
  world: World;
  /** Every object that a finding of this report, or what follows from it, was seen on. */
  seenOn(finding: Finding): readonly KubeObject[];
  /** Where an object stands. */
  standing: Ladder['standing'];
}

/** The verdict on everything in scope, with the causes that hold it back. Same snapshot and rules give the same report. */
export const diagnose = (snapshot: Snapshot, scope: Scope, options: DiagnoseOptions = {}): Report => inspect(snapshot, scope, options).report;

/** The same as `diagnose`, with the world that was judged. Raises nothing for a broken rule unless `strict`. */
export function inspect(snapshot: Snapshot, scope: Scope, options: DiagnoseOptions = {}): Inspection {
  const ruleSet = options.rules ?? loadRules();
  const { program, classify } = prepared(ruleSet);
  const world = createWorld(snapshot, classify);
  const ladder = createLadder(world, program.rungs);
  const asked = (object: KubeObject): boolean => inScope(world, scope, object) || definesTarget(scope, object);
  const { hits, skipped, broken } = evaluate(world, options.risks ? program : withoutRisks(program), ladder, asked, options.strict);
  const causes = mergeSiblings(
    world,
    hits.filter((hit) => hit.finding.role !== 'risk'),
    asked,
  );
  const links = linkCauses(world, causes);
  const touching = causes.filter((cause) => touches(world, cause, links, causes, asked));
  // Where nothing else is wrong, a node that holds nothing back is the news, to whoever asked for the whole cluster.
  const relevant = touching.length > 0 ? touching : causes.filter((cause) => cause.seenOn.some((object) => asked(object) && !ladder.standing(object).young));
  const findings = relevant.map((cause) => finish(world, ladder, cause, links, relevant));
  const explained = explain(world, relevant, links, findings);
  const isOpen = (object: KubeObject): boolean => asked(object) && !explained.has(identityOf(object));
  for (const [root, objects] of trailingOf(world, ladder, relevant, links, isOpen))
    putUnder(world, ladder, objects, findings, relevant.indexOf(root), explained);
  const risks = options.risks
    ? mergeSiblings(
        world,
        hits.filter((hit) => hit.finding.role === 'risk' && asked(hit.object)),
        asked,
      ).map((risk) => risk.finding)
    : [];
  const all = sortFindings([...findings, ...risks]);
  nameFindings(all);
  const judgement = judge(world, ladder, program.variables, scope, all, explained);
  const report: Report = {
    apiVersion: 'kubectl-strata/v1',
    kind: 'Report',
    verdict: judgement.verdict,
    capturedAt: snapshot.capturedAt,
    source: {
      ...snapshot.source,
      ...(snapshot.server.endpoint ? { server: snapshot.server.endpoint } : {}),
      ...(snapshot.server.version ? { version: snapshot.server.version } : {}),
      ...(snapshot.server.context ? { context: snapshot.server.context } : {}),
      ...(snapshot.server.connection.length > 0 ? { connection: snapshot.server.connection } : {}),
    },
    scope,
    findings: all,
    workloads: judgement.workloads,
    open: judgement.open,
    counts: judgement.counts,
    coverage: [...snapshot.coverage],
    skipped,
    broken,
    notes: [
      ...snapshot.notes,
      ...missingInWords(world, scope),
      ...namespacesNamed(world, scope),
      ...(judgement.verdict !== 'nothing-matched' ? namespacesUnheld(world, scope) : []),
      ...(judgement.verdict === 'healthy' ? overInWords(world, scope) : []),
    ],
    cost: snapshot.cost,
  };
  const seenOn = (finding: Finding): readonly KubeObject[] => {
    const cause = relevant[findings.indexOf(finding)];
    return cause ? [cause, ...relevant.filter((each) => each !== cause && reaches(each, cause, links))].flatMap((each) => each.seenOn) : [];
  };
  return { report, world, seenOn, standing: ladder.standing };
}

function prepared(ruleSet: RuleSet): { program: Program; classify: ReturnType<typeof classifier> } {
  let ready = programs.get(ruleSet);
  if (!ready) {
    const rules = ruleSet.rules.filter((rule) => rule.status === 'stable');
    programs.set(ruleSet, (ready = { program: compileRules(rules), classify: classifier(ruleSet.texts) }));
  }
  return ready;
}

/**
 * A cause outside the scope is told only where something inside it is held back by it. A node is nobody's goal:
 * it counts by what it holds back, or by pods that a dead runtime keeps and nobody watches any more (a node that is ill and Ready is watched).
 */
function touches(world: World, cause: Cause, links: Links, causes: readonly Cause[], within: (object: KubeObject) => boolean): boolean {
  const isNode = cause.object.kind === 'Node';
  if (!isNode && cause.seenOn.some(within)) return true;
  const keeps = (node: KubeObject): boolean => podsOn(world, node.metadata.name).some((pod) => !isFinished(pod) && within(pod));
  if (isNode && cause.finding.stage !== 'pressure' && cause.finding.breaks.includes('runtime') && cause.seenOn.some(keeps)) return true;
  return causes.some((effect) => effect !== cause && effect.seenOn.some(within) && reaches(effect, cause, links));
}

function reaches(effect: Cause, cause: Cause, links: Links, seen = new Set<Cause>()): boolean {
  if (seen.has(effect)) return false;
  seen.add(effect);
  const above = links.causes.get(effect) ?? [];
  return above.includes(cause) || above.some((each) => reaches(each, cause, links, seen));
}

/** What ends a ring in which a webhook has to allow the pods that answer for it: no member of it moves first. */
const LET_THROUGH = "by hand: let the webhook's namespaceSelector leave its own namespace out, or set its failurePolicy to Ignore until its pods are ready";

function finish(world: World, ladder: Ladder, cause: Cause, links: Links, causes: readonly Cause[]): Finding {
  const finding = cause.finding;
  const isRoot = !links.causes.has(cause);
  const below = causes.filter((each) => each !== cause && reaches(each, cause, links));
  const told = (each: Cause): Finding['effects'] =>
    each.seenOn
      .filter((object) => ownerChain(world, object).length === 0)
      .map((object) => effectOf(object, each.titles.get(identityOf(object)) ?? each.finding.title));
  const consequences = below.flatMap(told);
  // Where it was seen the heading stands already; only what it says of the others is news.
  const own = cause.about[0] === cause.object ? [] : told(cause).map((effect) => (effect.says === finding.title ? { ...effect, says: '' } : effect));
  const troubled = [cause, ...below].flatMap((each) => each.seenOn);
  const shorts = effectsOf(world, troubled);
  const ring = links.rings.find((each) => each[0] === cause);
  const blind = isRoot ? (links.blind.get(cause) ?? []) : [];
  const agent = agentOf(cause, links);
  const comer = isRoot ? arrivingFor(world, ladder, cause) : null;
  const layer = agent?.layer ?? finding.layer;
  const guarded = ring?.some((each) => each.finding.on.kind.endsWith('WebhookConfiguration')) ?? false;
  return {
    ...finding,
    layer,
    ...(guarded ? { next: [...finding.next, LET_THROUGH] } : {}),
    conclusion: [finding.conclusion, agent?.says, comer && comesInWords(comer)].filter(Boolean).join(' '),
    ...(comer ? { permanence: 'waiting' as const } : {}),
    role: isRoot ? finding.role : 'consequence',
    certainty: lessCertain(finding.certainty, blind.length > 0 || comer ? 'likely' : null, leftoverOf(world, cause)),
    unread: [...finding.unread, ...blind],
    effects: dedupe([...shorts, ...consequences, ...own], finding),
    chain: chainOf(world, cause, links),
    layers: layersAt(finding.stage, layer),
    ...(ring ? { deadlock: [...new Set(ring.flatMap((each) => membersOf(each, links)))] } : {}),
  };
}

/** Where it was seen, and what stands between it and the next: the Service of a webhook has no finding of its own, as its pods have. */
function membersOf(cause: Cause, links: Links): string[] {
  const between = (links.way.get(cause) ?? []).map(({ kind, metadata: { namespace, name } }) => ({ kind, namespace, name }));
  return [cause.finding.on, ...between.reverse()].map(({ kind, namespace, name }) => [kind, namespace, name].filter(Boolean).join('/'));
}

/** Its own cause may be where nobody was allowed to look; and what it says may be history of an owner that was not read. */
const lessCertain = (...all: (Certainty | null)[]): Certainty =>
  CERTAINTIES[Math.max(...all.map((each) => (each === null ? 0 : CERTAINTIES.indexOf(each))))] ?? 'undetermined';

function leftoverOf(world: World, { seenOn }: Cause): Certainty | null {
  const doubts = seenOn.map((object) => (object.kind === 'Pod' ? doubtOf(world, object as Pod) : null));
  return doubts.includes(null) ? null : doubts.includes('likely') ? 'likely' : (doubts[0] ?? null);
}

/** One entry an object; what the object is short of in numbers comes before words. */
function dedupe(effects: Finding['effects'], finding: Finding): Finding['effects'] {
  const seen = new Map<string, Finding['effects'][number]>();
  for (const effect of effects) {
    const key = identityOf(effect);
    if (!seen.has(key) && !finding.subjects.some((subject) => identityOf(subject) === key)) seen.set(key, effect);
  }
  return [...seen.values()];
}

/** From the top owner down to where it was seen, after the roots that are behind it. */
function chainOf(world: World, cause: Cause, links: Links): Finding['chain'] {
  const roots = links.causes.has(cause) ? rootsOf(cause, links) : [];
  const above = roots.map((root) => effectOf(root.about[0] ?? root.object, root.finding.title));
  const way = (links.way.get(cause) ?? []).map((object) => effectOf(object, ''));
  const owners = [...ownerChain(world, cause.object)].reverse().map((object) => effectOf(object, ''));
  const steps = [...above, ...way, ...owners, effectOf(cause.object, cause.finding.title)];
  return [...new Map(steps.map((step) => [identityOf(step), step])).values()];
}

/** Findings by the identity of every object they explain: where seen, what it is about, and the owners above. */
function explain(world: World, causes: readonly Cause[], links: Links, finished: readonly Finding[]): Map<string, Finding[]> {
  const explained = new Map<string, Finding[]>();
  const told = new Map(causes.map((cause, index) => [cause, finished[index] ?? cause.finding]));
  for (const cause of causes) {
    const roots = rootsOf(cause, links).map((root) => told.get(root) ?? root.finding);
    const objects = new Set([...cause.seenOn, ...cause.about].flatMap((object) => [object, ...ownerChain(world, object)]));
    const names = new Set([...[...objects].map(identityOf), ...effectsOf(world, cause.seenOn).map(identityOf)]);
    for (const name of names) explained.set(name, [...(explained.get(name) ?? []), ...roots]);
  }
  return explained;
}

/** What follows from a finding without a rule of its own is told there, and explained by it with the owners above. */
function putUnder(world: World, ladder: Ladder, objects: readonly KubeObject[], findings: Finding[], at: number, explained: Map<string, Finding[]>): void {
  const finding = findings[at];
  if (!finding) return;
  const told = objects.map((object) => effectOf(object, rungsInWords({ kind: object.kind, at: ladder.standing(object).at })));
  const whole = { ...finding, effects: dedupe([...finding.effects, ...effectsOf(world, objects), ...told], finding) };
  findings[at] = whole;
  for (const name of new Set(objects.flatMap((object) => [object, ...ownerChain(world, object)]).map(identityOf)))
    explained.set(name, [...(explained.get(name) ?? []), whole]);
}

/** Risks look at what is well, too: they are evaluated only where somebody asks for them. */
const withoutRisks = (program: Program): Program => ({ ...program, rules: program.rules.filter(({ rule }) => rule.role !== 'risk') });

function sortFindings(findings: Finding[]): Finding[] {
  const weight = (finding: Finding): number => finding.effects.length + finding.subjects.length;
  return findings.sort(
    (a, b) =>
      ROLES.indexOf(a.role) - ROLES.indexOf(b.role) ||
      CERTAINTIES.indexOf(a.certainty) - CERTAINTIES.indexOf(b.certainty) ||
      weight(b) - weight(a) ||
      LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer) ||
      byText(identityOf(a.on), identityOf(b.on)) ||
      byText(`${a.rule}${a.title}`, `${b.rule}${b.title}`),
  );
}

function nameFindings(findings: Finding[]): void {
  const taken = new Map<string, number>();
  for (const finding of findings) {
    const subject = finding.subjects[0] ?? finding.on;
    const name = `${finding.rule}:${[subject.kind, subject.namespace, subject.name].filter(Boolean).join('/')}`;
    const times = (taken.get(name) ?? 0) + 1;
    taken.set(name, times);
    finding.id = times === 1 ? name : `${name}#${times}`;
  }
}
