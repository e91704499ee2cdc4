import type { CustomResourceDefinition } from '../model/kinds.ts';
import { RESOURCES, type Resource, groupOf, kindKey } from '../model/resources.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { typesIn } from '../source/targets.ts';

export interface ServedResource extends Resource {
  /** kindKey in the snapshot. */
  key: string;
  singular: string;
  categories: readonly string[];
}

// kubectl get all (pkg/registry/*/storage, Categories).
const ALL = new Set([
  'Pod',
  'ReplicationController',
  'Service',
  'DaemonSet',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'HorizontalPodAutoscaler',
  'CronJob',
  'Job',
]);

/** `apps/v1`, `v1`. */
export const versionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`);

/** What the recording can say something of: built-in kinds, unless the server said that it has them not, and every custom kind in it. */
export function resourcesOf(snapshot: Snapshot): ServedResource[] {
  const builtIn = RESOURCES.filter((resource) => !isUnserved(snapshot, resource.kind)).map(
    (resource): ServedResource => ({
      ...resource,
      key: resource.kind,
      singular: resource.kind.toLowerCase(),
      categories: ALL.has(resource.kind) && wasAsked(snapshot, resource.kind) ? ['all'] : [],
    }),
  );
  const known = new Set(builtIn.map(({ group, resource }) => `${group}/${resource}`));
  const custom = typesIn(snapshot).flatMap(({ group, kind, plural, namespaced, names }): ServedResource[] => {
    const key = kindKey(group === '' ? 'v1' : `${group}/v1`, kind);
    if (known.has(`${group}/${plural}`) || isUnserved(snapshot, key)) return [];
    known.add(`${group}/${plural}`);
    const singular = kind.toLowerCase();
    return [
      {
        group,
        kind,
        resource: plural,
        namespaced,
        key,
        singular,
        version: versionIn(snapshot, key, group, plural),
        short: names.filter((name) => name !== plural && name !== singular),
        categories: [],
      },
    ];
  });
  return [...builtIn, ...custom];
}

// `kubectl get all` asks for each that is offered, and ends in an error for one that nobody read.
const wasAsked = (snapshot: Snapshot, key: string): boolean => snapshot.seen(key).length > 0 || snapshot.coverage.some(({ kind }) => kind === key);

function isUnserved(snapshot: Snapshot, key: string): boolean {
  const entries = snapshot.coverage.filter((entry) => entry.kind === key);
  return entries.some((entry) => entry.state === 'not-served') && entries.every((entry) => entry.state === 'not-served') && snapshot.seen(key).length === 0;
}

function versionIn(snapshot: Snapshot, key: string, group: string, plural: string): string {
  const [first] = snapshot.seen(key);
  if (first) return groupOf(first.apiVersion) === '' ? first.apiVersion : first.apiVersion.slice(group.length + 1);
  const crd = snapshot.seen('CustomResourceDefinition').find((each: CustomResourceDefinition) => each.metadata.name === `${plural}.${group}`);
  const versions = (crd?.spec?.versions ?? []) as { name?: string; served?: boolean; storage?: boolean }[];
  return (versions.find((each) => each.storage) ?? versions.find((each) => each.served) ?? versions[0])?.name ?? 'v1';
}
