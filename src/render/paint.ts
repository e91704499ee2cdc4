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
    strong: (text) => chalk.bold(text),
    faint: (text) => chalk.dim(text),
    bad: (text) => chalk.red.bold(text),
    good: (text) => chalk.green.bold(text),
    unsure: (text) => chalk.yellow(text),
  };
}
