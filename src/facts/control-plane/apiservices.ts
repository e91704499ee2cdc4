import type { APIService, CustomResourceDefinition, KubeObject, Service } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { aside, attempt, need } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { type Unconverted, unconvertedOf } from './conversion.ts';
import { type Svc, svcFacts } from '../network/endpoints.ts';
import type { Family } from '../family.ts';
import { lazy } from '../lazy.ts';
import { listOf } from '../lists.ts';
import { isWithin } from '../time.ts';
import { tunnelAgents } from './tunnel.ts';
import type { World } from '../world.ts';

/** An aggregated API and the Service that must answer for it. */
export interface ApiServiceFacts extends Addressed {
  at: Stage[];
  young: boolean;
  /** Served by the API server itself: needs nobody. */
  local: boolean;
  /** `metrics.k8s.io/v1beta1`. */
  group: string;
  available: AddressedCondition | null;
  serviceName: string;
  serviceNamespace: string;
  port: number;
  service: Service | null;
  backend: Svc | null;
  text: Text | null;
}

const YOUNG = 60;
/** No waiting makes a Service or a port appear; back ends may still start. */
const WRONG = new Set(['ServiceNotFound', 'ServicePortError']);

/** The facts of an APIService, made once a snapshot. */
export function apiServiceFacts(world: World, object: APIService): ApiServiceFacts {
  return world.memo(object, 'apiservice', () => {
    const ref = object.spec?.service;
    const available = conditionOf(object, 'Available');
    const service = (): Service | null => (ref?.name ? need(world.snapshot.get('Service', ref.namespace, ref.name)) : null);
    const broken = ref?.name !== undefined && available !== null && available.status !== 'True';
    return lazy<ApiServiceFacts>({
      at: () => (broken ? ['condition'] : ['goal']),
      young: () => broken && !WRONG.has(available.reason) && isWithin(world.now, available.since || object.metadata.creationTimestamp, YOUNG),
      local: () => !ref?.name,
      group: () => `${object.spec?.group ?? ''}/${object.spec?.version ?? ''}`,
      available: () => available,
      serviceName: () => ref?.name ?? '',
      serviceNamespace: () => ref?.namespace ?? '',
      port: () => ref?.port ?? 443,
      service,
      backend: () => {
        const found = service();
        return found ? svcFacts(world, found) : null;
      },
      text: () => (available && available.message !== '' ? world.classify('apiservices', available.message) : null),
      evidence: () => available?.evidence ?? evidenceAt(object, '', `APIService ${object.metadata.name}`),
    });
  });
}

/** A kind that is defined by a CustomResourceDefinition, and the webhook that converts it. */
export interface CrdFacts extends Addressed {
  at: Stage[];
  young: boolean;
  group: string;
  kind: string;
  established: AddressedCondition | null;
  /** The condition that keeps it from being served. */
  failing: AddressedCondition | null;
  /** Several versions are converted by a webhook: without it no list of this kind works. */
  converts: boolean;
  serviceName: string;
  serviceNamespace: string;
  service: Service | null;
  backend: Svc | null;
  /** Several versions, and the Service of the conversion webhook is absent or has no ready back end. */
  dead: boolean;
  /** A conversion that failed, as the API server told somebody. */
  unconverted: Unconverted | null;
  /** The failing condition by table `apiservices`. */
  text: Text | null;
}

/** The facts of a CustomResourceDefinition, made once a snapshot. */
export function crdFacts(world: World, crd: CustomResourceDefinition): CrdFacts {
  return world.memo(crd, 'crd', () => {
    const { conversion, versions } = crd.spec ?? {};
    const ref = conversion?.webhook?.clientConfig?.service;
    const converts = conversion?.strategy === 'Webhook' && listOf(versions).length > 1;
    const service = (): Service | null => (ref?.name ? need(world.snapshot.get('Service', ref.namespace, ref.name)) : null);
    // Once established a kind is served until it is deleted, whatever comes of its names later (apiextensions, NamingConditionController).
    const served = conditionOf(crd, 'Established')?.status === 'True';
    const failing = (): AddressedCondition | null =>
      served ? null : (['NamesAccepted', 'Established'].map((type) => conditionOf(crd, type)).find((condition) => condition?.status === 'False') ?? null);
    const facts: CrdFacts = lazy<CrdFacts>({
      at: () => (facts.failing ? ['condition'] : attempt(() => facts.dead) === true || facts.unconverted ? ['answer'] : ['goal']),
      young: () => isWithin(world.now, crd.metadata.creationTimestamp, YOUNG) || attempt(() => facts.backend?.young) === true,
      group: () => crd.spec?.group ?? '',
      kind: () => crd.spec?.names?.kind ?? '',
      established: () => conditionOf(crd, 'Established'),
      failing,
      converts: () => converts,
      serviceName: () => ref?.name ?? '',
      serviceNamespace: () => ref?.namespace ?? '',
      service,
      backend: () => {
        const found = service();
        return found ? svcFacts(world, found) : null;
      },
      dead: () => converts && Boolean(ref?.name) && aside(() => facts.backend === null || (!facts.backend.external && facts.backend.ready === 0)),
      unconverted: () => unconvertedOf(world, crd),
      text: () => (facts.failing ? world.classify('apiservices', facts.failing.message) : null),
      evidence: () =>
        facts.failing?.evidence ?? evidenceAt(crd, '/spec/conversion', ref?.name ? `conversion by Service ${ref.namespace}/${ref.name}` : 'conversion'),
    });
    return facts;
  });
}

