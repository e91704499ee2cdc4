import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderAccess } from '../../src/render/access.ts';
import { readAccess } from '../../src/source/cluster/access.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { openLogs } from '../../src/source/index.ts';
import { NOW, brokenPod } from '../bundles/world.ts';
import { validBy } from '../schemas.ts';
import { type Answer, type Api, COVERAGE, startApi } from './api.ts';

let api: Api;
let dir = '';
const POD = '/api/v1/namespaces/shop/pods/web-5d9-abcde';
const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'strata-serve-'));
  const logs = join(dir, 'logs/shop/pod-web-5d9-abcde/app');
  await mkdir(logs, { recursive: true });
  await writeFile(join(logs, 'current.log'), ['one', 'two', 'three'].map((line, i) => `2026-03-01T11:0${i}:00.5Z ${line}\n`).join(''));
  for (const name of ['manifest.json', 'coverage.json']) await writeFile(join(dir, name), '{}');
  api = await startApi({ options: { logs: openLogs([dir]) } });
});
afterAll(async () => {
  await api.close();
  await rm(dir, { recursive: true, force: true });
});

const names = ({ body }: Answer) => (body.items ?? []).map((item) => item.metadata?.['name']);
const status = ({ code, body }: Answer) => [code, body['reason'], body['message']];

describe('lists and objects as recorded', () => {
  test('a list, an object, and their clock', async () => {
    const got = await api.get('/api/v1/namespaces/shop/pods');
    expect([got.code, got.body['kind'], names(got), got.body.metadata?.['resourceVersion']]).toEqual([200, 'PodList', ['web-5d9-abcde'], '120']);
    expect(got.headers.date).toBe(new Date(NOW).toUTCString());
    expect((await api.get(POD)).body).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { uid: 'pod-web-5d9-abcde' } });
    expect((await api.get('/apis/apps/v1/namespaces/shop/deployments/web')).body).toMatchObject({ kind: 'Deployment' });
    expect((await api.get('/api/v1/namespaces/shop')).body).toMatchObject({ kind: 'Namespace' });
  });

  test('empty, absent, forbidden, failed, not served and not recorded are five different answers', async () => {
    expect(names(await api.get('/api/v1/namespaces/calm/pods'))).toEqual([]);
    expect(status(await api.get('/api/v1/namespaces/shop/pods/nope'))).toEqual([404, 'NotFound', 'pods "nope" not found']);
    expect(status(await api.get('/api/v1/namespaces/gone'))).toEqual([404, 'NotFound', 'namespaces "gone" not found']);
    expect(status(await api.get('/api/v1/namespaces/shop/secrets'))).toEqual([403, 'Forbidden', 'secrets is forbidden: User "ci" cannot list resource "secrets"']);
    expect(status(await api.get('/apis/batch/v1/namespaces/shop/jobs'))).toEqual([500, 'InternalError', 'etcdserver: request timed out']);
    expect((await api.get('/apis/gateway.networking.k8s.io/v1/namespaces/shop/gateways')).text).toBe('404 page not found\n');
    for (const path of ['/api/v1/namespaces/shop/configmaps', '/api/v1/namespaces/shop/configmaps/a', '/api/v1/namespaces/calm/services', '/api/v1/namespaces/other/pods', '/api/v1/namespaces/other']) {
      expect(status(await api.get(path)), path).toEqual([404, 'NotRecorded', expect.stringMatching(/is not in the recording/)]);
    }
  });

  test('of all namespaces what is known comes first, and then that the rest is not', async () => {
    const known = await api.get('/api/v1/pods');
    expect([known.code, names(known)]).toEqual([200, ['web-5d9-abcde']]);
    const token = String(known.body.metadata?.['continue']);
    expect(status(await api.get(`/api/v1/pods?continue=${token}`))).toEqual([404, 'NotRecorded', expect.stringMatching(/all namespaces is not in the recording.*it has calm, shop/)]);
    // Of a kind of which no namespace was read nothing is known.
    expect(status(await api.get('/api/v1/configmaps'))).toEqual([404, 'NotRecorded', expect.stringMatching(/is not in the recording/)]);
  });

  test('what was read in part does not look like all', async () => {
    const cut = await startApi({ coverage: [{ kind: 'Pod', namespace: 'shop', state: 'truncated', count: 1, message: 'stopped after 1 objects' }] });
    const first = await cut.get('/api/v1/namespaces/shop/pods');
    expect(names(first)).toEqual(['web-5d9-abcde']);
    const token = String(first.body.metadata?.['continue']);
    expect(status(await cut.get(`/api/v1/namespaces/shop/pods?continue=${token}`))).toEqual([500, 'InternalError', 'the recording holds only a part of pods in shop: stopped after 1 objects']);
    await cut.close();
  });

  test('a list that was read narrowed answers only what is narrowed as much', async () => {
    const narrow = await startApi({ coverage: [{ kind: 'Pod', namespace: null, state: 'complete', count: 1, selector: 'spec.nodeName=node-1' }] });
    expect(names(await narrow.get('/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1,status.phase!%3DFailed'))).toEqual(['web-5d9-abcde']);
    expect(status(await narrow.get('/api/v1/pods'))[1]).toBe('NotRecorded');
    expect(status(await narrow.get('/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-2')).slice(0, 2)).toEqual([403, 'NotRecorded']);
    await narrow.close();
  });

  test('managedFields come back from what was kept of them', async () => {
    const [first] = brokenPod().filter((each) => each.kind === 'Pod') as [KubeObject];
    first.metadata.writers = [{ manager: 'kubelet', operation: 'Update', subresource: 'status', time: NOW, paths: ['status.conditions', 'metadata.finalizers', 'metadata.finalizers["a/b"]', 'spec'] }];
    const own = await startApi({ objects: [first] });
    const { body } = await own.get(POD);
    expect(body.metadata?.['writers']).toBeUndefined();
    expect(body.metadata?.['managedFields']).toEqual([
      {
        manager: 'kubelet',
        operation: 'Update',
        apiVersion: 'v1',
        time: NOW,
        fieldsType: 'FieldsV1',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:conditions': {} }, 'f:metadata': { 'f:finalizers': { 'v:"a/b"': {} } }, 'f:spec': {} },
      },
    ]);
    await own.close();
  });
});

