import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type Socket, connect as netConnect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '../../src/model/errors.ts';
import { RESOURCES } from '../../src/model/resources.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { readCluster } from '../../src/source/cluster/index.ts';
import { type SourceOptions, openSource } from '../../src/source/index.ts';
import { certificate } from '../cluster/certificates.ts';
import { type Double, type DoubleOptions, reply, startDouble, status } from './api-double.ts';

const HOUR = 3_600_000;
const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

const start = async (options: DoubleOptions = {}): Promise<Double> => {
  const double = await startDouble(options);
  running.push(double);
  return double;
};
/** Reads a double as the flags alone say, with no kubeconfig of this machine. */
const open = (double: { url: string }, options: SourceOptions = {}) =>
  openSource({ namespaces: ['orders'], ...options, kube: { kubeconfig: empty, server: double.url, token: 'secret-token', ...options.kube } });

let dir = '';
let empty = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'strata-cluster-'));
  empty = join(dir, 'empty');
  await writeFile(empty, 'apiVersion: v1\nkind: Config\n');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const meta = (name: string, more: object = {}) => ({ name, namespace: 'orders', uid: `uid-${name}`, resourceVersion: '5', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', ...more });
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [{ name: 'c', ready: true, state: { running: {} } }] };
const pod = (name: string, more: object = {}, metadata: object = {}) => ({ apiVersion: 'v1', kind: 'Pod', metadata: meta(name, metadata), spec: { nodeName: 'n1', containers: [{ name: 'c' }] }, status: ready, ...more });
const node = (name: string, value = 'True') => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name }, status: { conditions: [{ type: 'Ready', status: value }] } });
const space = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: `ns-${name}`, ...more }, status: { phase: 'Active' } });
const world = (...objects: unknown[]) => [space('orders'), space('kube-system'), space('default'), node('n1'), ...objects];
const pods = (count: number, more: object = {}) => Array.from({ length: count }, (_, i) => pod(`p${i}`, more));

describe('reading a healthy namespace', () => {
  test('costs the same few requests for any size, but for pages', async () => {
    const counts: number[] = [];
    for (const size of [10, 600, 1300]) {
      const double = await start({ objects: world(...pods(size)) });
      const { snapshot, scope } = await open(double);
      expect(snapshot.seen('Pod').length).toBe(size);
      expect(snapshot.list('Pod', 'orders').state).toBe('known');
      expect(scope).toEqual({ namespaces: ['orders'], all: false, targets: [] });
      expect(snapshot.cost.requests).toBe(double.asked.length);
      const pages = double.asked.filter((path) => path.includes('continue=')).length;
      expect(pages).toBe(Math.ceil(size / 500) - 1);
      counts.push(double.asked.length - pages);
      expect(double.sockets).toBeLessThanOrEqual(8);
    }
    expect(new Set(counts).size).toBe(1);
    expect(counts[0]).toBeLessThanOrEqual(25);
  });

  test('-A costs as few', async () => {
    const double = await start({ objects: world(pod('a'), pod('b', {}, { namespace: 'shop' })) });
    const { snapshot, scope } = await open(double, { all: true });
    expect(scope).toMatchObject({ all: true, namespaces: [] });
    expect(snapshot.list('Pod').state).toBe('known');
    expect(snapshot.seen('Pod').length).toBe(2);
    expect(snapshot.get('Namespace', undefined, 'gone').state).toBe('absent');
    expect(double.asked.length).toBeLessThanOrEqual(25);
  });

  test('owners of foreign kinds are read as far as the budget goes', async () => {
    const kinds = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta'];
    const resources = [...RESOURCES, ...kinds.map((kind) => ({ group: 'db.example.com', version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced: true }))];
    const owners = kinds.map((kind) => ({ apiVersion: 'db.example.com/v1', kind, metadata: meta(kind.toLowerCase()) }));
    const owned = kinds.map((kind, i) => pod(`p${i}`, {}, { ownerReferences: [{ apiVersion: 'db.example.com/v1', kind, name: kind.toLowerCase(), uid: `uid-${kind.toLowerCase()}`, controller: true }] }));
    const double = await start({ objects: world(...owners, ...owned), resources });
    const { snapshot } = await open(double);
    expect(snapshot.seen('Alpha.db.example.com').length).toBe(1);
    expect(double.asked.length).toBeLessThanOrEqual(25);
  });

  test('says what it read when: version, list versions, clock, health', async () => {
    const double = await start({ objects: world(pod('a')) });
    const before = Date.now();
    const { snapshot } = await open(double);
    expect(snapshot.server).toMatchObject({ reached: true, version: 'v1.34.4', endpoint: double.url, failures: [], consistentRead: true });
    expect(snapshot.server.connection.map((step) => [step.step, step.ok])).toEqual([['tcp', true], ['http', true]]);
    expect(snapshot.server.health.filter((check) => check.check === 'etcd').map((check) => [check.path, check.ok])).toEqual([['/readyz', true], ['/livez', true]]);
    expect(snapshot.coverage.find((entry) => entry.kind === 'Pod')).toMatchObject({ namespace: 'orders', state: 'complete', count: 1, resourceVersion: '1000' });
    expect(snapshot.now).toBeGreaterThanOrEqual(before - 2_000);
    expect(double.asked.some((path) => path === '/api/v1/namespaces/orders/pods?limit=1')).toBe(true);
    expect(double.asked.every((path) => !path.includes('secrets') && !path.includes('configmaps'))).toBe(true);
  });
});

