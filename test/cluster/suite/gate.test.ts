import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT, type Report } from '../../../src/model/report.ts';
import { decidedIn } from '../../gate-fixtures.ts';
import { oneByOne, together } from '../rollouts/index.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import { isRoot, words } from './complaints.ts';
import { judgeForms } from './gate-forms.ts';
import { table } from './gate-table.ts';
import { keepGate } from './keep-gate.ts';
import { forgetTrials, leave, sideBySide, type Trial } from './side-by-side.ts';
import { turns } from './turns.ts';

/** Rollouts that are looked at in the same moment, by three programs each. More would only measure how busy the machine is. */
const AT_ONCE = 4;

/** Seconds by which two programs may be apart that look once in a few seconds, on a machine where a look takes as long again. */
const APART = 15;

const trials: Trial[] = [];

const titleOf = ({ id, title }: Rollout): string => `${id}: ${title}`;

function judge(trial: Trial): void {
  const { rollout: { expect: wanted }, report, gate, replay, recording, followed } = trial;
  const page = `${gate.stdout}\n${gate.stderr}`;
  const roots = report.findings.filter(({ role }) => role === 'root');
  expect(report.verdict, page).toBe(wanted.verdict);
  expect(gate.code, page).toBe(EXIT[wanted.verdict]);
  expect(report.gate?.seconds, page).toBeGreaterThanOrEqual(wanted.within[0]);
  expect(report.gate?.seconds, page).toBeLessThanOrEqual(wanted.within[1]);
  if (wanted.root) {
    const [root] = roots;
    expect(roots.length, `causes\n${page}`).toBe(1);
    expect(root && isRoot(wanted.root)(root), `the cause\n${page}`).toBe(true);
    for (const text of wanted.root.says ?? []) expect(root && words(root), page).toMatch(text);
  }
  for (const text of wanted.says ?? []) expect(gate.stdout.replaceAll(/\s+/g, ' '), page).toMatch(text);
  judgeForms(trial);
  // What passed leaves nothing behind; anything else is kept, and is judged alike from there.
  expect(recording === null, 'recording kept').toBe(wanted.verdict === 'healthy');
  if (replay) {
    expect(replay.code, replay.stderr).toBe(gate.code);
    expect(decidedIn(JSON.parse(replay.stdout) as Report)).toEqual(decidedIn(report));
    keepGate(trial);
  }
  if (followed) {
    expect(followed.record.code, followed.record.stderr).toBe(0);
    expect(followed.replay.code, `the recording of its changes\n${followed.replay.stdout}${followed.replay.stderr}`).toBe(gate.code);
    const again = JSON.parse(followed.replay.stdout) as Report;
    expect(again.gate?.targets.map(({ name, state }) => [name, state])).toEqual(report.gate?.targets.map(({ name, state }) => [name, state]));
    // Each counts from its own first look; the verdict comes at one time.
    const apart = Math.abs(Date.parse(again.capturedAt) - Date.parse(report.capturedAt)) / 1000;
    expect(apart, `seconds between the verdicts of the gate and of the recording\n${page}`).toBeLessThanOrEqual(APART);
  }
}

const turn = turns(AT_ONCE);

const trialOf = async (rollout: Rollout): Promise<Trial> => {
  try {
    const trial = await sideBySide(rollout, turn);
    trials.push(trial);
    return trial;
  } finally {
    await leave(rollout);
  }
};

describe('rollouts, several at the same time', () => {
  const running = new Map<Rollout, Promise<Trial>>();

  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern, and the suite comes second
  beforeAll(({}, suite) => {
    // Only what `-t` leaves.
    const chosen = suite.tasks.filter(({ mode }) => mode === 'run' || mode === 'queued').map(({ name }) => name);
    for (const rollout of together.filter((each) => chosen.includes(titleOf(each)))) {
      const run = trialOf(rollout);
      // Reported by the test that waits for it.
      run.catch(() => undefined);
      running.set(rollout, run);
    }
  });

  for (const rollout of together) {
    it(titleOf(rollout), async () => {
      const first = running.get(rollout);
      // A second try is another rollout.
      running.delete(rollout);
      judge(await (first ?? trialOf(rollout)));
    });
  }
});

describe('rollouts that are disturbed, one after another', () => {
  for (const rollout of oneByOne) it(titleOf(rollout), async () => judge(await trialOf(rollout)));
});

afterAll(() => {
  process.stderr.write(`\n${table(trials)}\n\n`);
  forgetTrials();
});