describe('narrowing and paging', () => {
  let many: Api;
  beforeAll(async () => {
    const [pod] = brokenPod().filter((each) => each.kind === 'Pod') as [KubeObject];
    const objects = Array.from(
      { length: 7 },
      (_, i): KubeObject => ({
        ...pod,
        metadata: {
          ...pod.metadata,
          name: `p${i}`,
          uid: `u${i}`,
          labels: { app: i % 2 ? 'odd' : 'even', n: String(i), ...(i === 3 ? { 'x.example/y': '' } : {}) },
        },
        status: { phase: i < 2 ? 'Failed' : 'Running' },
      }),
    );
    many = await startApi({ objects });
  });
  afterAll(() => many.close());
  const select = async (query: string) => names(await many.get(`/api/v1/namespaces/shop/pods?${query}`)).map((name) => Number(String(name).slice(1)));

  test('labels, by the whole grammar', async () => {
    const cases: Record<string, number[]> = {
      'app=odd': [1, 3, 5], 'app==odd,n!=3': [1, 5], 'app in (odd, even),n notin (0,1,2)': [3, 4, 5, 6], 'x.example/y': [3], '!x.example/y,n>4': [5, 6], 'n<2': [0, 1], 'x.example/y=': [3], 'z!=1,n in (1)': [1], '': [0, 1, 2, 3, 4, 5, 6],
    };
    for (const [text, wanted] of Object.entries(cases)) expect(await select(`labelSelector=${encodeURIComponent(text)}`), text).toEqual(wanted);
    for (const bad of ['a in b', 'a b', '=', 'a,,b', 'a in (b', '!a=b', 'n>x', `${'a'.repeat(400)}=b`]) expect(status(await many.get(`/api/v1/namespaces/shop/pods?labelSelector=${encodeURIComponent(bad)}`)).slice(0, 2), bad).toEqual([400, 'BadRequest']);
  });

  test('fields', async () => {
    expect(await select('fieldSelector=status.phase%3DFailed')).toEqual([0, 1]);
    expect(await select('fieldSelector=status.phase!%3DFailed,metadata.name!%3Dp4')).toEqual([2, 3, 5, 6]);
    expect(await select('fieldSelector=spec.nodeName%3Dnode-1,metadata.namespace%3Dshop,metadata.name%3Dp2')).toEqual([2]);
    expect(status(await many.get('/api/v1/namespaces/shop/pods?fieldSelector=spec.wrong%3D1'))).toEqual([400, 'BadRequest', 'field label not supported: spec.wrong']);
  });

  test('pages', async () => {
    const seen: unknown[] = [];
    let token = '';
    let pages = 0;
    do {
      const page = await many.get(`/api/v1/namespaces/shop/pods?limit=3${token ? `&continue=${token}` : ''}`);
      seen.push(...names(page));
      if (pages++ === 0) expect(page.body.metadata).toMatchObject({ remainingItemCount: 4 });
      token = String(page.body.metadata?.['continue'] ?? '');
    } while (token);
    expect([seen, pages]).toEqual([['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'], 3]);
    const { body } = await many.get('/api/v1/namespaces/shop/pods?limit=3');
    const elsewhere = await many.get(`/api/v1/namespaces/shop/events?limit=3&continue=${String(body.metadata?.['continue'])}`);
    expect(status(elsewhere).slice(0, 2)).toEqual([410, 'Expired']);
    expect(status(await many.get('/api/v1/namespaces/shop/pods?continue=nonsense')).slice(0, 2)).toEqual([410, 'Expired']);
    expect(status(await many.get('/api/v1/namespaces/shop/pods?limit=-1')).slice(0, 2)).toEqual([400, 'BadRequest']);
  });
});

