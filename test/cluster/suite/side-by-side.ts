import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../../src/model/report.ts';
import { apply, get, type Obj, remove, waitForObject } from '../api.ts';
import { namespace } from '../experiments/objects.ts';
import { LIMIT } from '../experiments/observe.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import type { Ran } from '../run.ts';
import { sleep } from '../wait.ts';
import { kubectl, reportOf, strata, strataUntil } from './product.ts';
import type { Turn } from './turns.ts';

export interface Timed extends Ran {
  /** From its start to its end. */
  seconds: number;
}

/** One rollout, as three programs saw it that began in the same moment. */
export interface Trial {
  rollout: Rollout;
  gate: Timed;
  report: Report;
  status: Timed;
  wait: Timed;
  /** What `--record` kept, where it kept anything, and the verdict that it gives back. */
  recording: string | null;
  replay: Ran | null;
  /** What should pass leaves no recording of the gate's own: the verdict that `record --follow`, which began in the same moment, gives back. */
  followed: { record: Ran; replay: Ran } | null;
  /** The forms for pipelines, by format. */
  forms: Record<string, string>;
}

const FORMS = ['json', 'junit', 'sarif', 'gitlab', 'markdown', 'github'] as const;

const made: string[] = [];

async function timed(run: Promise<Ran>): Promise<Timed> {
  const start = performance.now();
  const ran = await run;
  return { ...ran, seconds: (performance.now() - start) / 1000 };
}

/** The namespace with its start state, settled. */
async function prepare({ id, before }: Rollout): Promise<void> {
  // A first try may have left it a moment ago.
  await waitForObject('v1', 'Namespace', '', id, (left) => left?.metadata.deletionTimestamp === undefined, LIMIT);
  await apply(namespace(id));
  await waitForObject('v1', 'ServiceAccount', id, 'default', (account) => account !== undefined, LIMIT);
  await before?.(id);
}

/** What is asked of the gate, live or from a recording. */
function questionFor({ id, target, flags = [], byManifest, limit }: Rollout, changed: readonly Obj[], folder: string): string[] {
  const manifest = join(folder, 'web.yaml');
  writeFileSync(manifest, changed.map((object) => JSON.stringify(object, null, 2)).join('\n---\n'));
  return ['gate', ...(byManifest ? ['-f', manifest] : [target]), '-n', id, ...flags, '--timeout', `${limit}s`];
}

/** Two looks of whoever records beside it: they see its end a moment later. */
const BEHIND_MS = 2500;

/** Brings the start state about, applies the change, and lets the gate, `kubectl rollout status` and `kubectl wait` see what comes of it. A gate takes its turn; kubectl only waits. */
export async function sideBySide(rollout: Rollout, turn: Turn): Promise<Trial> {
  const { id, target, limit, as = 'admin', wait, change, during } = rollout;
  const passes = rollout.expect.verdict === 'healthy' ? true : null;
  const folder = mkdtempSync(join(tmpdir(), 'strata-gate-'));
  made.push(folder);
  const changed = change(id);
  const config = kubeconfigPath(as);
  const timeout = ['--timeout', `${limit}s`];
  const question = questionFor(rollout, changed, folder);
  const [recording, follows] = [join(folder, 'recording'), join(folder, 'followed')];
  const forms = FORMS.flatMap((form) => ['-o', `${form}=${join(folder, form)}`]);
  const { gate, record, others } = await turn(async () => {
    await prepare(rollout);
    await apply(changed);
    const gate = timed(strata(...question, '-o', 'text', ...forms, '--record', recording, '--kubeconfig', config));
    const record = passes && strataUntil(gate.then(() => sleep(BEHIND_MS)), 'record', '-n', id, '-o', follows, '--follow', `${2 * limit}s`, '--kubeconfig', config);
    const beside = Promise.all([
      timed(kubectl(config, 'rollout', 'status', target, '-n', id, ...timeout)),
      timed(kubectl(config, 'wait', target, '-n', id, `--for=${wait}`, ...timeout)),
      during?.(id),
    ]);
    beside.catch(() => undefined);
    return { gate: await gate, record: await record, others: beside };
  });
  const [status, waited] = await others;
  const kept = existsSync(recording);
  const written = Object.fromEntries(FORMS.filter((form) => existsSync(join(folder, form))).map((form) => [form, readFileSync(join(folder, form), 'utf8')]));
  return {
    rollout, gate, status, wait: waited, forms: written,
    report: reportOf({ ...gate, stdout: written['json'] ?? gate.stdout }),
    recording: kept ? recording : null,
    replay: kept ? await strata('gate', '--from', recording, '-o', 'json') : null,
    followed: record && { record, replay: await strata(...question, '--from', follows, '-o', 'json') },
  };
}

export async function leave({ id, restore }: Rollout): Promise<void> {
  await restore?.(id);
  if (await get('v1', 'Namespace', '', id)) await remove('v1', 'Namespace', '', id);
}

export function forgetTrials(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
