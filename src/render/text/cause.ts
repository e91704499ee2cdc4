import { cut } from '../../facts/words.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import { identityOf } from '../../model/identity.ts';
import type { WorkloadState } from '../../model/report.ts';
import { visible, visibleLines } from '../escape.ts';
import { GLUE } from '../wrap.ts';
import { connectionInWords } from './connection.ts';
import { QUOTED, evidenceLines } from './evidence.ts';
import { INNER, type Look, labelled, spread } from './look.ts';
import { pathInWords } from './path.ts';
import { address, effectInWords, effectsInWords, gapInWords, since, subjectsInWords, whole } from './words.ts';

const NEXT = 3;
const EVIDENCE = 3;
/** So many siblings are named one by one; more are counted beside the heading. */
const FEW = 3;
/** A block longer than this is not read at night. */
const LINES = 20;
/** Columns that a line loses to words that do not fit. */
const TORN = 4;

/** How much of a block is shown, from plenty to the least: items of evidence, lines of each, lines of `actual`, of other prose and of the conclusion. */
interface Fill {
  items: number;
  quoted: number;
  actual: number;
  prose: number;
  conclusion: number;
}
const MOST = 8;
const fill = (items: number, quoted: number, actual = MOST, prose = MOST, conclusion = MOST): Fill => ({ items, quoted, actual, prose, conclusion });
/** Why it is this layer and no other is the last to be cut, and by no more than has to be. */
const FILLS: readonly [Fill, ...Fill[]] = [
  fill(EVIDENCE, QUOTED),
  fill(EVIDENCE, 2),
  fill(EVIDENCE, 1),
  fill(2, 2),
  fill(2, 1),
  fill(1, 2),
  fill(1, 2, 4),
  fill(1, 1, 4, 4),
  fill(1, 1, 3, 3),
  fill(1, 1, 2, 2),
  ...[5, 4, 3, 2].map((conclusion) => fill(1, 1, 2, 2, conclusion)),
];
const LEAST = FILLS.at(-1) ?? FILLS[0];

/** One cause as a block: heading, where and since when, what was expected, what is, why, what follows, what to do. */
export function causeBlock(look: Look, finding: Finding, number: number): string[] {
  if (look.verbose) return block(look, finding, number, FILLS[0]);
  for (const fill of FILLS) {
    const lines = block(look, finding, number, fill);
    if (lines.length <= LINES || fill === LEAST) return lines;
  }
  return [];
}

/** A cause far down the page: its heading says what to do, and this where. */
export function causeLine(look: Look, finding: Finding, number: number): string[] {
  const where = subjectsInWords(look, finding.subjects, ownerWords(look, finding));
  return [
    ...heading(look, finding, number),
    ...labelled(look, INNER, finding.since ? 'since' : 'where', [finding.since ? `${since(look, finding.since)}, ${where}` : where]),
  ];
}

function block(look: Look, finding: Finding, number: number, fill: Fill): string[] {
  const owner = ownerOf(look, finding);
  // An effect that only repeats what is said above is named.
  const effects = finding.effects
    .filter((effect) => !owner || identityOf(effect) !== identityOf(owner) || isLeaving(look, owner))
    .map((effect) => (effect.says === finding.actual || effect.says === finding.title ? { ...effect, says: '' } : effect));
  const isServer = finding.on.kind === 'APIServer';
  const where = isServer ? '' : subjectsInWords(look, finding.subjects, ownerWords(look, finding));
  const next = finding.next.slice(0, look.verbose ? undefined : NEXT);
  const row = (label: string, texts: readonly string[], ink?: (line: string) => string): string[] =>
    texts.some((text) => text !== '') ? labelled(look, INNER, label, texts, ink) : [];
  return [
    ...heading(look, finding, number),
    ...(finding.since ? row('since', [where === '' ? since(look, finding.since) : `${since(look, finding.since)}, ${where}`]) : row('where', [where])),
    ...row('path', [isServer ? connectionInWords(look, finding) : pathInWords(finding)], (line) =>
      line.replace('FAILED', look.paint.bad('FAILED')).replace('WAITS', look.paint.unsure('WAITS')),
    ),
    ...row('expected', fitted(look, finding.expected, fill.prose)),
    ...row('actual', fitted(look, finding.actual, fill.actual)),
    ...row('evidence', allEvidence(look, finding.evidence, fill)),
    ...row('conclusion', fitted(look, finding.conclusion, fill.conclusion)),
    ...row('ring', [(finding.deadlock ?? []).map(visible).join(' > ')]),
    ...row('explains', [effectsInWords(look, effects)]),
    ...row('not seen', [finding.unread.map(gapInWords).join(', ')]),
    ...row('next', next.flatMap(visibleLines).map(whole)),
    ...(look.verbose ? row('chain', [finding.chain.map((step) => effectInWords(look, step)).join(' > ')]) : []),
    ...(look.verbose ? row('rule', [visible(`${finding.rule}, ${finding.permanence}, ${finding.id}`)]) : []),
  ];
}

