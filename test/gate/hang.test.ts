import { describe, expect, test } from 'vitest';
import { object } from '../build.ts';
import type { DoubleOptions } from '../source/api-double.ts';
import { ready, rollout, short } from './play.ts';
import { type Play, programs } from './run.ts';

const { program } = programs();
const shop = object('v1', 'Namespace', 'shop', { status: { phase: 'Active' } });
const moving = [shop, ...rollout({ old: [ready('web-1-0', -3000, -2990)], fresh: [short('web-2-a', 2, [])] })];
const done = [shop, ...rollout({ fresh: [ready('web-2-a', 2, 5)] })];

/** Takes every request and answers none of these, from so many ms after the first on; a watch that is open goes on. */
function hangs(from: number, what = /./): NonNullable<DoubleOptions['intercept']> {
  let began = Number.NaN;
  return (url) => {
    if (Number.isNaN(began)) began = performance.now();
    return url.searchParams.get('watch') !== '1' && performance.now() - began >= from && what.test(url.pathname + url.search);
  };
}

/** Starting the program, the rest of a look, and what a busy machine takes. */
const MORE = 15;
const API = /^\/(?:api|apis)\/./;

describe.concurrent('a gate keeps its --timeout while reads hang', () => {
  const scenes: [string, Play, string[]][] = [
    ['from the first request on', { objects: moving, intercept: hangs(0) }, []],
    ['and only /version is answered', { objects: moving, intercept: hangs(0, API) }, []],
    ['in the middle', { objects: moving, intercept: hangs(2500) }, []],
    ['in the middle, without watches', { objects: moving, intercept: hangs(2500) }, ['--watch=false']],
    ['of what storage alone can answer', { objects: moving, intercept: hangs(2500, /limit=/) }, []],
    ['as the lists are read again for the verdict', { objects: done, intercept: hangs(2500, /limit=500/) }, ['--soak', '3s']],
  ];
  test.each(scenes)('%s', async (_, scene, more) => {
    const { code, seconds, stdout } = await program(scene, 'gate', 'deploy/web', '--timeout', '6s', ...more);
    expect([code, stdout]).toEqual([5, expect.stringContaining('API UNREACHABLE')]);
    expect(seconds).toBeGreaterThan(5.5);
    expect(seconds).toBeLessThan(6 + MORE);
  }, 60_000);

  test('a server that is slow, and answers, is no such server', async () => {
    const slow: Play = { objects: done, intercept: (url, response) => {
      if (!API.test(url.pathname) || url.searchParams.get('watch') === '1') return false;
      const end = response.end.bind(response);
      response.end = (text?: unknown) => (setTimeout(() => end(text), 1200), response);
      return false;
    } };
    const { code, stdout } = await program(slow, 'gate', 'deploy/web', '--timeout', '1s', '--soak', '1s');
    expect([code, stdout]).toEqual([2, expect.stringMatching(/everything is ready, but held for\s+only/)]);
  }, 60_000);

  test('without a server that tells its types a type is not known to be wrong', async () => {
    const scene = { objects: moving, intercept: hangs(0, /^\/apis$/) };
    const gate = await program(scene, 'gate', 'widget/web', '--timeout', '4s');
    const asked = await program(scene, 'widget/web', '--request-timeout', '2s');
    for (const ran of [gate, asked]) expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('"widget" (in "widget/web") is no built-in resource type, and what else this server serves could not be read: ')]);
    expect(gate.seconds).toBeLessThan(4 + MORE);
    expect(asked.seconds).toBeLessThan(2 + MORE);
  }, 60_000);
});

describe.concurrent('a diagnosis keeps its --request-timeout while reads hang', () => {
  test.each([['from the first request on', hangs(0)], ['behind /version', hangs(0, API)]])('%s', async (_, intercept) => {
    const { code, seconds } = await program({ objects: moving, intercept }, 'deploy/web', '--request-timeout', '2s');
    expect(code).toBe(5);
    expect(seconds).toBeLessThan(2 + MORE);
  }, 60_000);
});
