import type { KubeObject, LabelSelector, Service } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, maybe, need, proven, Unknown } from '../../model/read.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { type Svc, svcFacts } from '../network/endpoints.ts';
import { lazy } from '../lazy.ts';
import { groupBy, listOf, textsOf } from '../lists.ts';
import { matchesSelector } from '../selectors.ts';
import { isWithin } from '../time.ts';
import type { World } from '../world.ts';

const YOUNG = 60;
/** Whoever puts the caBundle in has to start first. */
const INJECTED = 300;

export const WEBHOOK_KINDS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;

/** One webhook of an admission configuration, with the Service behind it. */
export interface Hook extends Addressed {
  name: string;
  config: KubeObject;
  /** Fail or Ignore. */
  policy: string;
  timeout: number;
  url: string;
  serviceName: string;
  serviceNamespace: string;
  /** Null where it is called by URL, or where the Service is proven absent. */
  service: Service | null;
  backend: Svc | null;
  /** It names a Service that does not exist. */
  gone: boolean;
  /** Its Service exists and has no ready back end. */
  empty: boolean;
  /** It refuses every write that it matches: failurePolicy Fail, rules, and nothing behind it. */
  dead: boolean;
  /** It must be called by Service and holds no caBundle: the machine's own authorities would have to know the name `<service>.<namespace>.svc`. */
  untrusted: boolean;
  /** Just configured, or its back ends are on their way. */
  young: boolean;
  /** NetworkPolicies that let nothing in to its back ends, if the network plugin enforces them; empty where nothing is behind it. */
  walls: KubeObject[];
  /** It must be called to create the pods that serve it: once they are gone, nobody can bring them back. */
  guardsItself: boolean;
}

export interface Hooks extends Addressed {
  at: Stage[];
  all: Hook[];
  /** True where every dead one is. */
  young: boolean;
  /** Those proven dead. Raises Unknown where none is and one could not be judged for want of permission. */
  dead: Hook[];
  /** Those that nothing can be asked of for want of a caBundle, configured a while ago. */
  untrusted: Hook[];
}

