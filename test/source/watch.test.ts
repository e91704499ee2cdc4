import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { createServerClock, localNow } from '../../src/source/cluster/skew.ts';
import { type Followed, followSource } from '../../src/source/index.ts';
import { node, object, pod } from '../build.ts';
import { type Double, type DoubleOptions, reply, startDouble, status } from './api-double.ts';

const folder = mkdtempSync(join(tmpdir(), 'strata-watch-'));
const empty = join(folder, 'empty');
writeFileSync(empty, 'apiVersion: v1\nkind: Config\n');
afterAll(() => rmSync(folder, { recursive: true }));

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const PODS = '/api/v1/namespaces/shop/pods';
const shop = [object('v1', 'Namespace', 'shop', { status: { phase: 'Active' } }), node('node-1')];
const made = (name: string, version: string, phase = 'Running'): object => ({ ...pod(name, { metadata: { resourceVersion: version }, status: { phase } }) });
const event = (type: string, body: object): string => `${JSON.stringify({ type, object: body })}\n`;
const bookmark = (version: string): string => event('BOOKMARK', { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: version } });

interface Scene {
  followed: Followed;
  double: Double;
  /** The pods' watches, in the order they were asked for. */
  watches: { response: ServerResponse; from: string }[];
  /** The next watch of the pods that is not there yet. */
  watched(count: number): Promise<{ response: ServerResponse; from: string }>;
  /** How often the pods were listed whole. */
  lists(): number;
}

/** A server whose pods are watched by hand; all else as the double does it. */
async function scene(objects: unknown[], answer: (n: number, response: ServerResponse) => true | undefined = () => undefined, more: DoubleOptions = {}): Promise<Scene> {
  const watches: Scene['watches'] = [];
  let asked = 0;
  const double = await startDouble({
    objects, ...more,
    intercept: (url, response, request) => {
      if (more.intercept?.(url, response, request)) return true;
      if (url.pathname !== PODS || url.searchParams.get('watch') !== '1') return undefined;
      const from = url.searchParams.get('resourceVersion') ?? '';
      if (answer(++asked, response)) {
        watches.push({ response, from });
        return true;
      }
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.flushHeaders();
      watches.push({ response, from });
      return true;
    },
  });
  const followed = await followSource({ namespaces: ['shop'], kube: { kubeconfig: empty, server: double.url }, watch: true });
  open.push(double, followed);
  return {
    followed, double, watches,
    watched: (count) => until(() => watches[count - 1] ?? null),
    lists: () => double.asked.filter((path) => path.startsWith(`${PODS}?limit=500`)).length,
  };
}

