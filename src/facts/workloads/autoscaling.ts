import type { HorizontalPodAutoscaler, KubeObject, PodSpec } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { maybe, need } from '../../model/read.ts';
import { kindKey } from '../../model/resources.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { customFacts, isCustom } from '../custom/custom.ts';
import { controllerOf } from '../owners.ts';
import { isPuzzled, strangersOf } from './autoscaling-strangers.ts';
import { lazy } from '../lazy.ts';
import { listOf, textsOf } from '../lists.ts';
import { isWithin } from '../time.ts';
import type { World } from '../world.ts';
import { writersOf } from '../writers/entries.ts';

export interface Hpa extends Addressed {
  at: Stage[];
  young: boolean;
  targetKind: string;
  targetName: string;
  /** Null where it is proven absent. */
  target: KubeObject | null;
  current: number;
  desired: number;
  min: number;
  max: number;
  able: AddressedCondition | null;
  active: AddressedCondition | null;
  limited: AddressedCondition | null;
  /** The condition that keeps it from scaling. */
  failing: AddressedCondition | null;
  text: Text | null;
  /** The API group its failing metric comes from: metrics.k8s.io, custom.metrics.k8s.io, external.metrics.k8s.io. */
  metricsGroup: string;
  /** The APIService of that group; null where it is proven that none is registered. */
  apiservice: KubeObject | null;
  /** Containers of the target without a request for the resource whose utilisation it scales by: `app (cpu)`. */
  withoutRequest: string[];
  /** The custom resource that made it and has itself failed: KEDA's ScaledObject, whose trigger gets no answer. */
  maker: KubeObject | null;
  atMaximum: boolean;
  /** Writers of the target's spec.replicas other than the autoscaler: each puts its own number back. */
  overwriters: string[];
  /** It wants more than it may have while it measures less than it should. */
  puzzled: boolean;
  /** Other workloads whose pods it counts. */
  strangers: KubeObject[];
  lastScale: string;
}

const YOUNG = 120;
/** A back-off after scaling, and a target scaled to zero by hand, are as intended (podautoscaler/horizontal.go). */
const INTENDED = new Set(['ScalingDisabled', 'BackoffBoth', 'BackoffDownscale', 'BackoffUpscale']);
const GROUPS: [RegExp, string][] = [
  [/^FailedGet(?:Container)?ResourceMetric/, 'metrics.k8s.io'],
  [/^FailedGet(?:Pods|Object)Metric/, 'custom.metrics.k8s.io'],
  [/^FailedGetExternalMetric/, 'external.metrics.k8s.io'],
];

/** The facts of a HorizontalPodAutoscaler, made once a snapshot. */
export function hpaFacts(world: World, hpa: HorizontalPodAutoscaler): Hpa {
  return world.memo(hpa, 'hpa', () => {
    const { spec, status } = hpa;
    const ref = spec?.scaleTargetRef;
    const target = (): KubeObject | null =>
      ref?.kind && ref.name ? need(world.snapshot.get(kindKey(ref.apiVersion ?? 'apps/v1', ref.kind), hpa.metadata.namespace, ref.name)) : null;
    const facts: Hpa = lazy<Hpa>({
      at: () => (facts.failing ? ['condition'] : listOf(status?.conditions).length === 0 && status?.desiredReplicas === undefined ? ['observe'] : ['goal']),
      young: () =>
        isWithin(world.now, facts.failing?.since || hpa.metadata.creationTimestamp, YOUNG) || isWithin(world.now, hpa.metadata.creationTimestamp, YOUNG),
      targetKind: () => ref?.kind ?? '',
      targetName: () => ref?.name ?? '',
      maker: () => {
        const owner = maybe(controllerOf(world, hpa));
        return owner && isCustom(owner) && customFacts(world, owner)?.at.includes('condition') ? owner : null;
      },
      target,
      current: () => status?.currentReplicas ?? 0,
      desired: () => status?.desiredReplicas ?? 0,
      min: () => spec?.minReplicas ?? 1,
      max: () => spec?.maxReplicas ?? 0,
      able: () => conditionOf(hpa, 'AbleToScale'),
      active: () => conditionOf(hpa, 'ScalingActive'),
      limited: () => conditionOf(hpa, 'ScalingLimited'),
      failing: () => [facts.able, facts.active].find((condition) => condition?.status === 'False' && !INTENDED.has(condition.reason)) ?? null,
      text: () => (facts.failing ? world.classify('autoscaling', facts.failing.message || facts.failing.reason) : null),
      metricsGroup: () => GROUPS.find(([pattern]) => pattern.test(facts.failing?.reason ?? ''))?.[1] ?? '',
      apiservice: () =>
        facts.metricsGroup === '' ? null : ((need(world.snapshot.list('APIService')) ?? []).find((api) => api.spec?.group === facts.metricsGroup) ?? null),
      withoutRequest: () => withoutRequest(hpa, target()),
      atMaximum: () => facts.limited?.status === 'True' && facts.limited.reason === 'TooManyReplicas',
      overwriters: () => overwritersOf(target()),
      puzzled: () => isPuzzled(hpa, facts.atMaximum),
      strangers: () => strangersOf(world, target()),
      lastScale: () => status?.lastScaleTime ?? '',
      evidence: () => facts.failing?.evidence ?? evidenceAt(hpa, '/status', `${facts.current} of ${facts.min} to ${facts.max} replicas`),
    });
    return facts;
  });
}

interface MetricShape {
  type?: string;
  resource?: { name?: string; target?: { type?: string } };
  containerResource?: { name?: string; container?: string; target?: { type?: string } };
}

/** Utilisation is a share of the request: one container of the pod without it makes the whole undefined. */
function withoutRequest(hpa: HorizontalPodAutoscaler, target: KubeObject | null): string[] {
  const template = (target?.['spec'] as { template?: { spec?: PodSpec } } | undefined)?.template?.spec;
  if (!template) return [];
  const sidecars = listOf(template.initContainers).filter((container) => container.restartPolicy === 'Always');
  return listOf(hpa.spec?.metrics as MetricShape[] | undefined).flatMap(({ resource, containerResource }) => {
    const metric = resource ?? containerResource;
    if (metric?.target?.type !== 'Utilization' || !metric.name) return [];
    const only = containerResource?.container;
    return [...listOf(template.containers), ...sidecars]
      .filter((container) => !only || container.name === only)
      .filter(
        (container) =>
          textsOf(container.resources?.requests)[metric.name ?? ''] === undefined && textsOf(container.resources?.limits)[metric.name ?? ''] === undefined,
      )
      .map((container) => `${container.name ?? ''} (${metric.name})`);
  });
}

/** The autoscaler writes through the scale subresource; anybody else who owns spec.replicas will put it back some day. */
function overwritersOf(target: KubeObject | null): string[] {
  return [
    ...new Set(
      writersOf(target)
        .filter((writer) => writer.subresource === undefined && writer.operation === 'Apply' && writer.paths.includes('spec.replicas'))
        .map((writer) => writer.manager),
    ),
  ];
}
