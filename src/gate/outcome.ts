import { plural } from '../facts/words.ts';
import type { Finding } from '../model/finding.ts';
import type { GateTarget } from '../model/gate.ts';
import type { Report, Verdict } from '../model/report.ts';
import { compareWith, withRoles } from './baseline.ts';
import type { Look } from './look.ts';
import { loadOf } from './load.ts';
import { restartsOf, soakNeeded } from './soak.ts';
import type { GateState } from './state.ts';
import { type Decision, goesOnRunning } from './verdict.ts';
import { isReady } from '../facts/pods/phase.ts';

/** The report of the last look, with what only the whole time could tell. */
export function reportOf(state: GateState, report: Report, looks: readonly Look[], decision: Decision, now: number): Report {
  const held = looks.filter((look) => look.state !== 'preexisting').flatMap((look) => look.held.map(({ finding }) => finding));
  const holding = new Set(held.map(({ id }) => id));
  const own = [...new Map(held.filter(({ rule }) => rule.startsWith('gate/')).map((finding) => [finding.id, finding])).values()];
  const { preexisting, repaired } = compareWith(state.fence?.findings ?? [], report, holding);
  // What stands on neighbours and old revisions alone is told, and is no reason of this verdict.
  const idle = new Set(report.findings.filter((finding) => !holding.has(finding.id) && looks.length > 0 && isAside(finding, looks)).map(({ id }) => id));
  const roles = withRoles({ ...report, findings: [...own, ...report.findings] }, preexisting, idle);
  const since = state.soak.since;
  const { seconds, says } = soakNeeded(state, goesOnRunning(looks));
  const load = loadOf(state.cost, report.cost);
  return {
    ...roles,
    verdict: decision.verdict,
    gate: {
      startedAt: iso(state.startedAt ?? now),
      endedAt: iso(now),
      seconds: Math.round((now - (state.startedAt ?? now)) / 100) / 10,
      says: decision.says,
      deadline: { seconds: state.deadline.seconds, says: state.deadline.says, ...(decision.passed ? { passed: decision.passed } : {}) },
      soak: { seconds, held: since === null ? 0 : Math.round((now - since) / 100) / 10, says },
      targets: looks.map((look) => targetOf(state, look, decision.verdict)),
      changes: state.changes,
      preexisting,
      repaired,
      blind: Math.round((state.blind + (state.blindSince === null ? 0 : now - state.blindSince)) / 100) / 10,
      looks: state.looks,
      ...(load ? { load } : {}),
    },
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Not on anything that is waited for: pods of older revisions, a target that was broken before, or one whose expected rollout has not begun. */
const isAside = (finding: Finding, looks: readonly Look[]): boolean =>
  looks.every(
    (look) =>
      look.state === 'preexisting' ||
      look.state === 'done' ||
      look.unbegun ||
      (look.standing?.pods?.old ?? []).some((pod) => finding.subjects.some(({ uid }) => uid === pod.metadata.uid)),
  );

function targetOf(state: GateState, look: Look, verdict: Verdict): GateTarget {
  const { ref, object, standing, track } = look;
  const old = (standing?.pods?.old ?? []).filter(isReady).length;
  const serves = verdict === 'failed' && old > 0 && look.state !== 'done' && !look.unbegun ? `; the revision before still serves with ${old} ready` : '';
  return {
    ...ref,
    apiVersion: object?.apiVersion ?? '',
    ...(object?.metadata.uid ? { uid: object.metadata.uid } : {}),
    state: look.state,
    verdict: verdictOf(look, verdict),
    says: `${look.says}${serves}${standing?.acts ? `; it goes on with: ${standing.acts}` : ''}`,
    ...(object?.metadata.generation !== undefined ? { generation: object.metadata.generation } : {}),
    ...(standing?.revision ? { revision: standing.revision } : {}),
    ...(standing && standing.desired > 0 ? { desired: standing.desired, ready: standing.ready } : {}),
    findings: [...new Set(look.held.map(({ finding }) => finding.id))],
    remarks: [
      ...(standing?.state === 'done' ? standing.remarks : []),
      ...(track.restarted > 0 ? [restartsInWords(look)] : []),
      ...(standing?.gap ? [`not seen: ${standing.gap.kind} (${standing.gap.reason})`] : []),
    ],
    ...(track.doneAt !== null && state.startedAt !== null ? { doneAfter: Math.round((track.doneAt - state.startedAt) / 100) / 10 } : {}),
  };
}

/** The findings count the restarts of one container; this is the sum over all pods. */
function restartsInWords({ track, standing }: Look): string {
  const pods = (standing?.pods?.current ?? []).filter((pod) => restartsOf(track, pod) > 0).length;
  return `${plural(track.restarted, 'restart')} since the gate began${pods > 1 ? `, in ${pods} pods` : ''}`;
}

/** Each target's own word: the whole may have failed by another one. */
function verdictOf(look: Look, whole: Verdict): Verdict {
  if (look.state === 'done' || look.state === 'preexisting') return 'healthy';
  if (look.state === 'absent') return 'nothing-matched';
  const firm = look.held.filter(({ ruling }) => ruling.fails !== 'never');
  if (firm.some(({ ruling }) => ruling.fails === 'now')) return 'failed';
  if (whole === 'failed') return firm.length > 0 ? 'failed' : look.state === 'unknown' ? 'inconclusive' : 'progressing';
  return look.state === 'unknown' && whole !== 'unreachable' ? 'inconclusive' : whole === 'healthy' ? 'progressing' : whole;
}
