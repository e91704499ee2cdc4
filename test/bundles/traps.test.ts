import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '../../src/model/errors.ts';
import { type Opened, openSource } from '../../src/source/index.ts';
import * as layouts from './layouts.ts';
import { brokenPod } from './world.ts';
import { writeFolder } from './write.ts';

let dir = '';
let count = 0;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-traps-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

const read = async (files: layouts.Files, name = `b${++count}`): Promise<Opened> => openSource({ from: [await writeFolder(join(dir, name), files)] });
const state = ({ snapshot }: Opened, kind: string, namespace?: string) => {
  const got = snapshot.list(kind, namespace);
  return got.state === 'known' ? got.value.length : got.state === 'unknown' ? got.why.reason : got.state;
};

describe('what was collected and is empty is none; what was not collected is not known', () => {
  test('troubleshoot: null lists are empty, missing files are gaps, errors are failures', async () => {
    const got = await read(layouts.troubleshoot(brokenPod()));
    expect(state(got, 'Pod', 'shop')).toBe(1);
    expect(state(got, 'Pod', 'calm')).toBe(0);
    expect(state(got, 'Node')).toBe(1);
    expect(state(got, 'HorizontalPodAutoscaler', 'shop')).toBe('not-collected');
    expect(got.snapshot.server.version).toBe('v1.31.2');
    const old = await read(layouts.troubleshootOld(brokenPod()));
    expect(old.snapshot.list('Service', 'shop')).toMatchObject({ state: 'unknown', why: { reason: 'failed', message: 'services is forbidden' } });
    expect(state(old, 'Database.db.example.com', 'shop')).toBe(1);
    expect(old.snapshot.seen('Pod')[0]?.status?.podIP).toBe('***HIDDEN***');
  });

  test('must-gather: the list says more than single files; a namespace alone is no list of namespaces', async () => {
    const whole = await read(layouts.mustGather(brokenPod()));
    expect(whole.snapshot.seen('Pod')[0]?.metadata.resourceVersion).toBe('100');
    expect([state(whole, 'Node'), state(whole, 'Pod', 'shop'), state(whole, 'Pod', 'calm')]).toEqual([1, 1, 0]);
    const asked = await read(layouts.inspect(brokenPod()));
    expect(state(asked, 'Node')).toBe('not-collected');
    expect(asked.snapshot.get('Node', undefined, 'node-1').state).toBe('known');
    expect(asked.snapshot.get('Node', undefined, 'node-2').state).toBe('unknown');
    expect(state(asked, 'Namespace')).toBe('not-collected');
  });

  test('kubectl-gather: its log tells which lists were empty and which failed', async () => {
    const got = await read(layouts.kubectlGather(brokenPod()));
    expect([state(got, 'Job', 'shop'), state(got, 'Pod', 'calm'), state(got, 'StatefulSet', 'shop')]).toEqual([0, 'not-collected', 'not-collected']);
    expect(got.snapshot.list('PodDisruptionBudget')).toMatchObject({ state: 'unknown', why: { reason: 'failed', message: 'poddisruptionbudgets.policy is forbidden' } });
    expect(got.snapshot.seen('Event')).toMatchObject([{ apiVersion: 'v1', reason: 'Failed', involvedObject: { name: 'web-5d9-abcde' } }]);
  });

  test('velero: a backup proves nothing absent', async () => {
    const got = await read(layouts.velero(brokenPod()));
    expect([state(got, 'Pod', 'shop'), state(got, 'Event', 'shop')]).toEqual(['not-collected', 'not-collected']);
    expect(got.snapshot.get('Pod', 'shop', 'web-5d9-abcde').state).toBe('known');
  });

  test('support-bundle-kit: the word null is none, and two groups with one resource name stay apart', async () => {
    const got = await read(layouts.supportBundleKit(brokenPod()));
    expect(got.snapshot.seen('Pod').map((pod) => pod.kind)).toEqual(['Pod']);
    expect(got.snapshot.seen('Pod')[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect(got.snapshot.seen('PodMetrics.metrics.k8s.io')).toHaveLength(1);
    expect(state(got, 'Pod', 'calm')).toBe(0);
  });

  test('cluster-info dump: what it never writes is not known', async () => {
    const got = await read(layouts.clusterInfo(brokenPod()));
    expect([state(got, 'Pod', 'shop'), state(got, 'Pod', 'calm'), state(got, 'StatefulSet', 'shop')]).toEqual([1, 0, 'not-collected']);
  });

  test('two clusters in one folder are not mixed', async () => {
    const files = { ...layouts.kubectlGather(brokenPod(), 'prod'), ...layouts.kubectlGather(brokenPod(), 'dr') };
    await expect(read(files)).rejects.toMatchObject({ message: expect.stringMatching(/holds 2 clusters: dr, prod/) });
    await expect(read(files)).rejects.toBeInstanceOf(UserError);
    const one = await openSource({ from: [join(await writeFolder(join(dir, 'both'), files), 'prod')] });
    expect(state(one, 'Pod', 'shop')).toBe(1);
  });

  test('duplicate objects: the newest stays, whatever file it stands in', async () => {
    const top = 'inspect.local.1/namespaces/shop/';
    const pod = (version: string, phase: string) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: version },
        status: { phase },
      });
    const got = await read({
      [`${top}core/pods/a.yaml`]: pod('99', 'Pending'),
      [`${top}core/pods.yaml`]: `{"apiVersion":"v1","kind":"PodList","items":[${pod('100', 'Running')}]}`,
      [`${top}pods/a/a.yaml`]: pod('98', 'Unknown'),
    });
    expect(got.snapshot.seen('Pod')).toMatchObject([{ status: { phase: 'Running' } }]);
  });
});

