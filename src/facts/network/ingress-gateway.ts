import type { Condition, KubeObject } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, maybe, need, proven } from '../../model/read.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { type Backend, backendTo } from './ingress.ts';
import { lazy } from '../lazy.ts';
import { listOf } from '../lists.ts';
import { addressed, type Place } from '../placed-conditions.ts';
import { isWithin } from '../time.ts';
import { specChangedAt } from '../workloads/common.ts';
import type { World } from '../world.ts';

/** A Gateway, or a route through one (HTTPRoute, GRPCRoute, TLSRoute, TCPRoute, UDPRoute). */
export interface Gateway extends Addressed {
  at: Stage[];
  young: boolean;
  className: string;
  classObject: KubeObject | null;
  classAbsent: boolean;
  /** Its class's Accepted, where that is False: then nobody looks at the Gateway. */
  classRefused: AddressedCondition | null;
  /** Conditions that are not as they should be: of the object, of its listeners, or of its parents, each with its place. */
  failing: AddressedCondition[];
  /** Gateways that a route hangs on and that are proven absent: nobody will ever judge it for them. */
  orphaned: string[];
  /** Gateways that a silent route hangs on and whose class is absent or refused: nobody looks at either. */
  shut: KubeObject[];
  backends: Backend[];
  broken: Backend[];
  /** Nobody has judged it: no condition, or only those Unknown that its definition begins with. */
  silent: boolean;
  /** The newest generation that a condition of it is of, where the spec is newer for minutes; 0 where none lags. */
  behind: number;
}

export const GATEWAY_KINDS = ['Gateway', 'HTTPRoute', ...['GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'].map((kind) => `${kind}.gateway.networking.k8s.io`)];
const YOUNG = 60;
const SILENT_YOUNG = 180;
/** Good when True (gateway-api conventions); Conflicted is bad when True. */
const GOOD = new Set(['Accepted', 'Programmed', 'ResolvedRefs', 'Ready', 'Scheduled']);

interface Shape {
  spec?: { gatewayClassName?: string; rules?: { backendRefs?: Ref[] }[]; parentRefs?: Ref[] };
  status?: {
    conditions?: Condition[];
    listeners?: { name?: string; conditions?: Condition[] }[];
    parents?: { parentRef?: Ref; conditions?: Condition[] }[];
  };
}
interface Ref {
  group?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  port?: number;
}

/** The facts of a Gateway or a route (Gateway API), made once a snapshot. */
export function gatewayFacts(world: World, object: KubeObject): Gateway {
  return world.memo(object, 'gateway', () => {
    const { spec, status } = object as unknown as Shape;
    const { namespace = '' } = object.metadata;
    const className = spec?.gatewayClassName ?? '';
    const placed = placedConditions(status);
    const facts: Gateway = lazy<Gateway>({
      at: () => standing(facts, className !== '' || listOf(spec?.parentRefs).length > 0),
      young: () => isWithin(world.now, object.metadata.creationTimestamp, facts.silent ? SILENT_YOUNG : YOUNG),
      className: () => className,
      classObject: () => (className ? need(world.snapshot.get('GatewayClass', undefined, className)) : null),
      classAbsent: () => className !== '' && facts.classObject === null,
      classRefused: () =>
        facts.classObject && conditionOf(facts.classObject, 'Accepted')?.status === 'False' ? conditionOf(facts.classObject, 'Accepted') : null,
      failing: () =>
        placed
          .filter(({ condition }) => isBad(condition))
          .sort((a, b) => vagueness(a.condition) - vagueness(b.condition))
          .map((place) => addressed(object, place)),
      orphaned: () =>
        listOf(spec?.parentRefs)
          .filter(({ kind = 'Gateway', name }) => kind === 'Gateway' && Boolean(name))
          .filter((ref) => world.snapshot.get('Gateway', ref.namespace ?? namespace, ref.name ?? '').state === 'absent')
          .map((ref) => ref.name ?? ''),
      shut: () => {
        const above = facts.silent ? listOf(spec?.parentRefs).filter(({ kind = 'Gateway', name }) => kind === 'Gateway' && Boolean(name)) : [];
        return above
          .map((ref) => maybe(world.snapshot.get('Gateway', ref.namespace ?? namespace, ref.name ?? '')))
          .filter((each) => each !== null)
          .filter((each) => attempt(() => gatewayFacts(world, each).classAbsent || gatewayFacts(world, each).classRefused !== null) === true);
      },
      backends: () =>
        listOf(spec?.rules).flatMap((rule, i) =>
          listOf(rule.backendRefs).flatMap((ref, j) =>
            isService(ref)
              ? [
                  backendTo(world, object, {
                    route: `rule ${i + 1}`,
                    namespace: ref.namespace ?? namespace,
                    service: ref.name ?? '',
                    port: String(ref.port ?? ''),
                    pointer: `/spec/rules/${i}/backendRefs/${j}`,
                  }),
                ]
              : [],
          ),
        ),
      broken: () => proven(facts.backends, (each) => each.absent || each.portAbsent),
      behind: () => (isLagging(world, object, seenOf(placed)) ? seenOf(placed) : 0),
      silent: () => placed.every(({ condition }) => condition.status === 'Unknown'),
      evidence: () =>
        facts.failing[0]?.evidence ?? evidenceAt(object, className ? '/spec/gatewayClassName' : '/spec', `${object.kind} ${object.metadata.name}`),
    });
    return facts;
  });
}

