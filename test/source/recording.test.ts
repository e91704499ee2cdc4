import { chmod, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '../../src/model/errors.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { openSource, writeRecording } from '../../src/source/index.ts';
import { reply, startDouble, status } from './api-double.ts';

let dir = '';
let empty = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'strata-recording-'));
  empty = join(dir, 'kubeconfig');
  await writeFile(empty, 'kind: Config\n');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const meta = (name: string, more: object = {}) => ({ name, namespace: 'orders', uid: `uid-${name}`, resourceVersion: '5', ...more });
const objects = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'orders', uid: 'ns' } },
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  { apiVersion: 'v1', kind: 'Pod', metadata: meta('a', { managedFields: [{ manager: 'm', operation: 'Update', fieldsV1: { 'f:spec': { 'f:x': {} } } }] }),
    spec: { nodeName: 'n1', containers: [{ name: 'c', args: ['--token', 'abcdef'], command: ['sh', '-c', 'PASSWORD=hunter2 run --secret-key "x y" https://u:pw@host/'], env: [{ name: 'API_TOKEN', value: 'hunter2hunter2' }, { name: 'CONN', value: 'amqp://u:pw@mq/' }, { name: 'PEM', value: '-----BEGIN RSA PRIVATE KEY-----\nabc' }] }] },
    status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }], containerStatuses: [{ name: 'c', state: { waiting: { reason: 'CreateContainerConfigError', message: 'couldn\'t find key pw in Secret orders/db' } } }] } },
  { apiVersion: 'v1', kind: 'Event', metadata: meta('e'), message: 'line\u2028separators\nand ünïcode', involvedObject: { kind: 'Pod', name: 'a' }, type: 'Warning' },
];

async function record(name: string): Promise<{ path: string; live: Snapshot }> {
  const double = await startDouble({ objects, intercept: (url, response) => {
    if (url.pathname.endsWith('/services')) return reply(response, 403, status(403, 'Forbidden', 'services is forbidden'));
    return url.pathname.endsWith('/jobs') ? reply(response, 500, status(500, 'InternalError', 'broken')) : undefined;
  } });
  try {
    const opened = await openSource({ namespaces: ['orders'], targets: ['pod/a'], selector: 'app=web', kube: { kubeconfig: empty, server: double.url } });
    const path = join(dir, name);
    await writeRecording(path, opened.snapshot, opened.scope, 'kubectl-strata 1.2.3');
    return { path, live: opened.snapshot };
  } finally {
    await double.close();
  }
}

const contents = (snapshot: Snapshot) => ({
  kinds: Object.fromEntries([...snapshot.kinds()].sort().map((kind) => [kind, snapshot.seen(kind)])),
  coverage: snapshot.coverage, server: snapshot.server, capturedAt: snapshot.capturedAt, cost: snapshot.cost, notes: snapshot.notes,
});

describe('a recording', () => {
  test('gives back what was read: objects, coverage, failures, server, clock, cost, scope', async () => {
    const { path, live } = await record('whole');
    const { snapshot, scope } = await openSource({ from: [path] });
    expect(contents(snapshot)).toEqual(contents(live));
    expect(snapshot.source).toEqual({ kind: 'recording', name: 'whole', tool: 'kubectl-strata 1.2.3' });
    expect(scope).toEqual({ namespaces: ['orders'], all: false, selector: 'app=web', targets: [{ kind: 'Pod', name: 'a', namespace: 'orders' }] });
    expect(snapshot.list('Service', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'forbidden' } });
    expect(snapshot.list('Job', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'failed' } });
    expect(snapshot.list('CronJob', 'orders')).toEqual({ state: 'known', value: [] });
    expect((await openSource({ from: [path], namespaces: ['shop'], targets: ['pod/b'] })).scope).toEqual({ namespaces: ['shop'], all: false, targets: [{ kind: 'Pod', name: 'b', namespace: 'shop' }] });
  });

  test('recorded again it is the same, byte for byte', async () => {
    const { path } = await record('first');
    const again = join(dir, 'again');
    const { snapshot, scope } = await openSource({ from: [path] });
    await writeRecording(again, snapshot, scope, 'kubectl-strata 1.2.3');
    const files = (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(path.length));
    expect(files.length).toBeGreaterThan(15);
    for (const file of files) {
      const [one, two] = await Promise.all([path, again].map((root) => readFile(join(root, file), 'utf8')));
      expect(file === '/manifest.json' ? two?.replace('"first"', `"${snapshot.source.name}"`).replace(/"source": "[^"]*"/, '') : two).toBe(file === '/manifest.json' ? one?.replace(/"source": "[^"]*"/, '') : one);
    }
  });

  test('holds no secret, and is for its owner only', async () => {
    const { path } = await record('private');
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const file = join(entry.parentPath, entry.name);
      expect((await stat(file)).mode & 0o777).toBe(entry.isDirectory() ? 0o700 : 0o600);
      if (entry.isFile()) expect(await readFile(file, 'utf8')).not.toMatch(/hunter2|abcdef|u:pw@|x y|PRIVATE KEY/);
    }
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    const header = (await readFile(join(path, 'lists/core/v1/pods.jsonl'), 'utf8')).split('\n')[0] ?? '';
    expect(JSON.parse(header)).toMatchObject({ of: 'Pod', lists: [{ namespace: 'orders', state: 'complete', resourceVersion: '1000' }, {}] });
  });

  test('is written whole or not at all, and never over something', async () => {
    const { path, live } = await record('taken');
    await expect(writeRecording(path, live, { namespaces: [], all: true, targets: [] }, 't')).rejects.toThrow(/exists already/);
    const file = join(dir, 'a-file');
    await writeFile(file, '');
    await expect(writeRecording(join(file, 'below'), live, { namespaces: [], all: true, targets: [] }, 't')).rejects.toBeInstanceOf(UserError);
    const broken = { ...live, kinds: () => ['Pod'], seen: () => [{ toJSON: () => { throw new Error('disk'); } }] } as unknown as Snapshot;
    await expect(writeRecording(join(dir, 'half'), broken, { namespaces: [], all: true, targets: [] }, 't')).rejects.toThrow('disk');
    expect((await readdir(dir)).filter((name) => name.includes('half'))).toEqual([]);
  });
});

