import type { Report } from '../../../src/model/report.ts';
import type { Timed, Trial } from './side-by-side.ts';

const PASSED: Record<string, string> = { healthy: 'passed' };

const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 3)}...` : text);

/** The last thing it said: the last line of what went well, or of what went wrong. */
export const lastWords = ({ code, stdout, stderr }: Timed): string => ((code === 0 && stdout.trim()) || stderr.trim()).split('\n').at(-1) ?? '';

/** The verdict of its recording, and how long after the fence; of the one that the gate kept, or that was taken beside it. */
function replayed({ replay, followed }: Trial): string {
  const ran = replay ?? followed?.replay;
  if (!ran?.stdout) return 'none';
  const { verdict, gate } = JSON.parse(ran.stdout) as Report;
  return `${PASSED[verdict] ?? verdict}, ${gate?.seconds.toFixed(1)} s`;
}

const told = (ran: Timed): string => `${ran.code}, ${ran.seconds.toFixed(1)} s: ${cut(lastWords(ran), 58)}`;

/** One line a rollout: verdict, exit code, seconds until the verdict; the verdict of its recording; and what kubectl's two ways said, and when. */
export function table(trials: readonly Trial[]): string {
  const rows = trials.map((trial) => {
    const { rollout, report, gate, status, wait } = trial;
    const { verdict, findings } = report;
    const layer = verdict === 'failed' ? ` (${findings.find(({ role }) => role === 'root')?.layer})` : '';
    return [rollout.title, `${PASSED[verdict] ?? verdict}${layer}`, `${gate.code}, ${gate.seconds.toFixed(1)} s (${report.gate?.seconds.toFixed(1)} s)`, replayed(trial), told(status), told(wait)];
  });
  const all = [['rollout', 'gate', 'exit, after (of which looking)', 'replayed', 'kubectl rollout status: exit, after', 'kubectl wait: exit, after'], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}