interface HookSpec {
  name?: string;
  failurePolicy?: string;
  timeoutSeconds?: number;
  clientConfig?: { caBundle?: string; url?: string; service?: { name?: string; namespace?: string; path?: string; port?: number } };
  rules?: { operations?: string[]; apiGroups?: string[]; resources?: string[]; scope?: string }[];
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

/** The webhooks of a configuration, in its order, made once a snapshot; their fields raise Unknown where a Service or its slices were not read. */
export function hooksOf(world: World, config: KubeObject): Hook[] {
  return world.memo(config, 'hooks', () => listOf(config['webhooks'] as HookSpec[] | undefined).map((spec, index) => makeHook(world, config, spec, index)));
}

/** The facts of a webhook configuration, made once a snapshot. */
export function hooksFacts(world: World, config: KubeObject): Hooks {
  return world.memo(config, 'webhooks', () => {
    const facts: Hooks = lazy<Hooks>({
      at: () => ((attempt(() => facts.dead) ?? [null]).length > 0 || facts.untrusted.length > 0 ? ['answer'] : ['goal']),
      young: () => (attempt(() => facts.dead) ?? []).every((hook) => hook.young),
      all: () => hooksOf(world, config),
      untrusted: () => (isWithin(world.now, config.metadata.creationTimestamp, INJECTED) ? [] : hooksOf(world, config).filter((hook) => hook.untrusted)),
      dead: () => proven(hooksOf(world, config), (hook) => hook.dead),
      evidence: () => evidenceAt(config, '/webhooks', `${hooksOf(world, config).length} webhooks`),
    });
    return facts;
  });
}

function makeHook(world: World, config: KubeObject, spec: HookSpec, index: number): Hook {
  const ref = spec.clientConfig?.service;
  const service = (): Service | null => (ref?.name ? need(world.snapshot.get('Service', ref.namespace, ref.name)) : null);
  const hook: Hook = lazy<Hook>({
    name: () => spec.name ?? '',
    config: () => config,
    policy: () => spec.failurePolicy ?? 'Fail',
    timeout: () => spec.timeoutSeconds ?? 10,
    url: () => spec.clientConfig?.url ?? '',
    serviceName: () => ref?.name ?? '',
    serviceNamespace: () => ref?.namespace ?? '',
    service,
    backend: () => {
      const found = service();
      return found ? svcFacts(world, found) : null;
    },
    gone: () => Boolean(ref?.name) && hook.service === null,
    empty: () => hook.backend !== null && !hook.backend.external && hook.backend.ready === 0,
    dead: () => hook.policy === 'Fail' && (spec.rules === undefined || listOf(spec.rules).length > 0) && (hook.gone || hook.empty),
    untrusted: () =>
      hook.policy === 'Fail' && Boolean(ref?.name) && !spec.clientConfig?.caBundle && (spec.rules === undefined || listOf(spec.rules).length > 0),
    walls: () => (hook.backend !== null && hook.backend.ready > 0 ? hook.backend.isolating : []),
    young: () => isWithin(world.now, config.metadata.creationTimestamp, YOUNG) || attempt(() => hook.backend?.young) === true,
    guardsItself: () => guardsItself(world, spec, hook),
    evidence: () => evidenceAt(config, `/webhooks/${index}`, wordsOf(spec)),
  });
  return hook;
}

function wordsOf(spec: HookSpec): string {
  const ref = spec.clientConfig?.service;
  const target = ref?.name ? `Service ${ref.namespace ?? ''}/${ref.name}` : (spec.clientConfig?.url ?? 'nothing');
  return `webhook ${spec.name ?? ''} calls ${target}, failurePolicy ${spec.failurePolicy ?? 'Fail'}`;
}

/** What a text tells of a call besides the webhook's name, and the write that it was about. */
export interface Call {
  /** As it was called, with its query; '' where the text holds none: it answered, or it is an old server's. */
  url: string;
  namespace: string;
  /** What was written: `pods`. */
  resource: string;
}

interface Named {
  hook: Hook;
  spec: HookSpec;
}

/**
 * The webhook of this name. A name is unique in its configuration only, so of several it is the one that is called at that address,
 * or that may be asked about such a write. Null: proven that no configuration has it, or several do and nothing tells them apart.
 * Raises Unknown where it is not among those read and some were not.
 */
export function findHook(world: World, name: string, call: Call = { url: '', namespace: '', resource: '' }): Hook | null {
  const index = world.memo(world.snapshot, 'index:hooks', () => groupBy(allHooks(world), ({ hook }) => hook.name));
  const found = index.get(name) ?? [];
  if (found.length > 0) return theOne(found.length === 1 ? found : calledAmong(world, found, call));
  for (const kind of WEBHOOK_KINDS) {
    const gap = world.snapshot.gap(kind);
    if (gap) throw new Unknown(gap);
  }
  return null;
}

const allHooks = (world: World): Named[] => WEBHOOK_KINDS.flatMap((kind) => world.snapshot.seen(kind).flatMap((config) => namedIn(world, config)));

/** The one webhook that is called at an address; null where none of those read is, or several are. */
export function hookAt(world: World, url: string): Hook | null {
  const called = allHooks(world).filter((each) => url.startsWith(addressOf(each)));
  const longest = Math.max(...called.map((each) => addressOf(each).length));
  return theOne(called.filter((each) => addressOf(each).length === longest));
}

/** Where its requests go to, without their query. */
const addressOf = ({ hook, spec }: Named): string =>
  hook.url || `https://${hook.serviceName}.${hook.serviceNamespace}.svc:${spec.clientConfig?.service?.port ?? 443}${spec.clientConfig?.service?.path ?? ''}`;

function namedIn(world: World, config: KubeObject): Named[] {
  const specs = listOf(config['webhooks'] as HookSpec[] | undefined);
  return hooksOf(world, config).flatMap((hook, index) => {
    const spec = specs[index];
    return spec ? [{ hook, spec }] : [];
  });
}

/** Configurations of one server may share a name (cert-manager's do), and then it matters little which of them is meant. */
function theOne(found: readonly Named[]): Hook | null {
  const servers = new Set(found.map(({ hook }) => (hook.serviceName ? `${hook.serviceNamespace}/${hook.serviceName}` : hook.url)));
  return servers.size === 1 ? (found[0]?.hook ?? null) : null;
}

function calledAmong(world: World, found: readonly Named[], call: Call): readonly Named[] {
  const called = found.filter((each) => call.url.startsWith(addressOf(each)));
  // `/validate` is also the beginning of `/validate-pods`.
  const longest = Math.max(...called.map((each) => addressOf(each).length));
  if (called.length > 0) return called.filter((each) => addressOf(each).length === longest);
  const served = found.filter(({ hook }) => hook.serviceName !== '' && call.url.startsWith(`https://${hook.serviceName}.${hook.serviceNamespace}.svc`));
  if (served.length > 0) return served;
  const asked = found.filter(({ spec }) => mayBeAsked(world, spec, call));
  return asked.length > 0 ? asked : found;
}

/** Where the namespace's labels were not read, only a selector by its name excludes it. */
function mayBeAsked(world: World, spec: HookSpec, { namespace, resource }: Call): boolean {
  if (resource === 'pods' && spec.rules !== undefined && !asksForPods(spec)) return false;
  const selector = spec.namespaceSelector ?? {};
  const read = attempt(() => maybe(world.snapshot.get('Namespace', undefined, namespace)));
  const keys = [...Object.keys(textsOf(selector.matchLabels)), ...listOf(selector.matchExpressions).map(({ key }) => key)];
  const decidable = read !== null || keys.every((key) => key === 'kubernetes.io/metadata.name');
  return namespace === '' || !decidable || matchesSelector(selector, labelsOf(read, namespace));
}

/**
 * Webhooks that are asked before pods are created in a namespace, those with nothing behind them first. Also those that fail open:
 * each still uses up its time-out, and together they use up the request's (apiserver, webhook dispatcher).
 * Raises Unknown where configurations were not read.
 */
export const hooksOnPods = (world: World, namespace: string, kinds: readonly (typeof WEBHOOK_KINDS)[number][] = WEBHOOK_KINDS): Hook[] =>
  hooksAsked(world, namespace, POD, kinds);

/** A write, as the rules of a webhook name it. */
export interface Write {
  group: string;
  /** `pods`, `pods/status`. */
  resource: string;
  operation: string;
}

const POD: Write = { group: '', resource: 'pods', operation: 'CREATE' };

function hooksAsked(world: World, namespace: string, write: Write, kinds: readonly (typeof WEBHOOK_KINDS)[number][], object?: Record<string, string>): Hook[] {
  for (const kind of kinds) {
    const gap = world.snapshot.gap(kind);
    if (gap) throw new Unknown(gap);
  }
  return askedAmong(world, namespace, write, kinds, object);
}

/** Webhooks that are asked about such a write of an object, of those that were read; raises Unknown where none of them is and some were not. */
export function hooksSeen(world: World, { metadata }: KubeObject, write: Write): Hook[] {
  const asked = askedAmong(world, metadata.namespace ?? '', write, WEBHOOK_KINDS, textsOf(metadata.labels));
  return asked.length > 0 ? asked : hooksAsked(world, metadata.namespace ?? '', write, WEBHOOK_KINDS, textsOf(metadata.labels));
}

/** Without the labels of an object its selector keeps no webhook off. */
function askedAmong(world: World, namespace: string, write: Write, kinds: readonly (typeof WEBHOOK_KINDS)[number][], object?: Record<string, string>): Hook[] {
  const labels = labelsOf(maybe(world.snapshot.get('Namespace', undefined, namespace)), namespace);
  const asked = kinds.flatMap((kind) =>
    world.snapshot.seen(kind).flatMap((config) => {
      const specs = listOf(config['webhooks'] as HookSpec[] | undefined);
      return hooksOf(world, config).filter(
        (_, index) =>
          asksFor(specs[index], write) &&
          matchesSelector(specs[index]?.namespaceSelector ?? {}, labels) &&
          (object === undefined || matchesSelector(specs[index]?.objectSelector ?? {}, object)),
      );
    }),
  );
  const dead = (hook: Hook): boolean => attempt(() => hook.gone || hook.empty) === true;
  return [...asked.filter(dead), ...asked.filter((hook) => !dead(hook))];
}

// A lone star stands for every resource, but for no subresource (admissionregistration.k8s.io/v1, Rule).
const asksFor = (spec: HookSpec | undefined, { group, resource, operation }: Write): boolean => {
  const [parent = '', sub] = resource.split('/');
  const names = sub === undefined ? [parent, `${parent}/*`, '*', '*/*'] : [resource, `${parent}/*`, `*/${sub}`, '*/*'];
  return listOf(spec?.rules).some(
    (rule) => rule.scope !== 'Cluster' && has(rule.operations, [operation, '*']) && has(rule.apiGroups, [group, '*']) && has(rule.resources, names),
  );
};

const asksForPods = (spec: HookSpec | undefined): boolean => asksFor(spec, POD);

/** The API server labels every namespace with its name (since 1.21), also where a dump has lost the labels. */
const labelsOf = (namespace: Pick<KubeObject, 'metadata'> | null, name: string): Record<string, string> => ({
  'kubernetes.io/metadata.name': name,
  ...textsOf(namespace?.metadata.labels),
});

function guardsItself(world: World, spec: HookSpec, hook: Hook): boolean {
  const { backend } = hook;
  if (hook.policy !== 'Fail' || !backend || !asksForPods(spec)) return false;
  const labels = labelsOf(need(world.snapshot.get('Namespace', undefined, hook.serviceNamespace)), hook.serviceNamespace);
  if (!matchesSelector(spec.namespaceSelector ?? {}, labels)) return false;
  const templates = backend.workloads.map((workload) =>
    textsOf((workload as { spec?: { template?: { metadata?: { labels?: unknown } } } }).spec?.template?.metadata?.labels),
  );
  return templates.length === 0 || templates.some((each) => matchesSelector(spec.objectSelector ?? {}, each));
}

const has = (list: readonly string[] | undefined, wanted: readonly string[]): boolean => listOf(list).some((item) => wanted.includes(item));