const SERVICE = {
  serviceName: { type: 'string', doc: "Service, or ''" },
  serviceNamespace: { type: 'string', doc: "its namespace, or ''" },
  service: { type: 'object?', doc: 'the Service; null where proven absent' },
  backend: { type: 'Svc?', doc: 'facts of that Service' },
};

export const family: Family = {
  name: 'apiservices',
  doc: 'APIs that the API server hands on to others: aggregated ones, and the conversion of custom kinds.',
  types: {
    ApiService: {
      at: { type: 'list<string>', doc: '`condition` where Available is not True and a Service should answer, else `goal`' },
      young: { type: 'bool', doc: 'not long enough to judge' },
      local: { type: 'bool', doc: 'served by the API server itself' },
      group: { type: 'string', doc: 'group/version' },
      available: { type: 'Condition?', doc: 'condition Available' },
      ...SERVICE,
      port: { type: 'double', doc: 'port of the Service' },
      text: { type: 'Text?', doc: 'what the aggregator says, by table `apiservices`' },
      evidence: { type: 'Evidence', doc: 'condition Available' },
    },
    Unconverted: {
      text: { type: 'Text', doc: 'by table `api-refusals`' },
      detail: { type: 'string', doc: 'what the webhook or the way to it said' },
      met: { type: 'string', doc: 'who met it, in words' },
      since: { type: 'string', doc: "RFC 3339, or ''" },
      evidence: { type: 'Evidence', doc: 'where it is quoted' },
    },
    Crd: {
      at: { type: 'list<string>', doc: '`condition` where it is not served, `answer` where its conversion fails or nothing answers for it, else `goal`' },
      young: { type: 'bool', doc: 'just created' },
      group: { type: 'string', doc: 'API group' },
      kind: { type: 'string', doc: 'kind' },
      established: { type: 'Condition?', doc: 'condition Established' },
      failing: { type: 'Condition?', doc: 'the condition that keeps it from being served' },
      converts: { type: 'bool', doc: 'several versions, converted by a webhook' },
      ...SERVICE,
      dead: { type: 'bool', doc: 'several versions, and its conversion Service is absent or has no ready back end' },
      unconverted: { type: 'Unconverted?', doc: 'a conversion that failed, as the API server told this reading or the namespace controller' },
      text: { type: 'Text?', doc: 'the failing condition by table `apiservices`' },
      evidence: { type: 'Evidence', doc: 'that condition, or its conversion' },
    },
  },
  variables: [
    {
      name: 'apiservice',
      kinds: ['APIService'],
      type: 'ApiService',
      doc: 'aggregated API',
      of: (world, object) => apiServiceFacts(world, object as APIService),
    },
    {
      name: 'crd',
      kinds: ['CustomResourceDefinition'],
      type: 'Crd',
      doc: 'custom kind',
      of: (world, object) => crdFacts(world, object as CustomResourceDefinition),
    },
  ],
  functions: [
    {
      name: 'tunnelAgents',
      args: [],
      returns: 'list<object>',
      doc: "Workloads that keep the way open from an API server outside of the nodes' network to pods and kubelets.",
      call: (world) => tunnelAgents(world),
    },
    {
      name: 'crdOf',
      args: [
        { name: 'group', type: 'string' },
        { name: 'kind', type: 'string' },
      ],
      returns: 'object?',
      doc: 'The CustomResourceDefinition of a kind; null where it is proven absent.',
      call: (world, _object, group, kind) =>
        ((need(world.snapshot.list('CustomResourceDefinition')) ?? []).find((crd) => crd.spec?.group === group && crd.spec?.names?.kind === kind) as
          | KubeObject
          | undefined) ?? null,
    },
  ],
};
