import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareRecordings } from '../../src/engine/compare.ts';
import { diagnose } from '../../src/engine/index.ts';
import { minimize } from '../../src/engine/minimize.ts';
import type { Coverage } from '../../src/model/coverage.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { type Opened, openSource, writeRecording } from '../../src/source/index.ts';
import { NOW, brokenPod } from '../bundles/world.ts';

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
const SCOPE = { namespaces: ['shop'], all: false, targets: [] };
const KINDS = ['Pod', 'Deployment', 'ReplicaSet', 'Service', 'Event'];

let dir = '';
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-recordings-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

const taken = (
  objects: KubeObject[],
  coverage: Coverage[] = KINDS.map((kind) => ({ kind, namespace: 'shop', state: 'complete', count: 1 })),
  capturedAt = NOW,
) => {
  const snapshot = new Snapshot({
    objects,
    coverage,
    capturedAt,
    source: { kind: 'recording', name: 'r' },
    cost: { requests: 0, bytes: 0, ms: 0 },
    server: {
      kind: 'APIServer',
      apiVersion: 'kubectl-strata/v1',
      metadata: { name: 'h' },
      endpoint: '',
      reached: true,
      connection: [],
      health: [],
      failures: [],
    },
  });
  return { snapshot, report: diagnose(snapshot, SCOPE, { strict: true }) };
};
const nameOf = ({ kind, name }: { kind: string; name: string }) => `${kind}/${name}`;
const change = (kind: string, patch: (object: KubeObject) => KubeObject | null): KubeObject[] => brokenPod().flatMap((each) => (each.kind === kind ? (patch(each) ?? []) : each));

