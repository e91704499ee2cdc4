import type { CustomResourceDefinition, KubeObject, LimitRange, Service } from '../model/kinds.ts';
import { need } from '../model/read.ts';
import type { Text } from '../model/text.ts';
import type { Addressed } from './address.ts';
import { crdFacts } from './apiservices.ts';
import { type Svc, svcFacts } from './endpoints.ts';
import { lazy } from './lazy.ts';
import { listOf, textsOf } from './lists.ts';
import { quantityOf } from './quantity.ts';
import { type Amount, amountsOf } from './refusal-quota.ts';
import { type Quote, quoteOf } from './refusal-source.ts';
import { refuserOf, type Who } from './refusal-who.ts';
import { refusalNext, refusalSays, refusalText } from './refusal-words.ts';
import { findHook, type Hook, hooksOnPods } from './webhooks.ts';
import type { World } from './world.ts';

/** A write that was refused: the classified text, and everything it names, looked up. */
export interface Refusal extends Text, Addressed {
  /** The innermost words of whoever refused, at most 500 characters; of Pod Security what has to be set. */
  text: string;
  who: Who;
  /** Who can change that, in words. */
  acts: string;
  source: Quote['source'];
  reason: string;
  verb: string;
  /** What was to be written: `pods`, and its name or generateName. */
  resource: string;
  target: string;
  /** The identity that may not (RBAC), and the ServiceAccount in it as `namespace/name`. */
  user: string;
  account: string;
  /** The field that is wrong (422), or the one two writers claim. */
  field: string;
  /** What refuses: webhook configuration, ResourceQuota, LimitRange, policy, Namespace. Raises Unknown where it was not read. */
  by: KubeObject | null;
  hook: Hook | null;
  /** Where only the time ran out: webhooks that were asked on the way, those with nothing behind them first. */
  asked: Hook[];
  /** The Service that a webhook or conversion calls. */
  service: Service | null;
  backend: Svc | null;
  /** The webhook configuration or CustomResourceDefinition whose call fails, where it is seen to be dead; null where it is not. */
  caller: KubeObject | null;
  amounts: Amount[];
  /** The same request would pass now, in every amount. */
  fitsNow: boolean;
  /** The fields that break the Pod Security level, one each. */
  violations: string[];
  level: string;
  count: number;
  first: string;
  last: string;
}

/** The refusal that holds an object back now; null where none does. Raises Unknown as `quoteOf`. */
export function refusalOf(world: World, object: KubeObject): Refusal | null {
  return world.memo(object, 'refusal', () => {
    const quote = quoteOf(world, object);
    return quote ? refusalFrom(world, object, quote) : null;
  });
}

/** One parse of an API error, wherever it is quoted. */
export function refusalFrom(world: World, object: KubeObject, quote: Quote): Refusal {
  const text = world.classify('api-refusals', quote.message);
  const { captures } = text;
  const capture = (name: string): string => captures[name] ?? '';
  const namespace = object.metadata.namespace ?? capture('namespace');
  const { who, acts } = refuserOf(text.class);
  const written = writtenIn(quote.message);
  const hook = (): Hook | null => (capture('webhook') ? findHook(world, capture('webhook'), hostOf(captures)) : null);
  const refusal: Refusal = lazy<Refusal>({
    class: () => text.class, family: () => text.family, layer: () => text.layer, says: () => refusalSays(text, refusal), lacks: () => text.lacks,
    permanence: () => text.permanence, captures: () => captures, next: () => refusalNext(text, refusal), inner: () => text.inner, message: () => text.message,
    text: () => refusalText(text, refusal),
    who: () => who,
    acts: () => acts,
    source: () => quote.source,
    reason: () => quote.reason,
    verb: () => capture('verb') || VERBS[quote.reason] || '',
    resource: () => (who === 'rbac' || who === 'conflict' ? capture('resource') : '') || capture('object_resource') || written.resource || MADE[object.kind] || '',
    target: () => capture('object') || capture('name') || written.name,
    user: () => capture('user'),
    account: () => accountOf(capture('user')) || (capture('serviceaccount') && `${capture('namespace')}/${capture('serviceaccount')}`),
    field: () => capture('field') || fieldIn(text),
    by: () => refusedBy(world, refusal, namespace),
    hook,
    asked: () => (who === 'timeout' && MADE[object.kind] === 'pods' ? hooksOnPods(world, namespace) : []),
    service: () => serviceOf(world, refusal),
    backend: () => {
      const { service } = refusal;
      return service ? svcFacts(world, service) : null;
    },
    caller: () => callerOf(world, refusal),
    amounts: () => (text.class === 'quota-exceeded' ? amountsOf(world, object, namespace, captures) : []),
    fitsNow: () => refusal.amounts.length > 0 && refusal.amounts.every((amount) => amount.fitsNow),
    violations: () => (who === 'pod-security' ? splitTop(capture('violations')) : []),
    level: () => (text.class.startsWith('pod-security') ? capture('level') : ''),
    count: () => quote.count,
    first: () => quote.first,
    last: () => quote.last,
    evidence: () => quote.evidence,
  });
  return refusal;
}

