/**
 * Each in a process that has done nothing before; prints one line of JSON with what it took, in ms:
 *   write KUBECONFIG FOLDER   reads the cluster (`read`), and writes what was read as a recording (`write`)
 *   back FOLDER               reads a recording back
 *   parse FOLDER              reads its files and parses every line of them, nothing else
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openSource, writeRecording } from '../../src/source/index.ts';
import { readRecording } from '../../src/source/recording/read.ts';

const [mode, first = '', second = ''] = process.argv.slice(2);

async function parse(folder: string): Promise<number> {
  const kept: unknown[] = [];
  for (const entry of await readdir(join(folder, 'lists'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf('\n', from);
      kept.push(JSON.parse(text.slice(from, end)));
      from = end + 1;
    }
  }
  return kept.length;
}

const started = performance.now();
const took = (): number => performance.now() - started;
const print = (result: object): void => void process.stdout.write(`${JSON.stringify(result)}\n`);

if (mode === 'write') {
  const { snapshot, scope } = await openSource({ kube: { kubeconfig: first } });
  const read = took();
  await writeRecording(second, snapshot, scope, 'bench');
  print({ read, write: took() - read });
} else {
  const count = mode === 'back' ? (await readRecording(first)).input.objects.length : await parse(first);
  print({ ms: took(), count });
}
