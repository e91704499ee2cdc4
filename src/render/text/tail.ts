import type { Finding } from '../../model/finding.ts';
import { identityOf } from '../../model/identity.ts';
import type { GapReason } from '../../model/read.ts';
import type { OpenObject, Report, WorkloadState } from '../../model/report.ts';
import { unheld } from '../../model/coverage.ts';
import { hiddenBy } from '../../model/reads.ts';
import { visible } from '../escape.ts';
import { GLUE } from '../wrap.ts';
import { reaching } from '../reach.ts';
import { type Look, OUTER, labelled } from './look.ts';
import { lookAt, openInWords, rungOf } from './open.ts';
import { isElsewhere } from './unread.ts';
import { REASONS, address, some, subjectsInWords } from './words.ts';
import { plural, pluralOf } from '../../facts/words.ts';

const SHOWN = 5;
/** So many kinds that could not be read are told one by one. */
const FEW = 4;

/** What closes the page: what follows, what moves, what is known, what could not be seen. */
export function tailLines(look: Look): string[] {
  const { report } = look;
  const row = (label: string, texts: readonly string[]): string[] => (texts.length > 0 ? labelled(look, OUTER, label, limited(look, texts)) : []);
  const role = (role: Finding['role']): string[] => report.findings.filter((finding) => finding.role === role).map((finding) => lineOf(look, finding));
  return [
    // Each stands among the effects of its root already.
    ...row('follows', look.verbose ? role('consequence') : []),
    ...row('older', role('preexisting')),
    ...row('risk', role('risk')),
    ...row('moving', openLines(look, 'progressing')),
    ...row('open', openLines(look, 'inconclusive')),
    // Nothing was seen at all: the head says so.
    ...row('not seen', report.verdict === 'unreachable' && !look.verbose ? [] : gaps(look)),
    ...row('note', report.notes.map(visible)),
    ...row(
      'broken',
      report.broken.map(({ rule, message }) => visible(`rule ${rule} could not be used: ${message}`)),
    ),
    ...row('next', nextSteps(look)),
  ];
}

/** Workloads that no block above has named, with their numbers; behind them what else is short, with its rung. */
function openLines(look: Look, verdict: OpenObject['verdict']): string[] {
  const workloads = unexplained(look.report, verdict);
  return [...workloads.map((workload) => stateInWords(look, workload)), ...openInWords(look, verdict, look.report.workloads)];
}

function unexplained(report: Report, verdict: OpenObject['verdict']): WorkloadState[] {
  const named = new Set(report.findings.filter(({ role }) => role === 'root').flatMap(({ effects, subjects }) => [...effects, ...subjects].map(identityOf)));
  return report.workloads.filter((workload) => workload.verdict === verdict && !named.has(identityOf(workload)));
}

function limited(look: Look, texts: readonly string[]): string[] {
  if (look.verbose || texts.length <= SHOWN + 1) return [...texts];
  return [...texts.slice(0, SHOWN), `and ${texts.length - SHOWN} more (-v)`];
}

function lineOf(look: Look, { layer, title, actual, role, subjects }: Finding): string {
  // The title of one ends with what is so already.
  const what = role === 'risk' && !title.endsWith(actual) ? `${visible(title)}: ${visible(actual)}` : visible(title);
  return `${layer.toUpperCase()} ${what} (${subjectsInWords(look, subjects)})`;
}

function stateInWords(look: Look, workload: WorkloadState): string {
  const { ready, desired, updated, observedGeneration, generation, says } = workload;
  // Old and new pods together may be more than asked for, and none of the new ones ready.
  const counted = ready === undefined || desired === undefined || ready >= desired ? '' : `${ready} of ${desired} ready`;
  const renewed = counted === '' && updated !== undefined && desired !== undefined && updated < desired ? `${updated} of ${desired} pods updated` : '';
  const known = generation !== undefined && observedGeneration !== undefined;
  const seen = !known
    ? ''
    : observedGeneration < generation
      ? `generation ${generation} not observed yet`
      : counted === ''
        ? ''
        : `generation ${generation} observed`;
  const words = says ? visible(says) : [counted, renewed, seen].filter(Boolean).join(', ') || rungOf(look, workload);
  return words ? `${address(look, workload)}: ${words}` : address(look, workload);
}

const ELSEWHERE = 'other namespaces';

