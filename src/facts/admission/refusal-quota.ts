import type { KubeObject } from '../../model/kinds.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { lazy } from '../lazy.ts';
import { formatQuantity, quantityOf } from '../quantity.ts';
import { quotaFacts, quotaNamed, type QuotaUse } from './quotas.ts';
import type { World } from '../world.ts';

/** The sum that a quota's refusal is about, for one resource; numbers in base units, as they were at the refusal. */
export interface Amount extends Addressed {
  resource: string;
  requested: number;
  used: number;
  limited: number;
  /** How much too much: used + requested - limited. */
  over: number;
  /** What counts against it now. Raises Unknown where the quota was not read. */
  usedNow: number;
  /** Whether the same request would pass now: the controller may still be backing off. */
  fitsNow: boolean;
  /** `requests.cpu: 9800m used + 500m asked > 10`. */
  sum: string;
}

/** `requests.cpu=500m,pods=1` as the quota plugin prints lists (resourcequota controller, prettyPrint). */
export function parseAmounts(list: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const pair of list.split(',')) {
    const at = pair.lastIndexOf('=');
    if (at > 0) found.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return found;
}

/** The amounts of a refusal by `quota` in `namespace`, from the three lists of its text. */
export function amountsOf(world: World, object: KubeObject, namespace: string, captures: Record<string, string>): Amount[] {
  const requested = parseAmounts(captures['requested'] ?? '');
  const used = parseAmounts(captures['used'] ?? '');
  const limited = parseAmounts(captures['limited'] ?? '');
  const name = captures['quota'] ?? '';
  return [...requested].map(([resource, asked]) => {
    const [ask, had, limit] = [asked, used.get(resource), limited.get(resource)].map((text) => quantityOf(text) ?? 0) as [number, number, number];
    const now = (): QuotaUse | undefined => {
      const live = quotaNamed(world, namespace, name);
      return live ? quotaFacts(world, live).uses.find((use) => use.resource === resource) : undefined;
    };
    const sum = `${resource}: ${formatQuantity(resource, had)} used + ${formatQuantity(resource, ask)} asked > ${formatQuantity(resource, limit)}`;
    const amount: Amount = lazy<Amount>({
      resource: () => resource,
      requested: () => ask,
      used: () => had,
      limited: () => limit,
      over: () => had + ask - limit,
      usedNow: () => now()?.used ?? 0,
      fitsNow: () => {
        const use = now();
        // A quota that is gone, or no longer counts this resource, refuses nothing.
        return use === undefined || use.used + ask <= use.hard;
      },
      sum: () => sum,
      evidence: () => now()?.evidence ?? evidenceAt(quotaNamed(world, namespace, name) ?? object, '', sum),
    });
    return amount;
  });
}
