import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '../../src/model/errors.ts';
import { type Opened, type SourceOptions, openSource } from '../../src/source/index.ts';

const pod = (name: string, extra: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'orders', uid: `uid-${name}`, resourceVersion: '10', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata }, ...extra,
});
const event = (name: string, time: string) => ({
  apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'orders' }, involvedObject: { kind: 'Pod', name: 'a' }, reason: 'Failed', message: 'no', lastTimestamp: time,
});
const list = (...items: unknown[]) => ({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } });

const fromText = (text: string | Buffer, options: SourceOptions = {}): Promise<Opened> => openSource({ ...options, from: ['-'], stdin: Readable.from([Buffer.from(text)]) });
const fromValue = (value: unknown, options?: SourceOptions) => fromText(JSON.stringify(value, null, 4), options);
const names = ({ snapshot }: Opened, kind: string) => snapshot.seen(kind).map((object) => object.metadata.name);
const refusal = async (promise: Promise<unknown>): Promise<UserError> => {
  const error = await promise.then(() => null, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
};

let dir = '';
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-files-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('every form kubectl writes', () => {
  test('a List of several kinds', async () => {
    const opened = await fromValue(list(pod('a'), pod('b'), event('e', '2026-01-01T00:05:00Z')));
    expect(names(opened, 'Pod')).toEqual(['a', 'b']);
    expect(opened.snapshot.list('Pod', 'orders').state).toBe('known');
    expect(opened.snapshot.capturedAt).toBe('2026-01-01T00:05:00Z');
    expect(opened.snapshot.server.reached).toBeNull();
    expect(opened.scope).toEqual({ namespaces: [], all: true, targets: [] });
  });

  test('a typed list gives its items kind and version, and counts as listed even when empty', async () => {
    const { kind: _, apiVersion: __, ...bare } = pod('a');
    const opened = await fromText(`${JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [bare] })}\n${JSON.stringify({ kind: 'EventList', apiVersion: 'v1', items: null })}`);
    expect(names(opened, 'Pod')).toEqual(['a']);
    expect(opened.snapshot.list('Event', 'orders')).toEqual({ state: 'known', value: [] });
    expect(opened.snapshot.list('Service', 'orders').state).toBe('unknown');
  });

  test('NDJSON, concatenated documents and a bare array', async () => {
    expect(names(await fromText([pod('a'), pod('b'), pod('c')].map((one) => JSON.stringify(one)).join('\n')), 'Pod')).toEqual(['a', 'b', 'c']);
    expect(names(await fromText(JSON.stringify(list(pod('a')), null, 2) + JSON.stringify(list(pod('b')), null, 2)), 'Pod')).toEqual(['a', 'b']);
    expect(names(await fromValue([pod('a'), pod('b')]), 'Pod')).toEqual(['a', 'b']);
  });

  test('YAML: a List, several documents, content on the marker line, times as strings', async () => {
    const yaml = `# a comment
--- {apiVersion: v1, kind: Service, metadata: {name: web, namespace: orders}}
---
apiVersion: v1
kind: Pod
metadata:
  name: a
  namespace: orders
  creationTimestamp: 2026-01-02T00:00:00Z
  annotations:
    note: |
      text
       --- not a marker
---
apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: b, namespace: orders}
kind: List
metadata:
  resourceVersion: ""
...
`;
    const opened = await fromText(yaml);
    expect(names(opened, 'Pod')).toEqual(['a', 'b']);
    expect(names(opened, 'Service')).toEqual(['web']);
    expect(opened.snapshot.capturedAt).toBe('2026-01-02T00:00:00Z');
    expect(opened.snapshot.notes).toEqual([]);
  });

  test('a single object speaks only for itself', async () => {
    const { snapshot } = await fromValue(pod('a'));
    expect(snapshot.get('Pod', 'orders', 'a').state).toBe('known');
    expect(snapshot.get('Pod', 'orders', 'other').state).toBe('unknown');
    expect(snapshot.list('Pod', 'orders').state).toBe('unknown');
  });

  test('watch events: the last state stays, a deleted object goes', async () => {
    const text = [
      { type: 'ADDED', object: pod('a') },
      { type: 'ADDED', object: pod('b') },
      { type: 'MODIFIED', object: pod('a', { status: { phase: 'Running' } }, { resourceVersion: '11' }) },
      { type: 'DELETED', object: pod('b', {}, { resourceVersion: '12' }) },
      { type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '13' } } },
    ].map((one) => JSON.stringify(one)).join('\n');
    const { snapshot } = await fromText(text);
    expect(snapshot.seen('Pod').map((one) => [one.metadata.name, one.status?.phase])).toEqual([['a', 'Running']]);
  });

  test('the same object twice: the newer version stays, in either order', async () => {
    const old = pod('a', { status: { phase: 'Pending' } }, { resourceVersion: '9' });
    const fresh = pod('a', { status: { phase: 'Running' } }, { resourceVersion: '10' });
    for (const order of [[old, fresh], [fresh, old]]) {
      const { snapshot } = await fromValue(list(...order));
      expect(snapshot.seen('Pod').map((one) => one.status?.phase)).toEqual(['Running']);
    }
  });

  test('events.k8s.io events are the core events they are', async () => {
    const { snapshot } = await fromValue(list({
      apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'e', namespace: 'orders' }, regarding: { kind: 'Pod', name: 'a', uid: 'u' },
      note: 'words', reason: 'Failed', type: 'Warning', deprecatedCount: 3, deprecatedLastTimestamp: '2026-01-01T00:00:09Z', eventTime: null, reportingController: 'kubelet',
    }));
    expect(snapshot.seen('Event')[0]).toMatchObject({ apiVersion: 'v1', involvedObject: { uid: 'u' }, message: 'words', count: 3, lastTimestamp: '2026-01-01T00:00:09Z', reportingComponent: 'kubelet' });
  });

  test('UTF-16 as PowerShell writes it, a byte order mark, gzip', async () => {
    const text = JSON.stringify(list(pod('a')));
    for (const bytes of [Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]), Buffer.from(`\ufeff${text}`), gzipSync(text)]) {
      expect(names(await fromText(bytes), 'Pod')).toEqual(['a']);
    }
  });

  test('several files, and a directory', async () => {
    await writeFile(join(dir, 'pods.json'), JSON.stringify(list(pod('a'))));
    await writeFile(join(dir, 'events.yaml'), JSON.stringify(list(event('e', '2026-01-01T00:01:00Z'))));
    await writeFile(join(dir, 'readme.txt'), 'not a dump');
    const two = await openSource({ from: [join(dir, 'pods.json'), join(dir, 'events.yaml')] });
    const whole = await openSource({ from: [dir] });
    for (const opened of [two, whole]) {
      expect(names(opened, 'Pod')).toEqual(['a']);
      expect(names(opened, 'Event')).toEqual(['e']);
      expect(opened.snapshot.notes).toEqual([]);
    }
    expect(two.snapshot.source).toEqual({ kind: 'files', name: 'pods.json, events.yaml' });
  });
});

