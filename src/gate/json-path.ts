/** One step into a value: a field, an index, all of a list, or those of a list whose field has a value. */
type Step = { field: string } | { index: number } | { all: true } | { where: string[]; equals: string };

/**
 * The part of JSONPath that `kubectl wait` and CRDs are used with: `{.status.phase}`, `.items[0]`, `['a.b']`, `[*]`,
 * `[?(@.type=="Ready")]`, with `$` in front or without. Null where it is written otherwise.
 */
export function parseJsonPath(text: string): Step[] | null {
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .replace(/^\$/, '');
  if (rest !== '' && !/^[.[]/.test(rest)) rest = `.${rest}`;
  const steps: Step[] = [];
  while (rest !== '') {
    const [whole = '', name, quoted, index, all, path, value] =
      /^(?:\.((?:[\w-]|\\\.)+)|\['([^']+)'\]|\[(-?\d+)\]|(\[\*\]|\.\*)|\[\?\(\s*@((?:\.[\w-]+)+)\s*==\s*["']([^"']*)["']\s*\)\])/.exec(rest) ?? [];
    if (whole === '') return null;
    if (name !== undefined || quoted !== undefined) steps.push({ field: (name ?? quoted ?? '').replaceAll('\\.', '.') });
    else if (index !== undefined) steps.push({ index: Number(index) });
    else if (all !== undefined) steps.push({ all: true });
    else steps.push({ where: (path ?? '').slice(1).split('.'), equals: value ?? '' });
    rest = rest.slice(whole.length);
  }
  return steps.length > 0 ? steps : null;
}

/** Everything that the path leads to. */
export function valuesAt(value: unknown, steps: readonly Step[]): unknown[] {
  return steps.reduce<unknown[]>((values, step) => values.flatMap((each) => into(each, step)), [value]).filter((each) => each !== undefined && each !== null);
}

function into(value: unknown, step: Step): unknown[] {
  if (value === null || typeof value !== 'object') return [];
  if ('field' in step) return Object.hasOwn(value, step.field) ? [(value as Record<string, unknown>)[step.field]] : [];
  if (!Array.isArray(value)) return 'all' in step ? Object.values(value) : [];
  if ('index' in step) return [value.at(step.index)];
  if ('all' in step) return value;
  return value.filter((each) =>
    valuesAt(
      each,
      step.where.map((field) => ({ field })),
    ).some((found) => String(found) === step.equals),
  );
}
