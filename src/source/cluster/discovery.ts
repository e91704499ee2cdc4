import type { Resource } from '../../model/resources.ts';
import type { TypeNames } from '../targets.ts';
import type { Answer, Transport } from './transport.ts';

/** Where a server tells what it serves. */
export const DISCOVERY = '/apis';

/** A resource that the server serves beyond the built-in ones, in its preferred version. */
export interface Served extends TypeNames {
  resource: Resource;
}

const AGGREGATED = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

interface GroupDiscovery {
  metadata?: { name?: string };
  versions?: { version?: string; resources?: ResourceDiscovery[] }[];
}
interface ResourceDiscovery {
  resource?: string;
  responseKind?: { kind?: string };
  scope?: string;
  singularResource?: string;
  shortNames?: string[];
  verbs?: string[];
}
interface GroupList {
  groups?: { name?: string; preferredVersion?: { groupVersion?: string; version?: string } }[];
}
interface ResourceList {
  resources?: { name?: string; kind?: string; namespaced?: boolean; singularName?: string; shortNames?: string[]; verbs?: string[] }[];
}

/**
 * What the groups under /apis serve: one request where the server aggregates (since 1.26, asked for since 1.27), one a group
 * before that. Empty where it could not be read; `failed` is told why.
 */
export async function discover(transport: Transport, failed: (answer: Answer) => void = () => undefined): Promise<Served[]> {
  const answer = await transport.get(DISCOVERY, { accept: AGGREGATED });
  if (answer.code !== 200 || answer.body === null || typeof answer.body !== 'object') {
    failed(answer);
    return [];
  }
  const body = answer.body as { items?: GroupDiscovery[] } & GroupList;
  if (Array.isArray(body.items)) return body.items.flatMap(fromGroup);
  const groups = Array.isArray(body.groups) ? body.groups : [];
  const lists = await Promise.all(
    groups.map(async ({ name = '', preferredVersion }) => {
      const list = await transport.get(`/apis/${preferredVersion?.groupVersion ?? ''}`);
      return list.code === 200 ? fromList(name, preferredVersion?.version ?? '', list.body as ResourceList) : [];
    }),
  );
  return lists.flat();
}

function fromGroup(group: GroupDiscovery): Served[] {
  const name = group.metadata?.name ?? '';
  const seen = new Set<string>();
  // Versions come in order of preference; a resource is taken from the first that has it.
  return (group.versions ?? []).flatMap(({ version = '', resources = [] }) =>
    resources.flatMap((entry) => {
      const { resource, responseKind, scope, singularResource = '', shortNames = [], verbs = [] } = entry;
      if (!resource || !responseKind?.kind || seen.has(resource) || !verbs.includes('list')) return [];
      seen.add(resource);
      return [served({ group: name, version, resource, kind: responseKind.kind, namespaced: scope === 'Namespaced', short: shortNames }, singularResource)];
    }),
  );
}

function fromList(group: string, version: string, list: ResourceList): Served[] {
  return (list.resources ?? []).flatMap(({ name, kind, namespaced = false, singularName = '', shortNames = [], verbs = [] }) =>
    !name || !kind || name.includes('/') || !verbs.includes('list')
      ? []
      : [served({ group, version, resource: name, kind, namespaced, short: shortNames }, singularName)],
  );
}

function served(resource: Resource, singular: string): Served {
  const { group, kind, resource: plural, namespaced, short = [] } = resource;
  return { resource, group, kind, plural, namespaced, names: [...new Set([plural, kind.toLowerCase(), singular, ...short])].filter((name) => name !== '') };
}