describe('what a dump proves', () => {
  test('a kind that is absent was not collected; a listed kind is complete in every namespace of the dump', async () => {
    const { snapshot } = await fromValue(list(pod('a'), { ...event('e', ''), metadata: { name: 'e', namespace: 'shop' } }));
    expect(snapshot.list('Pod', 'shop')).toEqual({ state: 'known', value: [] });
    expect(snapshot.list('Pod', 'elsewhere').state).toBe('unknown');
    expect(snapshot.get('Secret', 'orders', 'x')).toMatchObject({ state: 'unknown', why: { reason: 'not-collected' } });
    expect(snapshot.get('Node', undefined, 'n1').state).toBe('unknown');
  });

  test('cluster-scoped kinds are complete for the cluster, but one Namespace is not all of them', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', namespace: 'oops' } };
    const space = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const some = (await fromValue(list(node, space('orders')))).snapshot;
    expect(some.get('Node', undefined, 'n2').state).toBe('absent');
    expect(some.get('Node', undefined, 'n1').state).toBe('known');
    expect(some.get('Namespace', undefined, 'kube-system').state).toBe('unknown');
    const all = (await fromValue(list(space('orders'), space('default'), space('kube-system')))).snapshot;
    expect(all.get('Namespace', undefined, 'gone').state).toBe('absent');
  });

  test('a list with a continue token is not whole', async () => {
    const { snapshot } = await fromValue({ kind: 'PodList', apiVersion: 'v1', metadata: { continue: 'abc' }, items: [pod('a')] });
    expect(snapshot.list('Pod', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'truncated' } });
  });

  test('the clock is the newest time that happened, not one that is due', async () => {
    const { snapshot } = await fromValue(
      list(
        pod(
          'a',
          {
            status: {
              conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:03:00Z' }],
              containerStatuses: [{ name: 'c', lastState: { terminated: { finishedAt: '2026-01-01T00:04:00Z' } } }],
            },
          },
          { deletionTimestamp: '2026-01-01T09:00:00Z', labels: { expires: '2030-01-01T00:00:00Z' } },
        ),
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'n1', namespace: 'kube-node-lease' },
          spec: { renewTime: '2026-01-01T00:04:30.123456Z' },
        },
      ),
    );
    expect(snapshot.capturedAt).toBe('2026-01-01T00:04:30.123456Z');
  });

  test('-n narrows the scope; targets are found by every name kubectl knows', async () => {
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'orders' } };
    const database = { apiVersion: 'db.example.com/v1', kind: 'Database', metadata: { name: 'main', namespace: 'orders' } };
    const dump = list(deployment, database, pod('web'));
    const scope = async (targets: string[], namespaces: string[] = ['orders']) => (await fromValue(dump, { targets, namespaces })).scope;
    const web = [{ kind: 'Deployment', name: 'web', namespace: 'orders' }];
    for (const text of ['web', 'deploy/web', 'deployments/web', 'Deployment/web', 'deployments.apps/web', 'deployment.v1.apps/web']) expect((await scope([text])).targets).toEqual(web);
    for (const text of ['main', 'database/main', 'databases.db.example.com/main', 'databases.v1.db.example.com/main']) {
      expect((await scope([text])).targets).toEqual([{ kind: 'Database.db.example.com', name: 'main', namespace: 'orders' }]);
    }
    expect((await scope(['po/gone'])).targets).toEqual([{ kind: 'Pod', name: 'gone', namespace: 'orders' }]);
    expect((await scope(['gone'])).targets).toEqual([{ kind: '', name: 'gone', namespace: 'orders' }]);
    expect((await scope(['web'], [])).targets).toEqual(web);
    expect((await refusal(scope(['frobs/x']))).message).toContain('frobs');
    expect((await refusal(scope(['a/b/c']))).hint).toContain('TYPE/NAME');
  });
});