describe('forms', () => {
  test('a Table with the columns of kubectl, ages at the clock of the recording', async () => {
    const { body } = await api.get('/api/v1/namespaces/shop/pods', TABLE);
    expect(body['kind']).toBe('Table');
    expect(body.columnDefinitions?.filter((each) => each.priority === 0).map((each) => each.name)).toEqual(['Name', 'Ready', 'Status', 'Restarts', 'Age']);
    expect(body.rows?.[0]?.cells).toEqual(['web-5d9-abcde', '0/1', 'ImagePullBackOff', '0', '60m', '10.0.0.7', 'node-1', '<none>', '<none>']);
    expect(body.rows?.[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'web-5d9-abcde' } });
    const cells = async (path: string) => (await api.get(path, TABLE)).body.rows?.[0]?.cells;
    expect(await cells('/apis/apps/v1/namespaces/shop/deployments')).toEqual(['web', '0/1', '0', '0', '60m', 'app', 'registry.example/web:2', 'app=web']);
    expect(await cells('/api/v1/namespaces/shop/services')).toEqual(['web', 'ClusterIP', '10.96.0.10', '<none>', '80/TCP', '60m', 'app=web']);
    expect((await cells('/api/v1/namespaces/shop/events'))?.slice(0, 4)).toEqual(['30s', 'Warning', 'Failed', 'pod/web-5d9-abcde']);
    expect((await cells('/api/v1/nodes'))?.slice(0, 4)).toEqual(['node-1', 'Ready', '<none>', '60m']);
  });

  test('metadata alone', async () => {
    const { body } = await api.get(POD, { Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' });
    expect([body['kind'], body['spec'], body.metadata?.['name']]).toEqual(['PartialObjectMetadata', undefined, 'web-5d9-abcde']);
    expect((await api.get('/api/v1/namespaces/shop/pods', { Accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' })).body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata' }] });
  });

  test('discovery, both ways, and custom kinds with their own columns and schema', async () => {
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'databases.db.example.com' },
      spec: {
        group: 'db.example.com',
        scope: 'Namespaced',
        names: { plural: 'databases', kind: 'Database', shortNames: ['dbs'] },
        versions: [
          {
            name: 'v1beta1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', description: 'A database' } },
            additionalPrinterColumns: [
              { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
              { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
            ],
          },
        ],
      },
    };
    const db = {
      apiVersion: 'db.example.com/v1beta1',
      kind: 'Database',
      metadata: { name: 'main', namespace: 'shop' },
      spec: { size: 3 },
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    };
    const own = await startApi({
      objects: [crd, db] as KubeObject[],
      coverage: [...COVERAGE, { kind: 'Database.db.example.com', namespace: 'shop', state: 'complete', count: 1 }],
    });
    const groups = (await own.get('/apis')).body['groups'] as { name: string }[];
    expect(groups.map((group) => group.name)).toEqual(expect.arrayContaining(['apps', 'batch', 'db.example.com', 'authorization.k8s.io']));
    expect(groups.map((group) => group.name)).not.toContain('gateway.networking.k8s.io/gateways');
    expect((await own.get('/apis/db.example.com')).body).toMatchObject({ kind: 'APIGroup', preferredVersion: { version: 'v1beta1' } });
    expect((await own.get('/apis/db.example.com/v1beta1')).body).toMatchObject({ kind: 'APIResourceList', resources: [{ name: 'databases', shortNames: ['dbs'], namespaced: true }] });
    const aggregated = await own.get('/apis', { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' });
    expect(aggregated.headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect((aggregated.body.items ?? []).map((item) => item.metadata?.['name'])).toContain('db.example.com');
    const { body } = await own.get('/apis/db.example.com/v1beta1/namespaces/shop/databases', TABLE);
    expect([body.columnDefinitions?.map((each) => each.name), body.rows?.[0]?.cells]).toEqual([['Name', 'Ready', 'Size'], ['main', 'False', '3']]);
    expect((await own.get('/openapi/v3')).body['paths']).toHaveProperty(['apis/db.example.com/v1beta1']);
    expect((await own.get('/openapi/v3/apis/db.example.com/v1beta1')).body).toMatchObject({ components: { schemas: { 'com.example.db.v1beta1.Database': { description: 'A database' } } } });
    // kubectl takes a group and version that is not named for one that does not exist.
    expect((await own.get('/openapi/v3')).body['paths']).toHaveProperty(['apis/apps/v1']);
    for (const path of ['api/v1', 'apis/apps/v1']) {
      const { code, body } = await own.get(`/openapi/v3/${path}`);
      expect([code, body['reason'], body['message']]).toEqual([404, 'NotRecorded', expect.stringContaining(`the schema of ${path.replace(/^apis?\//, '')} is not in the recording`)]);
    }
    await own.close();
  });

  test('all is what was read or asked for, so that kubectl get all ends without an error', async () => {
    const offered = async (path: string): Promise<string[]> =>
      ((await api.get(path)).body['resources'] as { name: string; categories?: string[] }[]).filter(({ categories }) => categories?.includes('all')).map(({ name }) => name);
    const names = [...(await offered('/api/v1')), ...(await offered('/apis/apps/v1')), ...(await offered('/apis/batch/v1'))];
    expect(names).toContain('pods');
    const asked = new Set(COVERAGE.map(({ kind }) => kind.toLowerCase()));
    expect(asked.has('replicationcontroller')).toBe(false);
    expect(names).not.toContain('replicationcontrollers');
    expect(names.filter((name) => !asked.has(name.replace(/s$/, '')))).toEqual([]);
  });

  test('version, health, logs', async () => {
    expect((await api.get('/version')).body).toMatchObject({ gitVersion: 'v1.34.4', major: '1', minor: '34' });
    expect([(await api.get('/livez')).text, (await api.get('/readyz')).code]).toEqual(['ok', 500]);
    expect((await api.get('/readyz?verbose')).text).toBe('[-]etcd failed: reason withheld\nreadyz check failed\n');
    expect((await api.get(`${POD}/log`)).text).toBe('one\ntwo\nthree\n');
    expect((await api.get(`${POD}/log?tailLines=1&timestamps=true`)).text).toBe('2026-03-01T11:02:00.5Z three\n');
    expect((await api.get(`${POD}/log?sinceTime=2026-03-01T11:01:00Z&limitBytes=5&follow=true`)).text).toBe('two\nt');
    expect((await api.get(`${POD}/log?sinceSeconds=3539`)).text).toBe('three\n');
    expect(status(await api.get(`${POD}/log?previous=true`)).slice(0, 2)).toEqual([404, 'NotRecorded']);
    expect(status(await api.get(`${POD}/log?container=../../x`)).slice(0, 2)).toEqual([400, 'BadRequest']);
  });
});

describe('watching', () => {
  const events = async (query: string, accept = {}) =>
    (await api.get(`/api/v1/namespaces/shop/pods?watch=true&timeoutSeconds=1&${query}`, accept)).text
      .split('\n')
      .filter((line) => line !== '')
      .map(
        (line) =>
          JSON.parse(line) as {
            type: string;
            object: { kind: string; code?: number; metadata?: { annotations?: object }; columnDefinitions?: unknown };
          },
      );

  test('from the list on there is nothing new; without a version everything comes; a version before it is gone', async () => {
    expect(await events('resourceVersion=120')).toEqual([]);
    expect((await events('')).map((event) => [event.type, event.object.kind])).toEqual([['ADDED', 'Pod']]);
    expect(await events('resourceVersion=7')).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410 } }]);
  });

  test('initial events end in a bookmark', async () => {
    expect(await events('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true')).toMatchObject([
      { type: 'ADDED' }, { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '120', annotations: { 'k8s.io/initial-events-end': 'true' } } } },
    ]);
  });

  test('as Table rows', async () => {
    const [added] = await events('', TABLE);
    expect(added).toMatchObject({ type: 'ADDED', object: { kind: 'Table' } });
  });
});

