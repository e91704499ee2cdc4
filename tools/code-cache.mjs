// What V8 makes of the program while it does what it is for, kept beside it: functions that ran are in it, all others are not. Prints their reports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';

const root = join(import.meta.dirname, '..');
const { cache, compile, run } = createRequire(import.meta.url)('../bin/program.js');
/** Between them most of what a night brings: events, probes, volumes, scheduling, admission, a look at the whole cluster. */
const RECORDINGS = ['e7-exit', 'e4-node-selector', 'e9-pvc', 'e20-quota', 'e15-cni-failing'].map((name) => join(root, 'fixtures', name));

const script = compile();
const { main } = run(script.runInThisContext());

for (const recording of RECORDINGS) await main(['--from', recording, '--no-color']);
await served(RECORDINGS[0], async (kubeconfig) => {
  for (const output of ['text', 'json']) await main(['--kubeconfig', kubeconfig, '-o', output, '--no-color']);
});
writeFileSync(cache, script.createCachedData());
process.exit(0);

/** The recording as a server, for as long as `work` needs it: reading a cluster is most of what the program does. */
async function served(recording, work) {
  const child = spawn(process.execPath, ['-e', `require(${JSON.stringify(join(root, 'bin/program.js'))}).start(['serve', '--from', ${JSON.stringify(recording)}])`], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [words] = await once(child.stdout, 'data');
    await work(/KUBECONFIG=(\S+)/.exec(String(words))[1]);
  } finally {
    child.kill();
  }
}
