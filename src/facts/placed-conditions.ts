import type { Condition, KubeObject } from '../model/kinds.ts';
import { type AddressedCondition, conditionOf, evidenceAt } from './address.ts';
import { listOf } from './lists.ts';

/** A condition that is not the object's own but of a part of it, with its place in words: `listener http`. */
export interface Place {
  condition: Condition;
  pointer: string;
  where: string;
}

/** The condition with its address; one of the object itself is read as such. */
export function addressed(object: KubeObject, { condition, pointer, where }: Place): AddressedCondition {
  const found = where === '' ? conditionOf(object, condition.type ?? '') : null;
  if (found) return found;
  const words = [where, `${condition.type}=${condition.status}`, condition.reason, condition.message].filter(Boolean).join(' ');
  const generation = object.metadata.generation;
  return {
    type: condition.type ?? '',
    status: condition.status ?? 'Unknown',
    reason: condition.reason ?? '',
    message: condition.message ?? '',
    since: condition.lastTransitionTime ?? '',
    current: generation === undefined || condition.observedGeneration === undefined || condition.observedGeneration >= generation,
    evidence: evidenceAt(object, pointer, `condition ${words}`, condition.lastTransitionTime ?? null),
  };
}

interface Part {
  conditions?: Condition[];
  routerName?: string;
  controllerName?: string;
  name?: string;
  ancestorRef?: { name?: string };
  parentRef?: { name?: string };
}

/**
 * Conditions in the lists of a status: what each of several controllers or parents says of the object
 * (Route.status.ingress, policies' status.ancestors). Empty where the object has conditions of its own, which sum up.
 */
export function partConditions(object: KubeObject): Place[] {
  const status = object['status'];
  if (status === null || typeof status !== 'object' || Array.isArray((status as { conditions?: unknown }).conditions)) return [];
  return Object.entries(status as Record<string, unknown>).flatMap(([field, list]) =>
    !Array.isArray(list)
      ? []
      : (list as (Part | null)[]).flatMap((part, i) =>
          part === null || typeof part !== 'object' || !Array.isArray(part.conditions)
            ? []
            : listOf(part.conditions).map((condition, j) => ({
                condition,
                pointer: `/status/${field}/${i}/conditions/${j}`,
                where: part.routerName ?? part.parentRef?.name ?? part.ancestorRef?.name ?? part.name ?? part.controllerName ?? `${field} ${i + 1}`,
              })),
        ),
  );
}
