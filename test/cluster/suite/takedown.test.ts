import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isUp, leftovers } from '../cluster.ts';
import { nodeRuns } from '../node-typescript.ts';
import { processId } from '../process.ts';
import { handOver } from '../settings.ts';

it('is taken down when the process that brought it up is killed', async () => {
  expect(isUp()).toBe(true);
  const runner = spawn('sleep', ['600']);
  handOver(processId(runner.pid ?? 0));
  const [file = '', ...args] = nodeRuns(join(import.meta.dirname, '..', 'cli.ts'));
  const guard = spawn(file, [...args, 'guard', String(runner.pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => guard.once('exit', resolve));
  await new Promise((resolve) => guard.stderr.once('data', resolve));
  runner.kill('SIGKILL');
  expect(await ended).toBe(0);
  expect(await leftovers()).toEqual([]);
});