describe('diff', () => {
  test('a recording and itself', () => {
    const { findings, objects } = compareRecordings(taken(brokenPod()), taken(brokenPod()));
    expect([findings, objects]).toEqual([{ gained: [], lost: [], changed: [] }, { added: [], removed: [], replaced: [], changed: [], unknown: [] }]);
  });

  test('a cause that went, by what is gone and what is not known', () => {
    const before = taken(brokenPod());
    const after = taken(
      brokenPod().filter((each) => each.kind !== 'Pod' && each.kind !== 'Service'),
      KINDS.filter((kind) => kind !== 'Service').map((kind) => ({ kind, namespace: 'shop', state: 'complete', count: 0 })),
    );
    const { findings, objects } = compareRecordings(before, after);
    expect(findings.lost.map((finding) => finding.rule)).toEqual(['image-pull']);
    expect(objects.removed.map(nameOf)).toEqual(['Pod/web-5d9-abcde']);
    expect(objects.unknown).toMatchObject([{ kind: 'Service', name: 'web', missing: 'after' }]);
  });

  test('what was changed, with where; what was made anew; what only moves by itself is no change', () => {
    const after = brokenPod().map((each): KubeObject => {
      if (each.kind === 'Deployment') return { ...each, metadata: { ...each.metadata, resourceVersion: '500', labels: { 'a/b': 'c' } }, spec: { ...(each['spec'] as object), replicas: 3 } };
      if (each.kind === 'Service') return { ...each, metadata: { ...each.metadata, uid: 'another' } };
      if (each.kind === 'Lease') return { ...each, spec: { ...(each['spec'] as object), renewTime: '2026-03-01T12:05:00.000000Z' } };
      return each.kind === 'Node' ? { ...each, metadata: { ...each.metadata, resourceVersion: '501' } } : each;
    });
    const { objects } = compareRecordings(taken(brokenPod()), taken(after));
    expect(objects.replaced.map(nameOf)).toEqual(['Service/web']);
    expect(objects.changed).toMatchObject([
      {
        object: { kind: 'Deployment', name: 'web' },
        more: 0,
        changes: [
          { pointer: '/metadata/labels', before: undefined, after: { 'a/b': 'c' } },
          { pointer: '/spec/replicas', before: 1, after: 3 },
        ],
      },
    ]);
  });

  test('an empty field that says as much as none is no change; an empty selector is', () => {
    const containers = (more: object): object => ({ spec: { containers: [{ name: 'app', image: 'registry.example/app:1', ...more }] } });
    const shaped = (spec: object): KubeObject[] => brokenPod().map((each) => (each.kind === 'Deployment' ? ({ ...each, spec: { replicas: 1, ...spec } } as KubeObject) : each));
    const changes = (one: object, other: object) => compareRecordings(taken(shaped(one)), taken(shaped(other))).objects.changed.flatMap((each) => each.changes.map(({ pointer }) => pointer));
    expect(changes({ template: containers({}) }, { template: containers({ resources: {}, securityContext: {} }) })).toEqual([]);
    expect(changes({ template: containers({}) }, { template: containers({ resources: { limits: { cpu: '1' } } }) })).toEqual(['/spec/template/spec/containers/0/resources']);
    expect(changes({}, { namespaceSelector: {} })).toEqual(['/spec/namespaceSelector']);
  });

  test('conditions are compared by their type, wherever they stand', () => {
    const conditioned = (...conditions: object[]): KubeObject[] => brokenPod().map((each) => (each.kind === 'Deployment' ? ({ ...each, status: { conditions } } as KubeObject) : each));
    const [available, progressing] = [{ type: 'Available', status: 'False' }, { type: 'Progressing', status: 'True' }];
    const { objects } = compareRecordings(taken(conditioned(progressing, available)), taken(conditioned({ ...available, status: 'True' }, progressing)));
    expect(objects.changed).toMatchObject([{ changes: [{ pointer: '/status/conditions/0/status', item: 'Available', before: 'False', after: 'True' }], more: 0 }]);
    const alike = [{ type: 'Available', status: 'False' }, { type: 'Available', status: 'True' }];
    expect(compareRecordings(taken(conditioned(...alike)), taken(conditioned(...alike.toReversed()))).objects.changed).toMatchObject([{ changes: [{ pointer: '/status/conditions/0/status' }, { pointer: '/status/conditions/1/status' }] }]);
  });

  test('what only moves along with time stands behind all that changed; a tag that was moved is a change', () => {
    const status = (at: string, id: string, more: object) => ({
      conditions: ['Ready', 'Initialized', 'PodScheduled', 'ContainersReady'].map((type) => ({ type, status: 'True', lastTransitionTime: at })),
      containerStatuses: [{ name: 'app', containerID: id, imageID: id, state: { running: { startedAt: at } } }],
      startTime: at,
      ...more,
    });
    const pods = (given: object) => change('Pod', (pod) => ({ ...pod, status: given }));
    const before = status('2026-03-01T11:00:00Z', 'one', { zeta: 1, alpha: 1, podIPs: [{ ip: '10.0.0.1' }] });
    const after = status('2026-03-01T11:30:00Z', 'two', { zeta: 2, alpha: 2 });
    const [{ changes = [], more } = {}] = compareRecordings(taken(pods(before)), taken(pods(after))).objects.changed;
    expect(changes.map(({ pointer }) => pointer)).toEqual([
      '/status/alpha', '/status/containerStatuses/0/imageID', '/status/zeta',
      ...[0, 1, 2, 3].map((index) => `/status/conditions/${index}/lastTransitionTime`),
      '/status/containerStatuses/0/containerID', '/status/containerStatuses/0/state/running/startedAt', '/status/podIPs', '/status/startTime',
    ]);
    expect(more).toBe(0);
    expect(compareRecordings(taken(pods({ ...after, containerStatuses: [] })), taken(pods({ ...after, phase: 'Running' }))).objects.changed[0]?.changes[0]?.pointer).toBe('/status/containerStatuses/0');
  });

  test('where not all can be told, states are, and the words of conditions as far as there is room', () => {
    const node = (status: string, reason: string, phase: string) =>
      change('Pod', (pod) => ({ ...pod, status: { conditions: ['A', 'B', 'C', 'D', 'Ready'].map((type) => ({ type, status, reason, message: reason })), phase } }));
    const [{ changes = [], more } = {}] = compareRecordings(taken(node('Unknown', 'silent', 'Pending')), taken(node('True', 'fine', 'Running'))).objects.changed;
    expect(changes.filter(({ pointer }) => pointer.endsWith('/status')).map(({ item }) => item)).toEqual(['A', 'B', 'C', 'D', 'Ready']);
    expect([changes.length, changes.at(-1)?.pointer, more]).toEqual([12, '/status/phase', 4]);
  });

  test('the same cause on the pod that came after is the same cause', () => {
    const renamed = brokenPod().map((each): KubeObject => JSON.parse(JSON.stringify(each).replaceAll('web-5d9-abcde', 'web-5d9-fghij').replaceAll('pod-web-5d9-abcde', 'pod-new')) as KubeObject);
    const { findings, objects } = compareRecordings(taken(brokenPod()), taken(renamed));
    expect([findings.gained, findings.lost]).toEqual([[], []]);
    expect([objects.added.map(nameOf), objects.removed.map(nameOf)]).toEqual([['Pod/web-5d9-fghij'], ['Pod/web-5d9-abcde']]);
  });
});

