import { duration } from '../facts/time.ts';
import { cut, plural } from '../facts/words.ts';
import { type Finding, lastingOf, type Subject } from '../model/finding.ts';
import type { GateLoad } from '../model/gate.ts';
import { identityOf } from '../model/identity.ts';
import type { Report, Verdict } from '../model/report.ts';
import type { WatchCost } from '../model/snapshot.ts';

/** One thing that was judged, as a test runner sees it. */
export interface Case {
  kind: string;
  name: string;
  namespace: string;
  verdict: Verdict;
  says: string;
  /** Broken before the gate began, and not waited for. */
  aside: boolean;
  /** The causes that hold it back. */
  findings: Finding[];
  file: string;
  /** 0 where it is not known. */
  line: number;
  seconds: number;
  remarks: string[];
}

const keyOf = ({ kind, namespace, name }: Pick<Subject, 'kind' | 'namespace' | 'name'>): string =>
  identityOf({ kind: kind.split('.')[0] ?? kind, namespace, name });

/** A gate's targets, or every workload of a diagnosis; a cause that is on none of them stands for itself. */
export function casesOf(report: Report): Case[] {
  const roots = report.findings.filter(({ role }) => role === 'root');
  const cases = report.gate ? gateCases(report) : workloadCases(report, roots);
  const told = new Set(cases.flatMap(({ findings }) => findings.map(({ id }) => id)));
  const lone = roots
    .filter(({ id }) => !told.has(id))
    .map(
      (finding): Case => ({
        ...EMPTY,
        kind: finding.on.kind,
        name: finding.on.name,
        namespace: finding.on.namespace ?? '',
        verdict: finding.certainty === 'undetermined' ? 'inconclusive' : finding.permanence === 'waiting' ? 'progressing' : 'failed',
        says: finding.title,
        findings: [finding],
      }),
    );
  const all = [...cases, ...(report.gate && report.verdict === 'healthy' ? [] : lone)];
  // Nothing was judged, and that is no success either.
  if (all.some(({ verdict }) => verdict === report.verdict) || report.verdict === 'healthy') return all;
  return [
    ...all,
    {
      ...EMPTY,
      kind: report.verdict === 'unreachable' ? 'APIServer' : 'Scope',
      name: scopeOf(report),
      verdict: report.verdict,
      says: report.gate?.says ?? WORDS[report.verdict],
    },
  ];
}

const EMPTY: Case = {
  kind: '',
  name: '',
  namespace: '',
  verdict: 'healthy',
  says: '',
  aside: false,
  findings: [],
  file: '',
  line: 0,
  seconds: 0,
  remarks: [],
};

export const WORDS: Record<Verdict, string> = {
  healthy: 'healthy',
  failed: 'failed',
  progressing: 'still moving',
  inconclusive: 'inconclusive',
  'nothing-matched': 'nothing matched',
  unreachable: 'the API server is out of reach',
};

/** What was asked about, on one line. */
export function scopeOf({ scope, source }: Report): string {
  const targets = scope.targets.map(({ kind, name }) => [kind.split('.')[0], name].filter(Boolean).join('/'));
  return (
    [scope.all ? 'all namespaces' : scope.namespaces.join(', '), ...targets, scope.selector ? `-l ${scope.selector}` : ''].filter(Boolean).join(' ') ||
    (source.server ?? source.name)
  );
}

function gateCases({ gate, findings }: Report): Case[] {
  return (gate?.targets ?? []).map(({ kind, name, namespace = '', verdict, says, state, findings: ids, file = '', line = 0, doneAfter, remarks }) => ({
    kind: kind.split('.')[0] ?? kind,
    name: name || '*',
    namespace,
    verdict,
    says,
    aside: state === 'preexisting',
    file,
    line,
    remarks,
    findings: findings.filter(({ id, role }) => ids.includes(id) && role === 'root'),
    seconds: doneAfter ?? gate?.seconds ?? 0,
  }));
}

function workloadCases({ workloads, cost }: Report, roots: readonly Finding[]): Case[] {
  return workloads.map(({ kind, name, namespace = '', verdict, says = '', ready, desired }) => {
    const key = keyOf({ kind, name, namespace });
    const holding =
      verdict === 'healthy'
        ? []
        : roots.filter((finding) => [finding.on, ...finding.subjects, ...finding.effects, ...finding.chain].some((each) => keyOf(each) === key));
    const counted = ready !== undefined && desired !== undefined ? `${ready} of ${desired} ready` : '';
    return { ...EMPTY, kind, name, namespace, verdict, says: says || counted, findings: holding, seconds: cost.ms / 1000 };
  });
}

/** Where a finding's own target stands in a manifest; null where none was given. */
export function manifestOf({ gate }: Report, finding: Finding): { file: string; line: number } | null {
  const target = gate?.targets.find(({ findings, file }) => file !== undefined && findings.includes(finding.id));
  return target?.file ? { file: target.file, line: target.line ?? 1 } : null;
}

/** By what a server knows a finding of the last pipeline again: the next rollout has other pods. One for each, by its id. */
export function fingerprintsOf(findings: readonly Finding[]): Map<string, string> {
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const finding of findings) {
    const { kind, namespace, name } = lastingOf(finding);
    let print = `${finding.rule}:${[kind, namespace, name].filter(Boolean).join('/')}`;
    while (taken.has(print)) print += '+';
    taken.add(print);
    found.set(finding.id, print);
  }
  return found;
}

/** What a person reads under the name of a case, one thing a line, evidence in no more than so many characters. Untrusted text, not escaped. */
export function detailOf(
  { title, layer, certainty, expected, actual, conclusion, evidence, effects, next }: Finding,
  most = Number.POSITIVE_INFINITY,
): string[] {
  const address = ({ object, pointer, text }: Finding['evidence'][number]): string =>
    `${object.kind}/${object.namespace ? `${object.namespace}/` : ''}${object.name}${pointer}: ${text.length > most ? cut(text, most) : text}`;
  return [
    `${layer.toUpperCase()} ${title} (${certainty})`,
    `expected: ${expected}`,
    `actual: ${actual}`,
    ...evidence.map((each, index) => `[${index + 1}] ${address(each)}`),
    ...(conclusion ? [`conclusion: ${conclusion}`] : []),
    ...(effects.length > 0 ? [`explains: ${effects.map(({ kind, name, says }) => `${kind}/${name} ${says}`.trim()).join('; ')}`] : []),
    ...next.map((line) => `next: ${line}`),
  ];
}

/** How long it took and what it cost, in one line. */
export function effortOf({ gate, cost, source }: Report): string {
  if (!gate) return `${plural(cost.requests, 'request')}, ${size(cost.bytes)}`;
  const read = source.kind === 'cluster' ? `, ${plural(cost.requests, 'request')}${paceOf(gate.load, cost.watch)}, ${size(cost.bytes)}` : '';
  return `${duration(gate.seconds)}, ${plural(gate.looks, 'look')}${read}${gate.blind > 0 ? `, blind for ${duration(gate.blind)}` : ''}`;
}

/** With watches a gate costs much at once and hardly anything later; that must be seen. */
function paceOf(load: GateLoad | undefined, watch: WatchCost | undefined): string {
  if (!load || load.between.requests === 0) return '';
  const broke = watch && watch.lost > 0 ? `, of which ${watch.lost} broke` : '';
  return ` (${load.first.requests} to begin, then ${load.perMinute.requests} a minute${load.watches > 0 ? ` beside ${plural(load.watches, 'watch')}${broke}` : ''})`;
}

/** `12 KiB`, `3.4 MiB`. */
export const size = (bytes: number): string => (bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`);