describe('a crust-gather run over a time', () => {
  const files = layouts.crustGather(brokenPod());
  const pod = Object.keys(files).find((path) => path.endsWith('pod/web-5d9-abcde.yaml')) as string;
  const patch = (...states: object[][]): string => states.map((each) => `${JSON.stringify(each)}\n`).join('');
  const of = (text: string) => read({ ...files, [pod.replace(/yaml$/, 'patch')]: text });

  test('the last state is read, whatever the changes are', async () => {
    const { snapshot } = await of(patch(
      [{ op: 'replace', path: '/status/phase', value: 'Running' }, { op: 'add', path: '/metadata/labels/a~1b', value: 'x' }],
      [{ op: 'test', path: '/status/phase', value: 'Running' }, { op: 'move', from: '/metadata/labels/a~1b', path: '/metadata/labels/c' }, { op: 'add', path: '/status/conditions/-', value: { type: 'New', status: 'True' } }, { op: 'add', path: '/metadata/annotations', value: { 'crust-gather.io/updated': '2026-03-01T12:30:00Z' } }],
    ));
    const [one] = snapshot.seen('Pod');
    expect(one?.status?.phase).toBe('Running');
    expect(one?.metadata.labels).toMatchObject({ app: 'web', c: 'x' });
    expect(one?.status?.conditions?.at(-1)).toMatchObject({ type: 'New' });
    expect(snapshot.notes.join()).toContain('its last state is read');
    expect(snapshot.capturedAt).toBe('2026-03-01T12:30:00.000Z');
  });

  test('what was deleted is no more, and a change that does not fit ends the changes', async () => {
    expect((await of(patch([{ op: 'add', path: '/metadata/annotations', value: { 'crust-gather.io/deleted': '2026-03-01T12:30:00Z' } }]))).snapshot.seen('Pod')).toEqual([]);
    const { snapshot } = await of(`${patch([{ op: 'replace', path: '/status/phase', value: 'Running' }], [{ op: 'remove', path: '/status/nonsense' }])}{"cut`);
    expect(snapshot.seen('Pod')[0]?.status?.phase).toBe('Running');
    expect(snapshot.notes.join()).toMatch(/change 2 of 3 does not fit/);
    await of(patch([{ op: 'add', path: '/__proto__/polluted', value: 'x' }, { op: 'add', path: '/constructor/prototype/polluted', value: 'x' }]));
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

describe('the clock', () => {
  test('what the tool wrote down, unless an object is later; never the end of a long collection', async () => {
    expect((await read(layouts.mustGather(brokenPod()))).snapshot.capturedAt).toBe('2026-03-01T12:00:00.000000Z');
    expect((await read(layouts.crustGather(brokenPod()))).snapshot.capturedAt).toBe('2026-03-01T12:00:05.123Z');
  });

  test('a name without zone gives way to the objects', async () => {
    expect((await read(layouts.troubleshoot(brokenPod()))).snapshot.capturedAt).toBe('2026-03-01T12:00:00.000000Z');
    const timeless = brokenPod().filter((each) => each.kind === 'Namespace').map((each) => ({ ...each, metadata: { name: each.metadata.name } }));
    expect((await read(layouts.troubleshoot(timeless))).snapshot.capturedAt).toBe('2026-03-01T15:04:05.000Z');
  });
});

describe('folders', () => {
  test('symbolic links lead nowhere, and it is said', async () => {
    const outside = join(dir, 'outside.yaml');
    await writeFile(outside, 'apiVersion: v1\nkind: Pod\nmetadata: {name: outside, namespace: shop}\n');
    const root = await writeFolder(join(dir, 'linked'), layouts.inspect(brokenPod()));
    await symlink(outside, join(root, 'inspect.local.9/namespaces/shop/core/endpoints.yaml'));
    await symlink('/', join(root, 'inspect.local.9/namespaces/loop'));
    const got = await openSource({ from: [root] });
    expect(got.snapshot.seen('Pod').map((pod) => pod.metadata.name)).toEqual(['web-5d9-abcde']);
    expect(got.snapshot.notes).toEqual(['2 symbolic links were not followed.']);
  });

  test('one bad file costs only itself, and what it held is not known', async () => {
    const files = layouts.inspect(brokenPod());
    const bomb = `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefgh'.split('').map((key, i) => `${key}: &${key} [${Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]`).join('\n')}\n`;
    files['inspect.local.9/namespaces/shop/apps/statefulsets.yaml'] = bomb;
    files['inspect.local.9/namespaces/shop/core/endpoints.yaml'] = Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]).toString('latin1');
    const got = await read(files);
    expect(state(got, 'Pod', 'shop')).toBe(1);
    expect(state(got, 'StatefulSet', 'shop')).toBe('truncated');
    expect(got.snapshot.notes.some((note) => /statefulsets\.yaml expands by YAML aliases/.test(note))).toBe(true);
  });

  test('a folder of another kind is read as dumps', async () => {
    const got = await read({ 'namespaces/prod/apps/web.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: prod}\n' });
    expect(got.snapshot.source.tool).toBeUndefined();
    expect(state(got, 'Deployment', 'prod')).toBe('not-collected');
  });
});
