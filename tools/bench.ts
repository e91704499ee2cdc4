/** `npm run bench`, `npm run bench -- recordings` for these alone: ratios against a baseline measured in the same run. Prints; fails nothing. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { FEW, compareCatalogues } from './bench/catalogue.ts';
import { NAMESPACE } from './bench/objects.ts';
import { type Measured, median, paired, run } from './bench/measure.ts';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 5);
const bin = join(import.meta.dirname, '..', 'bin', 'kubectl-strata');
const folder = mkdtempSync(join(tmpdir(), 'strata-bench-'));
const bareClient = join(folder, 'bare.mjs');
await build({ entryPoints: [join(import.meta.dirname, 'bench', 'bare.ts')], bundle: true, platform: 'node', format: 'esm', outfile: bareClient });
const recorder = join(folder, 'recording.mjs');
await build({
  entryPoints: [join(import.meta.dirname, 'bench', 'recording.ts')],
  bundle: true,
  splitting: false,
  platform: 'node',
  format: 'esm',
  outfile: recorder,
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
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
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'bench', 'server.ts'), String(pods), String(sick), ...(one ? ['one'] : [])],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const port = await new Promise<number>((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))));
  const kubeconfig = join(folder, `config-${port}`);
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'bench',
      clusters: [{ name: 'bench', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'bench', user: { token: 'bench' } }],
      contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench', namespace: NAMESPACE } }],
    }),
  );
  return {
    port,
    kubeconfig,
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
      const get = (): Promise<Measured> =>
        run(client, ['--kubeconfig', served.kubeconfig, '-n', NAMESPACE, 'get', 'pods,deployments,replicasets,services,events,endpointslices', '-o', 'json'], {
          env: { HOME: folder },
        });
      row(`${name}, against kubectl get`, await paired(RUNS, () => product(served), get), 'kubectl');
    }
  } finally {
    served.stop();
  }
}

/** Writing what was read, and reading it back, each against the least it could take in the same run. */
async function recordings(name: string, pods: number, sick: number): Promise<void> {
  const served = await serve(pods, sick);
  try {
    let made = 0;
    const target = (): string => join(folder, `recording-${made++}`);
    const written = async (): Promise<{ read: number; write: number }> =>
      JSON.parse((await run(process.execPath, [recorder, 'write', served.kubeconfig, target()])).out) as { read: number; write: number };
    await written();
    const writes = [];
    for (let i = 0; i < RUNS; i++) writes.push(await written());
    const [read, write] = [median(writes.map((each) => each.read)), median(writes.map((each) => each.write))];
    print(
      `${`${name}, written`.padEnd(46)} ${median(writes.map((each) => each.write / each.read)).toFixed(2)} x   ${write.toFixed(0)} ms   reading it from the API ${read.toFixed(0)} ms`,
    );

    await served.log();
    await product(served);
    const paths = await served.log();
    const record = (): Promise<Measured> => run(process.execPath, [bin, 'record', '-n', NAMESPACE, '-o', target(), '--kubeconfig', served.kubeconfig]);
    row(
      `${name}, record as a whole`,
      await paired(RUNS, record, () => run(process.execPath, [bareClient, String(served.port)], { input: JSON.stringify(paths) })),
      'bare client',
    );

    // Inside the process: starting one is not what is measured. Memory is that of the process.
    const inside = (mode: string) => async (): Promise<Measured> => {
      const ran = await run(process.execPath, [recorder, mode, join(folder, 'recording-0')]);
      return { ...ran, ms: (JSON.parse(ran.out) as { ms: number }).ms };
    };
    row(`${name}, read back`, await paired(RUNS * 4, inside('back'), inside('parse')), 'JSON.parse of its lines');
  } finally {
    served.stop();
  }
}

async function all(): Promise<void> {
  row(
    '--version',
    await paired(
      RUNS * 2,
      () => run(process.execPath, [bin, '--version']),
      () => run(process.execPath, ['-e', '0']),
    ),
    'node -e 0',
  );
  for (const [name, size] of [
    ['5,000 pods, 200 sick, judged', { pods: 5000, sick: 200 }],
    ['5,000 pods, none sick, judged', { pods: 5000, sick: 0 }],
  ] as const) {
    const { rules, few, all, ratio } = compareCatalogues(size);
    print(`${name.padEnd(46)} ${ratio.toFixed(2)} x   ${all.toFixed(0)} ms with ${rules} rules   ${few.toFixed(0)} ms with ${FEW} of them`);
  }
  await compare('5,000 pods, 200 sick', 5000, 200);
  await compare('5,000 sick pods of one Deployment', 5000, 5000, true);
  await recordings('5,000 pods', 5000, 200);
  for (const pods of [10, 1000, 5000]) {
    const served = await serve(pods, Math.ceil(pods / 25));
    await product(served);
    const paths = await served.log();
    served.stop();
    print(
      `${`${pods} pods`.padEnd(46)} ${paths.filter((path) => !path.includes('continue=')).length} requests and ${paths.filter((path) => path.includes('continue=')).length} further pages`,
    );
  }
}

try {
  await (process.argv[2] === 'recordings' ? recordings('5,000 pods', 5000, 200) : all());
} finally {
  rmSync(folder, { recursive: true });
}
