import type { Container, Pod, PodSpec } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { listOf } from '../lists.ts';
import type { World } from '../world.ts';

interface Naming {
  hostAliases?: { hostnames?: string[] }[];
  hostNetwork?: boolean;
  dnsPolicy?: string;
  dnsConfig?: { searches?: string[] };
  hostname?: string;
}

const HOST = String.raw`["']?(?<host>[a-z][a-z0-9-]{0,62}(?:\.[a-z0-9.-]{1,190})?)["']?`;

/** How scripts wait for something: the host that they ask for. */
const ASKS = [
  String.raw`\bnc(?:\s+-{1,2}[\w-]+(?:[ =]\d+)?)*\s+${HOST}\s+\d+`,
  String.raw`\b(?:nslookup|getent\s+(?:hosts|ahosts)|dig(?:\s+\+\w+)*)\s+${HOST}`,
  String.raw`\b(?:curl|wget)\b[^|;&\n]{0,200}?https?://${HOST}`,
  String.raw`\b(?:pg_isready|psql|mysqladmin|mysql|redis-cli|mongosh?)\b[^|;&\n]{0,200}?(?:-h\s*|--host[= ])${HOST}`,
  String.raw`\bwait-for(?:-it)?(?:\.sh)?\s+(?:-\S+\s+)*${HOST}:\d+`,
  String.raw`-wait\s+(?:tcp|https?)://${HOST}`,
].map((source) => new RegExp(source, 'g'));

/** A Service by the name that a container's command asks for. */
export interface Asked {
  name: string;
  namespace: string;
}

/** What a container's command asks for by names that only the cluster's DNS knows. */
export function servicesOfCommand(pod: Pod, spec: Container): Asked[] {
  const asked = new Set(ASKS.flatMap((pattern) => [...commandOf(spec).matchAll(pattern)].map(({ groups }) => groups?.['host'] ?? '')));
  // Names that the pod knows without the cluster's DNS, or looks up elsewhere as well.
  const { hostAliases, hostNetwork, dnsPolicy, dnsConfig, hostname } = (pod.spec ?? {}) as PodSpec & Naming;
  if (dnsPolicy === 'Default' || dnsPolicy === 'None' || (hostNetwork && dnsPolicy !== 'ClusterFirstWithHostNet') || listOf(dnsConfig?.searches).length > 0)
    return [];
  const own = new Set(['localhost', hostname ?? pod.metadata.name, ...listOf(hostAliases).flatMap(({ hostnames }) => listOf(hostnames))]);
  return [...asked].flatMap((host) => {
    const [name = '', namespace, ...rest] = host.split('.');
    // `db.shop` may be a host of the world outside; `db` and `db.shop.svc` are not.
    if (own.has(host) || (namespace !== undefined && rest[0] !== 'svc')) return [];
    return [{ name, namespace: namespace ?? pod.metadata.namespace ?? '' }];
  });
}

/** Those of them that do not exist: its wait has no end. Raises Unknown where Services could not be read. */
export const askedInVain = (world: World, pod: Pod, spec: Container): string[] =>
  servicesOfCommand(pod, spec)
    .filter(({ name, namespace }) => need(world.snapshot.get('Service', namespace, name)) === null)
    .map(({ name, namespace }) => (namespace === pod.metadata.namespace ? name : `${name}.${namespace}.svc`));

/** Command and arguments as one text, with the variables that have a plain value put in. */
function commandOf(spec: Container): string {
  const text = [...listOf(spec.command), ...listOf(spec.args)]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .slice(0, 4000);
  const values = new Map(listOf(spec.env).map(({ name, value }) => [name ?? '', value]));
  return text.replace(/\$[({]?([A-Za-z_]\w*)[)}]?/g, (whole, name: string) => values.get(name) ?? whole);
}
