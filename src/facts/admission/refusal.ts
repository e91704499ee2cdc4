import type { KubeObject, LimitRange, Service } from '../../model/kinds.ts';
import { attempt } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import type { Addressed } from '../address.ts';
import { type Svc, svcFacts } from '../network/endpoints.ts';
import { lazy } from '../lazy.ts';
import { arrivedOf, articlesOf, callerOf, fillerOf, refusedBy, serviceOf } from './refusal-by.ts';
import { type Mutation, mutationOf } from './refusal-mutation.ts';
import { type Amount, amountsOf } from './refusal-quota.ts';
import { type Quote, quoteOf } from './refusal-source.ts';
import { refuserOf, type Who } from './refusal-who.ts';
import { refusalNext, refusalSays, refusalText } from './refusal-words.ts';
import { findHook, type Hook, hookAt, hooksOnPods } from './webhooks.ts';
import type { World } from '../world.ts';
import { splitTop } from '../lists.ts';

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
  /** Where only the time ran out: webhooks that were asked on the way, those with nothing behind them first. Where a mutation broke it: the mutating ones. */
  asked: Hook[];
  /** The text names no webhook: it is told by the address that was called. */
  guessed: boolean;
  /** Where only the time ran out: the webhooks that may have used it up, as a sentence; '' where none is seen. */
  suspects: string;
  /** Whose rule it is: `by`, or each configuration that may have changed the object for the worse. */
  authors: KubeObject[];
  /** What a policy's refusal rests on: its validation and the binding. */
  articles: Addressed[];
  /** The Service that a webhook or conversion calls. */
  service: Service | null;
  backend: Svc | null;
  /** The webhook configuration or CustomResourceDefinition whose call fails, where it is seen to be dead; null where it is not. */
  caller: KubeObject | null;
  amounts: Amount[];
  /** What was missing and has been made since. Raises Unknown where it was not read. */
  arrived: KubeObject | null;
  /** The same request would pass now, in every amount. */
  fitsNow: boolean;
  /** The fields that break the Pod Security level, one each. */
  violations: string[];
  level: string;
  count: number;
  first: string;
  last: string;
  /** Only an event tells of it, and the next try is long over. */
  quiet: boolean;
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
  const called = calledIn(world, quote.message);
  const text = world.classify('api-refusals', called?.text ?? quote.message);
  const { captures } = text;
  const capture = (name: string): string => captures[name] ?? '';
  const namespace = object.metadata.namespace ?? capture('namespace');
  const mutation = (): Mutation | null => world.memo(quote, 'mutation', () => mutationOf(text, object));
  const filler = (): LimitRange | null => {
    const filled = mutation()?.filled;
    return filled ? fillerOf(world, namespace, filled) : null;
  };
  const refuser = () => refuserOf(attempt(filler) ? 'limitrange-' : mutation() ? 'mutation-' : text.class);
  const written = writtenIn(quote.message);
  const call = () => ({ url: capture('url'), namespace: object.metadata.namespace ?? '', resource: refusal.resource });
  const hook = (): Hook | null => called?.hook ?? (capture('webhook') ? findHook(world, capture('webhook'), call()) : null);
  const refusal: Refusal = lazy<Refusal>({
    class: () => text.class,
    family: () => text.family,
    layer: () => (mutation() ? 'admission' : text.layer),
    says: () => refusalSays(text, refusal, mutation(), attempt(filler)),
    lacks: () => text.lacks,
    permanence: () => text.permanence,
    captures: () => captures,
    next: () => refusalNext(text, refusal),
    inner: () => (called ? called.said : text.inner),
    core: () => text.core,
    message: () => quote.message,
    guessed: () => called !== null,
    suspects: () => suspectsOf(refusal),
    text: () => (called ? called.said : refusalText(text, refusal)),
    who: () => refuser().who,
    acts: () => refuser().acts,
    source: () => quote.source,
    reason: () => quote.reason,
    verb: () => capture('verb') || VERBS[quote.reason] || '',
    resource: () =>
      (['rbac', 'conflict'].includes(refusal.who) ? capture('resource') : '') ||
      capture('object_resource') ||
      written.resource ||
      madeBy(object.kind, quote.reason),
    target: () => capture('object') || capture('name') || written.name,
    user: () => capture('user'),
    account: () => accountOf(capture('user')) || (capture('serviceaccount') && `${capture('namespace')}/${capture('serviceaccount')}`),
    field: () => mutation()?.field || capture('field') || fieldIn(text),
    by: () => filler() ?? refusedBy(world, refusal, namespace),
    hook,
    asked: () => (MADE[object.kind] === 'pods' ? askedBy(world, refusal.who, namespace) : []),
    authors: () => authorsOf(refusal),
    articles: () => articlesOf(world, refusal),
    service: () => serviceOf(world, refusal),
    backend: () => {
      const { service } = refusal;
      return service ? svcFacts(world, service) : null;
    },
    caller: () => callerOf(world, refusal),
    amounts: () => (text.class === 'quota-exceeded' ? amountsOf(world, object, namespace, captures) : []),
    arrived: () => arrivedOf(world, refusal, namespace),
    fitsNow: () => refusal.amounts.length > 0 && refusal.amounts.every((amount) => amount.fitsNow),
    violations: () => (refusal.who === 'pod-security' ? splitTop(capture('violations')) : []),
    level: () => (text.class.startsWith('pod-security') ? capture('level') : ''),
    count: () => quote.count,
    first: () => quote.first,
    last: () => quote.last,
    quiet: () => quote.quiet,
    evidence: () => quote.evidence,
  });
  return refusal;
}

