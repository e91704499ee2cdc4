import type { Report, Verdict } from '../../model/report.ts';
import { isUnserved, unheld } from '../../model/coverage.ts';
import { servedAs } from '../../model/resources.ts';
import { NO_TIME } from '../../model/snapshot.ts';
import { visible } from '../escape.ts';
import { GLUE, wrap } from '../wrap.ts';
import type { Look } from './look.ts';
import { isRefused, unreadKinds } from './unread.ts';
import { address, clock, some } from './words.ts';
import { plural, pluralOf } from '../../facts/words.ts';

const WORDS: Record<Verdict, string> = {
  healthy: 'HEALTHY',
  failed: 'FAILED',
  progressing: 'PROGRESSING',
  inconclusive: 'INCONCLUSIVE',
  'nothing-matched': 'NOTHING MATCHED',
  unreachable: 'API UNREACHABLE',
};

/** Scope, verdict and the count that matters; then, dim, what was read, when, and at what cost. */
export function headLines(look: Look): string[] {
  const { report, paint, width } = look;
  const word = WORDS[report.verdict];
  const ink = report.verdict === 'healthy' ? paint.good : report.verdict === 'failed' || report.verdict === 'unreachable' ? paint.bad : paint.unsure;
  const front = report.verdict === 'unreachable' ? serverInWords(report) : scopeInWords(look);
  const first = wrap(`${front}  ${word.replaceAll(' ', GLUE)}  ${headline(look)}`, width).map((line, index) => (index === 0 ? line : `  ${line}`));
  const second = report.verdict === 'unreachable' && report.source.kind === 'cluster' ? [] : wrap(sourceInWords(look), width - 2);
  return [
    // The scope is the reader's own word or the cluster's: the verdict is the last of its kind on the line that we wrote.
    ...first.map((line) => line.replace(`  ${word}`, `  ${ink(word)}`)),
    ...second.map((line, index) => paint.faint(index === 0 ? line : `  ${line}`)),
  ];
}

function scopeInWords(look: Look): string {
  const { all, namespaces, targets, selector } = look.report.scope;
  const home = look.home ?? undefined;
  const place = all ? 'all namespaces' : namespaces.map(visible).join(', ');
  const kinds = new Set(targets.map(({ kind }) => kind));
  const [only = ''] = kinds;
  const what =
    kinds.size === 1 && targets.length > 5
      ? `${targets.length} ${visible(pluralOf(only))}`
      : targets.map(({ kind, name, namespace }) => address(look, { kind, name, namespace: namespace ?? home })).join(', ');
  const parts = [place, what, selector ? visible(`-l ${selector}`) : ''].filter((part) => part !== '');
  return parts.length === 0 ? 'cluster' : parts.join(' ');
}

function serverInWords({ source }: Report): string {
  return [source.context, source.server ?? source.name].flatMap((word) => (word ? [visible(word)] : [])).join(' ');
}

function sourceInWords(look: Look): string {
  const { source, capturedAt, cost } = look.report;
  const server = [serverInWords(look.report), source.version ? visible(source.version) : ''].filter(Boolean).join(' ');
  const read = `read${GLUE}${clock(look, capturedAt, source.kind !== 'cluster')}`;
  switch (source.kind) {
    case 'cluster':
      return `${server}, ${read} in${GLUE}${(cost.ms / 1000).toFixed(1)}${GLUE}s, ${plural(cost.requests, 'request').replace(' ', GLUE)}`;
    case 'recording': {
      const of = source.server ? ` of ${server}` : source.version ? ` of a ${visible(source.version)} server` : '';
      return `recording ${visible(source.name)}${of}, ${read}${source.tool ? ` by ${visible(source.tool)}` : ''}`;
    }
    case 'files':
      return `${visible(source.name)}${source.version ? ` of a ${visible(source.version)} server` : ''}, as of ${clock(look, capturedAt, true)} (${look.report.notes.some((note) => note.endsWith(NO_TIME)) ? 'now' : 'the newest time in it'})`;
  }
}

function headline(look: Look): string {
  const { report } = look;
  switch (report.verdict) {
    case 'healthy':
      return countsInWords(report) + unreadInWords(report);
    case 'failed':
      return failure(look);
    case 'progressing':
      return moving(report) + unreadInWords(report);
    case 'inconclusive':
      return doubt(look);
    case 'nothing-matched':
      return absence(look);
    case 'unreachable':
      return 'nothing behind it was judged';
  }
}

const of = (report: Report, verdict: Verdict) => report.workloads.filter((workload) => workload.verdict === verdict);

