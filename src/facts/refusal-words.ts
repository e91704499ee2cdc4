import { attempt } from '../model/read.ts';
import type { Text } from '../model/text.ts';
import type { Refusal } from './refusal.ts';
import { cut } from './words.ts';

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

/**
 * The words of whoever refused, at most 500 characters. Pod Security names the remedy of each field behind "must set"
 * (pod-security-admission/policy); put together they are what has to be written.
 */
export function refusalText(text: Text, refusal: Pick<Refusal, 'violations' | 'level'>): string {
  const inner = cut(text.inner.replace(/\s+/g, ' '), 500);
  const remedies = refusal.violations.map((violation) => /\((?:pod or )?(containers? ".*?"|pod) must (?:not )?set (?:securityContext\.)?(.*)\)$/.exec(violation));
  if (remedies.length < 2 || remedies.some((remedy) => remedy === null)) return inner;
  const byOwner = new Map<string, string[]>();
  for (const [whole = '', owner = '', remedy = ''] of remedies as RegExpExecArray[]) {
    const words = whole.includes(' must not set ') ? `no ${remedy}` : remedy;
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), words]);
  }
  return [...byOwner].map(([owner, words]) => `securityContext of ${owner} must set ${words.join(', ')}`).join('; ');
}

/** The row's line; where it lists all webhook configurations and the one in question is known, that one. */
export function refusalNext(text: Text, refusal: Told): string {
  const config = /get \w*webhookconfigurations/.test(text.next) ? attempt(() => refusal.hook)?.config : undefined;
  return config ? `kubectl get ${config.kind.toLowerCase()} ${config.metadata.name} -o yaml` : text.next;
}