/** Only the webhook dispatcher puts its time-out into the address (apiserver, webhook/generic and config/client.go). */
const CALL =
  /(?:failed calling (?:admission )?webhook: (?:failed to call webhook: )?)?(?<said>(?:Post|Get) "?(?<url>https:\/\/[^\s"?]+\?timeout=\d+m?s)\b.*)$/s;

interface Called {
  hook: Hook;
  said: string;
  /** The same with the name that the webhook has. */
  text: string;
}

/** The webhook behind a call that is quoted without its name; null where a name stands in the text, or no webhook read is called there. */
function calledIn(world: World, message: string): Called | null {
  if (/failed calling webhook "|conversion webhook for /.test(message)) return null;
  const { said = '', url = '' } = CALL.exec(message)?.groups ?? {};
  const hook = url === '' ? null : hookAt(world, url);
  return hook && { hook, said, text: `failed calling webhook "${hook.name}": failed to call webhook: ${said}` };
}

/** Each is given its own time-out, the mutating ones one after another; who lets nothing in answers nobody. */
function suspectsOf(refusal: Pick<Refusal, 'who' | 'asked'>): string {
  if (refusal.who !== 'timeout') return '';
  const asked = attempt(() => refusal.asked) ?? [];
  const walled = asked.filter((each) => (attempt(() => each.walls) ?? []).length > 0);
  const suspects = walled.length > 0 ? walled : asked;
  const words = suspects.slice(0, 3).map(({ name, timeout }) => `${name} (${timeout}s)`);
  if (words.length === 0) return '';
  const wall = walled.length > 0 ? ', whose pods a NetworkPolicy isolates' : '';
  const more = suspects.length > 3 ? `, and ${suspects.length - 3} more` : '';
  return `${suspects.length === 1 ? 'Likely' : 'Likely one of the webhooks asked on the way'}: ${suspects.length === 1 ? 'webhook ' : ''}${words.join(', ')}${more}${wall}.`;
}

function askedBy(world: World, who: Who, namespace: string): Hook[] {
  if (who === 'timeout') return hooksOnPods(world, namespace);
  return who === 'mutation' ? hooksOnPods(world, namespace, ['MutatingWebhookConfiguration']) : [];
}

function authorsOf(refusal: Refusal): KubeObject[] {
  if (refusal.who === 'mutation') return [...new Set(refusal.asked.map(({ config }) => config))];
  return refusal.by ? [refusal.by] : [];
}

/** What a controller makes, where the text does not name it. */
const MADE: Record<string, string> = {
  Deployment: 'pods',
  ReplicaSet: 'pods',
  ReplicationController: 'pods',
  StatefulSet: 'pods',
  DaemonSet: 'pods',
  Job: 'pods',
  CronJob: 'jobs',
};

const madeBy = (kind: string, reason: string): string => (reason === 'ReplicaSetCreateError' ? 'replicasets' : (MADE[kind] ?? ''));

const VERBS: Record<string, string> = {
  FailedCreate: 'create',
  FailedDelete: 'delete',
  FailedUpdate: 'update',
  ReplicaSetCreateError: 'create',
  FailedBinding: 'create',
  FailedResourceClaimCreation: 'create',
};

/** `pods "web-1" is forbidden: ...` names what was to be written, behind any number of wrappers. */
function writtenIn(message: string): { resource: string; name: string } {
  const match = /(?:^|\s)(?:The )?([A-Za-z][\w.]*) "([^"]*)" is (?:forbidden|invalid)/.exec(message);
  return { resource: match?.[1] ?? '', name: match?.[2] ?? '' };
}

/** `Pod "x" is invalid: spec.containers[0].image: Required value`: the path before the first verdict (field.Error). */
function fieldIn(text: Text): string {
  if (!['schema', 'plugin'].includes(refuserOf(text.class).who)) return '';
  return (
    /(?:^|[\s[])((?:spec|metadata|status|data|webhooks|rules)[\w.[\]/-]*): (?:Invalid value|Required value|Forbidden|Unsupported value|Duplicate value|Not found|Too (?:long|many|few)|Internal error)/.exec(
      text.message,
    )?.[1] ?? ''
  );
}

/** `system:serviceaccount:NAMESPACE:NAME` as namespace/name. */
export function accountOf(user: string): string {
  const match = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  return match ? `${match[1]}/${match[2]}` : '';
}
