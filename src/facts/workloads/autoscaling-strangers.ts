import type { HorizontalPodAutoscaler, KubeObject, LabelSelector } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { listOf } from '../lists.ts';
import { topOwner } from '../owners.ts';
import { isFinished } from '../pods/phase.ts';
import { matchesSelector } from '../selectors.ts';
import type { World } from '../world.ts';

interface Metric {
  resource?: { name?: string; target?: { averageUtilization?: number }; current?: { averageUtilization?: number } };
}

/** The share of its request that is used, against the one that is wanted; null where it scales by anything else as well. */
function usage({ spec, status }: HorizontalPodAutoscaler): { is: number; wanted: number } | null {
  const wanted = listOf(spec?.metrics as Metric[] | undefined);
  const current = listOf(status?.currentMetrics as Metric[] | undefined);
  const only = wanted.length === 1 ? wanted[0]?.resource : undefined;
  const is = current.find(({ resource }) => resource?.name !== undefined && resource.name === only?.name)?.resource?.current?.averageUtilization;
  const target = only?.target?.averageUtilization;
  return is === undefined || target === undefined ? null : { is, wanted: target };
}

/** It is used less than it should be, and still it wants more than it may have. */
export function isPuzzled(hpa: HorizontalPodAutoscaler, atMaximum: boolean): boolean {
  const used = atMaximum ? usage(hpa) : null;
  return used !== null && used.is < used.wanted;
}

/**
 * Workloads beside its target whose pods the target's selector takes, too. An autoscaler takes its pods by that selector alone
 * (pkg/controller/podautoscaler/replica_calculator.go), while a Deployment adopts none that another controls. Raises Unknown where pods were not read.
 */
export function strangersOf(world: World, target: KubeObject | null): KubeObject[] {
  const selector = (target?.['spec'] as { selector?: LabelSelector } | undefined)?.selector;
  if (!target || !selector?.matchLabels) return [];
  const pods = need(world.snapshot.list('Pod', target.metadata.namespace)) ?? [];
  const owners = pods
    .filter((pod) => !isFinished(pod) && matchesSelector(selector, pod.metadata.labels))
    .map((pod) => topOwner(world, pod))
    .filter((owner) => owner !== null && owner !== target);
  return [...new Set(owners as KubeObject[])];
}
