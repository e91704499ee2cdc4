import type { LabelSelector } from '../model/kinds.ts';
import { listOf } from './lists.ts';

type Labels = Record<string, string> | undefined;

/** Whether labels satisfy an equality selector; an empty selector matches everything. */
export function matchesLabels(selector: Record<string, string>, labels: Labels): boolean {
  for (const key in selector) if (labels?.[key] !== selector[key]) return false;
  return true;
}

/** metav1.LabelSelector. A null selector matches nothing, an empty one everything (apimachinery, LabelSelectorAsSelector). */
export function matchesSelector(selector: LabelSelector | null | undefined, labels: Labels): boolean {
  if (!selector) return false;
  if (!matchesLabels(selector.matchLabels ?? {}, labels)) return false;
  return listOf(selector.matchExpressions).every((term) => {
    if (!term) return true;
    const value = labels?.[term.key ?? ''];
    const values = listOf(term.values);
    switch (term.operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        return false;
    }
  });
}
