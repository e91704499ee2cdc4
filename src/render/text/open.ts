import { identityOf } from '../../model/identity.ts';
import type { OpenObject, WorkloadState } from '../../model/report.ts';
import { visible } from '../escape.ts';
import type { Look } from './look.ts';
import { address, shortName, some } from './words.ts';
import { rungsInWords } from '../../facts/rungs.ts';
import { plural } from '../../facts/words.ts';

/** Owners between a workload and its pods say nothing of their own. */
const BETWEEN = new Set(['ReplicaSet', 'EndpointSlice']);

/** Objects short of their goal that nothing explains, those of one kind on one rung together; the workloads among them have their own lines. */
export function openInWords(look: Look, verdict: OpenObject['verdict'], told: readonly WorkloadState[]): string[] {
  const named = new Set(told.map(identityOf));
  const groups = new Map<string, OpenObject[]>();
  for (const object of look.report.open) {
    if (object.verdict !== verdict || named.has(identityOf(object)) || BETWEEN.has(object.kind)) continue;
    const key = `${object.kind}\0${object.at.join(' ')}`;
    groups.set(key, [...(groups.get(key) ?? []), object]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [OpenObject];
    if (group.length === 1) return `${address(look, first)}: ${rungsInWords(first)}`;
    const names = group.map((object) => shortName(look, object));
    return `${plural(group.length, visible(first.kind))} (${look.verbose ? names.join(', ') : some(names, 3)}): each ${rungsInWords(first)}`;
  });
}

/** The rung of a workload in words, where its numbers say nothing. */
export function rungOf(look: Look, workload: WorkloadState): string {
  const open = look.report.open.find((object) => identityOf(object) === identityOf(workload));
  return open ? rungsInWords(open) : '';
}

const LOGS = new Set(['init', 'start', 'startup', 'ready', 'finish']);
const ROLLS = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/** The one look that would decide: at the innermost object that is open, and where it stands. */
export function lookAt(look: Look, verdict: OpenObject['verdict']): string {
  const { report } = look;
  const open = report.open.filter((object) => object.verdict === verdict);
  const rolling = report.workloads.find((workload) => workload.verdict === verdict && ROLLS.has(workload.kind));
  if (verdict === 'progressing' && rolling) return `${kubectl(rolling)} rollout status ${rolling.kind.toLowerCase()}/${rolling.name}`;
  const first =
    open.find(({ kind }) => kind === 'Pod') ?? open.find(({ kind }) => !BETWEEN.has(kind)) ?? report.workloads.find((workload) => workload.verdict === verdict);
  if (!first) return '';
  const at = 'at' in first ? (first.at[0] ?? '') : '';
  const name = `${first.kind.toLowerCase()} ${first.name}`;
  if (first.kind === 'Pod' && LOGS.has(at)) return `${kubectl(first)} logs ${first.name} --all-containers --prefix --tail=50`;
  if (first.kind === 'Service') return `${kubectl(first)} get endpointslices -l kubernetes.io/service-name=${first.name} -o yaml`;
  if (at === 'terminate' && verdict === 'progressing') return `${kubectl(first)} wait --for=delete ${first.kind.toLowerCase()}/${first.name} --timeout=60s`;
  if (at === 'terminate') return `${kubectl(first)} get ${name} -o jsonpath='{.metadata.finalizers}'`;
  return `${kubectl(first)} describe ${name}`;
}

const kubectl = ({ namespace }: { namespace?: string | undefined }): string => `kubectl${namespace ? ` -n ${namespace}` : ''}`;
