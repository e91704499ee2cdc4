import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../../src/cli/serve.ts';
import { UserError } from '../../src/model/errors.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { serveSnapshot } from '../../src/serve/index.ts';
import { createClock } from '../../src/source/clock.ts';
import { createTimeline, isTimelineAlone, readMoment, readTimeline, writeRecording, writeTimeline } from '../../src/source/index.ts';
import { NOW, brokenPod } from '../bundles/world.ts';
import { COVERAGE, ask } from './api.ts';

const SCOPE = { namespaces: ['shop'], all: false, targets: [] };
const later = (seconds: number): string => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

/** A pod that was Pending, Running at second 10, and gone at second 20. */
function looks(): Snapshot[] {
  const states: (string | null)[] = ['Pending', 'Running', null];
  return states.map((phase, index) => {
    const objects = brokenPod().flatMap((each): KubeObject[] => {
      if (each.kind !== 'Pod') return [each];
      return phase === null ? [] : [{ ...each, metadata: { ...each.metadata, resourceVersion: String(200 + index) }, status: { phase } }];
    });
    return new Snapshot({
      objects, coverage: COVERAGE, capturedAt: later(index * 10), source: { kind: 'recording', name: 'r' }, cost: { requests: 0, bytes: 0, ms: 0 },
      server: { kind: 'APIServer', apiVersion: 'kubectl-strata/v1', metadata: { name: 'h' }, endpoint: '', reached: true, connection: [], health: [], failures: [] },
    });
  });
}

let dir = '';
let recording = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'strata-moment-'));
  recording = join(dir, 'rec');
  const all = looks();
  const timeline = createTimeline();
  for (const look of all) timeline.add(look);
  await writeRecording(recording, all.at(-1) as Snapshot, SCOPE, 'test');
  await writeTimeline(recording, null, timeline.lines());
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const phaseAt = async (moment: Parameters<typeof readMoment>[1]): Promise<unknown> => {
  const snapshot = await readMoment(recording, moment);
  return [snapshot.capturedAt, snapshot.seen('Pod')[0]?.status?.phase ?? null];
};

describe('a moment of a time line', () => {
  test.each([[0, 0, 'Pending'], [9, 0, 'Pending'], [10, 10, 'Running'], [19.5, 10, 'Running'], [20, 20, null]] as const)('second %s is what was seen at second %s', async (second, look, phase) => {
    expect(await phaseAt({ after: second * 1000 })).toEqual([later(look), phase]);
    expect(await phaseAt({ at: Date.parse(later(second)) })).toEqual([later(look), phase]);
  });

  test('before, behind, and where there is none: told with the span', async () => {
    const span = new RegExp(`it goes from ${later(0)} to ${later(20)}`);
    for (const moment of [{ at: Date.parse(later(-1)) }, { at: Date.parse(later(21)) }, { after: 20_001 }]) {
      const error = await readMoment(recording, moment).then(() => null, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UserError);
      expect((error as UserError).message).toMatch(span);
      expect((error as UserError).hint).toContain('up to 20s');
    }
    const single = join(dir, 'single');
    await writeRecording(single, looks()[0] as Snapshot, SCOPE, 'test');
    await expect(readMoment(single, { after: 0 })).rejects.toThrow(/holds one moment, and no time line/);
  });

  test('what is damaged behind the moment costs nothing of it', async () => {
    const damaged = join(dir, 'damaged');
    await writeRecording(damaged, looks()[2] as Snapshot, SCOPE, 'test');
    const lines = (await readFile(join(recording, 'timeline.jsonl'), 'utf8')).split('\n');
    await writeFile(join(damaged, 'timeline.jsonl'), `${lines.slice(0, 3).join('\n')}\n`);
    await appendFile(join(damaged, 'timeline.jsonl'), '{"cut');
    expect((await readMoment(damaged, { after: 10_000 })).seen('Pod')[0]?.status?.phase).toBe('Running');
    await expect(readMoment(damaged, { after: 11_000 })).rejects.toThrow(/time line is damaged/);
  });

  // What was read of the server's clock once was set back between looks; what is seen is never newer than the look.
  test('a look whose clock says it was before the one before it was taken when its newest object was written', async () => {
    const recorded = fileURLToPath(new URL('../gate/recorded/fails-crash', import.meta.url));
    const begin = Date.parse('2026-11-29T21:40:01.998Z');
    for (const after of [0, 1_000, 5_000, 8_000, 10_000, 22_000]) {
      const look = await readMoment(recorded, { after });
      expect(look.now).toBeLessThanOrEqual(begin + after);
      expect(look.now).toBeGreaterThanOrEqual(Math.max(begin, begin + after - 4_000));
      expect((await readMoment(recorded, { at: begin + after })).capturedAt).toBe(look.capturedAt);
      const clock = createClock();
      for (const kind of look.kinds()) for (const object of look.seen(kind)) clock.see(object);
      expect(Date.parse(clock.newest() ?? '')).toBeLessThanOrEqual(look.now);
    }
  });

  test('of an object a day ahead nothing is told', async () => {
    const [first, second, third] = looks() as [Snapshot, Snapshot, Snapshot];
    const timeline = createTimeline();
    const ahead = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'shop', resourceVersion: '9' }, lastTimestamp: later(86_400) } as unknown as KubeObject;
    const back = new Snapshot({ objects: [ahead], coverage: COVERAGE, capturedAt: later(-5), source: second.source, cost: second.cost, server: second.server });
    for (const look of [first, back, third]) timeline.add(look);
    const folder = join(dir, 'ahead');
    await mkdir(folder);
    await writeTimeline(folder, null, timeline.lines());
    const times: string[] = [];
    for await (const { capturedAt } of (await readTimeline(folder, true)).looks) times.push(capturedAt);
    expect(times).toEqual([later(0), later(0), later(20)]);
  });

  test('is the last where none is asked for and no recording lies beside the time line', async () => {
    const recorded = fileURLToPath(new URL('../gate/recorded/fails-crash', import.meta.url));
    expect([await isTimelineAlone(recorded), await isTimelineAlone(recording), await isTimelineAlone(dir)]).toEqual([true, false, false]);
    expect((await readMoment(recorded, 'last')).capturedAt).toBe('2026-11-29T21:40:24.137Z');
    expect((await readMoment(recording, 'last')).capturedAt).toBe(later(20));
  });

  test('is served with its own clock', async () => {
    const served = await serveSnapshot(await readMoment(recording, { after: 12_000 }));
    try {
      const { body, headers } = await ask(served, '/api/v1/namespaces/shop/pods/web-5d9-abcde');
      expect([body['status'], body.metadata?.['resourceVersion'], headers.date]).toEqual([{ phase: 'Running' }, '201', new Date(later(10)).toUTCString()]);
    } finally {
      await served.close();
    }
  });
});

describe('serve --at', () => {
  test.each(['yesterday', '12:00', '2026-03-01', '2026-03-01T12:00:00', '2026-13-01T12:00:00Z', '10 bananas', '-5s', ''])('%j is refused before anything is served', async (at) => {
    const error = await serve({ from: [recording], at }).then(() => null, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).message).toMatch(/neither a time nor a duration|not a duration/);
  });

  test('outside of the span, and with two sources', async () => {
    await expect(serve({ from: [recording], at: '21s' })).rejects.toThrow(/not in the time line/);
    await expect(serve({ from: [recording], at: '2026-03-01T13:00:21+01:00' })).rejects.toThrow(/2026-03-01T12:00:21.000Z is not in the time line/);
    await expect(serve({ from: [recording, recording], at: '1s' })).rejects.toThrow(/one recording/);
  });
});
