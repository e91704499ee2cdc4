import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/kubectl-strata', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'strata-bomb-'));
afterAll(() => rmSync(folder, { recursive: true }));

const MIB = 1024 * 1024;
// maxRSS of getrusage begins with that of the process that forked; the high-water mark of one's own memory does not.
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template of the other process
const PEAK = 'data:text/javascript,import{readFileSync}from"node:fs";process.on("exit",()=>console.error(`peak ${/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status","utf8"))[1]}`))';

async function* spaces(mib: number): AsyncGenerator<Buffer> {
  yield Buffer.from('{"apiVersion":"v1","kind":"List","items":[');
  for (let i = 0; i < mib; i++) yield Buffer.alloc(MIB, ' ');
  yield Buffer.from(']}');
}

describe('a compressed file that grows beyond the limit', () => {
  test.runIf(process.platform === 'linux')('is refused within the memory that the limit states, wherever it comes from', async () => {
    const path = join(folder, 'grown.json.gz');
    await pipeline(spaces(400), createGzip({ level: 1 }), createWriteStream(path));
    for (const [from, input] of [[path, ''], [folder, ''], ['-', readFileSync(path)]] as const) {
      const { stderr, status } = spawnSync(process.execPath, ['--import', PEAK, bin, '--from', from], { input, encoding: 'utf8' });
      expect([status, stderr]).toEqual([64, expect.stringContaining('is larger than 256 MiB.')]);
      expect(Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024, from).toBeLessThan(256);
    }
  }, 60_000);

  test('and one that stays below it is read whole, though it is unpacked twice', async () => {
    const path = join(folder, 'long.json.gz');
    await pipeline(spaces(60), createGzip({ level: 1 }), createWriteStream(path));
    const { stderr, stdout, status } = spawnSync(process.execPath, [bin, '--from', path], { encoding: 'utf8' });
    expect([status, `${stdout}${stderr}`]).toEqual([64, expect.stringContaining('holds no Kubernetes objects')]);
  }, 60_000);
});
