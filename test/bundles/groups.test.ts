import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { serveSnapshot } from '../../src/serve/index.ts';
import { openSource, writeRecording } from '../../src/source/index.ts';
import { type Fields, ask } from '../serve/api.ts';
import * as layouts from './layouts.ts';
import { brokenPod, plainList } from './world.ts';
import { writeFolder } from './write.ts';

/** Kinds and names that two groups share: Knative's Service beside the core one, and two operators' Cluster. */
const one = (apiVersion: string, kind: string, ready: string): KubeObject => ({
  apiVersion, kind, metadata: { name: 'web', namespace: 'shop', uid: `${apiVersion} ${kind}`, resourceVersion: '101', generation: 1, creationTimestamp: '2026-03-01T10:00:00Z' },
  status: { observedGeneration: 1, conditions: [{ type: 'Ready', status: ready, reason: 'Told', message: `by ${apiVersion}`, lastTransitionTime: '2026-03-01T10:05:00Z' }] },
});
const TWINS = [one('serving.knative.dev/v1', 'Service', 'True'), one('cluster.x-k8s.io/v1beta1', 'Cluster', 'True'), one('postgresql.cnpg.io/v1', 'Cluster', 'False')];
const KEYS = ['Cluster.cluster.x-k8s.io', 'Cluster.postgresql.cnpg.io', 'Service', 'Service.serving.knative.dev'];

const groupOf = ({ apiVersion }: KubeObject): string => apiVersion.split('/')[0] ?? '';
const versionOf = ({ apiVersion }: KubeObject): string => apiVersion.split('/')[1] ?? '';
const pluralOf = ({ kind }: KubeObject): string => `${kind.toLowerCase()}s`;
const extra = (path: (object: KubeObject) => string, text: (object: KubeObject) => string): layouts.Files => Object.fromEntries(TWINS.map((object) => [path(object), text(object)]));
const list = (object: KubeObject): string => JSON.stringify({ apiVersion: object.apiVersion, kind: `${object.kind}List`, metadata: {}, items: [object] });
const alone = (object: KubeObject): string => dump(object);

const BUNDLES: Record<string, layouts.Files> = {
  troubleshoot: { ...layouts.troubleshoot(brokenPod(), 'b/'), ...extra((each) => `b/cluster-resources/custom-resources/${pluralOf(each)}.${groupOf(each)}/shop.json`, (each) => JSON.stringify([each])) },
  inspect: { ...layouts.inspect(brokenPod()), ...extra((each) => `inspect.local.9/namespaces/shop/${groupOf(each)}/${pluralOf(each)}.yaml`, list) },
  'support-bundle-kit': { ...layouts.supportBundleKit(brokenPod()), ...extra((each) => `supportbundle_1/yamls/namespaced/shop/${groupOf(each)}/${versionOf(each)}/${pluralOf(each)}.yaml`, list) },
  sonobuoy: { ...layouts.sonobuoy(brokenPod()), ...extra((each) => `resources/ns/shop/${groupOf(each)}_${versionOf(each)}_${pluralOf(each)}.json`, list) },
  velero: { ...layouts.velero(brokenPod()), ...extra((each) => `resources/${pluralOf(each)}.${groupOf(each)}/namespaces/shop/web.json`, (each) => JSON.stringify(each)) },
  'crust-gather': { ...layouts.crustGather(brokenPod()), ...extra((each) => `namespaces/shop/${each.apiVersion.replace('/', '-')}/${each.kind.toLowerCase()}/web.yaml`, alone) },
  'kubectl-gather': { ...layouts.kubectlGather(brokenPod()), ...extra((each) => `prod/namespaces/shop/${groupOf(each)}/${pluralOf(each)}/web.yaml`, alone) },
  'one file': { 'dump.json': JSON.stringify(plainList([...brokenPod(), ...TWINS])) },
  'a file a kind': { ...extra((each) => `${groupOf(each)}/${pluralOf(each)}.json`, list), 'all.json': JSON.stringify(plainList(brokenPod())) },
};

let dir = '';
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-groups-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

describe.each(Object.entries(BUNDLES))('two groups with one resource name: %s', (name, files) => {
  test('are kept apart, by what is read, judged, recorded and served', async () => {
    const folder = await writeFolder(join(dir, name.replaceAll(' ', '-')), files);
    const opened = await openSource({ from: [folder], namespaces: ['shop'] });
    const { snapshot, scope } = opened;
    expect(snapshot.kinds().filter((kind) => /^(?:Service|Cluster)\b/.test(kind)).sort()).toEqual(KEYS);
    for (const key of KEYS) expect(snapshot.seen(key)).toHaveLength(1);
    // An object of the one group proves nothing of the other's list: what a kind's coverage says is of that kind.
    expect(snapshot.coverage.filter(({ kind, namespace }) => kind === 'Service' && namespace === 'shop').reduce((sum, { count }) => sum + count, 0)).toBe(1);

    const recording = join(dir, `${name.replaceAll(' ', '-')}-rec`);
    await writeRecording(recording, snapshot, scope, 'test');
    const again = await openSource({ from: [recording] });
    const told = ({ snapshot: each, scope: of }: typeof opened) => diagnose(each, of, { strict: true }).findings.map(({ rule, on }) => [rule, on.kind, on.uid]);
    expect(told(again)).toEqual(told(opened));
    expect(told(opened).filter(([, kind]) => kind === 'Cluster').map(([, , uid]) => uid)).toEqual(['postgresql.cnpg.io/v1 Cluster']);

    const served = await serveSnapshot(again.snapshot);
    try {
      for (const object of TWINS) {
        const { code, body } = await ask(served, `/apis/${object.apiVersion}/namespaces/shop/${pluralOf(object)}/web`);
        expect([code, body['apiVersion'], body.metadata?.['uid']]).toEqual([200, object.apiVersion, object.metadata.uid]);
        const { body: resources } = await ask(served, `/apis/${object.apiVersion}`);
        expect((resources['resources'] as Fields[]).map((each) => each['name'])).toEqual([pluralOf(object)]);
      }
      const { body } = await ask(served, '/api/v1/namespaces/shop/services/web');
      expect([body['apiVersion'], body['kind'], body.metadata?.['uid']]).toEqual(['v1', 'Service', 'service-web']);
    } finally {
      await served.close();
    }
  });
});

test('a name says the one that is meant, and its group the other', async () => {
  const path = join(dir, 'named.json');
  await writeFile(path, JSON.stringify(plainList([...brokenPod(), ...TWINS])));
  const kinds = async (target: string) => (await openSource({ from: [path], namespaces: ['shop'], targets: [target] })).scope.targets.map(({ kind }) => kind);
  expect(await kinds('service/web')).toEqual(['Service']);
  expect(await kinds('services.serving.knative.dev/web')).toEqual(['Service.serving.knative.dev']);
  expect(await kinds('cluster.postgresql.cnpg.io/web')).toEqual(['Cluster.postgresql.cnpg.io']);
  expect(await kinds('clusters.cluster.x-k8s.io/web')).toEqual(['Cluster.cluster.x-k8s.io']);
});