describe('when the API refuses', () => {
  test('a kind that is not served is proven empty; a forbidden one is unknown, with the words of the server', async () => {
    const double = await start({
      objects: world(pod('a')), resources: RESOURCES.filter((each) => each.kind !== 'PodDisruptionBudget'),
      intercept: (url, response) => (url.pathname.endsWith('/events') ? reply(response, 403, status(403, 'Forbidden', 'events is forbidden: User "u" cannot list')) : undefined),
    });
    const { snapshot } = await open(double);
    expect(snapshot.list('PodDisruptionBudget', 'orders')).toEqual({ state: 'known', value: [] });
    expect(snapshot.list('Event', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'forbidden', message: expect.stringContaining('cannot list') } });
    expect(snapshot.server.failures).toEqual([expect.objectContaining({ path: '/api/v1/namespaces/orders/events', code: 403, reason: 'Forbidden' })]);
  });

  test('a namespace that does not exist is told from one that is empty', async () => {
    const double = await start({ objects: world() });
    expect((await open(double, { namespaces: ['nowhere'] })).snapshot.get('Namespace', undefined, 'nowhere').state).toBe('absent');
    expect((await open(double)).snapshot.get('Namespace', undefined, 'orders').state).toBe('known');
  });

  test('an unknown token: everything is unknown, nothing more is asked', async () => {
    const double = await start({ intercept: (_, response) => reply(response, 401, status(401, 'Unauthorized', 'Unauthorized')) });
    const { snapshot } = await open(double);
    expect(snapshot.server).toMatchObject({ reached: true, failures: [{ path: '/version', code: 401, reason: 'Unauthorized' }] });
    expect(snapshot.list('Pod', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'failed', message: 'Unauthorized' } });
    expect(double.asked).toEqual(['/version']);
  });

  test('another server than an API proves nothing', async () => {
    const double = await start({ intercept: (_, response) => reply(response, 404, '<html><body><h1>Not found</h1></body></html>', { 'Content-Type': 'text/html' }) });
    const { snapshot } = await open(double);
    for (const kind of ['Pod', 'Deployment', 'PodDisruptionBudget']) expect(snapshot.list(kind, 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'failed' } });
    expect(snapshot.server.failures[0]?.message).toContain('not the answer of a Kubernetes API');
    const login = await start({ intercept: (_, response) => reply(response, 200, '<html>Please log in</html>', { 'Content-Type': 'text/html' }) });
    expect((await open(login)).snapshot.list('Pod', 'orders').state).toBe('unknown');
  });

  test('429 and 503 are waited for as asked, then read', async () => {
    let refused = 0;
    const double = await start({ objects: world(pod('a')), intercept: (url, response) => {
      if (!url.pathname.endsWith('/services') || refused >= 2) return;
      return reply(response, refused++ === 0 ? 429 : 503, 'Too many requests, please try again later.', { 'Retry-After': '1' });
    } });
    const started = Date.now();
    const { snapshot } = await open(double);
    expect(snapshot.list('Service', 'orders').state).toBe('known');
    expect(Date.now() - started).toBeGreaterThanOrEqual(2_000);
    expect(snapshot.server.failures).toEqual([]);
  });

  test('an overall time-out ends the waiting, and what was read stays', async () => {
    const double = await start({ objects: world(pod('a')), intercept: (url) => url.pathname.endsWith('/services') });
    const started = Date.now();
    const { snapshot } = await open(double, { requestTimeout: 1_000 });
    expect(Date.now() - started).toBeLessThan(4_000);
    expect(snapshot.list('Pod', 'orders').state).toBe('known');
    expect(snapshot.list('Service', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'failed', message: expect.stringContaining('no answer within') } });
  });
});

