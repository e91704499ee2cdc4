import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import { UserError } from '../../src/model/errors.ts';
import { LIMITS } from '../../src/source/bundles/limits.ts';
import { openSource } from '../../src/source/index.ts';
import * as layouts from './layouts.ts';
import { NOW, brokenPod, plainList } from './world.ts';
import { tarOf, zstdOf } from './write.ts';

// Made by zstd 1.5 and xz 5.4 of crust-gather's layout; `padded` holds 4 MiB of zeros besides.
const packed = (name: string): string => fileURLToPath(new URL(`packed/${name}`, import.meta.url));
const KINDS = ['zst', 'xz'] as const;

let dir = '';
let count = 0;
const usual = { ...LIMITS };
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'strata-compressed-'))));
afterAll(async () => {
  Object.assign(LIMITS, usual);
  await rm(dir, { recursive: true, force: true });
});
const write = async (bytes: Buffer | string, suffix: string): Promise<string> => {
  const path = join(dir, `a${++count}.${suffix}`);
  await writeFile(path, bytes);
  return path;
};
const limited = async <T>(limits: Partial<typeof LIMITS>, run: () => Promise<T>): Promise<T> => {
  Object.assign(LIMITS, limits);
  try {
    return await run();
  } finally {
    Object.assign(LIMITS, usual);
  }
};
const refusal = async (path: string): Promise<string> => {
  const error = await openSource({ from: [path] }).then(() => null, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
};
const judged = async (path: string) => {
  const { snapshot, scope } = await openSource({ from: [path] });
  return { findings: diagnose(snapshot, scope, { strict: true }).findings.map(({ rule, on }) => [rule, on.name]), coverage: snapshot.coverage, tool: snapshot.source.tool, at: snapshot.capturedAt };
};

describe.each(KINDS)('.tar.%s', (kind) => {
  test('is read as the same archive without compression', async () => {
    const plain = await judged(await write(await tarOf(layouts.crustGather(brokenPod())), 'tar'));
    expect(plain.findings).toEqual([['image-pull', 'web-5d9-abcde']]);
    expect(await judged(packed(`bundle.tar.${kind}`))).toEqual(plain);
    expect(await judged(packed(`padded.tar.${kind}`))).toEqual(plain);
  });

  test('two of them in a row are one, as for tar itself', async () => {
    // The end of an archive is two empty blocks: without them the next one goes on.
    const [whole, at] = [await tarOf(layouts.crustGather(brokenPod())), 8 * 512];
    const parts = [whole.subarray(0, at), whole.subarray(at)];
    if (kind === 'zst') expect((await judged(await write(Buffer.concat(parts.map((part) => zstdOf(part))), 'tar.zst'))).findings).toEqual([['image-pull', 'web-5d9-abcde']]);
    else {
      const one = await readFile(packed('bundle.tar.xz'));
      const { findings } = await judged(await write(Buffer.concat([one, Buffer.alloc(8), one]), 'tar.xz'));
      expect(findings).toEqual([['image-pull', 'web-5d9-abcde']]);
    }
  });

  test('cut off: what came before is read and proves nothing absent; not a beginning: refused', async () => {
    const bytes = await readFile(packed(`bundle.tar.${kind}`));
    const cut = kind === 'zst' ? zstdOf(await tarOf(layouts.crustGather(brokenPod()))).subarray(0, -4000) : (await readFile(packed('padded.tar.xz'))).subarray(0, -60);
    const { snapshot } = await openSource({ from: [await write(cut, `tar.${kind}`)] });
    expect(snapshot.notes.join(' ')).toMatch(/archive breaks off/);
    expect(snapshot.coverage.length).toBeGreaterThan(0);
    expect(snapshot.coverage.every((entry) => entry.state === 'truncated' || entry.selector)).toBe(true);
    expect(await refusal(await write(bytes.subarray(0, 30), `tar.${kind}`))).toMatch(/is not a whole (?:zstd|xz) file: unexpected end/);
  });

  test('bombs end at the limits of the other archives', async () => {
    const path = packed(`padded.tar.${kind}`);
    expect(await limited({ ratio: 50, ratioFrom: 1 << 20 }, () => refusal(path))).toMatch(/unpacks to more than 50 times its size/);
    expect(await limited({ unpacked: 1 << 20 }, () => refusal(path))).toMatch(/unpacks to more than 1 MiB/);
    expect(await limited({ entries: 5 }, () => refusal(path))).toMatch(/more than 5 files/);
  });

  test('one that asks for more memory than there may be is not unpacked', async () => {
    if (kind === 'zst') expect(await refusal(await write(zstdOf(Buffer.from('{}'), { window: 0x90 }), 'json.zst'))).toMatch(/^A compressed file of --from needs 256 MiB of memory to unpack, more than 64 MiB/);
    expect(await limited({ window: 1 << 20 }, () => openSource({ from: [packed(`padded.tar.${kind}`)] }).then(() => '', (error: Error) => error.message))).toMatch(/needs \d MiB of memory to unpack, more than 1 MiB/);
  });
});

describe('compressed dumps and audit logs', () => {
  const dump = JSON.stringify(plainList(brokenPod()));

  test('a dump in zstd: its own frames, those that are skipped, those of one repeated byte', async () => {
    const skipped = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]), Buffer.from('none')]);
    const path = await write(Buffer.concat([skipped, zstdOf(Buffer.from(dump)), zstdOf(Buffer.from(' '), { repeat: 3000 }), skipped]), 'json.zst');
    const { snapshot } = await openSource({ from: [path] });
    expect(snapshot.seen('Pod').map((pod) => pod.metadata.name)).toEqual(['web-5d9-abcde']);
  });

  test('a file of blanks without end is not held', async () => {
    // 400 MB from 13 KB: each block is one byte, said 128 Ki times.
    const path = await write(Buffer.concat(Array.from({ length: 3200 }, () => zstdOf(Buffer.from(' '), { repeat: 128 * 1024 }))), 'json.zst');
    expect(await refusal(path)).toMatch(/larger than 256 MiB/);
  }, 60_000);

  test('an archive whose first block is as large as one may be is known as an archive', async () => {
    const noise = Buffer.from(Array.from({ length: 100_000 }, (_, i) => 33 + ((i * 7919) % 89))).toString('latin1');
    const tar = await tarOf({ 'noise.log': noise, ...layouts.crustGather(brokenPod()) });
    expect((await judged(await write(zstdOf(tar, { block: 128 * 1024 }), 'tar.zst'))).findings).toEqual([['image-pull', 'web-5d9-abcde']]);
  });

  test('an audit log beside a dump', async () => {
    const event = JSON.stringify({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      stage: 'ResponseComplete',
      verb: 'create',
      user: { username: 'ci' },
      objectRef: { resource: 'pods', namespace: 'shop' },
      responseStatus: { code: 403, message: 'no' },
      requestReceivedTimestamp: NOW,
    });
    const [beside, log] = [await write(dump, 'json'), await write(zstdOf(Buffer.from(`${event}\n`)), 'log.zst')];
    const { snapshot } = await openSource({ from: [beside, log] });
    expect(snapshot.notes.join('\n')).toContain('Audit log: create pods in shop by ci was refused with 403: no');
  });
});