/** What a controller makes, where the text does not name it. */
const MADE: Record<string, string> = {
  Deployment: 'pods', ReplicaSet: 'pods', ReplicationController: 'pods', StatefulSet: 'pods', DaemonSet: 'pods', Job: 'pods', CronJob: 'jobs',
};

const VERBS: Record<string, string> = {
  FailedCreate: 'create', FailedDelete: 'delete', FailedUpdate: 'update', ReplicaSetCreateError: 'create', FailedBinding: 'create', FailedResourceClaimCreation: 'create',
};

/** `pods "web-1" is forbidden: ...` names what was to be written, behind any number of wrappers. */
function writtenIn(message: string): { resource: string; name: string } {
  const match = /(?:^|\s)(?:The )?([A-Za-z][\w.]*) "([^"]*)" is (?:forbidden|invalid)/.exec(message);
  return { resource: match?.[1] ?? '', name: match?.[2] ?? '' };
}

/** `Pod "x" is invalid: spec.containers[0].image: Required value`: the path before the first verdict (field.Error). */
function fieldIn(text: Text): string {
  if (!['schema', 'plugin'].includes(refuserOf(text.class).who)) return '';
  return /(?:^|[\s[])((?:spec|metadata|status|data|webhooks|rules)[\w.[\]/-]*): (?:Invalid value|Required value|Forbidden|Unsupported value|Duplicate value|Not found|Too (?:long|many|few)|Internal error)/.exec(text.message)?.[1] ?? '';
}

/** `system:serviceaccount:NAMESPACE:NAME` as namespace/name. */
export function accountOf(user: string): string {
  const match = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  return match ? `${match[1]}/${match[2]}` : '';
}

const hostOf = (captures: Record<string, string>): string =>
  captures['service'] && captures['namespace'] ? `${captures['service']}.${captures['namespace']}.svc` : '';

/** Entries of a list whose entries hold commas inside brackets or quotes. */
export function splitTop(list: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let quoted = false;
  let entry = '';
  for (const char of list) {
    if (char === '"') quoted = !quoted;
    else if (!quoted && '([{'.includes(char)) depth += 1;
    else if (!quoted && ')]}'.includes(char)) depth -= 1;
    if (char === ',' && depth <= 0 && !quoted) {
      entries.push(entry.trim());
      entry = '';
    } else entry += char;
  }
  return [...entries, entry.trim()].filter(Boolean);
}

function refusedBy(world: World, refusal: Refusal, namespace: string): KubeObject | null {
  const get = (kind: string, space: string | undefined, name: string): KubeObject | null => (name ? need(world.snapshot.get(kind, space, name)) : null);
  const { captures } = refusal;
  switch (refusal.who) {
    case 'quota': return get('ResourceQuota', namespace, captures['quota'] ?? '');
    case 'limitrange': return limitRangeOf(world, namespace, captures);
    case 'pod-security': return refusal.level ? get('Namespace', undefined, namespace) : null;
    case 'webhook':
    case 'webhook-call': return refusal.hook?.config ?? null;
    case 'policy': return get('ValidatingAdmissionPolicy', undefined, captures['policy'] ?? '');
    case 'namespace': return get('Namespace', undefined, captures['namespace'] ?? '');
    case 'conversion': return crdOf(world, captures['kind'] ?? '');
    case 'rbac': {
      const [space, name] = refusal.account.split('/');
      return get('ServiceAccount', space, name ?? '');
    }
    default: return null;
  }
}

/** The text names the bound, not the LimitRange: the one that holds this very bound. */
function limitRangeOf(world: World, namespace: string, captures: Record<string, string>): LimitRange | null {
  const bound = quantityOf(captures['bound']);
  const ranges = need(world.snapshot.list('LimitRange', namespace)) ?? [];
  const holds = (range: LimitRange): boolean => listOf(range.spec?.limits).some((limit) =>
    limit.type === captures['type'] && [limit.max, limit.min, limit.maxLimitRequestRatio].some((bounds) =>
      bound !== null && quantityOf(textsOf(bounds)[captures['resource'] ?? '']) === bound));
  return ranges.find(holds) ?? (ranges.length === 1 ? (ranges[0] ?? null) : null);
}

/** `acme.example.com/v1, Kind=Challenge`: the CustomResourceDefinition by group and kind. */
function crdOf(world: World, gvk: string): KubeObject | null {
  const match = /^([^/,\s]+)\/[^,]+, Kind=(\w+)/.exec(gvk);
  if (!match) return null;
  const all = need(world.snapshot.list('CustomResourceDefinition')) ?? [];
  return all.find((crd) => crd.spec?.group === match[1] && crd.spec?.names?.kind === match[2]) ?? null;
}

function callerOf(world: World, refusal: Refusal): KubeObject | null {
  if (refusal.who === 'webhook-call') return refusal.hook?.dead ? refusal.hook.config : null;
  const crd = refusal.who === 'conversion' ? refusal.by : null;
  return crd && crdFacts(world, crd as CustomResourceDefinition).dead ? crd : null;
}

function serviceOf(world: World, refusal: Refusal): Service | null {
  const { service, namespace } = refusal.captures;
  if ((refusal.who === 'webhook-call' || refusal.who === 'conversion') && service && namespace) {
    return need(world.snapshot.get('Service', namespace, service));
  }
  return refusal.hook?.service ?? null;
}
