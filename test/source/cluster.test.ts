import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { RESOURCES } from '../../src/model/resources.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { readCluster } from '../../src/source/cluster/index.ts';
import { reply, status } from './api-double.ts';
import { doubles, meta, pod, world, pods } from './cluster-world.ts';

const { empty, open, start } = doubles();

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

  test('of a namespace nothing is listed in any other, and nothing is sent but GET', async () => {
    const methods = new Set<string | undefined>();
    const double = await start({ objects: world(pod('a')), intercept: (_, __, { method }) => void methods.add(method) });
    await open(double);
    const namespaced = new Set(RESOURCES.filter((each) => each.namespaced && each.kind !== 'Lease').map((each) => each.resource));
    const lists = double.asked.map((path) => path.replace(/\?.*/, '').split('/'));
    expect(lists.filter((path) => namespaced.has(path.at(-1) ?? '') && path.at(-3) !== 'namespaces').map((path) => path.join('/'))).toEqual([]);
    expect(lists.filter((path) => path.includes('namespaces') && path[path.indexOf('namespaces') + 1] !== 'orders').map((path) => path.join('/'))).toEqual([]);
    expect([...methods]).toEqual(['GET']);
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
    const owned = kinds.map((kind, i) =>
      pod(
        `p${i}`,
        {},
        {
          ownerReferences: [
            { apiVersion: 'db.example.com/v1', kind, name: kind.toLowerCase(), uid: `uid-${kind.toLowerCase()}`, controller: true },
          ],
        },
      ),
    );
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
  test('a kind that is not served is proven empty(); a forbidden one is unknown, with the words of the server', async () => {
    const double = await start({
      objects: world(pod('a')), resources: RESOURCES.filter((each) => each.kind !== 'PodDisruptionBudget'),
      intercept: (url, response) => (url.pathname.endsWith('/events') ? reply(response, 403, status(403, 'Forbidden', 'events is forbidden: User "u" cannot list')) : undefined),
    });
    const { snapshot } = await open(double);
    expect(snapshot.list('PodDisruptionBudget', 'orders')).toEqual({ state: 'known', value: [] });
    expect(snapshot.list('Event', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'forbidden', message: expect.stringContaining('cannot list') } });
    expect(snapshot.server.failures).toEqual([expect.objectContaining({ path: '/api/v1/namespaces/orders/events', code: 403, reason: 'Forbidden' })]);
  });

  test('what was named is read by its name where its kind may not be listed', async () => {
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta('web'), spec: { replicas: 1 }, status: {} };
    const main = { apiVersion: 'db.example.com/v1', kind: 'Database', metadata: meta('main') };
    const double = await start({
      objects: world(pod('a'), web, main), resources: [...RESOURCES, { group: 'db.example.com', version: 'v1', resource: 'databases', kind: 'Database', namespaced: true }],
      // get, and not list.
      intercept: (url, response) => (/\/(?:deployments|databases|nodes)$/.test(url.pathname) ? reply(response, 403, status(403, 'Forbidden', 'User "u" cannot list')) : undefined),
    });
    const { snapshot } = await open(double, { targets: ['deployment/web', 'databases.db.example.com/main', 'node/n1', 'deployment/gone'] });
    expect(snapshot.get('Deployment', 'orders', 'web').state).toBe('known');
    expect(snapshot.get('Database.db.example.com', 'orders', 'main').state).toBe('known');
    expect(snapshot.get('Node', undefined, 'n1').state).toBe('known');
    // A 404 proves that there is none; what was not named stays unknown.
    expect(snapshot.get('Deployment', 'orders', 'gone').state).toBe('absent');
    expect(snapshot.get('Deployment', 'orders', 'api').state).toBe('unknown');
    expect(snapshot.list('Deployment', 'orders').state).toBe('unknown');
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

  test.each([['plain', false], ['packed', true]])('the next page is on its way before one has come whole: %s', async (_, gzip) => {
    let release = (): void => undefined;
    const second = new Promise<void>((resolve) => (release = resolve));
    const page = (from: number, more: object): string =>
      JSON.stringify({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '7', ...more },
        items: pods(500).map((each, i) => ({ ...each, metadata: { ...each.metadata, name: `pod-${from + i}` } })),
      });
    const double = await start({
      objects: world(),
      intercept: (url, response) => {
        if (!url.pathname.endsWith('/pods') || url.searchParams.get('limit') !== '500') return;
        const next = url.searchParams.get('continue');
        if (next) release();
        const body = Buffer.from(next ? page(500, {}) : page(0, { continue: 'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ', remainingItemCount: 500 }));
        const bytes = gzip ? gzipSync(body) : body;
        response.writeHead(200, { 'Content-Type': 'application/json', ...(gzip ? { 'Content-Encoding': 'gzip' } : {}) });
        response.write(bytes.subarray(0, 2000));
        void second.then(() => response.end(bytes.subarray(2000)));
        return true;
      },
    });
    const { snapshot } = await open(double);
    expect(snapshot.seen('Pod').length).toBe(1000);
    expect(double.asked.filter((path) => path.includes('continue=')).length).toBe(1);
  });

  test('410 without a token starts the list over, once', async () => {
    let expired = 0;
    const double = await start({
      objects: world(...pods(700)),
      intercept: (url, response) =>
        url.searchParams.has('continue') && expired++ < 1 ? reply(response, 410, status(410, 'Expired', 'too old')) : undefined,
    });
    expect((await open(double)).snapshot.seen('Pod').length).toBe(700);
    const always = await start({ objects: world(...pods(700)), intercept: (url, response) => (url.searchParams.has('continue') ? reply(response, 410, status(410, 'Expired', 'too old')) : undefined) });
    const { snapshot } = await open(always);
    expect(snapshot.list('Pod', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'truncated' } });
    expect(snapshot.seen('Pod').length).toBe(500);
  });

  test('pages that never end are given up', async () => {
    const double = await start({
      objects: world(),
      intercept: (url, response) =>
        url.pathname.endsWith('/events')
          ? reply(response, 200, { kind: 'EventList', apiVersion: 'v1', metadata: { continue: 'again' }, items: [{ metadata: meta('e') }] })
          : undefined,
    });
    const { snapshot } = await open(double);
    expect(snapshot.list('Event', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'truncated', message: 'the pages of the list do not end' } });
  });

  test('objects that are none, in a list of the server, are left out with a note', async () => {
    const double = await start({
      objects: world(),
      intercept: (url, response) =>
        url.pathname.endsWith('/jobs')
          ? reply(response, 200, {
              kind: 'JobList',
              apiVersion: 'batch/v1',
              metadata: {},
              items: [null, 7, {}, { metadata: { name: 5 } }, { metadata: meta('j') }],
            })
          : undefined,
    });
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
  test.each([['by the health check', 60_000, true], ['by its own silence', 1_500, false]])('consistent reads hang, told %s: the caches are read, and the failure is told', async (_, consistent, unready) => {
    const double = await start({ objects: world(pod('a')), intercept: (url, response) => {
      if (url.pathname === '/readyz' && unready) return reply(response, 500, '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n');
      return url.pathname.startsWith('/api') && (url.searchParams.get('resourceVersion') !== '0' || url.pathname.endsWith('/events'));
    } });
    const { input } = await readCluster({ namespaces: ['orders'], kube: { kubeconfig: empty(), server: double.url } }, [], { hello: 1_000, consistent, cached: 1_500, step: 1_500 });
    const snapshot = new Snapshot(input);
    expect(snapshot.seen('Pod').length).toBe(1);
    // Given up because of the health check, the read itself says nothing.
    expect(snapshot.server.consistentRead).toBe(unready ? undefined : false);
    expect(snapshot.get('Namespace', undefined, 'orders').state).toBe('known');
    expect(snapshot.coverage.find((entry) => entry.kind === 'Pod')).toMatchObject({ state: 'complete', message: expect.stringContaining('cache') });
    // Events are not cached (apiserver, registry/core/rest); they hang there, too.
    expect(snapshot.list('Event', 'orders')).toMatchObject({
      state: 'unknown',
      why: { reason: 'failed', message: 'no answer within 1.5 s' },
    });
    if (unready)
      expect(snapshot.server.health).toEqual(
        expect.arrayContaining([
          { path: '/readyz', check: 'etcd', ok: false, message: 'failed: reason withheld' },
          { path: '/readyz', check: '', ok: false, code: 500, message: 'readyz check failed' },
        ]),
      );
    expect(snapshot.server.failures).toEqual(
      (unready ? ['events'] : ['pods', 'events']).map((name) =>
        expect.objectContaining({ path: `/api/v1/namespaces/orders/${name}`, code: null, reason: 'ETIMEDOUT' }),
      ),
    );
  });

  test.each([
    ['a member that runs says so to a watch', 200, { type: 'ERROR', object: status(500, 'InternalError', 'Internal error occurred: etcdserver: no leader') }, ['Internal error occurred: etcdserver: no leader']],
    ['no member says anything', 200, '', []],
    ['what happened is said', 200, { type: 'ADDED', object: { kind: 'Event', apiVersion: 'v1', metadata: { name: 'e' }, message: 'etcdserver: no leader' } }, []],
    ['it may not be asked', 403, status(403, 'Forbidden', 'events is forbidden'), []],
  ])('whether it has a leader: %s', async (_, code, said, told) => {
    const double = await start({ objects: world(pod('a')), intercept: (url, response) => {
      if (url.pathname === '/readyz') return reply(response, 500, '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n');
      return url.searchParams.has('watch') ? reply(response, code, said) : undefined;
    } });
    const { input } = await readCluster({ namespaces: ['orders'], kube: { kubeconfig: empty(), server: double.url } }, [], { hello: 1_000, consistent: 1_500, cached: 1_500, step: 1_500 });
    expect(new Snapshot(input).server.failures.map(({ message }) => message)).toEqual(told);
    expect(double.asked.filter((path) => path.includes('watch='))).toEqual(['/api/v1/namespaces/orders/events?watch=1&timeoutSeconds=4']);
  });

  test('504 on consistent reads does the same at once', async () => {
    const double = await start({
      objects: world(pod('a')),
      intercept: (url, response) =>
        url.pathname.startsWith('/api') && url.searchParams.get('resourceVersion') !== '0' && url.pathname !== '/apis'
          ? reply(response, 504, {
              metadata: {},
              status: 'Failure',
              message: 'Timeout: request did not complete within the allotted timeout',
              reason: 'Timeout',
              code: 504,
            })
          : undefined,
    });
    const { snapshot } = await open(double);
    expect(snapshot.list('Pod', 'orders').state).toBe('known');
    expect(snapshot.server.failures).toEqual([expect.objectContaining({ code: 504, reason: 'Timeout' })]);
  });
});
