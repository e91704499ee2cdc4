import { mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '../../src/model/errors.ts';
import { LIMITS } from '../../src/source/bundles/limits.ts';
import { openSource } from '../../src/source/index.ts';
import * as layouts from './layouts.ts';
import { brokenPod } from './world.ts';
import { tarOf, zipFiles, zipOf } from './write.ts';

let dir = '';
let count = 0;
const usual = { ...LIMITS };
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-archives-'))));
afterAll(async () => {
  Object.assign(LIMITS, usual);
  await rm(dir, { recursive: true, force: true });
});

const files = layouts.crustGather(brokenPod());
const write = async (bytes: Buffer, suffix = 'tgz'): Promise<string> => {
  const path = join(dir, `a${++count}.${suffix}`);
  await writeFile(path, bytes);
  return path;
};
const read = async (bytes: Buffer, suffix?: string) => openSource({ from: [await write(bytes, suffix)] });
const limited = async <T>(limits: Partial<typeof LIMITS>, run: () => Promise<T>): Promise<T> => {
  Object.assign(LIMITS, limits);
  try {
    return await run();
  } finally {
    Object.assign(LIMITS, usual);
  }
};
const refusal = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(() => null, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).hint).not.toBe('');
  return (error as UserError).message;
};

describe('a broken archive', () => {
  test('cut in the middle: what came before is read, and proves nothing absent', async () => {
    const whole = await read(gzipSync(await tarOf(files)));
    const tar = await tarOf(files);
    const packed = gzipSync(tar);
    for (const [cut, suffix] of [[packed.subarray(0, Math.round(packed.length * 0.9)), 'tgz'], [tar.subarray(0, tar.length - 6000), 'tar']] as const) {
      const { snapshot } = await read(cut, suffix);
      expect(snapshot.notes.join(' ')).toMatch(/archive breaks off/);
      expect(snapshot.coverage.every((entry) => entry.state === 'truncated' || entry.selector)).toBe(true);
      expect(snapshot.coverage.length).toBeGreaterThan(0);
      expect(snapshot.coverage.length).toBeLessThanOrEqual(whole.snapshot.coverage.length);
    }
  });

  test('cut in its first header, damaged, cut zip', async () => {
    const tar = await tarOf(files);
    expect(await refusal(read(tar.subarray(0, 700), 'tar'))).toMatch(/breaks off|holds no Kubernetes objects/);
    expect(await refusal(read(zipFiles(files).subarray(0, -100), 'zip'))).toMatch(/not a whole zip archive: .*[^.]\.$/);
    const damaged = gzipSync(tar);
    damaged.fill(7, 1200, 1400);
    const { snapshot } = await read(damaged).catch((error: UserError) => ({ snapshot: { notes: [error.message] } }));
    expect(snapshot.notes.join(' ')).toMatch(/breaks off|not a whole archive/);
  });

  test('compressed by what is not read here', async () => {
    expect(await refusal(read(Buffer.from('BZh91AY&SY'), 'tar.bz2'))).toMatch(/compressed with bzip2/);
    expect(await refusal(read(Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), '7z'))).toMatch(/compressed with 7z/);
  });
});

