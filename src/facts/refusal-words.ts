import { attempt } from '../model/read.ts';
import type { Text } from '../model/text.ts';
import type { Refusal } from './refusal.ts';

type Told = Pick<Refusal, 'amounts' | 'violations' | 'level' | 'hook'>;

const more = (count: number): string => (count > 0 ? `, and ${count} more` : '');

/** What was refused and why, in one short sentence: a quota's sum, the first field that breaks a Pod Security level; else the row's words. */
export function refusalSays(text: Text, refusal: Told): string {
  const over = refusal.amounts.filter((amount) => amount.over > 0);
  const [first] = over.length > 0 ? over : refusal.amounts;
  if (first) {
    const { resource, sum } = first;
    return `ResourceQuota ${text.captures['quota'] ?? ''} has no room for ${resource}: ${sum.slice(resource.length + 2)}${more(over.length - 1)}`;
  }
  const [violation] = refusal.violations;
  // `runAsNonRoot != true (pod or container "app" must set ...)`: the field alone, its remedy is in the whole text.
  if (violation && refusal.level !== '') return `Pod Security level ${refusal.level} forbids the pod: ${violation.replace(/ \(.*$/, '')}${more(refusal.violations.length - 1)}`;
  return text.says;
}

/** The row's line; where it lists all webhook configurations and the one in question is known, that one. */
export function refusalNext(text: Text, refusal: Told): string {
  const config = /get \w*webhookconfigurations/.test(text.next) ? attempt(() => refusal.hook)?.config : undefined;
  return config ? `kubectl get ${config.kind.toLowerCase()} ${config.metadata.name} -o yaml` : text.next;
}
