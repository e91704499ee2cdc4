import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/model/kinds.ts';
import { type OwnKubeconfig, writeKubeconfig } from '../../../src/serve/index.ts';
import { openLogs } from '../../../src/source/index.ts';
import { brokenPod } from '../../bundles/world.ts';
import { type Api, COVERAGE, startApi } from '../../serve/api.ts';
import { kubectl } from './product.ts';

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.db.example.com' },
  spec: {
    group: 'db.example.com',
    scope: 'Namespaced',
    names: { plural: 'databases', singular: 'database', kind: 'Database', shortNames: ['dbs'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A database and its size.',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer', description: 'Members.' } } } },
          },
        },
      },
    ],
  },
};

let api: Api;
let config: OwnKubeconfig;
let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'strata-kubectl-'));
  await mkdir(join(dir, 'logs/shop/pod-web-5d9-abcde/app'), { recursive: true });
  await writeFile(join(dir, 'logs/shop/pod-web-5d9-abcde/app/current.log'), 'one\ntwo\n');
  for (const name of ['manifest.json', 'coverage.json']) await writeFile(join(dir, name), '{}');
  const db = { apiVersion: 'db.example.com/v1', kind: 'Database', metadata: { name: 'main', namespace: 'shop' }, spec: { size: 3 } };
  const more = ['Database.db.example.com', 'HorizontalPodAutoscaler'].map((kind) => ({ kind, namespace: 'shop', state: 'complete' as const, count: 0 }));
  const onNode = { kind: 'Pod', namespace: null, state: 'complete' as const, count: 1, selector: 'spec.nodeName=node-1' };
  const lease = { kind: 'Lease', namespace: 'kube-node-lease', state: 'complete' as const, count: 1 };
  api = await startApi({ objects: [...brokenPod(), CRD, db] as KubeObject[], coverage: [...COVERAGE, ...more, onNode, lease], options: { logs: openLogs([dir]) } });
  config = await writeKubeconfig(api, 'shop');
});
afterAll(async () => {
  await api.close();
  config.remove();
  await rm(dir, { recursive: true, force: true });
});

const run = async (...args: string[]) => kubectl(config.path, ...args);
/** What it prints, with runs of spaces made one. */
const told = async (...args: string[]) => {
  const { stdout, stderr, code } = await run(...args);
  return { code, out: stdout.replaceAll(/ +/g, ' '), err: stderr };
};

describe('kubectl on a recording', () => {
  it('get, in every form', async () => {
    expect((await told('get', 'pods')).out).toBe('NAME READY STATUS RESTARTS AGE\nweb-5d9-abcde 0/1 ImagePullBackOff 0 60m\n');
    expect((await told('get', 'deploy,rs,svc', '-o', 'wide')).out).toMatch(/deployment\.apps\/web 0\/1 0 0 60m app registry\.example\/web:2 app=web/);
    expect((await told('get', 'pod', 'web-5d9-abcde', '-o', 'yaml')).out).toMatch(/uid: pod-web-5d9-abcde/);
    expect((await told('get', 'pods', '-l', 'app in (web),!x', '--field-selector', 'status.phase=Pending', '-o', 'name')).out).toBe('pod/web-5d9-abcde\n');
    expect((await told('get', 'dbs', '-o', 'jsonpath={.items[*].spec.size}')).out).toBe('3');
    expect((await told('get', 'pods', '--chunk-size=1', '--show-labels')).out).toMatch(/app=web/);
    expect((await told('get', 'pods', '-w', '--request-timeout=2s')).out).toMatch(/^NAME READY STATUS RESTARTS AGE\nweb-5d9-abcde 0\/1/);
  });

  it('describe: a pod, a Deployment, a node', async () => {
    const pod = (await told('describe', 'pod', 'web-5d9-abcde')).out;
    expect(pod).toMatch(/Reason: ImagePullBackOff/);
    expect(pod).toMatch(/Warning Failed .* Failed to pull image/);
    expect((await told('describe', 'deploy', 'web')).out).toMatch(/NewReplicaSet|OldReplicaSets/);
    expect((await told('describe', 'node', 'node-1')).out).toMatch(/Non-terminated Pods: *\(1 in total\)/);
  });

  it('events, logs, rollout, wait', async () => {
    expect((await told('events')).out).toMatch(/Failed Pod\/web-5d9-abcde Failed to pull image/);
    expect((await told('logs', 'deploy/web', '--tail=1')).out).toBe('two\n');
    expect((await told('rollout', 'status', 'deploy/web', '--timeout=2s'))).toMatchObject({ code: 1, err: expect.stringMatching(/exceeded its progress deadline/) });
    expect((await told('wait', '--for=condition=Available=False', 'deploy/web', '--timeout=5s')).out).toBe('deployment.apps/web condition met\n');
    expect((await told('wait', '--for=condition=Ready', 'pod/web-5d9-abcde', '--timeout=1s')).err).toMatch(/timed out waiting/);
    expect((await told('wait', '--for=delete', 'pod/never-was', '--timeout=1s')).code).toBe(0);
  });

  it('api-resources, api-versions, version, explain of what is defined there', async () => {
    expect((await told('api-resources')).out).toMatch(/databases dbs db\.example\.com\/v1 true Database/);
    expect((await told('api-versions')).out).toMatch(/^apps\/v1$/m);
    expect((await told('version')).out).toMatch(/Server Version: v1\.34\.4/);
    expect((await told('explain', 'databases.spec.size')).out).toMatch(/Members\./);
  });

  it('auth can-i, and nothing is written', async () => {
    expect((await told('auth', 'can-i', 'list', 'pods')).out).toBe('yes\n');
    expect((await told('auth', 'can-i', 'list', 'secrets')).out).toMatch(/^no/);
    expect((await told('auth', 'can-i', 'delete', 'pods')).out).toMatch(/^no/);
    expect((await told('delete', 'pod', 'web-5d9-abcde')).err).toMatch(/the recording is read-only/);
    expect((await told('scale', 'deploy/web', '--replicas=2')).code).not.toBe(0);
  });

  it('absent, forbidden and not recorded are told apart', async () => {
    expect((await told('get', 'pod', 'never-was')).err).toMatch(/\(NotFound\): pods "never-was" not found/);
    expect((await told('get', 'secrets')).err).toMatch(/\(Forbidden\).*secrets is forbidden/);
    expect((await told('get', 'configmaps'))).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/\(NotRecorded\).*is not in the recording/) });
    expect((await told('get', 'pods', '-n', 'calm')).err).toMatch(/No resources found in calm namespace/);
  });
});