/** A long text is cut to its cause; the lines of a sum stay as they are. */
function fitted(look: Look, text: string, most: number): string[] {
  const lines = visibleLines(text);
  return look.verbose || lines.length > 1 ? lines : [cut(lines[0] ?? '', most * (look.width - INNER.indent - INNER.size - TORN))];
}

function allEvidence(look: Look, evidence: readonly Evidence[], { items, quoted }: Fill): string[] {
  const width = look.width - INNER.indent - INNER.size;
  const shown = look.verbose ? evidence : evidence.filter((item, index) => !isRepeated(evidence, item, index)).slice(0, items);
  const lines = shown.flatMap((item, index) => evidenceLines(look, pointedBack(shown, index, item), index + 1, width, quoted));
  const rest = evidence.length - shown.length;
  return rest > 0 ? [...lines, `(${rest} more: -v)`] : lines;
}

const shapeOf = ({ object, pointer }: Evidence): string => `${object.kind}${pointer.replace(/\d+/g, 'n')}`;

/** The same field of a sibling, or the same words copied to another object: a ReplicaSet's refusal to its Deployment. */
function isRepeated(all: readonly Evidence[], item: Evidence, index: number): boolean {
  return all
    .slice(0, index)
    .some(
      (before) =>
        (shapeOf(before) === shapeOf(item) && (identityOf(before.object) !== identityOf(item.object) || before.text === item.text)) ||
        (before.text === item.text && item.text.length > 60),
    );
}

function pointedBack(all: readonly Evidence[], index: number, item: Evidence): Evidence {
  const before = all.slice(0, index).findIndex(({ text }) => text === item.text);
  return before >= 0 && item.text.length > 60 ? { ...item, text: `the same as [${before + 1}]` } : item;
}

function heading(look: Look, { layer, title, certainty, subjects }: Finding, number: number): string[] {
  const { paint, width } = look;
  const front = `${number} ${layer.toUpperCase()}`;
  const margin = ' '.repeat(front.length + 2);
  const times = subjects.length > FEW ? `  x${GLUE}${subjects.length}` : '';
  const lines = spread(`${visible(title).replace(/\.$/, '')}${times}`, certainty, width - margin.length);
  return lines.map((line, index) => {
    const body = index === lines.length - 1 ? inked(line, certainty, paint.faint) : line;
    return index === 0 ? `${paint.strong(front)}  ${body}` : margin + body;
  });
}

const inked = (line: string, tail: string, ink: (text: string) => string): string => line.slice(0, line.length - tail.length) + ink(tail);

/** What workloads make; a quota or a Service may hold one back and is not its own. */
const OWNED = new Set(['Pod', 'ReplicaSet', 'Job']);

/** The one workload it is about: said beside the subjects instead of among the effects. */
function ownerOf({ report }: Look, { effects, subjects, chain }: Finding): WorkloadState | null {
  const near = new Set([...effects, ...chain].map(identityOf));
  const owners = report.workloads.filter((workload) => near.has(identityOf(workload)));
  const [only] = owners;
  if (!only || owners.length > 1) return null;
  return subjects.every((subject) => OWNED.has(subject.kind) && subject.namespace === only.namespace && identityOf(subject) !== identityOf(only)) ? only : null;
}

function ownerWords(look: Look, finding: Finding): string {
  const owner = ownerOf(look, finding);
  if (owner && isLeaving(look, owner)) return address(look, owner);
  return owner ? workloadInWords(look, owner, finding.effects.find((effect) => identityOf(effect) === identityOf(owner))?.says ?? '') : '';
}

/** It is being deleted, and waits: how many of its pods are ready is no news of it, what it waits for is. */
const isLeaving = ({ report }: Look, owner: WorkloadState): boolean =>
  report.findings.some(({ role, stage, on }) => role === 'consequence' && stage === 'terminate' && identityOf(on) === identityOf(owner));

function workloadInWords(look: Look, workload: WorkloadState, says: string): string {
  const { ready, desired } = workload;
  // A loop caught at a moment of running has all its pods.
  const isShort = ready !== undefined && desired !== undefined && ready < desired;
  // A Job counts what has ended, and wants none of it ready.
  const short = workload.kind === 'Job' ? `(${visible(says || 'not complete').replaceAll(' ', GLUE)})` : `(${ready}/${desired}${GLUE}ready)`;
  return address(look, workload) + (isShort ? `${GLUE}${short}` : '');
}