describe('bad input', () => {
  test('half a JSON file: what came whole is judged, and proves nothing absent', async () => {
    const text = JSON.stringify(list(pod('a'), pod('b'), pod('c')), null, 4);
    for (const share of [0.5, 0.7, 0.9]) {
      const { snapshot } = await fromText(text.slice(0, Math.floor(text.length * share)));
      expect(snapshot.seen('Pod').length).toBeGreaterThan(0);
      expect(snapshot.seen('Pod').every((one) => one.metadata.uid === `uid-${one.metadata.name}`)).toBe(true);
      expect(snapshot.list('Pod', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'truncated' } });
      expect(snapshot.notes.join()).toContain('cut off');
    }
  });

  test('half a YAML file', async () => {
    const item = (name: string) => `- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: ${name}\n    namespace: orders\n    labels: {app: "web"}\n`;
    const text = `apiVersion: v1\nitems:\n${item('a')}${item('b')}${item('c')}`;
    for (const cut of [text.length - 3, text.indexOf('name: c') + 6]) {
      const { snapshot } = await fromText(text.slice(0, cut));
      expect(snapshot.seen('Pod').map((one) => one.metadata.name)).toEqual(['a', 'b']);
      expect(snapshot.list('Pod', 'orders').state).toBe('unknown');
    }
  });

  test('stray text, errors of the server and a broken document cost only themselves', async () => {
    const opened = await fromText(`Warning: something\n${JSON.stringify(pod('a'))}\n{"kind": broken}\n${JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'pods is forbidden' })}\n${JSON.stringify(pod('b'))}\n`);
    expect(names(opened, 'Pod')).toEqual(['a', 'b']);
    expect(opened.snapshot.notes.join('\n')).toMatch(/Line 1: .*Warning: something[\s\S]*Line 3[\s\S]*pods is forbidden/);
  });

  test('objects without kind or name are skipped, unknown kinds stay, with a note each', async () => {
    const opened = await fromValue(list(pod('a'), { apiVersion: 'v1', metadata: { name: 'x' } }, { apiVersion: 'v1', kind: 'Pod', metadata: {} }, { apiVersion: 'v1', kind: 'Pod' }, 7, null,
      { apiVersion: 'db.example.com/v1', kind: 'Database', metadata: { name: 'main', namespace: 'orders' }, status: { conditions: { not: 'a list' } } }));
    expect(names(opened, 'Pod')).toEqual(['a']);
    expect(opened.snapshot.seen('Database.db.example.com')[0]).toMatchObject({ status: {} });
    expect(opened.snapshot.notes).toEqual(expect.arrayContaining([
      'An object without kind was skipped.', 'A Pod without metadata.name was skipped. (2 times)', 'Something that is not an object was skipped. (2 times)',
      'Database (db.example.com/v1) is not a kind that kubectl-strata knows; it is judged by its conditions.',
    ]));
  });

  test('wrong types are taken out, at any depth that facts look at', async () => {
    const { snapshot } = await fromValue(list({
      ...pod('a', {
        spec: { containers: [null, { name: 'c', env: 'x', ports: [null, { containerPort: 80 }] }], nodeName: 5, tolerations: { a: 1 } },
        status: { conditions: 'none', phase: 'Running', containerStatuses: [{ name: 'c', state: { waiting: 'no' } }], message: { a: 1 } },
      }, { labels: { a: 'b', c: 1 }, ownerReferences: {} }),
    }, { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace: 'orders' }, spec: 'x', status: [] }));
    expect(snapshot.seen('Pod')[0]).toMatchObject({
      metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] }, status: { phase: 'Running', containerStatuses: [{ name: 'c', state: {} }] },
    });
    expect(snapshot.seen('Pod')[0]?.spec).not.toHaveProperty('nodeName');
    expect(snapshot.seen('Pod')[0]?.status).not.toHaveProperty('conditions');
    expect(snapshot.seen('Service')[0]).not.toHaveProperty('spec');
  });

  test('files that cannot be read at all say why and what to do', async () => {
    await writeFile(join(dir, 'empty.json'), '');
    await writeFile(join(dir, 'text.txt'), 'hello there\n');
    await writeFile(join(dir, 'bad.gz'), Buffer.concat([gzipSync('{}').subarray(0, 12)]));
    expect((await refusal(openSource({ from: [join(dir, 'none.json')] }))).message).toContain('does not exist');
    expect((await refusal(openSource({ from: [join(dir, 'empty.json')] }))).message).toContain('is empty');
    expect((await refusal(openSource({ from: [join(dir, 'text.txt')] }))).message).toContain('holds no Kubernetes objects');
    expect((await refusal(openSource({ from: [join(dir, 'bad.gz')] }))).message).toContain('gzip');
    expect((await refusal(fromText(''))).message).toContain('stdin');
    expect((await refusal(fromText('{"apiVersion":'))).message).toContain('cut off');
  });

  test('an archive on stdin is named, a device is not read without end', async () => {
    const tar = Buffer.alloc(1024);
    tar.write('ustar', 257);
    expect((await refusal(fromText(Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(100)])))).message).toContain('is a zip archive');
    expect((await refusal(fromText(gzipSync(tar)))).message).toContain('is a tar archive');
    expect((await refusal(openSource({ from: ['/dev/zero'] }))).message).toMatch(/larger than \d+ MiB/);
  });

  test('alias bombs and deep nesting are refused, fast', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', ...'bcdefghij'.split('').map((key, i) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]`)].join('\n');
    expect((await refusal(fromText(bomb))).message).toContain('aliases');
    expect((await refusal(fromText('['.repeat(100_000) + ']'.repeat(100_000)))).message).toContain('nested deeper');
    expect((await refusal(fromText(`{"a":${'['.repeat(100_000)}`))).message).toContain('nested deeper');
    expect((await refusal(fromText(`a: ${'['.repeat(5_000)}${']'.repeat(5_000)}`)))).toBeInstanceOf(UserError);
  });
});

