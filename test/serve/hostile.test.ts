import { readFileSync, statSync } from 'node:fs';
import { connect as plainConnect } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '../../src/model/errors.ts';
import { writeKubeconfig } from '../../src/serve/index.ts';
import { type Api, startApi } from './api.ts';

let api: Api;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
const alive = async () => expect((await api.get('/api/v1/namespaces/shop/pods')).code).toBe(200);

/** Sends bytes as they are and gives back what comes until the other side ends, or `ms` are over. */
function raw(text: string | Buffer, ms = 1500): Promise<string> {
  return new Promise((resolve) => {
    const { port } = new URL(api.url);
    const socket = connect({ host: '127.0.0.1', port: Number(port), ca: api.certificate }, () => socket.write(text));
    let got = '';
    socket.on('data', (chunk) => (got += chunk.toString()));
    socket.on('error', () => resolve(got));
    socket.on('close', () => resolve(got));
    setTimeout(() => socket.destroy(), ms);
  });
}

describe('whoever has no token learns nothing', () => {
  test('wrong, missing and strange credentials get the same words everywhere', async () => {
    const answers = new Set<string>();
    for (const header of ['', 'Bearer', 'Bearer x', `Bearer ${api.token}x`, `bearer ${api.token}`, `Basic ${Buffer.from(`a:${api.token}`).toString('base64')}`, `Bearer ${'a'.repeat(4000)}`]) {
      for (const path of ['/api/v1/namespaces/shop/pods', '/version', '/healthz', '/nowhere', '/apis']) {
        const { code, text } = await api.get(path, { Authorization: header });
        expect(code).toBe(401);
        answers.add(text);
      }
    }
    expect(answers.size).toBe(1);
    expect([...answers].join('')).not.toMatch(/shop|web|v1\.34/);
    expect((await api.get('/api/v1/namespaces/shop/pods', { Authorization: '' }, 'POST', '{}')).code).toBe(401);
    await alive();
  });

  test('plain HTTP and garbage get nothing', async () => {
    const { port } = new URL(api.url);
    const got = await new Promise<string>((resolve) => {
      const socket = plainConnect(Number(port), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
      socket.on('error', () => resolve(text));
      setTimeout(() => socket.destroy(), 1500);
    });
    expect(got).not.toMatch(/shop|HTTP\/1\.1 200/);
    await raw(Buffer.from([0, 1, 2, 3, 255, 254]));
    await alive();
  });
});

describe('hostile requests', () => {
  test('nothing can be written', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const { code, body, headers } = await api.get('/api/v1/namespaces/shop/pods', { 'Content-Type': 'application/json' }, method, '{"kind":"Pod"}');
      expect([method, code, body['reason'], headers.allow]).toEqual([method, 405, 'MethodNotAllowed', 'GET, HEAD']);
    }
    await alive();
  });

  test('paths that are long, odd or lead elsewhere', async () => {
    for (const path of ['/../../etc/passwd', '/api/v1/namespaces/..%2f..%2fetc/pods', '/api/v1/%zz/pods', '/api/v1//pods', '/api/v1/namespaces/shop/pods/a/b/c/d/e', '//evil.example/api', '/apis/__proto__/v1/constructor', '/api/v1/namespaces/shop/pods/__proto__', `/api/v1/${'a'.repeat(8000)}`, '/api/v1/namespaces/shop/pods/%00']) {
      const { code, text } = await api.get(path);
      expect([path.slice(0, 40), code >= 400 && code < 500]).toEqual([path.slice(0, 40), true]);
      expect(text).not.toMatch(/root:|at \w+ \(/);
    }
    expect((await raw(`GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\n\r\n`))).not.toMatch(/200 OK/);
    await alive();
  });

  test('bodies that are large or no review', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    for (const body of ['', 'null', '[', '"x"', Buffer.from([0x6b, 0x38, 0x73, 0, 255, 255, 255, 255, 255]), Buffer.from('k8s\0'), 'x'.repeat(100_000)]) {
      expect((await api.get(path, {}, 'POST', body).catch(() => ({ code: 400 }))).code).toBe(400);
    }
    expect((await api.get(path, {}, 'POST', '{"spec":{"resourceAttributes":{"verb":{"a":1},"resource":[],"namespace":7}}}')).body['status']).toMatchObject({ allowed: false });
    await alive();
  });

  test('the review as kubectl writes it: protobuf', async () => {
    const field = (number: number, data: Buffer | string) => Buffer.concat([Buffer.from([number * 8 + 2, Buffer.byteLength(data)]), Buffer.from(data)]);
    const attributes = Buffer.concat([field(1, 'shop'), field(2, 'list'), field(5, 'pods')]);
    const review = Buffer.concat([Buffer.from('k8s\0'), field(1, Buffer.concat([field(1, 'authorization.k8s.io/v1'), field(2, 'SelfSubjectAccessReview')])), field(2, field(2, field(1, attributes)))]);
    expect((await api.get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { 'Content-Type': 'application/vnd.kubernetes.protobuf' }, 'POST', review)).body).toMatchObject({ spec: { resourceAttributes: { namespace: 'shop', verb: 'list', resource: 'pods' } }, status: { allowed: true } });
  });

  test('many that connect and say nothing leave room for one that asks', async () => {
    const { port } = new URL(api.url);
    const idle = Array.from({ length: 60 }, () => plainConnect(Number(port), '127.0.0.1').on('error', () => undefined));
    const slow = raw('GET /api/v1/names', 1200);
    await alive();
    await slow;
    for (const socket of idle) socket.destroy();
  });

  test('queries that make a parser work', async () => {
    for (const query of [
      `labelSelector=${encodeURIComponent(`${'a,'.repeat(3000)}a`)}`,
      `labelSelector=${encodeURIComponent('('.repeat(3000))}`,
      `fieldSelector=${encodeURIComponent('\\'.repeat(3000))}`,
      `continue=${'a'.repeat(6000)}`,
      'limit=1e9',
    ]) {
      const started = performance.now();
      await api.get(`/api/v1/namespaces/shop/pods?${query}`, {}, 'GET').catch(() => null);
      expect(performance.now() - started).toBeLessThan(3000);
    }
    await alive();
  });
});

describe('its kubeconfig', () => {
  test('is for its owner alone, trusts this server alone, and goes away', async () => {
    const own = await writeKubeconfig(api, 'shop');
    expect(statSync(own.path).mode & 0o777).toBe(0o600);
    const config = JSON.parse(readFileSync(own.path, 'utf8')) as { clusters: { cluster: { server: string } }[]; contexts: { context: { namespace?: string } }[] };
    expect(config.clusters[0]?.cluster.server).toBe(api.url);
    expect(api.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(config.contexts[0]?.context.namespace).toBe('shop');
    own.remove();
    expect(() => statSync(own.path)).toThrow();
  });

  test('a port that is taken is the user\'s to choose again', async () => {
    const port = Number(new URL(api.url).port);
    await expect(startApi({ options: { port } })).rejects.toBeInstanceOf(UserError);
  });
});
