import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/model/kinds.ts';
import { serveSnapshot } from '../../src/serve/index.ts';
import { openLogs, openSource } from '../../src/source/index.ts';
import * as layouts from '../bundles/layouts.ts';
import { brokenPod } from '../bundles/world.ts';
import { tarOf, writeFolder } from '../bundles/write.ts';
import { type Answer, ask } from './api.ts';

const LOG = '/api/v1/namespaces/shop/pods/web-5d9-abcde/log';
let dir = '';
let count = 0;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-serve-logs-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What a bundle's own server answers for these paths, as code and text or reason. */
async function answers(from: string, paths: readonly string[]): Promise<[number, string][]> {
  const { snapshot } = await openSource({ from: [from] });
  const served = await serveSnapshot(snapshot, { logs: openLogs([from]) });
  const told = ({ code, text, body }: Answer): [number, string] => [code, code === 200 ? text : String(body['reason'])];
  try {
    return (await Promise.all(paths.map((path) => ask(served, path)))).map(told);
  } finally {
    await served.close();
  }
}
const folder = (files: layouts.Files) => writeFolder(join(dir, `b${++count}`), files);
const archive = async (files: layouts.Files) => {
  const path = join(dir, `b${++count}.tgz`);
  await writeFile(path, gzipSync(await tarOf(files)));
  return path;
};

/** Two containers of one pod: the second is called as the previous log of the first would be. */
const twoBoxes = (): KubeObject[] =>
  brokenPod().map(
    (each): KubeObject =>
      each.kind === 'Pod'
        ? { ...each, spec: { ...(each['spec'] as object), containers: ['app', 'app-previous'].map((name) => ({ name, image: 'x' })) } }
        : each,
  );
const IMAGE = 'must-gather.local.123/quay-io-openshift-origin-sha256-aa/';
const OWN_TIME = '2026-03-01T11:00:00Z own time\n';

const BUNDLES: Record<string, { files: layouts.Files; current: string; previous?: string }> = {
  'must-gather': { files: { ...layouts.mustGather(brokenPod()), [`${IMAGE}namespaces/shop/pods/web-5d9-abcde/app/app/logs/previous.log`]: '2026-03-01T10:00:00.0Z was here\n' }, current: 'starting\n', previous: 'was here\n' },
  inspect: { files: layouts.inspect(brokenPod()), current: 'starting\n' },
  hypershift: { files: { ...Object.fromEntries(Object.entries(layouts.inspect(brokenPod())).filter(([path]) => !path.endsWith('current.log'))), 'inspect.local.9/namespaces/shop/core/pods/logs/web-5d9-abcde-app.log': '2026-03-01T10:00:00.0Z hosted\n', 'inspect.local.9/namespaces/shop/core/pods/logs/web-5d9-abcde-app-previous.log': 'before\n' }, current: 'hosted\n', previous: 'before\n' },
  troubleshoot: { files: { ...layouts.troubleshoot(brokenPod()), 'support-bundle-2026-03-01T15_04_05/cluster-resources/pods/logs/shop/web-5d9-abcde/app.log': OWN_TIME, 'support-bundle-2026-03-01T15_04_05/cluster-resources/pods/logs/shop/web-5d9-abcde/app-previous.log': 'before\n' }, current: OWN_TIME, previous: 'before\n' },
  sonobuoy: { files: layouts.sonobuoy(brokenPod()), current: 'starting\n' },
  'cluster-info dump': { files: { ...layouts.clusterInfo(brokenPod()), 'shop/web-5d9-abcde/logs.txt': '==== START logs for container init of pod shop/web-5d9-abcde ====\nfirst\n==== END logs for container init of pod shop/web-5d9-abcde ====\n==== START logs for container app of pod shop/web-5d9-abcde ====\n{"kind":"Pod"}\nno newline==== END logs for container app of pod shop/web-5d9-abcde ====\n' }, current: '{"kind":"Pod"}\nno newline\n' },
  'support-bundle-kit': { files: layouts.supportBundleKit(brokenPod()), current: 'starting\n' },
  'crust-gather': { files: layouts.crustGather(brokenPod()), current: 'starting\n' },
  'kubectl-gather': { files: layouts.kubectlGather(brokenPod()), current: 'starting\n' },
};

describe.each(Object.entries(BUNDLES))('logs of a bundle: %s', (_, { files, current, previous }) => {
  test.each([['folder', folder], ['archive', archive]] as const)('as a %s', async (_form, write) => {
    const [now, before] = await answers(await write(files), [`${LOG}?container=app`, `${LOG}?previous=true`]);
    expect(now).toEqual([200, current]);
    expect(before).toEqual(previous === undefined ? [404, 'NotRecorded'] : [200, previous]);
  });
});

describe('logs that are none', () => {
  test('a velero backup and a dump have none, and say so', async () => {
    expect(await answers(await folder(layouts.velero(brokenPod())), [LOG])).toEqual([[404, 'NotRecorded']]);
    const dump = join(dir, 'dump.json');
    await writeFile(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: brokenPod() }));
    expect(await answers(dump, [LOG])).toEqual([[404, 'NotRecorded']]);
  });

  test('the log of a container is not taken for the previous one of another', async () => {
    const files = { ...layouts.troubleshoot(twoBoxes()), 'support-bundle-2026-03-01T15_04_05/cluster-resources/pods/logs/shop/web-5d9-abcde/app-previous.log': 'of its own\n' };
    expect(await answers(await folder(files), [`${LOG}?container=app-previous`, `${LOG}?container=app&previous=true`])).toEqual([[200, 'of its own\n'], [404, 'NotRecorded']]);
  });

  test('a link is not followed, and what is too large is not held', async () => {
    const secret = join(dir, 'outside.txt');
    await writeFile(secret, 'outside\n');
    const files = layouts.sonobuoy(brokenPod());
    const log = 'podlogs/shop/web-5d9-abcde/logs/app.txt';
    const { [log]: _, ...rest } = files;
    const linked = await folder({ ...rest, 'podlogs/shop/web-5d9-abcde/logs/other.txt': '' });
    await symlink(secret, join(linked, log));
    expect(await answers(linked, [LOG])).toEqual([[404, 'NotRecorded']]);
    const large = await folder(files);
    await truncate(join(large, log), 65 * 1024 * 1024);
    expect(await answers(large, [LOG])).toEqual([[500, 'InternalError']]);
  });

  test('names of a bundle lead nowhere', async () => {
    const files = Object.fromEntries(Object.entries(layouts.sonobuoy(brokenPod())).map(([path, text]) => [path, text.replaceAll('"name": "app"', '"name": "../../../../x"')]));
    const at = await folder({ ...files, 'x.txt': 'outside\n' });
    expect(await answers(at, [`${LOG}?container=..%2F..%2F..%2F..%2Fx`])).toEqual([[404, 'NotRecorded']]);
  });

  test('one that is asked for by many at once comes to each', async () => {
    const got = await answers(await archive(layouts.mustGather(brokenPod())), Array.from({ length: 12 }, (_, i) => `${LOG}?tailLines=${i === 0 ? 0 : 1}`));
    expect(got).toEqual([[200, ''], ...Array.from({ length: 11 }, () => [200, 'starting\n'])]);
  });
});
