import type { Container, KubeObject, Pod, Service } from '../../model/kinds.ts';
import { attempt, maybe } from '../../model/read.ts';
import { svcFacts } from './endpoints.ts';
import { listOf, textsOf } from '../lists.ts';
import { servicesOfCommand } from '../pods/box-waits.ts';
import { matchesLabels } from '../selectors.ts';
import type { World } from '../world.ts';

const NAME = '[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?';
const FULL = new RegExp(String.raw`(?<![\w.-])(${NAME})\.(${NAME})\.svc\b`, 'g');
const PORT = new RegExp(String.raw`(?<![\w.:/-])(${NAME}):\d{2,5}\b|://(${NAME})(?=[:/"\s]|$)|\b(?:host|server at) "(${NAME})"`, 'g');
const ADDRESS = /(?<![\w.])((?:\d{1,3}\.){3}\d{1,3})(?=:\d)/g;
const LENGTH = 2000;

/**
 * Services that a process names in its last words as what it wanted to reach: `pg.shop.svc`, `pg:5432`, or the address of one.
 * Only those that were read; a host of another name is none.
 */
export function servicesAsked(world: World, namespace: string, words: string): Service[] {
  const text = words.slice(0, LENGTH);
  const named = [
    ...[...text.matchAll(FULL)].map(([, name = '', ns = '']) => ({ name, ns })),
    ...[...text.matchAll(PORT)].map(([, ...names]) => ({ name: names.find(Boolean) ?? '', ns: namespace })),
  ];
  const found = named.map(({ name, ns }) => maybe(world.snapshot.get('Service', ns, name))).filter((service) => service !== null);
  const addresses = new Set([...text.matchAll(ADDRESS)].map(([, address]) => address));
  const held = addresses.size === 0 ? [] : world.snapshot.seen('Service').filter((service) => addresses.has(service.spec?.clusterIP));
  return [...new Set([...found, ...held])];
}

/** A name that words ask for as a Service's, and that no Service has. */
export interface Unserved {
  name: string;
  namespace: string;
}

// A pod's own name under a Service has two labels more: `web-0.web.shop.svc`.
const WHOLE = new RegExp(String.raw`(?<![\w.-])(?:[a-z0-9-]{1,63}\.){0,2}?(${NAME})\.(${NAME})\.svc\b(?!-)`, 'g');
const SHORT = new RegExp(
  String.raw`\blookup (${NAME})(?: on |: )|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (${NAME})(?![\w.-])|UnknownHostException: (${NAME})(?![\w.-])|could not translate host name "(${NAME})"|bad address '(${NAME})(?::\d+)?'|[Cc]ould not resolve host: (${NAME})(?![\w.-])|host not found in upstream "(${NAME})(?=[":])`,
  'g',
);

/** Names that words ask for as a Service's and that were not resolved: `db.shop.svc`, or a bare `db` in its own namespace. */
function unresolved(world: World, namespace: string, words: string): Unserved[] {
  const text = words.slice(0, LENGTH);
  // A resolver that does not answer says nothing of the name.
  if (/(?<![\w-])(?:EAI_AGAIN|time(?:d )?-?out|Temporary failure|Try again|misbehaving|refused)(?![\w-])/i.test(text)) return [];
  return [
    ...[...text.matchAll(WHOLE)].map(([, name = '', ns = '']) => ({ name, namespace: ns })),
    ...[...text.matchAll(SHORT)].map(([, ...names]) => ({ name: names.find(Boolean) ?? '', namespace })),
  ]
    .filter(({ name }) => name !== 'localhost')
    .map((each) => aliasOf(world, each));
}

const stateOf = (world: World, { name, namespace }: Unserved) => world.snapshot.get('Service', namespace, name).state;

/** Those that are proven not to be. Other names may be anybody's. */
export function unservedNames(world: World, namespace: string, words: string): Unserved[] {
  const absent = unresolved(world, namespace, words).filter((each) => stateOf(world, each) === 'absent');
  return [...new Map(absent.map((each) => [`${each.namespace}/${each.name}`, each])).values()];
}

