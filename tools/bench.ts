/** `npm run bench`: ratios against a baseline measured in the same run. Prints; fails nothing. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { FEW, compareCatalogues } from './bench/catalogue.ts';
import { NAMESPACE } from './bench/objects.ts';
import { type Measured, paired, run } from './bench/measure.ts';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 5);
const bin = join(import.meta.dirname, '..', 'bin', 'kubectl-strata');
const folder = mkdtempSync(join(tmpdir(), 'strata-bench-'));
const bareClient = join(folder, 'bare.mjs');
await build({ entryPoints: [join(import.meta.dirname, 'bench', 'bare.ts')], bundle: true, platform: 'node', format: 'esm', outfile: bareClient });
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const row = (name: string, { a, b, ratio }: { a: Measured; b: Measured; ratio: number }, against: string): void =>
  print(`${name.padEnd(46)} ${ratio.toFixed(2)} x   ${a.ms.toFixed(0)} ms ${a.mib.toFixed(0)} MiB   ${against} ${b.ms.toFixed(0)} ms ${b.mib.toFixed(0)} MiB`);

interface Served {
  port: number;
  kubeconfig: string;
  log(): Promise<string[]>;
  stop(): void;
}

async function serve(pods: number, sick: number, one = false): Promise<Served> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'bench', 'server.ts'), String(pods), String(sick), ...(one ? ['one'] : [])], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))));
  const kubeconfig = join(folder, `config-${port}`);
  writeFileSync(kubeconfig, JSON.stringify({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'bench', clusters: [{ name: 'bench', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'bench', user: { token: 'bench' } }], contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench', namespace: NAMESPACE } }],
  }));
  return {
    port, kubeconfig,
    log: async () => (await (await fetch(`http://127.0.0.1:${port}/log`)).json()) as string[],
    stop: () => void child.kill(),
  };
}

const product = (served: Served): Promise<Measured> => run(process.execPath, [bin, '-n', NAMESPACE, '-o', 'json', '--kubeconfig', served.kubeconfig]);

function kubectl(): string | null {
  // The cluster suite builds one.
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubectl-strata');
  const built = (existsSync(cache) ? readdirSync(cache) : []).map((key) => join(cache, key, 'bin', 'kubectl'));
  return built.find((path) => existsSync(path)) ?? null;
}

async function compare(name: string, pods: number, sick: number, one = false): Promise<void> {
  const served = await serve(pods, sick, one);
  try {
    const first = await product(served);
    const paths = await served.log();
    const { findings, verdict } = JSON.parse(first.out) as { findings: { role: string }[]; verdict: string };
    const bare = (): Promise<Measured> => run(process.execPath, [bareClient, String(served.port)], { input: JSON.stringify(paths) });
    row(name, await paired(RUNS, () => product(served), bare), 'bare client');
    print(`${''.padEnd(46)} ${verdict}, ${findings.filter(({ role }) => role === 'root').length} cause(s), ${paths.length} requests`);
    const client = kubectl();
    if (client && !one) {
      const get = (): Promise<Measured> => run(client, ['--kubeconfig', served.kubeconfig, '-n', NAMESPACE, 'get', 'pods,deployments,replicasets,services,events,endpointslices', '-o', 'json'], { env: { HOME: folder } });
      row(`${name}, against kubectl get`, await paired(RUNS, () => product(served), get), 'kubectl');
    }
  } finally {
    served.stop();
  }
}

try {
  row('--version', await paired(RUNS * 2, () => run(process.execPath, [bin, '--version']), () => run(process.execPath, ['-e', '0'])), 'node -e 0');
  for (const [name, size] of [['5,000 pods, 200 sick, judged', { pods: 5000, sick: 200 }], ['5,000 pods, none sick, judged', { pods: 5000, sick: 0 }]] as const) {
    const { rules, few, all, ratio } = compareCatalogues(size);
    print(`${name.padEnd(46)} ${ratio.toFixed(2)} x   ${all.toFixed(0)} ms with ${rules} rules   ${few.toFixed(0)} ms with ${FEW} of them`);
  }
  await compare('5,000 pods, 200 sick', 5000, 200);
  await compare('5,000 sick pods of one Deployment', 5000, 5000, true);
  for (const pods of [10, 1000, 5000]) {
    const served = await serve(pods, Math.ceil(pods / 25));
    await product(served);
    const paths = await served.log();
    served.stop();
    print(`${`${pods} pods`.padEnd(46)} ${paths.filter((path) => !path.includes('continue=')).length} requests and ${paths.filter((path) => path.includes('continue=')).length} further pages`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