describe('secrets stay outside', () => {
  test('values of Secrets and ConfigMaps, secret-looking env and arguments, the last applied manifest', async () => {
    const secrets = ['czNjcjN0', 'hunter2hunter2', 'p4ssw0rd', 'tok-en-value', 's3cretarg'];
    const { snapshot } = await fromValue(list(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'orders', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"czNjcjN0"}}', keep: 'me' } }, data: { password: 'czNjcjN0' }, stringData: { x: 'hunter2hunter2' }, type: 'Opaque' },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'orders' }, data: { 'app.ini': 'pw=hunter2hunter2' } },
      pod('a', { spec: { containers: [{
        name: 'c', command: ['sh', '-c', 'export DB_PASSWORD=p4ssw0rd; exec app --level=debug --token $(TOKEN)'], args: ['--api-token', 'tok-en-value', '--secret=s3cretarg', '--port=8080', '--secret-name=db', '--token-file', '/x', '--authentication-token-webhook=true'],
        env: [{ name: 'DB_PASSWORD', value: 'hunter2hunter2' }, { name: 'COPY_PASSWORD', value: 'hunter2hunter2' }, { name: 'DB_HOST', value: 'db' }, { name: 'DB_URL', value: 'postgres://app:p4ssw0rd@db/x' }, { name: 'SECRET_NAME', value: 'db' }, { name: 'TOKEN_TTL', value: '5m' }],
      }] } }),
    ));
    const text = JSON.stringify([...snapshot.seen('Secret'), ...snapshot.seen('ConfigMap'), ...snapshot.seen('Pod')]);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(snapshot.seen('Secret')[0]).toMatchObject({ data: { password: '' }, metadata: { annotations: { keep: 'me' } } });
    const [box] = snapshot.seen('Pod')[0]?.spec?.containers ?? [];
    const values = Object.fromEntries((box?.env ?? []).map((entry) => [entry.name, entry.value]));
    expect(values['DB_PASSWORD']).toMatch(/^<redacted [0-9a-f]{12} 14>$/);
    expect(values['COPY_PASSWORD']).toBe(values['DB_PASSWORD']);
    expect(values).toMatchObject({ DB_HOST: 'db', SECRET_NAME: 'db', TOKEN_TTL: '5m' });
    expect(values['DB_URL']).toMatch(/^postgres:\/\/app:<redacted .*>@db\/x$/);
    expect(box?.args).toEqual(['--api-token', expect.stringMatching(/^<redacted/), expect.stringMatching(/^--secret=<redacted/), '--port=8080', '--secret-name=db', '--token-file', '/x', '--authentication-token-webhook=true']);
    expect(box?.command?.[2]).toMatch(/^export DB_PASSWORD=<redacted [^;]*; exec app --level=debug --token \$\(TOKEN\)$/);
  });

  test('secrets in what programs and people wrote are replaced, and the words around them stay', async () => {
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'a.1', namespace: 'shop' }, involvedObject: { kind: 'Pod', name: 'a', namespace: 'shop' }, message: 'token: serviceaccount "x" not found; password=hunter2 rejected' };
    const died = { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 1, message: 'no answer from postgres://app:hunter2@db/x' } } }] };
    const { snapshot } = await fromValue(list(pod('a', { status: died }, { annotations: { 'vendor.test/api-token': 'hunter2', note: 'image docker://app:1.2@sha256:ab' } }), event));
    expect(JSON.stringify([...snapshot.seen('Pod'), ...snapshot.seen('Event')])).not.toContain('hunter2');
    expect(snapshot.seen('Event')[0]).toMatchObject({ message: expect.stringMatching(/^token: serviceaccount "x" not found; password=<redacted \w+ 7> rejected$/) });
    expect(snapshot.seen('Pod')[0]?.status?.containerStatuses?.[0]?.state?.terminated?.message).toMatch(/^no answer from postgres:\/\/app:<redacted \w+ 7>@db\/x$/);
    expect(snapshot.seen('Pod')[0]?.metadata.annotations).toMatchObject({ note: 'image docker://app:1.2@sha256:ab' });
  });

  test('managedFields become writers, with the finalizers they set', async () => {
    const { snapshot } = await fromValue(list(pod('a', {}, { finalizers: ['example.com/cleanup'], managedFields: [
      { manager: 'operator', operation: 'Update', time: '2026-01-01T01:00:00Z', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"example.com/cleanup"': {} }, 'f:labels': { '.': {}, 'f:app': {} } } } },
      { manager: 'kubelet', operation: 'Update', subresource: 'status', fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': {} }, 'f:phase': {} } } },
    ] })));
    const { metadata } = snapshot.seen('Pod')[0] as { metadata: object };
    expect(metadata).not.toHaveProperty('managedFields');
    expect(metadata).toMatchObject({ writers: [
      { manager: 'operator', operation: 'Update', time: '2026-01-01T01:00:00Z', paths: ['metadata.finalizers', 'metadata.finalizers["example.com/cleanup"]', 'metadata.labels'] },
      { manager: 'kubelet', operation: 'Update', subresource: 'status', paths: ['status.conditions', 'status.phase'] },
    ] });
    expect(snapshot.capturedAt).toBe('2026-01-01T01:00:00Z');
  });
});