describe('reviews', () => {
  const review = async (attributes: object) =>
    (
      (
        await api.get(
          '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          { 'Content-Type': 'application/json' },
          'POST',
          JSON.stringify({ spec: { resourceAttributes: attributes } }),
        )
      ).body['status'] as { allowed: boolean }
    ).allowed;

  test('what was read was allowed; what was refused, not read or written is not', async () => {
    expect(await review({ namespace: 'shop', verb: 'list', resource: 'pods' })).toBe(true);
    expect(await review({ namespace: 'shop', verb: 'list', group: 'apps', resource: 'deployments' })).toBe(true);
    expect(await review({ namespace: 'shop', verb: 'list', resource: 'secrets' })).toBe(false);
    expect(await review({ namespace: 'shop', verb: 'delete', resource: 'pods' })).toBe(false);
    expect(await review({ namespace: 'other', verb: 'list', resource: 'pods' })).toBe(false);
  });

  test('what was not recorded is not told, and what was refused is', async () => {
    const answers = (await readAccess({ kube: { server: api.url, token: api.token, insecureSkipTlsVerify: true }, namespaces: ['shop'] }));
    const of = (kind: string) => answers.answers.find((each) => each.kind === kind && each.verb === 'list' && each.namespace === 'shop');
    expect(answers.recording).toBe(true);
    expect(of('Pod')).toMatchObject({ allowed: true });
    expect(of('Secret')).toMatchObject({ allowed: false, message: expect.stringContaining('secrets is forbidden') });
    expect(of('Job')).toMatchObject({ allowed: null, message: expect.stringContaining('timed out') });
    expect(of('Ingress')).toMatchObject({ allowed: null, message: expect.stringContaining('is not in the recording') });
    const text = renderAccess(validBy('access', { ...answers, costs: [] }), { color: false, width: 80, verbose: false }).replace(/\s+/g, ' ');
    expect(text).toMatch(/ACCESS IN PART this server is a recording: of \d+ readings it holds \d+, and \d+ were refused when it was made/);
    expect(text).toMatch(/not in it .*ingresses, httproutes \(list\)/);
    expect(text).not.toContain('roles.yaml');
  });

  test('rules, rebuilt and said to be incomplete', async () => {
    const { code, body } = await api.get('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {}, 'POST', JSON.stringify({ spec: { namespace: 'shop' } }));
    expect([code, body['status']]).toMatchObject([201, { incomplete: true }]);
    expect(JSON.stringify(body['status'])).toContain('"resources":["pods"]');
    expect(JSON.stringify(body['status'])).not.toContain('secrets');
  });
});
