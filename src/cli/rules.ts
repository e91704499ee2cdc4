import { layerOf } from '../engine/costs.ts';
import type { Rule } from '../engine/rule.ts';
import { UserError } from '../model/errors.ts';
import { nearest } from '../model/near.ts';
import { LAYERS } from '../model/layer.ts';
import { renderSheet } from '../render/sheet.ts';
import { renderTable } from '../render/table.ts';
import type { Flags } from './flags.ts';
import { rulesOf } from './rule-set.ts';
import { print, styleOf } from './terminal.ts';
import { documentOf, wantsJson } from './text-or-json.ts';

/** `rules list [LAYER]`: the catalogue, from the rule files, in the order of the layers. `named`: "list" was written, and not left out. */
export async function listRules(layer: string | undefined, flags: Flags, named = true): Promise<number> {
  const json = wantsJson(flags, 'rules');
  const { rules } = await rulesOf(flags);
  const shown = rules.filter((rule) => layer === undefined || layerOf(rule) === layer.toLowerCase());
  if (shown.length === 0 && !named)
    throw new UserError(
      `rules has no command "${layer}", and there is no layer of that name.`,
      `Its commands are list, show and test; the layers are ${LAYERS.join(', ')}.`,
    );
  if (shown.length === 0) throw new UserError(`There is no rule of a layer "${layer}".`, `The layers are ${LAYERS.join(', ')}.`);
  const rank = (rule: Rule): number => (LAYERS as readonly string[]).indexOf(layerOf(rule));
  const items = [...shown].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
  if (json) {
    await print(documentOf('RuleList', { items }));
    return 0;
  }
  const rows = items.map((rule) => [layerOf(rule), rule.id, rule.status === 'stable' ? rule.title : `${rule.title} (${rule.status})`]);
  await print(renderTable(['LAYER', 'ID', 'FINDS'], rows, styleOf(flags)));
  return 0;
}

/** `rules show ID`: one rule, as its file says it. */
export async function showRule(id: string, flags: Flags): Promise<number> {
  const json = wantsJson(flags, 'a rule');
  const { rules } = await rulesOf(flags);
  if (id.trim() === '') throw new UserError('The id of a rule is empty.', 'kubectl strata rules list names them all.');
  const rule = rules.find((one) => one.id === id);
  if (!rule) {
    const ids = rules.map((one) => one.id);
    const near = [...new Set([...nearest(id, ids, String), ...ids.filter((one) => one.includes(id) || id.includes(one))])];
    throw new UserError(
      `There is no rule "${id}".`,
      near.length > 0 ? `Did you mean ${near.slice(0, 5).join(', ')}?` : 'kubectl strata rules list names them all.',
    );
  }
  if (json) {
    await print(documentOf('Rule', rule));
    return 0;
  }
  await print(
    renderSheet(
      `${rule.id}  ${rule.title}`,
      [
        ['layer', [rule.layer]],
        ['looks at', [`${rule.kind.join(', ')} standing at ${rule.at.join(', ')}`]],
        ['with', Object.entries(rule.let).map(([name, value]) => `${name} = ${value}`)],
        ['each', [rule.each ? `${rule.each.name} in ${rule.each.list}` : '']],
        ['when', [rule.when ?? '']],
        ['certainty', [rule.certainty]],
        ['permanence', [rule.permanence]],
        ['expected', [rule.expected]],
        ['actual', [rule.actual]],
        ['conclusion', [rule.conclusion]],
        ['evidence', rule.evidence],
        ['breaks', [rule.breaks.join(', ')]],
        ['lacks', [rule.lacks]],
        ['next', rule.next],
        ['covers', [rule.covers.join(', ')]],
        ['status', [rule.status]],
        ['file', [`rules/${rule.file}`]],
      ],
      styleOf(flags),
    ),
  );
  return 0;
}
