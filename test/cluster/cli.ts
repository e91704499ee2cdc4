import { spawn } from 'node:child_process';
import { down, downAfter, isUp, leftovers, status, up } from './cluster.ts';
import { kubeconfigPath } from './kubeconfig.ts';
import { binaries } from './layout.ts';
import { CannotRun } from './cannot-run.ts';
import { processId, runs } from './process.ts';
import { sleep } from './wait.ts';

const USAGE = `npm run cluster -- COMMAND
  up        two nodes of a real Kubernetes on this machine (needs root); replaces one that is there
  down      take it down; nothing stays
  status    what runs, and where its logs are
  shell     a shell with kubectl and KUBECONFIG set to its admin
`;

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function commandUp(): Promise<void> {
  const start = Date.now();
  await up({ say });
  say(`up in ${((Date.now() - start) / 1000).toFixed(1)} s: two Ready nodes`);
  process.stdout.write(`export KUBECONFIG=${kubeconfigPath('admin')}\n`);
}

async function commandDown(): Promise<void> {
  await down();
  const rest = await leftovers();
  if (rest.length > 0) throw new Error(`left behind:\n${rest.join('\n')}`);
}

async function commandStatus(): Promise<void> {
  if (!isUp()) {
    process.stdout.write('the test cluster is down\n');
    return;
  }
  const { components, nodes } = await status();
  for (const node of nodes) process.stdout.write(`${node.name.padEnd(26)} ${node.ready}\n`);
  for (const { name, pid, log } of components) {
    process.stdout.write(`${name.padEnd(26)} ${(pid === undefined ? 'stopped' : `pid ${pid}`).padEnd(12)} ${log}\n`);
  }
}

async function commandShell(): Promise<void> {
  if (!isUp()) throw new Error('the test cluster is down; `npm run cluster -- up` brings it up');
  const env = { ...process.env, KUBECONFIG: kubeconfigPath('admin'), PATH: `${binaries()}:${process.env['PATH']}` };
  const shell = spawn(process.env['SHELL'] || '/bin/sh', [], { stdio: 'inherit', env });
  process.exitCode = await new Promise<number>((resolve) => shell.on('close', (code) => resolve(code ?? 1)));
}

/** Outlives a test runner that was killed, and takes its cluster down. Not for people. */
async function commandGuard(pid: number): Promise<void> {
  const runner = processId(pid);
  say(`watching ${pid}`);
  while (runs(runner)) await sleep(500);
  await downAfter(runner);
}

const commands: Record<string, (argument: string) => Promise<void>> = {
  up: commandUp,
  down: commandDown,
  status: commandStatus,
  shell: commandShell,
  guard: (argument) => commandGuard(Number(argument)),
};

const [name = '', argument = ''] = process.argv.slice(2);
const command = commands[name];
if (!command) {
  process.stderr.write(USAGE);
  process.exit(64);
}
try {
  await command(argument);
} catch (error) {
  const expected = error instanceof CannotRun;
  say(expected ? error.message : `${name}: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
process.exit(process.exitCode ?? 0);
