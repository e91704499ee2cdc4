import { EXIT_USAGE } from './report.ts';

/** Yours to fix, and how. Anything else that is thrown is a bug and keeps its stack. */
export class UserError extends Error {
  readonly hint: string;
  readonly exitCode: number;
  constructor(message: string, hint: string, exitCode: number = EXIT_USAGE) {
    super(message);
    this.name = 'UserError';
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
