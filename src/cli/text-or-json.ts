import { UserError } from '../model/errors.ts';
import type { Flags } from './flags.ts';

/** Whether `-o json` was asked for, where text is the only other form. `of`: what is printed, as the error names it. */
export function wantsJson({ output }: Flags, of = ''): boolean {
  const [format = 'text'] = [output].flat();
  if (format !== 'text' && format !== 'json') throw new UserError(`There is no output format "${format}"${of && ` of ${of}`}.`, '-o takes one of: text, json.');
  return format === 'json';
}

/** As the product's other documents say what they are: `kind` and its fields. */
export const documentOf = (kind: string, fields: object): string => `${JSON.stringify({ apiVersion: 'kubectl-strata/v1', kind, ...fields }, null, 2)}\n`;
