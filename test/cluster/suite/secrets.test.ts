import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confession, formsOf, plant } from '../../source/secrets.ts';
import { apply, get, remove } from '../api.ts';
import { container, namespace } from '../experiments/objects.ts';
import { untilContainer, untilPods } from '../experiments/observe.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import { waitFor } from '../wait.ts';
import { strata } from './product.ts';

const NAMESPACE = 'planted';
const planted = plant(NAMESPACE);
const said = `m${Math.random().toString(16).slice(2)}0123`;
planted.secrets['termination message'] = said;

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'widgets.strata.test' },
  spec: {
    group: 'strata.test', scope: 'Namespaced', names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }],
  },
};

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'strata-secrets-'));
  await apply([namespace(NAMESPACE), CRD]);
  await waitFor('the custom resource is served', async () => ((await get('strata.test/v1', 'Widget', NAMESPACE, 'none')) === undefined ? { done: true } : { saw: 'something' }), 60_000);
  await apply(planted.objects);
  const talker = container({ command: ['sh', '-c', `echo "${confession(said)}" > /dev/termination-log; exit 1`] });
  await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'talker', namespace: NAMESPACE }, spec: { restartPolicy: 'Never', containers: [talker] } });
  await untilContainer(NAMESPACE, 'the program has said its password', (status) => status.state.terminated?.message?.includes(said) === true);
  await untilPods(NAMESPACE, 'the pod of the Deployment is there', (pods) => pods.some(({ metadata }) => metadata.name.startsWith('planted-')));
});
afterAll(async () => {
  await remove('v1', 'Namespace', '', NAMESPACE);
  await remove('apiextensions.k8s.io/v1', 'CustomResourceDefinition', '', 'widgets.strata.test');
  await rm(dir, { recursive: true, force: true });
});

/** Every file of a recording, as text. */
async function textOf(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))).join('\n');
}

const places = (text: string): string[] => Object.entries(planted.secrets).filter(([, value]) => formsOf(value).some((form) => text.includes(form))).map(([place]) => place);

describe('a recording of a namespace full of secrets', () => {
  const kubeconfig = (): string[] => ['--kubeconfig', kubeconfigPath('admin')];

  it.each([
    ['of the namespace', ['record', '-n', NAMESPACE]],
    ['of the cluster', ['record', '-A']],
    ['of what is asked for by name', ['record', '-n', NAMESPACE, 'widget/planted', 'secret/opaque', 'secret/token', 'configmap/settings', 'deploy/planted', 'cronjob/planted', 'ingress/planted', 'pod/talker']],
  ])('%s holds none of them', async (name, args) => {
    const folder = join(dir, name.replaceAll(' ', '-'));
    const ran = await strata(...args, ...kubeconfig(), '-o', folder);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const text = await textOf(folder);
    expect(places(text + ran.stdout + ran.stderr)).toEqual([]);
    // What they were planted in is there.
    for (const word of ['DB_PASSWORD', '@db.example.com:5432/shop', 'FATAL: cannot log in, password=<redacted', ...(args.includes('widget/planted') ? ['"key":"zone","operator":"Exists"'] : [])]) expect(text, word).toContain(word);
    expect((JSON.parse(await readFile(join(folder, 'redaction.json'), 'utf8')) as { values: number }).values).toBeGreaterThan(30);
    const report = await strata('--from', folder, '-v');
    expect(places(report.stdout + report.stderr)).toEqual([]);
  });

  it('nor does what a gate keeps, or prints', async () => {
    const folder = join(dir, 'gate');
    const ran = await strata('gate', 'deploy/planted', '-n', NAMESPACE, '--timeout', '4s', '--record', folder, ...kubeconfig());
    expect(ran.code, ran.stderr).toBeGreaterThan(0);
    const text = await textOf(folder);
    expect(text).toContain('DB_PASSWORD');
    expect(places(text + ran.stdout + ran.stderr)).toEqual([]);
  });

  it('nor does a report of the cluster itself', async () => {
    const ran = await strata('-n', NAMESPACE, '-o', 'json', ...kubeconfig());
    expect(places(ran.stdout + ran.stderr)).toEqual([]);
  });
});
