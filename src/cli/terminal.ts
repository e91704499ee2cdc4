import type { Writable } from 'node:stream';
import { visible } from '../render/escape.ts';
import type { Style } from '../render/index.ts';
import { wrap } from '../render/wrap.ts';
import type { Flags } from './flags.ts';

const NARROWEST = 60;
const WIDEST = 100;
const USUAL = 80;

/** Colour and width of the answer: what the flags say, then the environment, then the terminal. */
export function styleOf(flags: Pick<Flags, 'color' | 'verbose'>, out: { isTTY?: boolean; columns?: number } = process.stdout, env = process.env): Style {
  const width = out.isTTY && out.columns ? Math.min(WIDEST, Math.max(NARROWEST, out.columns)) : USUAL;
  return { color: wantsColor(flags, out, env), width, verbose: flags.verbose ?? false };
}

// --no-color, then FORCE_COLOR before NO_COLOR as in Node itself, then whether anybody would see it.
function wantsColor(flags: Pick<Flags, 'color'>, out: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (flags.color === false) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return out.isTTY === true && env['TERM'] !== 'dumb';
}

/** A sentence for stderr with its line break: as wide as a terminal shows it, and one line of a log. */
export function told(text: string, out: { isTTY?: boolean; columns?: number } = process.stderr): string {
  const line = visible(text);
  return `${out.isTTY ? wrap(line, styleOf({}, out).width).join('\n') : line}\n`;
}

/** Writes the answer and waits until it is out: a pipe takes only 64 KB at once. */
export function print(text: string, out: Writable = process.stdout): Promise<void> {
  return new Promise((resolve, reject) => {
    out.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