describe('minimize', () => {
  const told = ({ snapshot, scope }: Opened) => {
    const { verdict, findings } = diagnose(snapshot, scope, { strict: true });
    return { verdict, findings };
  };
  const size = (snapshot: Snapshot) => snapshot.kinds().reduce((sum, kind) => sum + snapshot.seen(kind).length, 0);

  const broken = readdirSync(fixtures, { withFileTypes: true }).filter((entry) => entry.isDirectory() && /^e(?:5|7|9|19|20)/.test(entry.name)).map((entry) => entry.name);
  test('there is something to make smaller', () => expect(broken.length).toBeGreaterThan(5));

  for (const name of broken.filter((_, index) => index % 3 === 0)) {
    test(`${name}: less, and the same causes`, async () => {
      const whole = await openSource({ from: [join(fixtures, name)] });
      const { snapshot, limited } = minimize(whole.snapshot, (part) => diagnose(part, whole.scope));
      const path = join(dir, name);
      await writeRecording(path, snapshot, whole.scope, 'test');
      const small = await openSource({ from: [path] });
      expect(limited).toBe(false);
      expect(size(small.snapshot)).toBeLessThan(size(whole.snapshot));
      expect(told(small)).toEqual(told(whole));
    });
  }

  test('nothing more can go: without any one of its objects something else is said', () => {
    const { snapshot } = taken(brokenPod());
    const judge = (part: Snapshot) => diagnose(part, SCOPE);
    const { snapshot: small } = minimize(snapshot, judge);
    const objects = small.kinds().flatMap((kind) => [...(small.seen(kind) as readonly KubeObject[])]);
    const essence = (report: ReturnType<typeof judge>) => JSON.stringify([report.verdict, report.findings, report.workloads, report.skipped.map((each) => each.rule)]);
    const wanted = essence(judge(small));
    for (const gone of objects) {
      const rest = new Snapshot({
        objects: objects.filter((each) => each !== gone),
        coverage: [...small.coverage],
        server: small.server,
        capturedAt: small.capturedAt,
        source: small.source,
        cost: small.cost,
      });
      expect(essence(judge(rest)), `${gone.kind}/${gone.metadata.name}`).not.toBe(wanted);
    }
  });
});

describe('a recording written again', () => {
  test('values that look like secrets are gone, whatever it came from; only its owner may read it', async () => {
    const secret = 'hunter2-hunter2';
    const objects = change('Pod', (pod) => ({
      ...pod,
      spec: {
        ...(pod['spec'] as object),
        containers: [
          { name: 'app', image: 'registry.example/web:2', env: [{ name: 'DB_PASSWORD', value: secret }], args: ['--token', secret] },
        ],
      },
    }));
    objects.push({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'shop' },
      data: { pw: Buffer.from(secret).toString('base64') },
    });
    const path = join(dir, 'plain.json');
    await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const { snapshot, scope } = await openSource({ from: [path] });
    const out = join(dir, 'redacted');
    await writeRecording(out, snapshot, scope, 'test');
    expect((await stat(out)).mode & 0o777).toBe(0o700);
    for (const entry of await readdir(out, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });
});
