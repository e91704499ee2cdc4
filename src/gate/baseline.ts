import type { Finding } from '../model/finding.ts';
import type { GateNote } from '../model/gate.ts';
import type { Report } from '../model/report.ts';

/** What is kept of a finding at the fence. */
export const noteOf = ({ id, rule, layer, title }: Finding): GateNote => ({ id, rule, layer, title });

/** What was there at the fence and holds nothing of the rollout back, and what was there and is no more. */
export function compareWith(fence: readonly GateNote[], report: Report, holding: ReadonlySet<string>): { preexisting: GateNote[]; repaired: GateNote[] } {
  const now = new Set(report.findings.map((finding) => finding.id));
  return { preexisting: fence.filter(({ id }) => now.has(id) && !holding.has(id)), repaired: fence.filter(({ id }) => !now.has(id)) };
}

/** The report with what is no evidence against the rollout set apart. */
export function withRoles(report: Report, preexisting: readonly GateNote[], idle: ReadonlySet<string>): Report {
  const old = new Set(preexisting.map(({ id }) => id));
  const findings = report.findings.map(
    (finding): Finding => (finding.role === 'root' && (old.has(finding.id) || idle.has(finding.id)) ? { ...finding, role: 'preexisting' } : finding),
  );
  return {
    ...report,
    findings: [...findings.filter(({ role }) => role !== 'preexisting'), ...findings.filter(({ role }) => role === 'preexisting')],
  };
}
