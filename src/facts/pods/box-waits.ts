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

/** Services that a container's command asks for and that do not exist: its wait has no end. Raises Unknown where Services could not be read. */
export function askedInVain(world: World, pod: Pod, spec: Container): string[] {
  const asked = new Set(ASKS.flatMap((pattern) => [...commandOf(spec).matchAll(pattern)].map(({ groups }) => groups?.['host'] ?? '')));
  // Names that the pod knows without the cluster's DNS, or looks up elsewhere as well.
  const { hostAliases, hostNetwork, dnsPolicy, dnsConfig, hostname } = (pod.spec ?? {}) as PodSpec & Naming;
  if (dnsPolicy === 'Default' || dnsPolicy === 'None' || (hostNetwork && dnsPolicy !== 'ClusterFirstWithHostNet') || listOf(dnsConfig?.searches).length > 0) return [];
  const own = new Set(['localhost', hostname ?? pod.metadata.name, ...listOf(hostAliases).flatMap(({ hostnames }) => listOf(hostnames))]);
  return [...asked].filter((host) => {
    if (own.has(host)) return false;
    const [name = '', namespace, ...rest] = host.split('.');
    // `db.shop` may be a host of the world outside; `db` and `db.shop.svc` are not.
    if (namespace !== undefined && rest[0] !== 'svc') return false;
    return need(world.snapshot.get('Service', namespace ?? pod.metadata.namespace, name)) === null;
  });
}

/** Command and arguments as one text, with the variables that have a plain value put in. */
function commandOf(spec: Container): string {
  const text = [...listOf(spec.command), ...listOf(spec.args)].filter((word) => typeof word === 'string').join(' ').slice(0, 4000);
  const values = new Map(listOf(spec.env).map(({ name, value }) => [name ?? '', value]));
  return text.replace(/\$[({]?([A-Za-z_]\w*)[)}]?/g, (whole, name: string) => values.get(name) ?? whole);
}
