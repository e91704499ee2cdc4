import { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Connection } from '../../src/source/cluster/kubeconfig.ts';
import { proxyFromEnvironment } from '../../src/source/cluster/proxy.ts';
import { type TransportOptions, createTransport } from '../../src/source/cluster/transport.ts';
import { type Double, type DoubleOptions, reply, startDouble, status } from './api-double.ts';

const running: Double[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function setUp(options: DoubleOptions, more: TransportOptions & { loopback?: boolean; prefix?: string } = {}) {
  const double = await startDouble(options);
  running.push(double);
  const connection: Connection = {
    server: new URL(double.url + (more.prefix ?? '')), agent: new Agent({ keepAlive: true }), headers: {}, tls: { rejectUnauthorized: true }, proxy: '',
    loopback: more.loopback ?? true, context: '', user: '', namespace: 'default',
  };
  const waits: number[] = [];
  const transport = createTransport(connection, { wait: async (ms) => void waits.push(ms), random: () => 0.5, ...more });
  return { double, transport, waits };
}

describe('waiting', () => {
  test('Retry-After is obeyed, with jitter above it; without one the pauses double; four tries more and no end', async () => {
    const headers = (n: number): Record<string, string> => (n === 0 ? { 'Retry-After': '3' } : {});
    let n = 0;
    const { transport, waits, double } = await setUp({ intercept: (_, response) => reply(response, 429, 'Too many requests, please try again later.', headers(n++)) });
    const answer = await transport.get('/x');
    expect(answer).toMatchObject({ code: 429, message: 'Too many requests, please try again later.' });
    expect(waits).toEqual([3000 * 1.15, 500 * 1.15, 1000 * 1.15, 2000 * 1.15]);
    expect(double.asked.length).toBe(5);
    expect(transport.cost().requests).toBe(5);
  });

  test('503 with Retry-After is waited for, 503 without only once, other failures not at all', async () => {
    const count = async (code: number, headers: Record<string, string> = {}) => {
      const { transport, waits } = await setUp({ intercept: (_, response) => reply(response, code, status(code, 'X', 'words'), headers) });
      expect((await transport.get('/x')).code).toBe(code);
      return waits.length;
    };
    expect(await count(503, { 'Retry-After': '1' })).toBe(4);
    expect(await count(503)).toBe(1);
    for (const code of [500, 502, 504, 403, 404, 410]) expect(await count(code)).toBe(0);
  });

  test('no wait goes beyond the budget, and a pause is never longer than ten seconds', async () => {
    const asking = { intercept: (_: URL, response: Parameters<typeof reply>[0]) => reply(response, 429, 'later', { 'Retry-After': '3600' }) };
    const short = await setUp(asking, { budget: 2_000 });
    expect((await short.transport.get('/x')).code).toBe(429);
    expect(short.waits).toEqual([]);
    const long = await setUp(asking);
    await long.transport.get('/x');
    expect(long.waits).toEqual([10_000, 10_000, 10_000, 10_000]);
  });

  test('a kept connection that the server closed is tried again once', async () => {
    let n = 0;
    const { transport } = await setUp({ intercept: (_, response, request) => {
      if (n++ !== 1) return reply(response, 200, { ok: n });
      request.socket.destroy();
      return true;
    } });
    expect((await transport.get('/a')).code).toBe(200);
    expect((await transport.get('/b')).code).toBe(200);
    const fresh = await setUp({ intercept: (_, __, request) => (request.socket.destroy(), true) });
    expect(await fresh.transport.get('/a')).toMatchObject({ code: null, reason: 'ECONNRESET' });
    expect(fresh.double.asked.length).toBe(1);
  });

  test('silence ends a request, before the answer and inside it; slow but steady answers are read', async () => {
    const slow = (gap: number) => ({ intercept: (_: URL, response: Parameters<typeof reply>[0]) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const parts = [...'{"a":[1,2]}'];
      const next = (): void => {
        const part = parts.shift();
        if (part === undefined) return void response.end();
        response.write(part);
        setTimeout(next, gap);
      };
      next();
      return true as const;
    } });
    const steady = await setUp(slow(30), { silence: 200 });
    expect(await steady.transport.get('/x')).toMatchObject({ code: 200, body: { a: [1, 2] } });
    const dying = await setUp(slow(400), { silence: 150 });
    expect(await dying.transport.get('/x')).toMatchObject({ code: null, reason: 'ETIMEDOUT', message: 'no answer within 0.2 s' });
    const mute = await setUp({ intercept: () => true }, { silence: 100 });
    expect(await mute.transport.get('/x')).toMatchObject({ code: null, reason: 'ETIMEDOUT' });
  });
});