describe('pages', () => {
  test('410 goes on with the fresh token of the body', async () => {
    let expired = false;
    const double = await start({ objects: world(...pods(1200)), intercept: (url, response) => {
      if (url.searchParams.get('continue') !== '500' || expired) return;
      expired = true;
      return reply(response, 410, status(410, 'Expired', 'too old', { metadata: { continue: '500' } }));
    } });
    const { snapshot } = await open(double);
    expect(snapshot.list('Pod', 'orders').state).toBe('known');
    expect(new Set(snapshot.seen('Pod').map((one) => one.metadata.name)).size).toBe(1200);
    expect(double.asked.filter((path) => path.startsWith('/api/v1/namespaces/orders/pods?limit=500'))).toEqual(['', '&continue=500', '&continue=500', '&continue=1000'].map((token) => `/api/v1/namespaces/orders/pods?limit=500${token}`));
  });

  test('410 without a token starts the list over, once', async () => {
    let expired = 0;
    const double = await start({ objects: world(...pods(700)), intercept: (url, response) => (url.searchParams.has('continue') && expired++ < 1 ? reply(response, 410, status(410, 'Expired', 'too old')) : undefined) });
    expect((await open(double)).snapshot.seen('Pod').length).toBe(700);
    const always = await start({ objects: world(...pods(700)), intercept: (url, response) => (url.searchParams.has('continue') ? reply(response, 410, status(410, 'Expired', 'too old')) : undefined) });
    const { snapshot } = await open(always);
    expect(snapshot.list('Pod', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'truncated' } });
    expect(snapshot.seen('Pod').length).toBe(500);
  });

  test('pages that never end are given up', async () => {
    const double = await start({ objects: world(), intercept: (url, response) => (url.pathname.endsWith('/events') ? reply(response, 200, { kind: 'EventList', apiVersion: 'v1', metadata: { continue: 'again' }, items: [{ metadata: meta('e') }] }) : undefined) });
    const { snapshot } = await open(double);
    expect(snapshot.list('Event', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'truncated', message: 'the pages of the list do not end' } });
  });

  test('objects that are none, in a list of the server, are left out with a note', async () => {
    const double = await start({ objects: world(), intercept: (url, response) => (url.pathname.endsWith('/jobs') ? reply(response, 200, { kind: 'JobList', apiVersion: 'batch/v1', metadata: {}, items: [null, 7, {}, { metadata: { name: 5 } }, { metadata: meta('j') }] }) : undefined) });
    const { snapshot } = await open(double);
    expect(snapshot.seen('Job').map((job) => [job.metadata.name, job.apiVersion])).toEqual([['j', 'batch/v1']]);
    expect(snapshot.notes.length).toBeGreaterThan(0);
  });

  test('a failure between pages leaves what came, as truncated', async () => {
    const double = await start({ objects: world(...pods(700)), intercept: (url, response) => (url.searchParams.has('continue') ? reply(response, 500, status(500, 'InternalError', 'etcdserver: request timed out')) : undefined) });
    const { snapshot } = await open(double);
    expect(snapshot.seen('Pod').length).toBe(500);
    expect(snapshot.coverage.find((entry) => entry.kind === 'Pod')).toMatchObject({ state: 'truncated', code: 500, count: 500 });
  });

  test('half an answer and a wrong one are failures of that list alone', async () => {
    const double = await start({ objects: world(pod('a')), intercept: (url, response) => {
      if (url.pathname.endsWith('/jobs')) {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
        response.write('{"kind":"JobList","items":[');
        setTimeout(() => response.destroy(), 20);
        return true;
      }
      return url.pathname.endsWith('/cronjobs') ? reply(response, 200, '{"kind":"CronJobList","items":[', { 'Content-Type': 'application/json' }) : undefined;
    } });
    const { snapshot } = await open(double);
    expect(snapshot.list('Pod', 'orders').state).toBe('known');
    for (const kind of ['Job', 'CronJob']) expect(snapshot.list(kind, 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'failed' } });
  });

});