async function until<T>(look: () => T | null, limit = 10_000): Promise<T> {
  const end = Date.now() + limit;
  for (;;) {
    const found = look();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error('it has not come in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const look = async (followed: Followed, anew = false): Promise<Snapshot> => (await followed.next(anew)).snapshot;
const names = (snapshot: Snapshot): string[] => snapshot.seen('Pod').map(({ metadata, status: { phase } = {} }) => `${metadata.name} ${String(phase)}`);
const pods = (snapshot: Snapshot): string => snapshot.coverage.filter(({ kind, selector }) => kind === 'Pod' && !selector).map(({ state, message = '' }) => `${state} ${message}`.trim()).join();
/** Looks until it is so. */
async function seen(followed: Followed, is: (snapshot: Snapshot) => boolean, limit = 15_000): Promise<Snapshot> {
  const end = Date.now() + limit;
  for (;;) {
    const snapshot = await look(followed);
    if (is(snapshot)) return snapshot;
    if (Date.now() > end) throw new Error(`not so in time: ${names(snapshot).join()}; ${pods(snapshot)}`);
    await followed.idle?.(20, 300);
  }
}

describe('a watch', () => {
  test('is fed by events, whatever the borders of the chunks, and asks nothing more', async () => {
    const { followed, watched, double, lists } = await scene([...shop, made('a', '10')]);
    expect(names(await look(followed))).toEqual(['a Running']);
    const { response, from } = await watched(1);
    expect(from).toBe('1000');
    const asked = double.asked.length;
    const line = Buffer.from(event('ADDED', made('b', '1001', 'Grün €')) + event('MODIFIED', made('a', '1002', 'Failed')));
    for (const byte of line) {
      response.write(Buffer.from([byte]));
      if (byte % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(names(await seen(followed, (snapshot) => names(snapshot).includes('a Failed')))).toEqual(['a Failed', 'b Grün €']);
    response.write(`${event('DELETED', made('b', '1003'))}${event('NEWS', {})}\n`);
    const snapshot = await seen(followed, (each) => names(each).length === 1);
    expect(snapshot.coverage.find(({ kind }) => kind === 'Pod')).toMatchObject({ state: 'complete', count: 1, resourceVersion: '1003', namespace: 'shop' });
    expect(Date.now() - snapshot.now).toBeLessThan(3_000);
    expect(lists()).toBe(1);
    // Beside the watch itself nothing, or one sign of life.
    expect(double.asked.length - asked).toBeLessThanOrEqual(1);
    expect(snapshot.cost).toMatchObject({ requests: double.asked.length, watch: { lost: 0, relisted: 0, polled: [] } });
  });

  test('wakes who waits, and only by what changes', async () => {
    const { followed, watched } = await scene([...shop]);
    await look(followed);
    const { response } = await watched(1);
    await seen(followed, ({ cost }) => (cost.watch?.open ?? 0) > 10);
    const timed = async (least: number, most: number): Promise<number> => {
      const began = Date.now();
      await followed.idle?.(least, most);
      return Date.now() - began;
    };
    response.write(bookmark('1005'));
    expect(await timed(50, 700)).toBeGreaterThanOrEqual(690);
    response.write(event('ADDED', made('b', '1006')));
    expect(await timed(200, 20_000)).toBeLessThan(5_000);
  });

  test('keeps the time of the server, although it hardly asks', async () => {
    const { followed } = await scene([...shop]);
    const began = Date.now();
    while (Date.now() - began < 9_000) {
      const snapshot = await look(followed);
      expect(Math.abs(snapshot.now - Date.now())).toBeLessThan(3_000);
      expect(snapshot.notes).toEqual([]);
      await followed.idle?.(200, 400);
    }
  }, 30_000);

  test('goes on from the newest bookmark where its connection was cut, half a line in', async () => {
    const { followed, watched, lists } = await scene([...shop, made('a', '10')]);
    await look(followed);
    const first = await watched(1);
    const half = event('ADDED', made('lost', '1009'));
    first.response.write(bookmark('1008') + half.slice(0, half.length / 2));
    await new Promise((resolve) => setTimeout(resolve, 100));
    first.response.destroy();
    const second = await watched(2);
    expect(second.from).toBe('1008');
    second.response.write(event('ADDED', made('b', '1010')));
    const snapshot = await seen(followed, (each) => names(each).length > 1);
    expect(names(snapshot)).toEqual(['a Running', 'b Running']);
    expect(lists()).toBe(1);
    expect(snapshot.cost.watch).toMatchObject({ lost: 1, resumed: 1, relisted: 0 });
    expect(pods(snapshot)).toBe('complete');
  });

  test('one whose time is up goes on at once, and was never lost', async () => {
    const { followed, watched } = await scene([...shop]);
    await look(followed);
    (await watched(1)).response.end(bookmark('1004'));
    expect((await watched(2)).from).toBe('1004');
    expect((await look(followed)).cost.watch).toMatchObject({ lost: 0, resumed: 1 });
  });

  test.each([
    ['an ERROR event', (response: ServerResponse) => response.end(event('ERROR', status(410, 'Expired', 'too old resource version: 1000 (1200)'))), undefined],
    ['a line that is no JSON', (response: ServerResponse) => response.write('{"type": "ADDED", "obj\n'), undefined],
    ['the answer 410', () => undefined, (n: number, response: ServerResponse) => (n === 1 ? reply(response, 410, status(410, 'Gone', 'gone')) : undefined)],
  ])('too old a version, told by %s: the list is read again', async (_, tell, answer) => {
    const objects = [...shop, made('a', '10'), made('b', '11')];
    const { followed, watched, lists } = await scene(objects, answer);
    await look(followed);
    objects.splice(objects.length - 1, 1, made('c', '1200'));
    tell((await watched(1)).response);
    const snapshot = await seen(followed, (each) => names(each).includes('c Running'));
    expect(names(snapshot)).toEqual(['a Running', 'c Running']);
    expect(lists()).toBe(2);
    expect(snapshot.cost.watch?.relisted).toBe(1);
    await watched(2);
  });

  test('another ERROR event: it waits, and goes on where it was', async () => {
    const { followed, watched, lists } = await scene([...shop]);
    await look(followed);
    const began = Date.now();
    (await watched(1)).response.end(bookmark('1003') + event('ERROR', status(500, 'InternalError', 'etcd event received with PrevKv=nil')));
    expect((await watched(2)).from).toBe('1003');
    expect(Date.now() - began).toBeGreaterThanOrEqual(200);
    expect(lists()).toBe(1);
  });

  test('429 is waited for as long as it says', async () => {
    const { followed, watched } = await scene([...shop], (n, response) => (n === 1 ? reply(response, 429, 'Too many requests', { 'Retry-After': '1' }) : undefined));
    await look(followed);
    await watched(1);
    const began = Date.now();
    await watched(2);
    expect(Date.now() - began).toBeGreaterThanOrEqual(900);
  });

  test.each([403, 405])('%i on a watch: the kind is listed again and again, and is complete', async (code) => {
    const objects = [...shop, made('a', '10')];
    const { followed, lists } = await scene(objects, (_, response) => reply(response, code, status(code, 'Forbidden', 'pods is forbidden: User "ci" cannot watch resource "pods"')));
    expect(pods(await look(followed))).toBe('complete');
    objects.push(made('b', '20'));
    const snapshot = await seen(followed, (each) => names(each).length === 2);
    expect(pods(snapshot)).toBe('complete');
    expect(snapshot.cost.watch).toMatchObject({ polled: ['Pod'], lost: 0 });
    expect(lists()).toBeGreaterThan(1);
    expect(snapshot.cost.watch?.open).toBeGreaterThan(10);
  });

  test('that stays broken is told, and what it held is not taken for what is there', async () => {
    let away = false;
    const { followed, watched } = await scene([...shop, made('a', '10')], (_, response) => (away ? (response.destroy(), true) : undefined));
    await look(followed);
    away = true;
    (await watched(1)).response.destroy();
    const snapshot = await seen(followed, (each) => pods(each).startsWith('failed'));
    expect(pods(snapshot)).toMatch(/^failed the watch broke off \d+ s ago: /);
    expect(snapshot.server.reached).toBe(true);
    expect([snapshot.list('Pod', 'shop').state, snapshot.get('Pod', 'shop', 'a').state, snapshot.list('Service', 'shop').state]).toEqual(['unknown', 'unknown', 'known']);
    away = false;
    expect(names(await seen(followed, (each) => pods(each) === 'complete'))).toEqual(['a Running']);
  }, 30_000);

  test('a server that is restarted: unreachable, then seen again as it is', async () => {
    const first = await startDouble({ objects: [...shop, made('a', '10')] });
    const port = Number(new URL(first.url).port);
    const followed = await followSource({ namespaces: ['shop'], kube: { kubeconfig: empty, server: first.url }, watch: true });
    open.push(followed);
    expect(names(await look(followed))).toEqual(['a Running']);
    await first.close();
    const dark = await seen(followed, ({ server }) => server.reached === false);
    expect(dark.server.connection.find(({ ok }) => !ok)).toMatchObject({ step: 'tcp', code: 'ECONNREFUSED' });
    expect(names(dark)).toEqual([]);
    // Its cache begins now, and knows nothing of what was before.
    const told = new Set<string>();
    const forgets = (path: string): boolean => !told.has(path) && told.add(path) !== undefined;
    open.push(
      await startDouble({
        objects: [...shop, made('b', '10')],
        port,
        intercept: (url, response) =>
          url.searchParams.get('watch') === '1' && forgets(url.pathname)
            ? reply(response, 410, status(410, 'Expired', 'too old resource version: 1000 (2000)'))
            : undefined,
      }),
    );
    const snapshot = await seen(followed, (each) => names(each).join() === 'b Running');
    expect(snapshot.server).toMatchObject({ reached: true, version: 'v1.34.4' });
    expect(pods(snapshot)).toBe('complete');
    expect(snapshot.cost.watch?.lost).toBeGreaterThan(10);
  }, 30_000);

  test('one that stands still is found out by the look that lists everything', async () => {
    const objects = [...shop, made('a', '10')];
    const { followed, watched, lists } = await scene(objects);
    await look(followed);
    await watched(1);
    objects.push(made('b', '1500'));
    expect(names(await look(followed))).toEqual(['a Running']);
    expect(names(await look(followed, true))).toEqual(['a Running', 'b Running']);
    // And the watch begins anew.
    expect(names(await look(followed))).toEqual(['a Running', 'b Running']);
    await watched(2);
    expect(lists()).toBe(3);
  });
});

test('a clock that stands is not carried on', () => {
  const clock = createServerClock();
  const date = localNow() - 3_600_000;
  clock.see(date, localNow());
  expect(localNow() + clock.skew() - date).toBeGreaterThanOrEqual(0);
  clock.see(date, localNow() + 5_000);
  expect(Math.abs(localNow() + clock.skew() - date)).toBeLessThan(1);
});
