import { execFile } from 'node:child_process';

export interface RunOptions {
  limitMs?: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** Told each piece of standard error as it comes. */
  onTalk?: (text: string) => void;
  /** Interrupted, as by ^C, once this has come to an end. */
  interruptAfter?: Promise<unknown>;
  /** A non-zero exit is an answer, not an error. */
  tolerate?: boolean;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. Rejects with the command line and what it printed, unless `tolerate`. */
export function run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const [file, ...args] = argv;
  if (file === undefined) throw new Error('run: empty command');
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      {
        timeout: options.limitMs ?? 60_000,
        killSignal: 'SIGKILL',
        maxBuffer: 256 * 1024 * 1024,
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        ...(options.env === undefined ? {} : { env: options.env }),
      },
      (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
        if (error && !options.tolerate) {
          reject(new Error(`${argv.join(' ')}: ${error.killed ? 'took too long' : `exit ${code}`}\n${stderr || stdout || error.message}`));
        } else resolve({ code, stdout, stderr });
      },
    );
    child.stderr?.on('data', (chunk) => options.onTalk?.(String(chunk)));
    options.interruptAfter?.finally(() => child.kill('SIGINT')).catch(() => undefined);
    if (options.input !== undefined) child.stdin?.end(options.input);
  });
}

/** Runs and forgets the outcome: for taking down what may not be there. */
export const attempt = (...argv: string[]): Promise<Ran> => run(argv, { tolerate: true });

/** Runs through `sh`-less, ordered lines of words; each must succeed. */
export async function runAll(lines: readonly string[]): Promise<void> {
  for (const line of lines) await run(line.split(' '));
}