describe('storage without a quorum', () => {
  test.each([['by the health check', 60_000, true], ['by its own silence', 300, false]])('consistent reads hang, told %s: the caches are read, and the failure is told', async (_, consistent, unready) => {
    const double = await start({ objects: world(pod('a')), intercept: (url, response) => {
      if (url.pathname === '/readyz' && unready) return reply(response, 500, '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n');
      return url.pathname.startsWith('/api') && (url.searchParams.get('resourceVersion') !== '0' || url.pathname.endsWith('/events'));
    } });
    const { input } = await readCluster({ namespaces: ['orders'], kube: { kubeconfig: empty, server: double.url } }, [], { hello: 1_000, consistent, cached: 200, step: 200 });
    const snapshot = new Snapshot(input);
    expect(snapshot.seen('Pod').length).toBe(1);
    // Given up because of the health check, the read itself says nothing.
    expect(snapshot.server.consistentRead).toBe(unready ? undefined : false);
    expect(snapshot.get('Namespace', undefined, 'orders').state).toBe('known');
    expect(snapshot.coverage.find((entry) => entry.kind === 'Pod')).toMatchObject({ state: 'complete', message: expect.stringContaining('cache') });
    // Events are not cached (apiserver, registry/core/rest); they hang there, too.
    expect(snapshot.list('Event', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'failed', message: 'no answer within 0.2 s' } });
    if (unready) expect(snapshot.server.health).toEqual(expect.arrayContaining([{ path: '/readyz', check: 'etcd', ok: false, message: 'failed: reason withheld' }, { path: '/readyz', check: '', ok: false, code: 500, message: 'readyz check failed' }]));
    expect(snapshot.server.failures).toEqual((unready ? ['events'] : ['pods', 'events']).map((name) => expect.objectContaining({ path: `/api/v1/namespaces/orders/${name}`, code: null, reason: 'ETIMEDOUT' })));
  });

  test('504 on consistent reads does the same at once', async () => {
    const double = await start({ objects: world(pod('a')), intercept: (url, response) =>
      url.pathname.startsWith('/api') && url.searchParams.get('resourceVersion') !== '0' && url.pathname !== '/apis' ? reply(response, 504, { metadata: {}, status: 'Failure', message: 'Timeout: request did not complete within the allotted timeout', reason: 'Timeout', code: 504 }) : undefined });
    const { snapshot } = await open(double);
    expect(snapshot.list('Pod', 'orders').state).toBe('known');
    expect(snapshot.server.failures).toEqual([expect.objectContaining({ code: 504, reason: 'Timeout' })]);
  });
});

