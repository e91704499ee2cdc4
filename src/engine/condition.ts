import { UserError } from '../model/errors.ts';
import { createCel } from './cel.ts';

/** What an expression of the user's own says of an object. */
export type Says = { holds: boolean } | { error: string };

const TOP = ['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data'];

/**
 * A CEL expression over one object, which it calls `object` or `self`; its top fields also by their names, as Flux has them.
 * Raises UserError, with the place, where it is none. What it cannot answer (a field that is not there yet) it says.
 */
export function compileCondition(source: string, flag: string): (object: object) => Says {
  const expression = parsed(source, flag);
  return (object) => {
    const fields = object as Record<string, unknown>;
    const context = { object, self: object, ...Object.fromEntries(TOP.map((name) => [name, fields[name] ?? {}])) };
    try {
      const value = expression(context);
      return typeof value === 'boolean'
        ? { holds: value }
        : { error: `gives ${typeof value === 'object' ? 'an object' : `${typeof value} ${String(value)}`}, and neither true nor false` };
    } catch (error) {
      return { error: summaryOf(error) };
    }
  };
}

function parsed(source: string, flag: string): (context: object) => unknown {
  try {
    return createCel([]).compile(source);
  } catch (error) {
    const { start } = (error as { range?: { start?: number } }).range ?? {};
    const at = start === undefined ? '' : ` at character ${start + 1}${start < source.length ? `, "${source.slice(start, start + 20)}"` : ', its end'}`;
    throw new UserError(
      `${flag} cel=${source} is no CEL expression: ${summaryOf(error)}${at}.`,
      `Write one that is true when it is done, such as ${flag} 'cel=object.status.phase == "Running"'.`,
    );
  }
}

const summaryOf = (error: unknown): string => {
  const { summary, message } = error as { summary?: string; message?: string };
  return ((summary ?? message ?? String(error)).split('\n')[0] ?? '').replace(/\.$/, '');
};
