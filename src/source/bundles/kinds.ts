import { RESOURCES, groupOf } from '../../model/resources.ts';
import type { ItemKind } from '../door.ts';

// Names of resources that tools write otherwise: without dashes they are the plural, all but these.
const OTHER_NAMES: Readonly<Record<string, string>> = {
  pvcs: 'persistentvolumeclaims',
  pvs: 'persistentvolumes',
  ingress: 'ingresses',
  networkpolicy: 'networkpolicies',
  resourcequota: 'resourcequotas',
};
const OLD_GROUPS = new Set(['extensions', 'policy', 'batch', 'autoscaling', 'apps', 'events.k8s.io']);

/** The built-in kind of a resource and group; undefined where the table has none: the objects have to say it themselves. */
export function itemOf(resource: string, group?: string): ItemKind | undefined {
  const plural = OTHER_NAMES[resource.replaceAll('-', '').toLowerCase()] ?? resource.replaceAll('-', '').toLowerCase();
  if (plural === 'events' && (group === undefined || group === 'events.k8s.io')) return { apiVersion: 'v1', kind: 'Event' };
  const found = RESOURCES.find(
    (each) => each.resource === plural && (group === undefined || each.group === group || (group === 'extensions' && OLD_GROUPS.has(each.group))),
  );
  return found && { apiVersion: found.group === '' ? found.version : `${found.group}/${found.version}`, kind: found.kind };
}

/** The built-in kind by its own name in lower case, as some tools name folders. */
export function itemOfKind(kind: string, apiVersion: string): ItemKind | undefined {
  const found = RESOURCES.find((each) => each.kind.toLowerCase() === kind.toLowerCase() && each.group === groupOf(apiVersion));
  return found && { apiVersion: found.group === '' ? found.version : `${found.group}/${found.version}`, kind: found.kind };
}

/** `core` is how folders spell the empty group. */
export const groupName = (folder: string): string => (folder === 'core' ? '' : folder);