describe('no connection', () => {
  const closedPort = async (): Promise<string> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    return `https://127.0.0.1:${port}`;
  };
  const steps = async (url: string, kube: SourceOptions['kube'] = {}) => {
    const { snapshot } = await open({ url }, { kube });
    expect(snapshot.server.reached).toBe(false);
    expect(snapshot.list('Pod', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'failed' } });
    expect(snapshot.server.failures[0]).toMatchObject({ path: '/version', code: null });
    return { server: snapshot.server, told: snapshot.server.connection.map((step) => [step.step, step.ok, step.code]) };
  };

  test('a closed port', async () => {
    expect((await steps(await closedPort())).told).toEqual([['tcp', false, 'ECONNREFUSED']]);
  });

  test('what was shown as credential, with its dates and without its secret', async () => {
    const jwt = (claims: object) => ['{"alg":"x"}', JSON.stringify(claims), 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.');
    const refusing = await start({ intercept: (_, response) => reply(response, 401, status(401, 'Unauthorized', 'Unauthorized')) });
    const credential = async (kube: SourceOptions['kube']) => (await open(refusing, { kube })).snapshot.server.credential;
    expect(await credential({ token: 'opaque' })).toEqual({ kind: 'token', subject: '' });
    const token = jwt({ sub: 'system:serviceaccount:a:b', nbf: 1_700_000_000, exp: 1_700_003_600 });
    expect(await credential({ token })).toEqual({ kind: 'token', subject: 'system:serviceaccount:a:b', notBefore: '2023-11-14T22:13:20Z', notAfter: '2023-11-14T23:13:20Z' });
    expect(await credential({ token: '' })).toEqual({ kind: 'none', subject: '' });
    const client = certificate({ commonName: 'jane', notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2026-01-02T00:00:00Z') });
    const file = join(dir, 'client-config');
    await writeFile(file, JSON.stringify({ 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }], clusters: [{ name: 'c', cluster: { server: refusing.url } }], users: [{ name: 'u', user: { 'client-certificate-data': Buffer.from(client.cert).toString('base64'), 'client-key-data': Buffer.from(client.key).toString('base64') } }] }));
    const { snapshot } = await openSource({ kube: { kubeconfig: file } });
    expect(snapshot.server.credential).toEqual({ kind: 'certificate', subject: 'jane', notBefore: '2026-01-01T00:00:00Z', notAfter: '2026-01-02T00:00:00Z' });
  });

  test('a name that nobody knows', async () => {
    const { told } = await steps('https://api.strata.invalid:6443');
    expect(told[0]?.slice(0, 2)).toEqual(['dns', false]);
    expect(told[0]?.[2]).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  test('certificates: unknown authority, expired, wrong name; each shown', async () => {
    const ca = certificate({ commonName: 'test-ca', ca: true });
    const caFile = join(dir, 'ca.crt');
    await writeFile(caFile, ca.cert);
    const good = certificate({ commonName: 'api', ips: ['127.0.0.1'], names: ['api.test'] }, ca);
    const old = certificate({ commonName: 'api', ips: ['127.0.0.1'], notBefore: new Date(Date.now() - 48 * HOUR), notAfter: new Date(Date.now() - HOUR) }, ca);
    const other = certificate({ commonName: 'api', names: ['elsewhere.test'] }, ca);
    const told = async (tls: typeof good, kube: SourceOptions['kube']) => steps((await start({ tls })).url, kube);

    const unknown = await told(good, {});
    expect(unknown.told.slice(0, 2).map((step) => step.slice(0, 2))).toEqual([['tcp', true], ['tls', false]]);
    expect(unknown.server.certificate).toMatchObject({ subject: 'api', issuer: 'test-ca', names: expect.arrayContaining(['api.test', '127.0.0.1']) });
    expect(unknown.server.connection[1]?.message).toContain('unknown authority');
    const expired = await told(old, { certificateAuthority: caFile });
    expect(expired.told[1]).toEqual(['tls', false, 'CERT_HAS_EXPIRED']);
    expect(Date.parse(expired.server.certificate?.notAfter ?? '')).toBeLessThan(Date.now());
    expect((await told(other, { certificateAuthority: caFile })).told[1]).toEqual(['tls', false, 'ERR_TLS_CERT_ALTNAME_INVALID']);

    for (const kube of [{ certificateAuthority: caFile }, { insecureSkipTlsVerify: true }, { certificateAuthority: caFile, tlsServerName: 'api.test' }]) {
      const { snapshot } = await open(await start({ tls: good, objects: world(pod('a')) }), { kube });
      expect(snapshot.server).toMatchObject({ reached: true, certificate: { subject: 'api' } });
      expect(snapshot.server.serverName).toBe(kube.tlsServerName);
      expect(snapshot.server.connection.map((step) => step.step)).toEqual(['tcp', 'tls', 'http']);
    }
  });

  test('a port that speaks no TLS, and one that says nothing', async () => {
    const plain = await start();
    expect((await steps(plain.url.replace('http:', 'https:'))).told[1]?.slice(0, 2)).toEqual(['tls', false]);
    const mute = createServer(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    running.push({ close: () => new Promise((resolve) => (mute.close(() => resolve()), resolve())) });
    const url = `https://127.0.0.1:${(mute.address() as { port: number }).port}`;
    const { input } = await readCluster({ namespaces: ['orders'], kube: { kubeconfig: empty, server: url } }, [], { hello: 200, consistent: 200, cached: 200, step: 200 });
    expect(input.server.reached).toBe(false);
    expect(input.server.connection.map((step) => [step.step, step.ok])).toEqual([['tcp', true], ['tls', false]]);
  });
});

describe('kubeconfig', () => {
  const config = (more: object = {}) => ({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'one',
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u', namespace: 'orders' } }, { name: 'two', context: { cluster: 'gone', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token: 'from-file' } }], ...more,
  });
  const write = async (name: string, content: unknown) => {
    const path = join(dir, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const refusal = async (kube: SourceOptions['kube']): Promise<UserError> => {
    const error: unknown = await openSource({ kube }).then(() => null, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    return error as UserError;
  };

  test('what has to be put right first is one sentence with a hint', async () => {
    const file = await write('config', config());
    expect((await refusal({ kubeconfig: join(dir, 'none') })).message).toContain('does not exist');
    expect((await refusal({ kubeconfig: await write('broken', 'a: [b\nc') })).message).toContain('is broken');
    expect((await refusal({ kubeconfig: await write('text', 'hello') })).message).toContain('is broken');
    expect((await refusal({ kubeconfig: empty })).message).toContain('no current context');
    const unknown = await refusal({ kubeconfig: file, context: 'three' });
    expect([unknown.message, unknown.hint]).toEqual(['The kubeconfig has no context "three".', 'It has "one", "two".']);
    expect((await refusal({ kubeconfig: file, context: 'two' })).message).toContain('no cluster "gone"');
    expect((await refusal({ kubeconfig: file, user: 'nobody' })).message).toContain('no user "nobody"');
    expect((await refusal({ kubeconfig: file, certificateAuthority: join(dir, 'no-ca') })).message).toContain('certificate authority');
    expect((await refusal({ kubeconfig: file, server: 'http://[' })).message).toContain('not the address');
    const plugin = await write('plugin', config({ users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'strata-no-such-plugin', installHint: 'Install the plugin.' } } }] }));
    expect(await refusal({ kubeconfig: plugin })).toMatchObject({ message: expect.stringContaining('is not installed'), hint: 'Install the plugin.', exitCode: 5 });
  });

  test('tokens, token files, exec plugins, basic auth and impersonation reach the server', async () => {
    const double = await start({ objects: world() });
    const cluster = { clusters: [{ name: 'c', cluster: { server: double.url } }] };
    const headers = async (user: object, kube: SourceOptions['kube'] = {}) => {
      const { scope } = await openSource({ kube: { kubeconfig: await write('config-user', config({ ...cluster, users: [{ name: 'u', user }] })), ...kube } });
      expect(scope.namespaces).toEqual(['orders']);
      return double.headers;
    };
    await write('token', 'from-token-file\n');
    expect((await headers({ token: 'plain' })).authorization).toBe('Bearer plain');
    expect((await headers({ tokenFile: 'token' })).authorization).toBe('Bearer from-token-file');
    expect((await headers({ username: 'a', password: 'b' })).authorization).toBe(`Basic ${Buffer.from('a:b').toString('base64')}`);
    expect((await headers({ exec: { command: 'false' } }, { token: 'flag' })).authorization).toBe('Bearer flag');
    const script = 'const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO); console.log(JSON.stringify({ status: { token: "exec-" + spec.interactive } }))';
    expect((await headers({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['-e', script] } })).authorization).toBe('Bearer exec-false');
    const impersonated = await headers({ token: 't' }, { as: 'jane', asGroup: ['dev', 'ops'] });
    expect(impersonated).toMatchObject({ 'impersonate-user': 'jane', 'impersonate-group': 'dev, ops' });
    expect(await headers({ token: 't', as: 'joe', 'as-groups': ['qa'] })).toMatchObject({ 'impersonate-user': 'joe', 'impersonate-group': 'qa' });
  });
});

