import { mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import { openSource, writeRecording } from '../../src/source/index.ts';
import * as layouts from './layouts.ts';
import { NOW, brokenPod, plainList } from './world.ts';
import { tarOf, writeFolder, zipFiles } from './write.ts';

let dir = '';
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-single-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

/** As kwokctl writes it: no resourceVersions, every time an offset from the start. */
const kwok = (objects: readonly unknown[], start: string): string =>
  objects.map((each) => `---\n${dump(each)}`).join('').replace(/resourceVersion: .*/g, '').replace(/'?(\d{4}-\d\d-\d\dT[\d:.]+Z)'?/g, (_, time: string) => `$(time-offset-nanosecond ${(Date.parse(time) - Date.parse(start)) * 1e6})`);

describe('kwokctl', () => {
  test('times count from the file, and changes are applied in their order', async () => {
    const start = '2026-03-01T12:00:00Z';
    const change = (method: string, seconds: number, resource: object, target: object, template: object = {}) => ({
      apiVersion: 'action.kwok.x-k8s.io/v1alpha1',
      kind: 'ResourcePatch',
      resource,
      target,
      durationNanosecond: seconds * 1e9,
      method,
      template,
    });
    const pods = { version: 'v1', resource: 'pods' };
    const target = { name: 'web-5d9-abcde', namespace: 'shop' };
    const text = kwok([
      ...brokenPod(),
      change('delete', 60, pods, { name: 'extra', namespace: 'shop' }),
      change('create', 20, pods, { name: 'extra', namespace: 'shop' }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'extra', namespace: 'shop' } }),
      change('patch', 40, pods, target, { metadata: { labels: { app: null, late: 'yes' } } }),
    ], start);
    const path = join(dir, 'kwok.yaml');
    await writeFile(path, text);
    await utimes(path, new Date('2026-05-01T00:01:00Z'), new Date('2026-05-01T00:01:00Z'));
    for (const file of [path, `${path}.gz`]) {
      if (file !== path) {
        await writeFile(file, gzipSync(text));
        await utimes(file, new Date('2026-05-01T00:01:00Z'), new Date('2026-05-01T00:01:00Z'));
      }
      const { snapshot, scope } = await openSource({ from: [file] });
      expect(snapshot.source.tool).toBe('kwokctl snapshot');
      expect(snapshot.seen('Pod')).toMatchObject([{ metadata: { name: 'web-5d9-abcde', labels: { late: 'yes' }, creationTimestamp: '2026-04-30T23:00:00.000Z' } }]);
      expect(snapshot.seen('Pod')[0]?.metadata.labels).not.toHaveProperty('app');
      expect(snapshot.capturedAt).toBe('2026-05-01T00:00:00.000Z');
      expect(diagnose(snapshot, scope, { strict: true }).findings).toMatchObject([{ rule: 'image-pull', on: { name: 'web-5d9-abcde' } }]);
    }
  });
});