describe('a hostile archive', () => {
  test('names that lead out are left out, links are not followed, nothing is written', async () => {
    const before = await readdir(tmpdir());
    const evil = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'evil', namespace: 'shop' } });
    const tar = await tarOf(files, [
      { name: '../../evil.yaml', data: evil }, { name: '/etc/evil.yaml', data: evil }, { name: 'namespaces/shop/v1/pod/../../../../../evil.yaml', data: evil },
      { name: 'namespaces/shop/v1/pod/link.yaml', link: '/etc/passwd' },
    ]);
    const { snapshot } = await read(gzipSync(tar));
    expect(snapshot.seen('Pod').map((pod) => pod.metadata.name)).toEqual(['web-5d9-abcde']);
    expect(snapshot.notes).toEqual(['1 symbolic link was not followed.', '3 entries of the archive lead out of it and were left out.']);
    const zip = zipOf([
      ...Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) })),
      { name: '../evil.yaml', data: Buffer.from(evil) }, { name: '..\\evil.yaml', data: Buffer.from(evil) }, { name: 'C:/evil.yaml', data: Buffer.from(evil) },
      { name: 'namespaces/shop/v1/pod/link.yaml', data: Buffer.from('/etc/passwd'), mode: 0o120777 },
    ]);
    const zipped = await read(zip, 'zip');
    expect(zipped.snapshot.notes).toEqual(['1 symbolic link was not followed.', '3 entries of the archive lead out of it and were left out.']);
    expect((await readdir(tmpdir())).filter((name) => !before.includes(name) && name.includes('evil'))).toEqual([]);
  });

  test('bombs: by ratio, by size, by number, by a header without end', async () => {
    const zeros = { ...files, 'padding.log': '\0'.repeat(4 << 20) };
    const tgz = gzipSync(await tarOf(zeros));
    expect(await refusal(limited({ ratio: 50, ratioFrom: 1 << 20 }, () => read(tgz)))).toMatch(/unpacks to more than 50 times its size/);
    expect(await refusal(limited({ unpacked: 1 << 20 }, () => read(tgz)))).toMatch(/unpacks to more than 1 MiB/);
    expect(await refusal(limited({ entries: 5 }, () => read(tgz)))).toMatch(/more than 5 files/);
    const zip = zipFiles(zeros);
    expect(await refusal(limited({ ratio: 50, ratioFrom: 1 << 20 }, () => read(zip, 'zip')))).toMatch(/unpacks to more than 50 times/);
    expect(await refusal(limited({ entries: 5 }, () => read(zip, 'zip')))).toMatch(/more than 5 files/);
    expect(await refusal(limited({ header: 1 << 20 }, async () => read(gzipSync(await longHeader(3 << 20)))))).toMatch(/header of more than 1 MiB/);
  });

  test('a zip whose directory lies about sizes', async () => {
    const entries = Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text), claims: 10 }));
    expect(await refusal(read(zipOf(entries), 'zip'))).toMatch(/not a whole zip archive/);
  });

  test('a file too large is left out and what it held is not known', async () => {
    const list = layouts.sonobuoy(brokenPod());
    const { snapshot } = await limited({ file: 1500 }, async () => read(gzipSync(await tarOf(list))));
    expect(snapshot.list('Pod', 'shop')).toMatchObject({ state: 'unknown', why: { reason: 'truncated' } });
    expect(snapshot.list('Pod', 'calm')).toMatchObject({ state: 'known', value: [] });
    expect(snapshot.notes.join(' ')).toMatch(/core_v1_pods\.json is larger than/);
    expect(await refusal(limited({ total: 2000 }, async () => read(gzipSync(await tarOf(list)))))).toMatch(/holds more than .* of objects/);
  });

  test('links in a folder of dumps are not followed either, and are told of', async () => {
    const outside = await write(Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'evil', namespace: 'shop' } })), 'json');
    const folder = join(dir, 'linked');
    await mkdir(folder);
    await writeFile(join(folder, 'pods.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: brokenPod() }));
    await symlink(outside, join(folder, 'more.json'));
    await symlink('..', join(folder, 'around'));
    const { snapshot } = await openSource({ from: [folder] });
    expect(snapshot.seen('Pod').map((pod) => pod.metadata.name)).toEqual(['web-5d9-abcde']);
    expect(snapshot.notes).toContain('2 symbolic links were not followed.');
  });

  test('2 GB of nothing in a file of a folder is not read', async () => {
    const path = await write(Buffer.from('{}'), 'json');
    await truncate(path, 2 ** 31 + 5);
    expect(await refusal(openSource({ from: [path] }))).toMatch(/larger than 256 MiB/);
  });
});

/** A pax header that claims to be that long. */
async function longHeader(size: number): Promise<Buffer> {
  const [block] = [(await tarOf({ 'a.yaml': 'x' })).subarray(0, 512)];
  const header = Buffer.from(block ?? Buffer.alloc(512));
  header.write('x', 156);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(`${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.alloc(size, 65)]);
}
