import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import type { Finding } from '../../src/model/finding.ts';
import type { Report } from '../../src/model/report.ts';
import { type Opened, openSource } from '../../src/source/index.ts';
import * as layouts from './layouts.ts';
import { brokenPod, plainList } from './world.ts';
import { tarOf, writeFolder, zipFiles } from './write.ts';

let dir = '';
let count = 0;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-bundles-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

const folder = (files: layouts.Files): Promise<string> => writeFolder(join(dir, `b${++count}`), files);
const opened = (path: string): Promise<Opened> => openSource({ from: [path] });
const report = ({ snapshot, scope }: Opened): Report => diagnose(snapshot, scope, { strict: true });
const core = ({ rule, layer, role, certainty, on, title, since }: Finding) => ({ rule, layer, role, certainty, on, title, since });
const names = ({ snapshot }: Opened, kind: string) => snapshot.seen(kind).map((object) => object.metadata.name).sort();

async function plain(): Promise<Report> {
  const path = join(dir, `plain${++count}.json`);
  await writeFile(path, JSON.stringify(plainList(brokenPod())));
  return report(await opened(path));
}

const TOOLS: Record<string, { files: layouts.Files; tool: string }> = {
  troubleshoot: { files: layouts.troubleshoot(brokenPod()), tool: 'troubleshoot support bundle' },
  'old troubleshoot': { files: layouts.troubleshootOld(brokenPod()), tool: 'troubleshoot support bundle' },
  'must-gather': { files: layouts.mustGather(brokenPod()), tool: 'oc adm must-gather or inspect' },
  inspect: { files: layouts.inspect(brokenPod()), tool: 'oc adm must-gather or inspect' },
  'crust-gather': { files: layouts.crustGather(brokenPod()), tool: 'crust-gather' },
  'kubectl-gather': { files: layouts.kubectlGather(brokenPod()), tool: 'kubectl-gather' },
  'cluster-info': { files: layouts.clusterInfo(brokenPod()), tool: 'kubectl cluster-info dump' },
  'support-bundle-kit': { files: layouts.supportBundleKit(brokenPod()), tool: 'support-bundle-kit' },
  sonobuoy: { files: layouts.sonobuoy(brokenPod()), tool: 'sonobuoy' },
  velero: { files: layouts.velero(brokenPod()), tool: 'velero backup' },
};

describe('the same broken pod in every layout', () => {
  for (const [name, { files, tool }] of Object.entries(TOOLS)) {
    test(`${name}: the finding and the verdict of a plain dump`, async () => {
      const wanted = await plain();
      const bundle = await opened(await folder(files));
      expect(bundle.snapshot.source).toMatchObject({ kind: 'files', tool });
      const got = report(bundle);
      expect(wanted.findings.map(core)).toMatchObject([{ rule: 'image-pull', layer: 'cri', role: 'root', certainty: 'proven', on: { name: 'web-5d9-abcde' } }]);
      expect({ verdict: got.verdict, findings: got.findings.map(core) }).toEqual({ verdict: wanted.verdict, findings: wanted.findings.map(core) });
      expect(names(bundle, 'Pod')).toEqual(['web-5d9-abcde']);
    });
  }

  test('a folder, a .tar, a .tar.gz and a .zip of it read alike', async () => {
    const { files } = TOOLS['must-gather'] as { files: layouts.Files };
    const want = await opened(await folder(files));
    const tar = await tarOf(files);
    for (const [suffix, bytes] of [['tar', tar], ['tar.gz', gzipSync(tar)], ['tgz', gzipSync(tar)], ['zip', zipFiles(files)], ['wrong-name', tar]] as const) {
      const path = join(dir, `archive${++count}.${suffix}`);
      await writeFile(path, bytes);
      const got = await opened(path);
      expect(got.snapshot.coverage, suffix).toEqual(want.snapshot.coverage);
      expect(got.snapshot.capturedAt, suffix).toBe(want.snapshot.capturedAt);
      expect(report(got).findings, suffix).toEqual(report(want).findings);
    }
  });

  test('cluster-info dump on stdout: what an application prints is no object', async () => {
    const got = await openSource({ from: ['-'], stdin: Readable.from([Buffer.from(layouts.clusterInfoText(brokenPod()))]) });
    expect(names(got, 'Pod')).toEqual(['web-5d9-abcde']);
    expect(got.snapshot.notes).toEqual([]);
    expect(report(got).findings.map(core)).toEqual((await plain()).findings.map(core));
  });

  test('an archive of plain dumps', async () => {
    const path = join(dir, 'dumps.tgz');
    await writeFile(path, gzipSync(await tarOf({ 'dumps/all.json': JSON.stringify(plainList(brokenPod())) })));
    const got = await opened(path);
    expect(got.snapshot.source.tool).toBe('archive of dumps');
    expect(report(got).findings.map(core)).toEqual((await plain()).findings.map(core));
  });
});
