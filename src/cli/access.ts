import { costsOf } from '../engine/costs.ts';
import { UserError } from '../model/errors.ts';
import { EXIT } from '../model/report.ts';
import { renderAccess } from '../render/access.ts';
import { readAccess, writeYaml } from '../source/index.ts';
import { rolesFor } from './access-roles.ts';
import { type Flags, reachOf, sourceOptions } from './flags.ts';
import { rulesOf } from './rule-set.ts';
import { withSpinner } from './spinner.ts';
import { print, styleOf } from './terminal.ts';

const FORMATS = ['text', 'json', 'yaml'] as const;

/** `access`: what may be read, what each refusal costs, and what is missing as roles. 0 where nothing is, 3 where something is. */
export async function access(flags: Flags & { whole?: boolean }): Promise<number> {
  const [format = 'text'] = [flags.output].flat();
  if (!(FORMATS as readonly string[]).includes(format))
    throw new UserError(`There is no output format "${format}" of what may be read.`, `-o takes one of: ${FORMATS.join(', ')}.`);
  const [rules, asked] = await Promise.all([rulesOf(flags), withSpinner((say) => readAccess({ ...sourceOptions(flags), onProgress: say }))]);
  const found = { ...asked, costs: costsOf(asked, rules) };
  if (format === 'json') await print(`${JSON.stringify(found, null, 2)}\n`);
  else if (format === 'yaml') {
    if (found.failure !== undefined)
      throw new UserError(`${found.server} would not say what may be read: ${found.failure}.`, 'kubectl strata says why.', EXIT.unreachable);
    if (found.recording)
      throw new UserError(
        `${found.server} is a recording that is served: it says what was read, and grants nothing.`,
        'Ask the cluster itself: kubectl strata access --context NAME -o yaml',
      );
    await print(
      (await writeYaml(rolesFor(found, flags.whole ?? false))) || '# Nothing is missing; --whole writes the roles of everything that a diagnosis may read.\n',
    );
  } else await print(renderAccess(found, { ...styleOf(flags), reach: reachOf(flags) }));
  if (found.failure !== undefined) return EXIT.unreachable;
  return found.answers.every(({ allowed }) => allowed === true) ? EXIT.healthy : EXIT.inconclusive;
}
