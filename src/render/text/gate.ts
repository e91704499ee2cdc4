import { duration } from '../../facts/time.ts';
import type { GateNote, GateTarget } from '../../model/gate.ts';
import type { Report, Verdict } from '../../model/report.ts';
import { effortOf } from '../cases.ts';
import { visible } from '../escape.ts';
import { GLUE, wrap } from '../wrap.ts';
import { type Look, OUTER, labelled } from './look.ts';
import { address } from './words.ts';

const WORDS: Record<Verdict, string> = {
  healthy: 'PASSED',
  failed: 'FAILED',
  progressing: 'STILL MOVING',
  inconclusive: 'INCONCLUSIVE',
  'nothing-matched': 'NOTHING MATCHED',
  unreachable: 'API UNREACHABLE',
};

/** The head of a gate's page: what was waited for, what came of it, when and why; then each target. */
export function gateLines(look: Look): string[] {
  const { report, paint, width } = look;
  const { gate } = report;
  if (!gate) return [];
  const word = WORDS[report.verdict];
  const ink = report.verdict === 'healthy' ? paint.good : report.verdict === 'failed' || report.verdict === 'unreachable' ? paint.bad : paint.unsure;
  const targets = gate.targets.filter(({ state }) => state !== 'preexisting');
  const [only] = targets;
  const what =
    targets.length === 1 && only
      ? address({ ...look, home: null }, { ...only, kind: only.kind.split('.')[0] ?? '' })
      : `${report.scope.all ? 'all namespaces' : report.scope.namespaces.map(visible).join(', ')} (${targets.length} targets)`;
  const first = wrap(`${what}  ${word.replaceAll(' ', GLUE)} after ${duration(gate.seconds)}: ${visible(gate.says)}`, width - 2);
  const server = [report.source.context, report.source.server ?? report.source.name, report.source.version]
    .flatMap((each) => (each ? [visible(each)] : []))
    .join(' ');
  const row = (label: string, texts: readonly string[]): string[] => (texts.length > 0 ? labelled(look, OUTER, label, texts) : []);
  return [
    ...first.map((line, index) => (index === 0 ? line.replace(`  ${word}`, `  ${ink(word)}`) : `  ${line}`)),
    ...wrap(`${server}, ${gate.startedAt.slice(11, 19)}Z to ${gate.endedAt.slice(11, 19)}Z, ${effortOf(report)}`, width - 2).map((line, index) =>
      paint.faint(index === 0 ? line : `  ${line}`),
    ),
    '',
    ...row(
      'targets',
      gate.targets.map((target) => targetInWords(look, target)),
    ),
    ...row('deadline', [
      `${duration(gate.deadline.seconds)}: ${visible(gate.deadline.says)}${gate.deadline.passed?.by === 'progressDeadlineSeconds' ? '; not reached, as a Deployment had given up before' : ''}`,
    ]),
    ...(report.verdict === 'healthy' ? row('held', [heldInWords(report)]) : []),
    ...row('repaired', notes(gate.repaired)),
  ];
}

function targetInWords(look: Look, { kind, namespace, name, state, says, remarks, file, line }: GateTarget): string {
  const place = file ? ` (${visible(file)}:${line ?? 1})` : '';
  const front = {
    done: 'ok',
    moving: 'not done',
    waiting: 'waits',
    failed: 'failed',
    unknown: 'not known',
    absent: 'absent',
    gone: 'deleted',
    preexisting: 'broken before, not waited for',
  }[state];
  return `${address(look, { kind: kind.split('.')[0] ?? '', namespace, name })}${place}: ${says.startsWith(front) ? '' : `${front}, `}${visible(says)}${remarks.map((remark) => `; ${visible(remark)}`).join('')}`;
}

function heldInWords({ gate }: Report): string {
  if (!gate || gate.soak.seconds === 0) return 'nothing of it goes on running, so nothing had to be held';
  return `${duration(gate.soak.held)}: ${gate.soak.says}; what breaks later than that is not seen (--soak)`;
}

const notes = (all: readonly GateNote[]): string[] => all.map(({ layer, title }) => `${layer.toUpperCase()} ${visible(title)}`);