function failure({ report }: Look): string {
  const causes = report.findings.filter(({ role }) => role === 'root').length;
  const total = report.workloads.length;
  const failed = of(report, 'failed');
  const moving = of(report, 'progressing').length;
  const open = of(report, 'inconclusive').length;
  const count = plural(causes, 'cause');
  const more = failed.length > 0 ? 'more ' : '';
  const parts = [
    ...(moving > 0 ? [failed.length === 0 ? `${share(report, moving)} moving` : `${moving} ${more}${moving === 1 ? 'is' : 'are'} moving`] : []),
    ...(open > 0 ? [`${open} ${more}could not be explained`] : []),
  ];
  if (total === 0) return count;
  if (failed.length === 0)
    return [count, ...(parts.length > 0 ? parts : [total === 1 ? 'the workload itself is well' : `the ${total} workloads themselves are well`])].join('; ');
  const spaces = new Set(failed.map(({ namespace }) => namespace)).size;
  const where = report.scope.all ? `, in ${plural(spaces, 'namespace')}` : '';
  const held = total === 1 ? 'the only workload' : `${failed.length} of ${plural(total, 'workload')}`;
  return [`${count} ${causes === 1 ? 'holds' : 'hold'} ${held} back${where}`, ...parts].join('; ');
}

function moving(report: Report): string {
  const count = of(report, 'progressing').length;
  const causes = report.findings.filter(({ role }) => role === 'root').length;
  if (causes > 0) return `${plural(causes, 'cause')} to wait for, nothing has failed`;
  return count === 0 ? 'nothing is stuck, not everything has arrived' : `${share(report, count)} moving, nothing is stuck`;
}

function doubt(look: Look): string {
  const { report } = look;
  const { namespaces } = report.scope;
  if (report.source.kind === 'recording' && namespaces.length > 0 && unheld(report.coverage, namespaces).asked.length === namespaces.length)
    return 'the recording is of something else';
  const unread = report.coverage.filter(isRefused);
  // What is short comes first: what was not read may be why no cause is proven, and is no trouble by itself.
  const more = unread.length > 0 ? unreadInWords(report) : '';
  const short = of(report, 'inconclusive').length;
  if (short > 0) return `${share(report, short)} short, and no cause is proven${more}`;
  const open = report.open.filter(({ verdict }) => verdict === 'inconclusive');
  const [first] = open;
  if (first) return `${open.length === 1 ? `${address(look, first)} is` : `${open.length} objects are`} short, and no cause is proven${more}`;
  const kinds = [...new Set(unread.map(({ kind }) => visible(pluralOf(kind))))];
  if (kinds.length === 0) return 'no cause is proven';
  return `${some(kinds, 3)} ${unread.every(({ state }) => state === 'truncated') ? 'were read in part only' : 'could not be read'}`;
}

function share({ workloads }: Report, count: number): string {
  return workloads.length === 1 ? 'the only workload is' : `${count} of ${workloads.length} workloads ${count === 1 ? 'is' : 'are'}`;
}

function absence({ report, home }: Look): string {
  if (Object.keys(report.counts).length > 0) return 'not everything that was named is here; what is here is well';
  if (home !== null && namespaceIsAbsent(report, home)) return `there is no namespace "${visible(home)}" here`;
  // A word that is neither stays without a kind. Types of custom resources are looked up only where a name follows.
  if (report.scope.targets.some(({ kind }) => kind === ''))
    return 'nothing that was read has this name, and no built-in type has; a kind of your own is asked for as TYPE/NAME';
  const unserved = report.scope.targets.filter(({ kind }) => isUnserved(report.coverage, kind));
  if (unserved.length > 0 && unserved.length === report.scope.targets.length)
    return `this server does not serve ${some([...new Set(unserved.map(({ kind }) => visible(servedAs(kind))))], 3)}, so none can be here`;
  if (report.scope.targets.length > 0) return report.scope.targets.every(({ name }) => name === '') ? 'there is none here' : 'there is no such object here';
  return report.scope.selector ? 'no object has these labels' : 'there is nothing to judge here';
}

/** A namespace that was asked for by name, or looked for in the whole list, and is in neither. */
function namespaceIsAbsent({ coverage, counts }: Report, name: string): boolean {
  if (counts['Namespace']) return false;
  return coverage.some(
    ({ kind, namespace, state, selector, count }) =>
      kind === 'Namespace' &&
      namespace === null &&
      (selector === `metadata.name=${name}` ? count === 0 && (state === 'complete' || state === 'not-served') : selector === undefined && state === 'complete'),
  );
}

/** What "nothing is held back" leaves out, on the same line as the claim. */
function unreadInWords(report: Report): string {
  const kinds = unreadKinds(report);
  if (kinds.length === 0) return '';
  return ` (${report.source.kind === 'cluster' || report.coverage.some(isRefused) ? 'not read' : 'not in it'}: ${some(
    kinds.map((kind) => visible(pluralOf(kind))),
    3,
  )})`;
}

/** The kinds a person counts by; the rest of what was judged is in the JSON. */
const COUNTED: readonly [kind: string, word: string][] = [
  ['Pod', 'pod'],
  ['Service', 'service'],
  ['PersistentVolumeClaim', 'claim'],
  ['Node', 'node'],
];

function countsInWords({ counts, workloads }: Report): string {
  const kinds = COUNTED.flatMap(([kind, word]) => (counts[kind] ? [plural(counts[kind], word)] : []));
  const parts = workloads.length > 0 ? [plural(workloads.length, 'workload'), ...kinds] : kinds;
  return parts.length === 0 ? 'nothing is held back' : `${parts.join(', ')}: nothing is held back`;
}
