import type { Evidence, Finding } from '../../model/finding.ts';
import type { WorkloadState } from '../../model/report.ts';
import { visible, visibleLines } from '../escape.ts';
import { GLUE } from '../wrap.ts';
import { evidenceLines } from './evidence.ts';
import { INNER, type Look, labelled, spread } from './look.ts';
import { pathInWords } from './path.ts';
import { address, effectInWords, effectsInWords, gapInWords, keyOf, since, subjectsInWords, whole } from './words.ts';

const NEXT = 3;
const EVIDENCE = 4;
/** So many siblings are named one by one; more are counted beside the heading. */
const FEW = 3;

/** One cause as a block: heading, where and since when, what was expected, what is, why, what follows, what to do. */
export function causeBlock(look: Look, finding: Finding, number: number): string[] {
  const owner = ownerOf(look, finding);
  // An effect that only repeats what is said above is named.
  const effects = finding.effects
    .filter((effect) => !owner || keyOf(effect) !== keyOf(owner))
    .map((effect) => (effect.says === finding.actual || effect.says === finding.title ? { ...effect, says: '' } : effect));
  const where = finding.on.kind === 'APIServer' ? '' : subjectsInWords(look, finding.subjects, owner ? workloadInWords(look, owner) : '');
  const next = finding.next.slice(0, look.verbose ? undefined : NEXT);
  const row = (label: string, texts: readonly string[], ink?: (line: string) => string): string[] =>
    texts.some((text) => text !== '') ? labelled(look, INNER, label, texts, ink) : [];
  return [
    ...heading(look, finding, number),
    ...(finding.since ? row('since', [where === '' ? since(look, finding.since) : `${since(look, finding.since)}, ${where}`]) : row('where', [where])),
    ...row('path', [pathInWords(finding)], (line) => line.replace('FAILED', look.paint.bad('FAILED'))),
    ...row('expected', visibleLines(finding.expected)),
    ...row('actual', visibleLines(finding.actual)),
    ...row('evidence', allEvidence(look, finding.evidence)),
    ...row('conclusion', visibleLines(finding.conclusion)),
    ...row('ring', [(finding.deadlock ?? []).map(visible).join(' > ')]),
    ...row('explains', [effectsInWords(look, effects)]),
    ...row('not seen', [finding.unread.map(gapInWords).join(', ')]),
    ...row('next', next.flatMap(visibleLines).map(whole)),
    ...(look.verbose ? row('chain', [finding.chain.map((step) => effectInWords(look, step)).join(' > ')]) : []),
    ...(look.verbose ? row('rule', [visible(`${finding.rule}, ${finding.permanence}, ${finding.id}`)]) : []),
  ];
}

function allEvidence(look: Look, evidence: readonly Evidence[]): string[] {
  const width = look.width - INNER.indent - INNER.size;
  const shown = look.verbose || evidence.length <= EVIDENCE + 1 ? evidence : evidence.slice(0, EVIDENCE);
  const lines = shown.flatMap((item, index) => evidenceLines(look, pointedBack(shown, index, item), index + 1, width));
  return shown.length < evidence.length ? [...lines, `and ${evidence.length - shown.length} more (-v)`] : lines;
}

/** A long text quoted before is not quoted again: a ReplicaSet's refusal is copied to its Deployment. */
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

/** The one workload that is short because of it: said beside the subjects instead of among the effects. */
function ownerOf({ report }: Look, { effects, subjects }: Finding): WorkloadState | null {
  const short = new Set(effects.map(keyOf));
  const owners = report.workloads.filter((workload) => short.has(keyOf(workload)));
  const [only] = owners;
  if (!only || owners.length > 1) return null;
  return subjects.every((subject) => OWNED.has(subject.kind) && subject.namespace === only.namespace && keyOf(subject) !== keyOf(only)) ? only : null;
}

function workloadInWords(look: Look, workload: WorkloadState): string {
  const { ready, desired } = workload;
  const count = ready === undefined || desired === undefined ? '' : `${GLUE}(${ready}/${desired}${GLUE}ready)`;
  return address(look, workload) + count;
}