test('a list is read in parts: lines end anywhere in them, letters of several bytes too', async () => {
  const { path } = await record('parts');
  const events = join(path, 'lists/core/v1/events.jsonl');
  const [head = ''] = (await readFile(events, 'utf8')).split('\n');
  const line = (name: string, message: string): string => `${JSON.stringify({ apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'orders' }, involvedObject: {}, message })}\n`;
  const lengths = [3, 262_144, 100, 700_000, 262_000, 1, 131_071, 262_143, 262_145, 524_288];
  const messages = [
    ...lengths.map((length) => 'x'.repeat(length)),
    ...lengths.map((length) => 'ü€😀'.repeat(length / 9)),
    ...lengths.map((length) => `${'x'.repeat(length % 5)}${'€'.repeat(length / 3)}`),
  ];
  // One that ends exactly with a part, and what is behind it.
  const before = `${head}\n`;
  const even = line('even', 'x'.repeat(262_144 - before.length - line('even', '').length));
  const text = before + even + messages.map((message, i) => line(`e${i}`, message)).join('');
  await writeFile(events, text);
  const { snapshot } = await openSource({ from: [path] });
  const read = new Map(snapshot.seen('Event').map((event) => [event.metadata.name, event['message'] as string]));
  expect(read.size).toBe(messages.length + 1);
  // Longer ones are in no message but by mistake, and come as a mark.
  messages.forEach((message, i) => expect(read.get(`e${i}`) === message || (message.length > 65_536 && read.get(`e${i}`)?.endsWith(` ${message.length}>`)), `message ${i}`).toBe(true));
  expect(snapshot.notes).toEqual([]);

  await writeFile(events, text.slice(0, -1));
  expect((await openSource({ from: [path] })).snapshot.seen('Event').length).toBe(messages.length + 1);
  await writeFile(events, text.slice(0, -2));
  expect((await openSource({ from: [path] })).snapshot.notes.join()).toContain('events.jsonl is cut off');
});

describe('a damaged recording', () => {
  test('a cut or broken list proves nothing absent; the rest stays', async () => {
    const { path } = await record('cut');
    const pods = join(path, 'lists/core/v1/pods.jsonl');
    await writeFile(pods, (await readFile(pods, 'utf8')).slice(0, -40));
    const { snapshot } = await openSource({ from: [path] });
    expect(snapshot.seen('Pod')).toEqual([]);
    expect(snapshot.list('Pod', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'truncated' } });
    expect(snapshot.list('Event', 'orders').state).toBe('known');
    expect(snapshot.notes.join()).toContain('pods.jsonl is cut off');
  });

  test('without coverage nothing is proven absent; without a manifest it is none', async () => {
    const { path } = await record('holes');
    await writeFile(join(path, 'coverage.json'), '{"not": "a list"}');
    await writeFile(join(path, 'server.json'), '{');
    const { snapshot } = await openSource({ from: [path] });
    expect(snapshot.seen('Pod').length).toBe(1);
    expect(snapshot.list('CronJob', 'orders').state).toBe('unknown');
    expect(snapshot.server.reached).toBeNull();
    expect(snapshot.notes.length).toBe(2);
    await writeFile(join(path, 'manifest.json'), '{"kind": "Recording"');
    await expect(openSource({ from: [path] })).rejects.toThrow(/manifest is missing or damaged/);
    await writeFile(join(path, 'manifest.json'), '{"kind": "Recording", "formatVersion": 99}');
    await expect(openSource({ from: [path] })).rejects.toThrow(/format 99/);
    await writeFile(join(path, 'manifest.json'), '{"kind": "Recording", "formatVersion": 1, "capturedAt": 7}');
    await expect(openSource({ from: [path] })).rejects.toBeInstanceOf(UserError);
  });

  test('links in it lead nowhere', async () => {
    const { path } = await record('links');
    const outside = join(dir, 'outside.jsonl');
    await writeFile(outside, `{"of":"Pod","lists":[]}\n${JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: meta('outside') })}\n`);
    await symlink(outside, join(path, 'lists/core/v1/linked.jsonl'));
    await chmod(outside, 0o600);
    expect((await openSource({ from: [path] })).snapshot.seen('Pod').map((one) => one.metadata.name)).toEqual(['a']);
  });
});