/** Whether there is one of which nothing here tells if a Service has it. */
export const mayBeUnserved = (world: World, namespace: string, words: string): boolean =>
  unresolved(world, namespace, words).some((each) => stateOf(world, each) === 'unknown');

const ALIAS = new RegExp(String.raw`^(${NAME})\.(${NAME})\.svc(?:\.|$)`);

/** A Service of type ExternalName is only a name for another one: what was asked for is that. */
function aliasOf(world: World, asked: Unserved): Unserved {
  const service = maybe(world.snapshot.get('Service', asked.namespace, asked.name));
  const [, name, namespace] = service?.spec?.type === 'ExternalName' ? (ALIAS.exec(service.spec.externalName ?? '') ?? []) : [];
  return name && namespace ? { name, namespace } : asked;
}

const HOST = new RegExp(String.raw`^(${NAME})(?:\.(${NAME})(?:\.svc(?:\.[\w.-]+)?)?)?\.?(?::\d{2,5})?$`);
/** Variables that hold a host alone; a word in any other is no address. */
const HOST_VARIABLE = /(?:HOST(?:NAME|S)?|ADDR(?:ESS)?|SERVER|ENDPOINT|URL|URI|UPSTREAM|BACKEND|BROKERS?|SERVICE)$/i;

/**
 * Services that a container is told of in its environment, and that have no ready endpoint: what it may be waiting for. Never the
 * Services of the pod itself, nor one without a selector or on its way. Those whose endpoints were not read are none.
 */
export function emptyServicesOf(world: World, pod: Pod, container: string): Service[] {
  const { namespace = '' } = pod.metadata;
  const found = listOf(specOf(pod, container)?.env).flatMap(({ name = '', value = '' }) => {
    const [, host = '', ns] = HOST_VARIABLE.test(name) ? (HOST.exec(value.trim()) ?? []) : [];
    const alone = host === '' ? null : maybe(world.snapshot.get('Service', ns ?? namespace, host));
    return [...(alone ? [alone] : []), ...servicesAsked(world, namespace, value)];
  });
  return emptyOf(world, pod, found);
}

/** The same of those that its command asks for: as long as they are empty, it cannot go on. */
export function emptyServicesAwaited(world: World, pod: Pod, container: string): Service[] {
  const spec = specOf(pod, container);
  const asked = spec ? servicesOfCommand(pod, spec) : [];
  return emptyOf(
    world,
    pod,
    asked.map(({ name, namespace }) => maybe(world.snapshot.get('Service', namespace, name))).filter((service) => service !== null),
  );
}

const specOf = (pod: Pod, container: string): Container | undefined =>
  [...listOf(pod.spec?.containers), ...listOf(pod.spec?.initContainers)].find(({ name }) => name === container);

function emptyOf(world: World, { metadata: { namespace, labels } }: Pod, services: readonly Service[]): Service[] {
  return [...new Set(services)].filter((service) => {
    const selector = textsOf(service.spec?.selector);
    if (Object.keys(selector).length === 0) return false;
    if (service.metadata.namespace === namespace && matchesLabels(selector, textsOf(labels))) return false;
    const facts = svcFacts(world, service);
    return attempt(() => facts.ready === 0 && !facts.young && !facts.external) === true;
  });
}

/** Who is meant to answer for one of these Services, and is scaled to zero: nothing is wrong with it, only for whoever asks there. */
export function restingBehind(world: World, services: readonly KubeObject[]): KubeObject | null {
  for (const service of services) {
    const facts = service.kind === 'Service' ? svcFacts(world, service as Service) : null;
    const behind = facts && attempt(() => facts.idle) === true ? attempt(() => facts.workloads) : null;
    if (behind?.[0]) return behind[0];
  }
  return null;
}