describe('an audit log', () => {
  const event = (verb: string, code: number, message: string, at: string, stage = 'ResponseComplete') => JSON.stringify({
    kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', stage, verb, user: { username: 'system:serviceaccount:kube-system:replicaset-controller' },
    objectRef: { resource: 'pods', namespace: 'shop', apiVersion: 'v1' }, responseStatus: { code, message, status: 'Failure' }, requestReceivedTimestamp: at,
  });
  const refused = 'admission webhook "deny.example" denied the request: no';
  const log = [
    event('create', 403, refused, NOW),
    event('create', 403, refused, '2026-03-01T12:01:00Z'),
    event('create', 403, refused, NOW, 'RequestReceived'),
    event('update', 409, 'conflict', NOW),
    event('get', 403, 'no', NOW),
    event('create', 201, '', NOW),
    'garbage',
    '',
  ].join('\n');
  const words =
    'Audit log: create pods in shop by system:serviceaccount:kube-system:replicaset-controller was refused with 403: admission webhook "deny.example" denied the request: no (2 times, last 2026-03-01T12:01:00Z)';

  test('adds to a dump and to a bundle what was refused, and no objects', async () => {
    const audit = join(dir, 'audit.log');
    await writeFile(audit, log);
    const dumped = join(dir, 'dump.json');
    await writeFile(dumped, JSON.stringify(plainList(brokenPod())));
    const bundle = await writeFolder(join(dir, 'bundle'), layouts.crustGather(brokenPod()));
    for (const other of [dumped, bundle]) {
      const { snapshot } = await openSource({ from: [other, audit] });
      expect(snapshot.notes).toEqual(expect.arrayContaining([words, 'audit.log: 1 line is no audit events.']));
      expect(snapshot.seen('Event')).toHaveLength(1);
      expect(snapshot.kinds().filter((kind) => kind.includes('audit'))).toEqual([]);
    }
  });

  test('what admission let pass although something was amiss, panics, and only of the namespaces that are judged', async () => {
    const passed = (annotations: object, namespace = 'shop', more: object = {}) =>
      JSON.stringify({
        ...(JSON.parse(event('create', 201, '', NOW)) as object),
        objectRef: { resource: 'deployments', apiGroup: 'apps', namespace },
        responseStatus: { code: 201 },
        annotations,
        ...more,
      });
    const audit = join(dir, 'passed.log');
    await writeFile(audit, [
      passed({ 'pod-security.kubernetes.io/audit-violations': 'would violate PodSecurity "restricted:latest": runAsNonRoot', 'authorization.k8s.io/decision': 'allow' }),
      passed({ 'failed-open.validating.webhook.admission.k8s.io/round_0_index_1': 'check.example' }),
      passed({ 'pod-security.kubernetes.io/audit-violations': 'and did not pass' }, 'shop', { responseStatus: { code: 409 } }),
      passed({ 'mutation.webhook.admission.k8s.io/round_0_index_0': '{"configuration":"x","webhook":"inject.example","mutated":true}' }),
      passed({ 'pod-security.kubernetes.io/audit-violations': 'elsewhere' }, 'other'),
      passed({}, 'shop', { stage: 'Panic', responseStatus: { code: 500, message: 'APIServer panic\'d: nil map' } }),
      event('create', 403, 'denied: password=hunter2hunter2 is not allowed', NOW),
    ].join('\n'));
    const dumped = join(dir, 'judged.json');
    await writeFile(dumped, JSON.stringify(plainList(brokenPod())));
    const notes = (await openSource({ from: [dumped, audit], namespaces: ['shop'] })).snapshot.notes.filter((note) => note.startsWith('Audit log:'));
    const by = 'create deployments.apps in shop by system:serviceaccount:kube-system:replicaset-controller';
    expect(notes.slice(0, 3).sort()).toEqual([
      `Audit log: ${by} ended in a panic of the API server: APIServer panic'd: nil map (${NOW})`,
      `Audit log: ${by} passed although Pod Security objects: would violate PodSecurity "restricted:latest": runAsNonRoot (${NOW})`,
      `Audit log: ${by} passed although webhook check.example did not answer (failurePolicy Ignore) (${NOW})`,
    ]);
    expect(notes).toHaveLength(4);
    expect(notes[3]).toMatch(/was refused with 403: denied: password=<redacted \w+ 14> is not allowed/);
    expect((await openSource({ from: [dumped, audit] })).snapshot.notes.join()).toContain('elsewhere');
  });

  test('alone it is not enough; cut off, what came before counts', async () => {
    const audit = join(dir, 'alone.log');
    await writeFile(audit, log);
    await expect(openSource({ from: [audit] })).rejects.toThrow(/audit log alone holds no objects/);
    const packed = gzipSync(`${log}\n${'x'.repeat(100)}`);
    await writeFile(`${audit}.gz`, packed.subarray(0, packed.length - 6));
    const dumped = join(dir, 'beside.json');
    await writeFile(dumped, JSON.stringify(plainList(brokenPod())));
    const { snapshot } = await openSource({ from: [dumped, `${audit}.gz`] });
    expect(snapshot.notes.join('\n')).toMatch(/alone\.log\.gz breaks off/);
  });
});

describe('a recording of our own', () => {
  test('reads from an archive, and from a folder above it, as from its own folder', async () => {
    const path = join(dir, 'dumped.json');
    await writeFile(path, JSON.stringify(plainList(brokenPod())));
    const dumped = await openSource({ from: [path], namespaces: ['shop'] });
    const folder = join(dir, 'incident', 'rec');
    await mkdir(join(dir, 'incident'));
    await writeRecording(folder, dumped.snapshot, dumped.scope, 'kubectl-strata 1.2.3');
    const files: Record<string, string> = {};
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) files[`rec/${relative(folder, join(entry.parentPath, entry.name))}`] = await readFile(join(entry.parentPath, entry.name), 'utf8');
    }
    const archive = join(dir, 'rec.tgz');
    await writeFile(archive, gzipSync(await tarOf(files)));
    const zip = join(dir, 'rec.zip');
    await writeFile(zip, zipFiles(files));
    const wanted = await openSource({ from: [folder] });
    expect(wanted.scope.namespaces).toEqual(['shop']);
    for (const from of [archive, zip, join(dir, 'incident')]) {
      const got = await openSource({ from: [from] });
      expect(got.scope).toEqual(wanted.scope);
      expect(diagnose(got.snapshot, got.scope, { strict: true })).toEqual(diagnose(wanted.snapshot, wanted.scope, { strict: true }));
    }
    await writeFile(archive, gzipSync(await tarOf(files)).subarray(0, -40));
    await expect(openSource({ from: [archive] })).rejects.toThrow(/is not whole|not a whole/);
    await writeFile(archive, gzipSync(await tarOf({ ...files, ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`two/${name}`, text])) })));
    await expect(openSource({ from: [archive] })).rejects.toThrow(/holds 2 recordings: rec, two\/rec/);
    const many = Array.from({ length: 13 }, (_, index) => `r${index + 10}`);
    await writeFile(archive, gzipSync(await tarOf(Object.fromEntries(many.flatMap((place) => Object.entries(files).map(([name, text]) => [`${place}/${name}`, text]))))));
    await expect(openSource({ from: [archive] })).rejects.toThrow(/holds 13 recordings: r10\/rec, [^.]*r19\/rec and 3 more\.$/);
  });
});
