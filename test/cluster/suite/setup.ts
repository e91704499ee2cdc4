import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { CannotRun } from '../cannot-run.ts';
import { down, leftovers, up } from '../cluster.ts';
import { nodeRuns } from '../node-typescript.ts';
import { keepRunning } from './keeper.ts';

const start = Date.now();
const say = (line: string): void => {
  process.stderr.write(`[${((Date.now() - start) / 1000).toFixed(1)} s] ${line}\n`);
};

/** A process of its own, that takes the cluster down when this one is killed. */
function guard(): () => void {
  const [file = '', ...args] = nodeRuns(join(import.meta.dirname, '..', 'cli.ts'));
  const child = spawn(file, [...args, 'guard', String(process.pid)], { detached: true, stdio: 'ignore' });
  child.unref();
  return () => void child.kill();
}

/** One cluster for all tests; what an earlier run left is taken down first, and after this one nothing stays. */
export default async function setup(): Promise<() => Promise<void>> {
  const dismiss = guard();
  try {
    await up({ say, etcdMembers: 3 });
  } catch (error) {
    if (error instanceof CannotRun) say(error.message);
    else await down();
    dismiss();
    if (error instanceof CannotRun) process.exit(1);
    throw error;
  }
  say('two Ready nodes');
  const leaveAlone = keepRunning(say);
  return async () => {
    leaveAlone();
    await down();
    dismiss();
    const rest = await leftovers();
    if (rest.length > 0) throw new Error(`left behind by the test cluster:\n${rest.join('\n')}`);
    say('nothing is left of the cluster');
  };
}
