import type { Pod } from '../../model/kinds.ts';
import { type Addressed, conditionOf, evidenceAt, pointerTo } from '../address.ts';
import { listOf } from '../lists.ts';

export interface Gate extends Addressed {
  name: string;
  status: string;
  reason: string;
  message: string;
}

/** Readiness gates whose condition is not True; nobody having set it counts as not met (pkg/kubelet/status/generate.go). */
export function unmetGates(pod: Pod): Gate[] {
  return listOf(pod.spec?.readinessGates).flatMap((gate, index): Gate[] => {
    const name = gate.conditionType ?? '';
    const condition = conditionOf(pod, name);
    if (condition?.status === 'True') return [];
    const evidence =
      condition?.evidence ?? evidenceAt(pod, pointerTo('spec', 'readinessGates', index), `readiness gate ${name}: nobody has set this condition`);
    return [{ name, status: condition?.status ?? '', reason: condition?.reason ?? '', message: condition?.message ?? '', evidence }];
  });
}
