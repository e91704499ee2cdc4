import { expect } from 'vitest';
import { EXIT, type Report } from '../../../src/model/report.ts';
import type { Experiment, Expectation } from '../experiments/experiment.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import { unopened } from './addresses.ts';
import { complaints, shown } from './complaints.ts';
import { keep } from './keep.ts';
import { comparable, type Moment, moment } from './moment.ts';
import { strata } from './product.ts';

/** What a small namespace may cost (requests): when it is well, and when the way to a cause has to be followed. */
const REQUESTS = { healthy: 25, followed: 40 };

/** Where what concerns a namespace may stand outside of it: the control plane's objects, and the events of cluster-scoped objects. */
const COMMON = ['kube-system', 'kube-node-lease', 'default'];

/** One request for each object of other namespaces would add up to a reading of the whole cluster. */
const foreign = ({ coverage, scope }: Report): string[] =>
  coverage.flatMap(({ kind, namespace }) => (namespace === null || [...scope.namespaces, ...COMMON].includes(namespace) ? [] : `${kind} in ${namespace}`));

function holds({ live, code, record, replay, replayCode }: Moment, expected: Expectation): void {
  expect(record.code, record.stderr).toBe(0);
  // As a sentence of its own: a list would be cut short while the suite runs.
  const against = complaints(live, expected);
  if (against.length > 0) throw new Error(`live, ${live.capturedAt}:\n${against.join('\n')}\nall findings:\n${live.findings.map(shown).join('\n')}`);
  expect(code, 'exit code').toBe(EXIT[expected.verdict]);
  expect(comparable(replay), 'the recording').toEqual(comparable(live));
  expect(replayCode, 'exit code of the recording').toBe(code);
}

const opens = (report: Report, user: string): Promise<string[]> => unopened(report, kubeconfigPath(user));

/** What the product says of a state that has been arranged, live and from a recording, must be as the experiment expects. */
export async function judge(experiment: Experiment): Promise<void> {
  const user = experiment.as ?? 'admin';
  const seen = await moment(experiment.namespace, user, experiment.targets);
  holds(seen, experiment.expect);
  if (experiment.fixture !== undefined) await keep(seen, experiment.fixture, experiment.title, experiment);
  expect(seen.live.cost.requests, 'requests').toBeLessThanOrEqual(seen.live.findings.length === 0 ? REQUESTS.healthy : REQUESTS.followed);
  expect(foreign(seen.live), 'read in other namespaces').toEqual([]);
  expect(await opens(seen.live, user), 'evidence').toEqual([]);
  if (experiment.trace) await follow(experiment.trace, [['-n', experiment.namespace, '--kubeconfig', kubeconfigPath(user)], ['--from', seen.directory]]);
}

/** `trace` must show the same way, live and from the recording. */
async function follow({ target, says }: NonNullable<Experiment['trace']>, sources: readonly string[][]): Promise<void> {
  for (const source of sources) {
    const { stdout, stderr } = await strata('trace', target, ...source);
    for (const text of says) expect(stdout.replaceAll(/\s+/g, ' '), `trace ${target}\n${stdout}${stderr}`).toMatch(text);
  }
}

/** After it was healed, nothing may be said. */
export async function judgeHealed(experiment: Experiment): Promise<void> {
  const seen = await moment(experiment.namespace);
  holds(seen, { verdict: 'healthy', roots: [] });
  if (typeof experiment.healed === 'string') await keep(seen, experiment.healed, `${experiment.title}; then healed`, experiment);
}
