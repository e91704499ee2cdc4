import { Chalk } from 'chalk';

/** Colours only repeat what the words say: without them nothing is lost. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  bad(text: string): string;
  good(text: string): string;
  unsure(text: string): string;
}

/** The sixteen colours of every terminal, or none. */
export function paints(color: boolean): Paint {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  return {
    strong: chalk.bold,
    faint: chalk.dim,
    bad: chalk.red.bold,
    good: chalk.green.bold,
    unsure: chalk.yellow,
  };
}