describe('answers', () => {
  test('gzip is asked for on real links only, unpacked, and counted as it came', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(50_000) });
    const packed = gzipSync(body);
    const intercept: DoubleOptions['intercept'] = (_, response, request) => {
      if (!request.headers['accept-encoding']) return reply(response, 200, { plain: true });
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.end(packed);
      return true;
    };
    const far = await setUp({ intercept }, { loopback: false });
    expect((await far.transport.get('/x')).body).toEqual(JSON.parse(body));
    expect(far.transport.cost()).toEqual({ requests: 1, bytes: packed.length });
    expect((await (await setUp({ intercept })).transport.get('/x')).body).toEqual({ plain: true });
    const broken = await setUp({ intercept: (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.end(packed.subarray(0, 40));
      return true;
    } }, { loopback: false });
    expect(await broken.transport.get('/x')).toMatchObject({ code: null, reason: 'EBADANSWER' });
  });

  test('errors keep the words of whoever refused: Status, text, web page, redirect', async () => {
    const answers: [number, unknown, Record<string, string>, object][] = [
      [403, status(403, 'Forbidden', 'pods is forbidden'), {}, { reason: 'Forbidden', message: 'pods is forbidden' }],
      [401, 'token expired\n', {}, { message: 'token expired' }],
      [502, '<html><head><style>p{}</style><title>502</title></head><body>Bad <b>gateway</b></body></html>', { 'Content-Type': 'text/html' }, { message: '502 Bad gateway' }],
      [302, '', { Location: 'https://login.test/' }, { message: 'redirected to https://login.test/', reason: 'Redirect' }],
      [500, '', {}, { message: 'Internal Server Error' }],
    ];
    for (const [code, body, headers, expected] of answers) {
      const { transport } = await setUp({ intercept: (_, response) => reply(response, code, body, headers) });
      expect(await transport.get('/x')).toMatchObject({ code, ...expected });
    }
  });

  test('a server behind a path prefix', async () => {
    const { transport, double } = await setUp({ intercept: (_, response) => reply(response, 200, {}) }, { prefix: '/k8s/clusters/c-1/' });
    await transport.get('/version');
    expect(double.asked).toEqual(['/k8s/clusters/c-1/version']);
  });

  test('never more than eight requests at a time', async () => {
    let inside = 0;
    let most = 0;
    const { transport } = await setUp({ intercept: (_, response) => {
      most = Math.max(most, ++inside);
      setTimeout(() => (inside--, reply(response, 200, {})), 20);
      return true;
    } });
    await Promise.all(Array.from({ length: 30 }, (_, i) => transport.get(`/${i}`)));
    expect(most).toBe(8);
  });
});

test('the proxy of the environment, as Go reads it', () => {
  const via = (server: string, env: Record<string, string>) => proxyFromEnvironment(new URL(server), env);
  const proxy = { HTTPS_PROXY: 'http://proxy:3128' };
  expect(via('https://api.example.com', proxy)).toBe('http://proxy:3128');
  expect(via('https://api.example.com', { https_proxy: 'proxy:3128' })).toBe('http://proxy:3128');
  expect(via('http://api.example.com', proxy)).toBe('');
  for (const local of ['https://localhost:6443', 'https://127.0.0.1', 'https://[::1]:6443']) expect(via(local, proxy)).toBe('');
  for (const rule of ['*', 'example.com', '.example.com', 'api.example.com', 'other, api.example.com:443']) expect(via('https://api.example.com', { ...proxy, NO_PROXY: rule })).toBe('');
  for (const rule of ['ample.com', 'api.example.com:6443', '10.0.0.0/8']) expect(via('https://api.example.com', { ...proxy, NO_PROXY: rule })).toBe('http://proxy:3128');
  expect(via('https://10.1.2.3:6443', { ...proxy, NO_PROXY: '10.0.0.0/8' })).toBe('');
  expect(via('https://11.1.2.3:6443', { ...proxy, NO_PROXY: '10.0.0.0/8' })).toBe('http://proxy:3128');
});
