/** Names that were asked for and nothing has, and what is called nearly so. */
import { subjectOf } from '../facts/address.ts';
import { some } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject } from '../model/kinds.ts';
import { isUnserved, unheld } from '../model/coverage.ts';
import { nearest, tolerance } from '../model/near.ts';
import { servedAs } from '../model/resources.ts';
import type { Scope } from '../model/snapshot.ts';
import { isTarget } from './scope.ts';

type Target = Scope['targets'][number];

/** What a person means who gives a name alone, or the wrong type with it. */
const NAMED = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Service', 'Ingress', 'PersistentVolumeClaim'];

/** Targets of which no object was read. Whether they are absent or unread the coverage of their kinds says. */
export const missing = (world: World, scope: Scope): Target[] =>
  scope.targets.filter((target) => target.name !== '' && !world.snapshot.seen(target.kind).some((object) => isTarget({ ...scope, targets: [target] }, object)));

/** A sentence for each, and for each type of which there is none; none where its kind could not be read, or where the page's first line says all there is. */
export function missingInWords(world: World, scope: Scope): string[] {
  const none = scope.targets.filter(({ name }) => name === '');
  return [...(none.length < scope.targets.length ? none : []), ...missing(world, scope)].flatMap((target) => {
    const gap = target.kind === '' ? null : world.snapshot.gap(target.kind, target.namespace);
    if (gap && gap.reason !== 'not-collected') return [];
    if (isUnserved(world.snapshot.coverage, target.kind)) return `This server does not serve ${servedAs(target.kind)}.`;
    if (target.name === '') return `No ${target.kind.split('.')[0]} was found.`;
    const near = nearInWords(world, scope.namespaces, target);
    if (!near && scope.targets.length === 1) return [];
    return `${[target.kind.split('.')[0], target.name].filter(Boolean).join('/')} was not found.${near ? ` ${near}.` : ''}`;
  });
}

/** A namespace is at its goal by being there; whoever names one may mean what is in it. */
export function namespacesNamed(world: World, scope: Scope): string[] {
  return scope.targets.flatMap(({ kind, name }) => {
    if (kind !== 'Namespace' || name === '') return [];
    const found = world.snapshot.get('Namespace', undefined, name);
    if (found.state !== 'known' || found.value.metadata.deletionTimestamp) return [];
    return `Namespace/${name} alone was judged; what is in it is judged with -n ${name}.`;
  });
}

/** A recording of other namespaces than the ones asked about: all that is seen of these stands in lists over all namespaces. */
export function namespacesUnheld({ snapshot }: World, { namespaces }: Scope): string[] {
  if (snapshot.source.kind !== 'recording') return [];
  const { asked, held } = unheld(snapshot.coverage, namespaces);
  return asked.length > 0 ? [`Of namespace ${some(asked)} the recording holds no list; it is of ${some(held)}.`] : [];
}

/** Of the same kind under nearly the same name, or of another kind under this very one; the nearest first. */
function nearTo(world: World, namespaces: readonly string[], target: Target): KubeObject[] {
  const here = ({ metadata: { namespace } }: KubeObject): boolean => !namespace || namespaces.length === 0 || namespaces.includes(namespace);
  const kinds = target.kind === '' ? NAMED : [target.kind, ...NAMED.filter((kind) => kind !== target.kind)];
  const things = kinds.flatMap((kind) =>
    world.snapshot
      .seen(kind)
      .filter(here)
      .map((object) => ({ kind, object })),
  );
  const within = ({ kind }: { kind: string }): number => (target.kind === '' || kind === target.kind ? tolerance(target.name) : 0);
  return nearest(target.name, things, ({ object }) => object.metadata.name, within).map(({ object }) => object);
}

/** `There is Deployment/web`, for a name that nothing has; '' where nothing is called nearly so. */
export function nearInWords(world: World, namespaces: readonly string[], target: Target): string {
  const near = nearTo(world, namespaces, target).map((object) => `${subjectOf(object).kind}/${object.metadata.name}`);
  return near.length > 0 ? `There is ${some(near)}` : '';
}
