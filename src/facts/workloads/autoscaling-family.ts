import type { HorizontalPodAutoscaler, PodDisruptionBudget } from '../../model/kinds.ts';
import { hpaFacts } from './autoscaling.ts';
import { pdbFacts } from './autoscaling-budgets.ts';
import type { Family } from '../family.ts';

export const family: Family = {
  name: 'autoscaling',
  doc: 'What sizes a workload and what protects it: HorizontalPodAutoscalers and PodDisruptionBudgets.',
  types: {
    Hpa: {
      at: { type: 'list<string>', doc: '`condition` (it cannot scale), `observe` (nobody has looked at it), `goal`; being at a bound is none' },
      young: { type: 'bool', doc: 'not long enough to judge' },
      targetKind: { type: 'string', doc: 'kind it scales' },
      targetName: { type: 'string', doc: 'name it scales' },
      target: { type: 'object?', doc: 'what it scales; null where proven absent' },
      current: { type: 'double', doc: 'replicas now' },
      desired: { type: 'double', doc: 'replicas wanted' },
      min: { type: 'double', doc: 'lower bound' },
      max: { type: 'double', doc: 'upper bound' },
      able: { type: 'Condition?', doc: 'AbleToScale' },
      active: { type: 'Condition?', doc: 'ScalingActive' },
      limited: { type: 'Condition?', doc: 'ScalingLimited' },
      failing: { type: 'Condition?', doc: 'the one that keeps it from scaling' },
      text: { type: 'Text?', doc: 'that condition by table `autoscaling`' },
      metricsGroup: { type: 'string', doc: "API group of the metric that fails, or ''" },
      apiservice: { type: 'object?', doc: 'APIService of that group; null where none is registered' },
      withoutRequest: { type: 'list<string>', doc: 'containers without a request for what it scales by: `app (cpu)`' },
      maker: { type: 'object?', doc: 'the custom resource that made it and has itself failed (a ScaledObject of KEDA); else null' },
      atMaximum: { type: 'bool', doc: 'it wants more than its upper bound' },
      overwriters: { type: 'list<string>', doc: "managers that apply the target's spec.replicas" },
      lastScale: { type: 'string', doc: "RFC 3339, or ''" },
      evidence: { type: 'Evidence', doc: 'the failing condition, or its status' },
    },
    Pdb: {
      at: { type: 'list<string>', doc: '`condition` where evictions are waited for and refused, or it cannot be computed; else `goal`' },
      young: { type: 'bool', doc: 'nobody has waited for long' },
      allowed: { type: 'double', doc: 'disruptionsAllowed' },
      healthy: { type: 'double', doc: 'currentHealthy' },
      wanted: { type: 'double', doc: 'desiredHealthy' },
      expected: { type: 'double', doc: 'expectedPods' },
      condition: { type: 'Condition?', doc: 'DisruptionAllowed' },
      failing: { type: 'bool', doc: 'the controller cannot compute it' },
      pods: { type: 'list<object>', doc: 'pods it covers' },
      sick: { type: 'list<object>', doc: 'those not Ready' },
      keeps: { type: 'list<object>', doc: 'those of them that run and that it keeps all the same, by its policy for unhealthy pods' },
      never: { type: 'bool', doc: 'it asks for as many healthy pods as there are' },
      shut: { type: 'list<Evictor>', doc: 'cordoned nodes with pods of it, for so long that nobody may be waiting' },
      evictors: { type: 'list<Evictor>', doc: 'signs of somebody who waits for an eviction' },
      overlaps: { type: 'list<object>', doc: 'other budgets over the same pods' },
      evidence: { type: 'Evidence', doc: 'its condition, or disruptionsAllowed' },
    },
    Evictor: {
      node: { type: 'string', doc: "node that is being emptied, or ''" },
      by: { type: 'string', doc: 'who, as far as the sign tells' },
      text: { type: 'string', doc: 'in words' },
      since: { type: 'string', doc: "RFC 3339, or ''" },
      evidence: { type: 'Evidence', doc: 'the sign' },
    },
  },
  variables: [
    { name: 'hpa', kinds: ['HorizontalPodAutoscaler'], type: 'Hpa', doc: 'a HorizontalPodAutoscaler', of: (world, object) => hpaFacts(world, object as HorizontalPodAutoscaler) },
    { name: 'pdb', kinds: ['PodDisruptionBudget'], type: 'Pdb', doc: 'a PodDisruptionBudget', of: (world, object) => pdbFacts(world, object as PodDisruptionBudget) },
  ],
};
