/** The built program as a user runs it, against an API server in this process whose objects change with time. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { type DoubleOptions, kubeconfigOf, startDouble } from '../source/api-double.ts';

const bin = fileURLToPath(new URL('../../bin/kubectl-strata', import.meta.url));
const { FORCE_COLOR: _force, NO_COLOR: _no, KUBECONFIG: _config, GITHUB_STEP_SUMMARY: _summary, ...environment } = process.env;

export interface Ran {
  stdout: string;
  stderr: string;
  code: number | null;
  asked: string[];
  /** From the start of the program to its end. */
  seconds: number;
}

export interface Play extends DoubleOptions {
  env?: Record<string, string>;
  /** What the server holds from so many ms after the first request on. */
  later?: readonly (readonly [ms: number, objects: readonly unknown[]])[];
}

/** Called once at the top of a test file: a folder that goes with it, and the program run in it. */
export function programs(): { folder: string; program(scene: Play, ...args: string[]): Promise<Ran> } {
  const folder = mkdtempSync(join(tmpdir(), 'strata-gate-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let runs = 0;
  return { folder, program: (scene, ...args) => run(folder, `kubeconfig-${++runs}`, scene, args) };
}

async function run(folder: string, config: string, { later = [], env = {}, ...options }: Play, args: readonly string[]): Promise<Ran> {
  const held = [...(options.objects ?? [])];
  const timers: NodeJS.Timeout[] = [];
  const begin = (): void => void later.forEach(([ms, objects]) => timers.push(setTimeout(() => held.splice(0, held.length, ...objects), ms)));
  const server = await startDouble({
    ...options, objects: held,
    intercept: (url, response, request) => {
      if (timers.length === 0) begin();
      return options.intercept?.(url, response, request);
    },
  });
  const kubeconfig = join(folder, config);
  writeFileSync(kubeconfig, kubeconfigOf(server.url));
  const started = performance.now();
  const child = spawn(process.execPath, [bin, ...args, ...(args.includes('--from') ? [] : ['--kubeconfig', kubeconfig])], {
    env: { ...environment, ...env, HOME: folder },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran: Ran = { stdout: '', stderr: '', code: null, asked: server.asked, seconds: 0 };
  child.stdout.on('data', (chunk) => {
    ran.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    ran.stderr += String(chunk);
  });
  ran.code = await new Promise((resolve) => child.on('close', resolve));
  ran.seconds = (performance.now() - started) / 1000;
  for (const timer of timers) clearTimeout(timer);
  await server.close();
  return ran;
}
