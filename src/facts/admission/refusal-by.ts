import type { CustomResourceDefinition, KubeObject, LimitRange, Service } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import { crdFacts } from '../control-plane/apiservices.ts';
import { listOf, textsOf } from '../lists.ts';
import { quantityOf } from '../quantity.ts';
import { quotaNamed } from './quotas.ts';
import type { Refusal } from './refusal.ts';
import type { Mutation } from './refusal-mutation.ts';
import { timeOf } from '../time.ts';
import type { World } from '../world.ts';

/** The object whose rule was applied. Null where there is none, or it cannot be told. Raises Unknown where it was not read. */
export function refusedBy(world: World, refusal: Refusal, namespace: string): KubeObject | null {
  const get = (kind: string, space: string | undefined, name: string): KubeObject | null => (name ? need(world.snapshot.get(kind, space, name)) : null);
  const { captures } = refusal;
  switch (refusal.who) {
    case 'quota':
      return captures['quota'] ? quotaNamed(world, namespace, captures['quota']) : null;
    case 'limitrange':
      return limitRangeOf(world, namespace, captures);
    case 'pod-security':
      return refusal.level ? get('Namespace', undefined, namespace) : null;
    case 'webhook':
    case 'webhook-call':
      return refusal.hook?.config ?? null;
    case 'mutation':
      return refusal.asked.length === 1 ? (refusal.asked[0]?.config ?? null) : null;
    case 'policy':
      return get('ValidatingAdmissionPolicy', undefined, captures['policy'] ?? '');
    case 'namespace':
      return get('Namespace', undefined, captures['namespace'] ?? '');
    case 'conversion':
      return crdOf(world, captures['kind'] ?? '');
    case 'rbac': {
      const [space, name] = refusal.account.split('/');
      return get('ServiceAccount', space, name ?? '');
    }
    default:
      return null;
  }
}

const MISSING: Record<string, { kind: string; capture: string; spaced: boolean }> = {
  'priorityclass-missing': { kind: 'PriorityClass', capture: 'priorityclass', spaced: false },
  'runtimeclass-missing': { kind: 'RuntimeClass', capture: 'runtimeclass', spaced: false },
  'serviceaccount-missing': { kind: 'ServiceAccount', capture: 'serviceaccount', spaced: true },
};

/** The controller tells by its clock, the API server dates by its own. */
const SKEW = 120_000;

/** What the pod named and did not exist, where it has been made since the last refusal. Raises Unknown where it was not read. */
export function arrivedOf(world: World, { class: what, captures, last }: Pick<Refusal, 'class' | 'captures' | 'last'>, namespace: string): KubeObject | null {
  const missing = MISSING[what];
  if (!missing) return null;
  const found = need(world.snapshot.get(missing.kind, missing.spaced ? (captures['namespace'] ?? namespace) : undefined, captures[missing.capture] ?? ''));
  const made = timeOf(found?.metadata.creationTimestamp);
  return found && made !== null && made > (timeOf(last) ?? Number.POSITIVE_INFINITY) - SKEW ? found : null;
}

/** The text names the bound, not the LimitRange: the one that holds this very bound. */
function limitRangeOf(world: World, namespace: string, captures: Record<string, string>): LimitRange | null {
  const bound = quantityOf(captures['bound']);
  const ranges = need(world.snapshot.list('LimitRange', namespace)) ?? [];
  const holds = (range: LimitRange): boolean =>
    listOf(range.spec?.limits).some(
      (limit) =>
        limit.type === captures['type'] &&
        [limit.max, limit.min, limit.maxLimitRequestRatio].some(
          (bounds) => bound !== null && quantityOf(textsOf(bounds)[captures['resource'] ?? '']) === bound,
        ),
    );
  return ranges.find(holds) ?? (ranges.length === 1 ? (ranges[0] ?? null) : null);
}

/** The LimitRange that fills in this very limit (LimitRanger, mergeContainerResources); null where none does. Raises Unknown where they were not read. */
export function fillerOf(world: World, namespace: string, { resource, limit }: NonNullable<Mutation['filled']>): LimitRange | null {
  const bound = quantityOf(limit);
  const fills = (range: LimitRange): boolean =>
    listOf(range.spec?.limits).some(({ type, default: filled }) => type === 'Container' && bound !== null && quantityOf(textsOf(filled)[resource]) === bound);
  return (need(world.snapshot.list('LimitRange', namespace)) ?? []).find(fills) ?? null;
}

/** `acme.example.com/v1, Kind=Challenge`: the CustomResourceDefinition by group and kind. */
function crdOf(world: World, gvk: string): KubeObject | null {
  const match = /^([^/,\s]+)\/[^,]+, Kind=(\w+)/.exec(gvk);
  if (!match) return null;
  const all = need(world.snapshot.list('CustomResourceDefinition')) ?? [];
  return all.find((crd) => crd.spec?.group === match[1] && crd.spec?.names?.kind === match[2]) ?? null;
}

/** The configuration or definition whose call fails, where it is seen to be dead. */
export function callerOf(world: World, refusal: Refusal): KubeObject | null {
  if (refusal.who === 'webhook-call') return refusal.hook?.dead ? refusal.hook.config : null;
  const crd = refusal.who === 'conversion' ? refusal.by : null;
  if (!crd) return null;
  const { unconverted, dead } = crdFacts(world, crd as CustomResourceDefinition);
  return unconverted || dead ? crd : null;
}

/** The Service that is called. */
export function serviceOf(world: World, refusal: Refusal): Service | null {
  const { service, namespace } = refusal.captures;
  if ((refusal.who === 'webhook-call' || refusal.who === 'conversion') && service && namespace) {
    return need(world.snapshot.get('Service', namespace, service));
  }
  return refusal.hook?.service ?? null;
}

interface Validation {
  expression?: string;
  message?: string;
  messageExpression?: string;
}

/** What a policy's refusal rests on: the validation that says so, and the binding that makes it count. Empty for any other. */
export function articlesOf(world: World, { who, captures }: Pick<Refusal, 'who' | 'captures'>): Addressed[] {
  if (who !== 'policy') return [];
  const policy = need(world.snapshot.get('ValidatingAdmissionPolicy', undefined, captures['policy'] ?? ''));
  const binding = need(world.snapshot.get('ValidatingAdmissionPolicyBinding', undefined, captures['binding'] ?? ''));
  const validations = listOf((policy?.['spec'] as { validations?: Validation[] } | undefined)?.validations);
  const index = validationOf(validations, captures['detail'] ?? '');
  const said = validations[index];
  return [
    ...(policy && said ? [{ evidence: evidenceAt(policy, pointerTo('spec', 'validations', index), `validation ${said.expression ?? ''}`) }] : []),
    ...(binding ? [{ evidence: evidenceAt(binding, '/spec', `binding of policy ${captures['policy'] ?? ''}`) }] : []),
  ];
}

/** By its expression or its fixed message; a message that is worked out can only be that of the one that has such. -1 where it cannot be told. */
function validationOf(validations: readonly Validation[], detail: string): number {
  const quoted = validations.findIndex(
    ({ expression, message }) => (expression && detail.includes(expression.trim())) || (message && detail === message.trim()),
  );
  if (quoted >= 0) return quoted;
  const worked = validations.filter(({ messageExpression }) => messageExpression);
  return worked.length === 1 ? validations.indexOf(worked[0] as Validation) : -1;
}