describe('reading on where something is wrong', () => {
  const asked = (double: Double) => new Set(double.asked.map((path) => path.replace(/\?.*/, '')));

  test('a webhook that refuses leads to its configuration, its Service and the pods behind it', async () => {
    const double = await start({ objects: world(
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: meta('web-1'), spec: { replicas: 1 }, status: { replicas: 0, observedGeneration: 1 } },
      { apiVersion: 'v1', kind: 'Event', metadata: meta('e'), type: 'Warning', reason: 'FailedCreate', message: 'Error creating: Internal error occurred: failed calling webhook "guard.example.com": no endpoints', involvedObject: { kind: 'ReplicaSet', name: 'web-1', uid: 'uid-web-1' } },
      { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'guard' }, webhooks: [{ name: 'guard.example.com', clientConfig: { service: { namespace: 'guards', name: 'guard' } } }, { name: 'other.example.com', clientConfig: { service: { namespace: 'elsewhere', name: 'x' } } }] },
    ) });
    const { snapshot } = await open(double);
    for (const path of ['/api/v1/namespaces/guards', '/api/v1/namespaces/guards/services', '/api/v1/namespaces/guards/pods', '/apis/discovery.k8s.io/v1/namespaces/guards/endpointslices', '/apis/coordination.k8s.io/v1/leases']) expect(asked(double)).toContain(path);
    expect(snapshot.get('Service', 'guards', 'guard').state).toBe('absent');
    expect(snapshot.get('Namespace', undefined, 'guards').state).toBe('absent');
    expect([...asked(double)].some((path) => path.includes('elsewhere'))).toBe(false);
  });

  test('nothing behind a webhook that answered, nor behind another of its name that was not called', async () => {
    const hooks = (name: string) => ({ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name }, webhooks: [{ name: 'guard.example.com', clientConfig: { service: { namespace: name, name: 'guard' } } }] });
    const refused = async (message: string) => {
      const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: meta('web-1'), spec: { replicas: 1 }, status: { replicas: 0, observedGeneration: 1 } };
      const event = { apiVersion: 'v1', kind: 'Event', metadata: meta('e'), type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${message}`, involvedObject: { kind: 'ReplicaSet', name: 'web-1', uid: 'uid-web-1' } };
      const double = await start({ objects: world(set, event, hooks('guards'), hooks('elsewhere')) });
      await open(double);
      return [...asked(double)];
    };
    const denied = await refused('admission webhook "guard.example.com" denied the request: no owner');
    expect(denied).toContain('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations');
    expect(denied.filter((path) => /guards|elsewhere/.test(path))).toEqual([]);
    const called = await refused('Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.guards.svc:443/v?timeout=10s": context deadline exceeded');
    expect(called).toContain('/api/v1/namespaces/guards/services');
    expect(called.filter((path) => path.includes('elsewhere'))).toEqual([]);
    const changed = await refused('Pod "web-1-x" is invalid: spec.containers[0].image: Required value');
    expect(changed).toContain('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations');
  });

  test('a pod refused for its configuration: the objects it names, by metadata, and keys only where a key is missing', async () => {
    const waiting = (message: string) => pod('a', {
      spec: { nodeName: 'n1', containers: [{ name: 'c', env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'db', key: 'pw' } } }], envFrom: [{ configMapRef: { name: 'settings' } }] }] },
      status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }], containerStatuses: [{ name: 'c', state: { waiting: { reason: 'CreateContainerConfigError', message } } }] },
    });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: meta('db'), data: { user: 'c2VjcmV0LXVzZXI=' } };
    const missing = await start({ objects: world(waiting('configmap "settings" not found'), secret) });
    const one = (await open(missing)).snapshot;
    expect(one.get('ConfigMap', 'orders', 'settings').state).toBe('absent');
    expect(one.get('Secret', 'orders', 'db').state).toBe('known');
    expect(one.get('Secret', 'orders', 'other').state).toBe('unknown');
    const key = await start({ objects: world(waiting('couldn\'t find key pw in Secret orders/db'), secret) });
    const two = (await open(key)).snapshot;
    expect(two.seen('Secret')[0]).toMatchObject({ data: { user: '' } });
    expect(JSON.stringify(two.seen('Secret'))).not.toContain('c2VjcmV0');
  });

  test('unscheduled pods ask for the room on all nodes; lost nodes for what runs there', async () => {
    const pending = pod('a', { spec: { containers: [{ name: 'c' }] }, status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available: 1 Insufficient cpu.' }] } });
    const double = await start({ objects: world(pending, pod('x', {}, { namespace: 'kube-system' })) });
    expect((await open(double)).snapshot.list('Pod').state).toBe('known');
    const lost = await start({ objects: world(node('n2', 'Unknown'), pod('b', { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } })) });
    await open(lost);
    expect(lost.asked).toContain('/api/v1/pods?limit=500&fieldSelector=spec.nodeName%3Dn2');
    expect(asked(lost)).toContain('/api/v1/namespaces/default/events');
  });

  test('an object read twice is there once, as it was last', async () => {
    let lists = 0;
    const pending = (phase: string) => pod('a', { status: { phase, conditions: [{ type: 'Ready', status: 'False' }] } });
    const double = await start({ objects: world(pending('Pending'), pod('z')), intercept: (url, response) => (url.searchParams.has('fieldSelector') ? (lists++, reply(response, 200, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [pending('Running')] })) : undefined) });
    const { snapshot } = await open(double);
    expect(lists).toBeGreaterThan(0);
    expect(snapshot.seen('Pod').map((one) => [one.metadata.name, one.status?.phase])).toEqual([['a', 'Running'], ['z', 'Running']]);
  });

  test('a terminating namespace: what remains in it, found by discovery', async () => {
    const resources = [...RESOURCES, { group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true }];
    const double = await start({ resources, objects: [
      ...world().slice(1),
      { ...space('orders', { deletionTimestamp: '2026-01-01T00:00:00Z' }), status: { phase: 'Terminating', conditions: [
        { type: 'NamespaceContentRemaining', status: 'True', message: 'Some resources are remaining: secrets. has 1 resource instances, widgets.example.com has 1 resource instances' },
        { type: 'NamespaceFinalizersRemaining', status: 'True', message: 'Some content in the namespace has finalizers remaining: example.com/cleanup in 1 resource instances' },
      ] } },
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: meta('w', { finalizers: ['example.com/cleanup'], deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    ] });
    const { snapshot } = await open(double);
    expect(snapshot.seen('Widget.example.com').map((one) => one.metadata.finalizers)).toEqual([['example.com/cleanup']]);
    expect(asked(double)).toContain('/apis/apps/v1/deployments');
    expect(asked(double)).toContain('/apis/apiregistration.k8s.io/v1/apiservices');
  });

  test('a target of a type that only the server knows', async () => {
    const resources = [...RESOURCES, { group: 'db.example.com', version: 'v1', resource: 'databases', kind: 'Database', namespaced: true, short: ['db'] }];
    const double = await start({ resources, objects: world({ apiVersion: 'db.example.com/v1', kind: 'Database', metadata: meta('main') }) });
    const { snapshot, scope } = await open(double, { targets: ['db/main'] });
    expect(scope.targets).toEqual([{ kind: 'Database.db.example.com', name: 'main', namespace: 'orders' }]);
    expect(snapshot.seen('Database.db.example.com').length).toBe(1);
    await expect(open(double, { targets: ['frobs/x'] })).rejects.toThrow(/frobs/);
  });

  test('a pending claim leads to its class, its driver and the driver\'s pods', async () => {
    const claim = (more: object = {}) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: meta('data'), spec: { storageClassName: 'fast' }, status: { phase: 'Pending' }, ...more });
    const fast = (mode: string) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'disk.example.com', volumeBindingMode: mode });
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'external-resizer-disk-example-com', namespace: 'storage' } };
    const held = await start({ objects: world(claim(), fast('Immediate'), lease) });
    await open(held);
    for (const path of ['/api/v1/persistentvolumes', '/apis/storage.k8s.io/v1/csidrivers', '/apis/storage.k8s.io/v1/csinodes', '/api/v1/namespaces/storage/pods']) expect(asked(held)).toContain(path);
    expect(asked(held)).not.toContain('/api/v1/pods');
    const silent = await start({ objects: world(claim(), fast('Immediate'), { ...lease, metadata: { name: 'other', namespace: 'x' } }) });
    expect((await open(silent)).snapshot.list('Pod').state).toBe('known');
    const waiting = await start({ objects: world(claim(), fast('WaitForFirstConsumer')) });
    await open(waiting);
    expect(asked(waiting)).not.toContain('/api/v1/persistentvolumes');
  });

  test('a control plane that renews no Lease: its pods', async () => {
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta('web', { generation: 2 }), spec: { replicas: 1 }, status: { observedGeneration: 1, availableReplicas: 1, updatedReplicas: 1 } };
    const lease = (renewTime: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'kube-controller-manager', namespace: 'kube-system' }, spec: { renewTime } });
    const dead = await start({ objects: world(deployment, lease('2026-01-01T00:00:00.000000Z')) });
    await open(dead);
    expect(asked(dead)).toContain('/api/v1/namespaces/kube-system/pods');
    const alive = await start({ objects: world(deployment, lease(new Date().toISOString())) });
    await open(alive);
    expect(asked(alive)).not.toContain('/api/v1/namespaces/kube-system/pods');
  });

  test('certificates of an Ingress by one list of metadata; the budget holds with everything healthy at once', async () => {
    const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: meta('web'), spec: { ingressClassName: 'x', tls: [{ secretName: 'cert' }] }, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
    const kinds = ['Alpha', 'Beta', 'Gamma'];
    const resources = [...RESOURCES, ...kinds.map((kind) => ({ group: 'db.example.com', version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced: true }))];
    const owned = kinds.map((kind, i) => pod(`p${i}`, {}, { ownerReferences: [{ apiVersion: 'db.example.com/v1', kind, name: 'x', uid: 'x', controller: true }] }));
    const double = await start({ objects: world(ingress), resources });
    const { snapshot } = await open(double);
    expect(snapshot.get('Secret', 'orders', 'cert').state).toBe('absent');
    expect(double.asked.length).toBeLessThanOrEqual(25);
    const full = await start({ objects: world(ingress, ...owned), resources });
    await open(full);
    expect(full.asked.length).toBe(25);
  });

  test('slices that may not be read: the older Endpoints instead', async () => {
    const double = await start({ objects: world({ apiVersion: 'v1', kind: 'Endpoints', metadata: meta('web') }), intercept: (url, response) =>
      url.pathname.endsWith('/endpointslices') ? reply(response, 403, status(403, 'Forbidden', 'no')) : undefined });
    expect((await open(double)).snapshot.seen('Endpoints').length).toBe(1);
  });
});

describe('proxies', () => {
  test('the way goes through the proxy that the kubeconfig names, over kept connections; a dead proxy is told as such', async () => {
    const ca = certificate({ commonName: 'test-ca', ca: true });
    const double = await start({ tls: certificate({ commonName: 'api', ips: ['127.0.0.1'] }, ca), objects: world(...pods(20)) });
    let tunnels = 0;
    const proxy = createHttpServer();
    proxy.on('connect', (request, socket: Socket) => {
      tunnels++;
      const [host = '', port] = (request.url ?? '').split(':');
      const onward = netConnect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const one of [onward, socket]) one.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    running.push({ close: () => new Promise((resolve) => (proxy.close(() => resolve()), proxy.closeAllConnections())) });
    const via = async (proxyUrl: string) => {
      const file = join(dir, 'proxied');
      await writeFile(file, JSON.stringify({
        'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'orders' } }], users: [{ name: 'u', user: { token: 't' } }],
        clusters: [{ name: 'c', cluster: { server: double.url, 'proxy-url': proxyUrl, 'certificate-authority-data': Buffer.from(ca.cert).toString('base64') } }],
      }));
      return (await openSource({ kube: { kubeconfig: file } })).snapshot;
    };
    const { port } = proxy.address() as { port: number };
    const snapshot = await via(`http://127.0.0.1:${port}`);
    expect(snapshot.seen('Pod').length).toBe(20);
    expect(snapshot.server.connection.map((step) => step.step)).toEqual(['proxy', 'tls', 'http']);
    expect(tunnels).toBeGreaterThan(0);
    expect(tunnels).toBeLessThanOrEqual(8);
    proxy.close();
    proxy.closeAllConnections();
    const dead = await via(`http://127.0.0.1:${port}`);
    expect(dead.server.reached).toBe(false);
    expect(dead.server.connection).toEqual([expect.objectContaining({ step: 'proxy', ok: false, code: 'ECONNREFUSED' })]);
  });
});