const LAG = 120_000;

const seenOf = (placed: readonly Place[]): number => Math.max(0, ...placed.map(({ condition }) => condition.observedGeneration ?? 0));

/** Every controller of Gateway API writes observedGeneration into its conditions (gateway-api, conformance); one that never did says nothing by it. */
function isLagging(world: World, object: KubeObject, seen: number): boolean {
  const changed = specChangedAt(object);
  return seen > 0 && seen < (object.metadata.generation ?? 0) && changed !== null && world.now - changed > LAG;
}

const isService = (ref: Ref): boolean => (ref.kind ?? 'Service') === 'Service' && (ref.group ?? '') === '' && Boolean(ref.name);

function placedConditions(status: Shape['status']): Place[] {
  const own = listOf(status?.conditions).map((condition, i) => ({ condition, pointer: `/status/conditions/${i}`, where: '' }));
  const listeners = listOf(status?.listeners).flatMap((listener, i) =>
    listOf(listener.conditions).map((condition, j) => ({
      condition,
      pointer: `/status/listeners/${i}/conditions/${j}`,
      where: `listener ${listener.name ?? i}`,
    })),
  );
  const parents = listOf(status?.parents).flatMap((parent, i) =>
    listOf(parent.conditions).map((condition, j) => ({
      condition,
      pointer: `/status/parents/${i}/conditions/${j}`,
      where: `parent ${parent.parentRef?.name ?? i}`,
    })),
  );
  return [...own, ...listeners, ...parents];
}

/** Envoy Gateway and others: Programmed=False, Invalid, "see other Conditions for details". */
const vagueness = ({ reason, message = '' }: Condition): number =>
  reason === 'Invalid' || reason === 'ListenersNotValid' || /see other [Cc]onditions/.test(message) ? 1 : 0;

const isBad = ({ type = '', status }: Condition): boolean => (GOOD.has(type) && status === 'False') || (type === 'Conflicted' && status === 'True');

function standing(facts: Gateway, asks: boolean): Stage[] {
  if (attempt(() => facts.classAbsent) === true || (facts.silent && facts.orphaned.length > 0)) return ['select'];
  const broken = attempt(() => facts.broken) ?? [];
  if (broken.some((each) => each.absent)) return ['endpoints'];
  if (broken.length > 0) return ['answer'];
  if (facts.failing.length > 0) return ['condition'];
  return (facts.silent && asks) || facts.behind > 0 ? ['observe'] : ['goal'];
}
