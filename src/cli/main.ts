import { EXIT_BUG, EXIT_USAGE } from '../model/report.ts';
import { UserError } from '../model/errors.ts';
import { visible } from '../render/escape.ts';
import { UsageError, run } from './program.ts';
import { told } from './terminal.ts';
import { version } from '../model/version.ts';

/** What went wrong, in the words of whoever can put it right; the exit code. */
function complain(error: unknown): number {
  if (error instanceof UserError) {
    process.stderr.write(`${told(error.message)}${error.hint ? told(error.hint) : ''}`);
    return error.exitCode;
  }
  if (error instanceof UsageError) {
    if (error.message) process.stderr.write(`${told(error.message)}${told(`See kubectl strata ${error.command ? `${error.command} ` : ''}--help.`)}`);
    return error.message ? EXIT_USAGE : 0;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${stack.split('\n').map(visible).join('\n')}\n\nThis is a bug in kubectl-strata ${version} (Node ${process.versions.node}).\n`);
  process.stderr.write('Please report it with the lines above, and a recording (kubectl strata record) if you may share one.\n');
  return EXIT_BUG;
}

/** The program: what stands behind its name on the command line in, its exit code out. What is still open then is not waited for. */
export async function main(words: readonly string[]): Promise<number> {
  // A reader that has seen enough (head, less) closes the pipe; that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.exit(complain(new UserError(`The answer cannot be written (${error.code ?? error.message}).`, 'Make room where it goes, or send it elsewhere.')));
  });
  process.on('SIGINT', () => process.exit(130));
  return run([...words]).catch(complain);
}
