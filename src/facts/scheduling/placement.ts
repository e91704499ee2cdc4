import type { Node, NodeSelectorTerm, Pod, PodSpec, Taint, Toleration } from '../../model/kinds.ts';
import { listOf } from '../lists.ts';

const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** component-helpers `Toleration.ToleratesTaint`: no key with Exists tolerates all, no effect means every effect. */
export function tolerates(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return listOf(tolerations).some((toleration) => {
    if (toleration.effect && toleration.effect !== taint.effect) return false;
    if (toleration.key && toleration.key !== taint.key) return false;
    switch (toleration.operator || 'Equal') {
      case 'Exists':
        return true;
      case 'Equal':
        return Boolean(toleration.key) && (toleration.value ?? '') === (taint.value ?? '');
      // Numeric comparison, alpha in 1.35.
      case 'Gt':
        return Number(taint.value) > Number(toleration.value);
      case 'Lt':
        return Number(taint.value) < Number(toleration.value);
      default:
        return false;
    }
  });
}

/** Taints of the node that keep the pod away; PreferNoSchedule only ranks. */
export const untolerated = (spec: PodSpec | undefined, node: Node): Taint[] =>
  listOf(node.spec?.taints).filter((taint) => taint.effect !== 'PreferNoSchedule' && !tolerates(spec?.tolerations, taint));

/** Whether the cordon keeps the pod away: the scheduler asks the toleration for the taint that a cordon brings. */
export const cordoned = (spec: PodSpec | undefined, node: Node): boolean => node.spec?.unschedulable === true && !tolerates(spec?.tolerations, CORDON);

/** The taint that the node controller adds for a cordon; it says nothing that the cordon does not. */
export const isCordonTaint = (taint: Taint): boolean => taint.key === CORDON.key;

/** `KEY=VALUE:EFFECT`, as kubectl writes it. */
export const taintText = (taint: Taint): string => `${taint.key ?? ''}${taint.value ? `=${taint.value}` : ''}:${taint.effect ?? ''}`;

type Labels = Record<string, string>;

/** One node selector term: all expressions and fields hold; a term without any matches nothing. */
export function matchesTerm(term: NodeSelectorTerm | undefined, labels: Labels, name: string): boolean {
  const expressions = listOf(term?.matchExpressions);
  const fields = listOf(term?.matchFields);
  if (expressions.length + fields.length === 0) return false;
  return (
    expressions.every((expression) => holds(expression, labels[expression.key ?? ''])) &&
    fields.every((field) => holds(field, field.key === 'metadata.name' ? name : undefined))
  );
}

type Expression = NonNullable<NodeSelectorTerm['matchExpressions']>[number];

/** A missing label satisfies NotIn and DoesNotExist (`labels.Requirement.Matches`). */
export function holds({ operator, values }: Expression, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && (values ?? []).includes(value);
    case 'NotIn':
      return value === undefined || !(values ?? []).includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values?.[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values?.[0]);
    default:
      return false;
  }
}

/** A requirement on labels as kubectl writes selectors: `zone in (a, b)`. */
export function expressionText({ key, operator, values }: Expression): string {
  const list = (values ?? []).join(', ');
  switch (operator) {
    case 'In':
      return values?.length === 1 ? `${key}=${list}` : `${key} in (${list})`;
    case 'NotIn':
      return `${key} not in (${list})`;
    case 'Exists':
      return `${key}`;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${list}`;
    case 'Lt':
      return `${key}<${list}`;
    default:
      return `${key} ${operator} (${list})`;
  }
}

/** nodeSelector and required node affinity together, as the plugin NodeAffinity decides. */
export function matchesNode(spec: PodSpec | undefined, node: Node): boolean {
  const labels = labelsOf(node);
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return true;
  return listOf(required.nodeSelectorTerms).some((term) => matchesTerm(term, labels, node.metadata.name));
}

export const labelsOf = (node: Node | Pod): Labels => node.metadata.labels ?? {};
