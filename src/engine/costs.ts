import type { Access, AccessCost } from '../model/access.ts';
import { LAYERS, type Layer } from '../model/layer.ts';
import type { RuleSet } from './load.ts';
import type { Rule } from './rule.ts';

/** What every kind that is refused, or may be, costs: the rules that need it. Kinds in the order of the answers. */
export function costsOf({ answers }: Pick<Access, 'answers'>, { rules, needs = {} }: RuleSet): AccessCost[] {
  const refused = new Set(answers.filter(({ allowed }) => allowed !== true).map(({ kind }) => kind));
  const stable = rules.filter(({ status }) => status === 'stable');
  return [...refused].map((kind) => {
    // A rule looks at nothing but objects of its own kinds; of several kinds it loses one.
    const worth = (rule: Rule): 'blind' | 'weaker' | undefined =>
      rule.kind.length === 1 && rule.kind[0] === kind ? 'blind' : (needs[rule.id]?.[kind] ?? (rule.kind.includes(kind) ? 'weaker' : undefined));
    const blind = stable.filter((rule) => worth(rule) === 'blind');
    const weaker = stable.filter((rule) => worth(rule) === 'weaker');
    const layers = new Set([...blind, ...weaker].map(layerOf));
    return {
      kind,
      blind: blind.map(({ id }) => id).sort(),
      weaker: weaker.map(({ id }) => id).sort(),
      layers: LAYERS.filter((layer) => layers.has(layer)),
    };
  });
}

/** The layer a rule belongs to: a layer taken from the text row is written as a template, and its folder then says where it belongs. */
export const layerOf = ({ layer, file }: Pick<Rule, 'layer' | 'file'>): Layer => (layer.includes('{') ? (file.split('/')[0] as Layer) : (layer as Layer));