/** Lists that are not complete, by reason and place, each with what it cost: the rules that had to be skipped. */
function gaps(look: Look): string[] {
  const { coverage, skipped } = look.report;
  const groups = new Map<string, { kinds: Set<string>; rules: Set<string>; reason: GapReason; place: string; message: string }>();
  const group = (reason: GapReason, place: string, message: string) => {
    const key = `${reason}\0${place}`;
    let found = groups.get(key);
    if (!found) groups.set(key, (found = { kinds: new Set(), rules: new Set(), reason, place, message }));
    return found;
  };
  const rulesFor = (kind: string): Set<string> => new Set(skipped.filter(({ why }) => why.kind === kind).map(({ rule }) => rule));
  const placeOf = (namespace: string | null | undefined): string => (namespace && namespace !== look.home ? namespace : '');
  for (const entry of coverage) {
    const { kind, namespace, state, message } = entry;
    if (state === 'complete' || state === 'not-served') continue;
    // Of a dump nobody expects every kind; a server that does not hold one (a recording, served) has to say so.
    if (state === 'not-collected' && !(look.report.source.kind === 'cluster' && look.report.verdict === 'inconclusive')) continue;
    group(state, isElsewhere(look.report, entry) ? ELSEWHERE : placeOf(namespace), message ?? '').kinds.add(kind);
  }
  for (const { rule, why } of skipped) {
    const found = group(why.reason, placeOf(why.namespace), why.message ?? '');
    found.kinds.add(why.kind);
    found.rules.add(rule);
  }
  // The same kinds refused in many namespaces are one line.
  const lines = new Map<string, { kinds: Set<string>; rules: Set<string>; reason: GapReason; places: string[]; message: string }>();
  for (const { kinds, rules, reason, place, message } of groups.values()) {
    const key = [reason, place === '', ...kinds].join('\0');
    const line = lines.get(key);
    if (!line) lines.set(key, { kinds, rules, reason, places: [place], message });
    else {
      line.places.push(place);
      for (const rule of rules) line.rules.add(rule);
    }
  }
  // Where no cause takes the page, each kind is said with what it would have shown.
  const explained = !look.report.findings.some(({ role }) => role === 'root') && look.report.verdict !== 'nothing-matched';
  const split = [...lines.values()].flatMap((line) =>
    explained && line.kinds.size <= FEW && line.reason !== 'not-collected'
      ? [...line.kinds].map((kind) => ({ ...line, kinds: new Set([kind]), hides: `: hides ${hiddenBy(kind)}`, rules: rulesFor(kind) }))
      : [{ ...line, hides: '' }],
  );
  return split.map(({ kinds, rules, reason, places, message, hides }) => {
    const names = [...kinds].map((kind) => visible(pluralOf(kind)));
    const shown = look.verbose ? names.join(', ') : some(names, 6);
    const where = places.filter((place) => place !== '').map(visible);
    const words = look.verbose && message !== '' ? `${REASONS[reason]}: ${visible(message)}` : REASONS[reason];
    const cost = rules.size > 0 ? `${hides === '' ? ':' : ';'} ${plural(rules.size, 'rule')} skipped` : '';
    return `${shown}${where.length > 0 ? ` in ${look.verbose ? where.join(', ') : some(where, 3)}` : ''} (${words})${hides}${cost}`;
  });
}

/** Only where no cause could say it: the one look that decides. */
function nextSteps(look: Look): string[] {
  const { report, home } = look;
  const isCluster = report.source.kind === 'cluster';
  if (!isCluster && report.verdict === 'nothing-matched') {
    const held = [...new Set(report.coverage.flatMap(({ namespace, count }) => (namespace && count > 0 ? [namespace] : [])))].sort();
    const holds = held.length > 0 ? `it holds namespace${held.length > 1 ? 's' : ''} ${some(held.map(visible), SHOWN)}; ` : '';
    return [`${holds}${report.scope.all ? 'name an object that is in it' : 'without -n, -l and names all of it is judged'}`];
  }
  if (report.findings.some(({ role }) => role === 'root')) return [];
  const place = home ? ` -n ${visible(home)}` : '';
  if (report.verdict === 'nothing-matched') {
    if (report.scope.targets.length === 0 && !report.scope.selector) return [command(look, 'kubectl get namespaces', 'which there are')];
    return [command(look, `kubectl get all${home ? place : ' -A'}`, 'what there is')];
  }
  const denied =
    isCluster && report.coverage.some(({ state }) => state === 'forbidden')
      ? [command(look, `kubectl strata access${report.scope.all ? ' -A' : place}`, 'what is missing, as roles')]
      : [];
  if (report.verdict !== 'inconclusive' && report.verdict !== 'progressing') return report.verdict === 'healthy' ? denied : [];
  const decisive = visible(lookAt(look, report.verdict));
  return [...denied, ...(decisive === '' ? unrecorded(report) : [command(look, decisive, '')])];
}

/** A server that holds no pods list of what was asked about is a recording of something else, and says of what. */
function unrecorded({ source, verdict, coverage, scope }: Report): string[] {
  if (source.kind === 'recording' && unheld(coverage, scope.namespaces).asked.length > 0) return ['without -n, -l and names all of it is judged'];
  const pods = coverage.filter(({ kind }) => kind === 'Pod');
  if (source.kind !== 'cluster' || verdict !== 'inconclusive' || pods.length === 0 || !pods.every(({ state }) => state === 'not-collected')) return [];
  return [...new Set(pods.flatMap(({ message }) => (message ? [visible(message)] : [])))];
}

const command = ({ reach }: Look, words: string, remark: string): string => `${reaching(words, reach).replaceAll(' ', GLUE)}${remark ? `   # ${remark}` : ''}`;
