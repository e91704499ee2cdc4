import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Measured {
  ms: number;
  /** Peak resident set in MiB: the kernel's own high-water mark, read until the process ends. */
  mib: number;
  code: number | null;
  out: string;
}

/** Runs a command whole, start to exit. */
export function run(command: string, args: readonly string[], options: { env?: NodeJS.ProcessEnv; input?: string } = {}): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...options.env } });
    let peak = 0;
    const watch = setInterval(() => {
      try {
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0));
      } catch {
        // It has just ended.
      }
    }, 5);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(watch);
      resolve({ ms: performance.now() - started, mib: peak / 1024, code, out: Buffer.concat(chunks).toString() });
    });
    child.stdin.end(options.input ?? '');
  });
}

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Two commands in turn, so that a machine whose speed drifts cheats neither; medians and the median of the ratios. */
export async function paired(runs: number, a: () => Promise<Measured>, b: () => Promise<Measured>): Promise<{ a: Measured; b: Measured; ratio: number }> {
  await a();
  await b();
  const as: Measured[] = [];
  const bs: Measured[] = [];
  for (let i = 0; i < runs; i += 1) {
    as.push(await a());
    bs.push(await b());
  }
  const middle = (list: Measured[]): Measured => ({
    ...(list[0] as Measured),
    ms: median(list.map((each) => each.ms)),
    mib: median(list.map((each) => each.mib)),
  });
  return { a: middle(as), b: middle(bs), ratio: median(as.map((each, i) => each.ms / (bs[i]?.ms ?? Number.NaN))) };
}
