/** Names that were asked for and nothing has, and what is called nearly so. */
import { subjectOf } from '../facts/address.ts';
import { some } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Scope } from '../model/snapshot.ts';
import { isTarget } from './scope.ts';

type Target = Scope['targets'][number];

/** What a person means who gives a name alone, or the wrong type with it. */
const NAMED = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Service', 'Ingress', 'PersistentVolumeClaim'];
const MOST = 3;

/** Targets of which no object was read. Whether they are absent or unread the coverage of their kinds says. */
export const missing = (world: World, scope: Scope): Target[] =>
  scope.targets.filter((target) => target.name !== '' && !world.snapshot.seen(target.kind).some((object) => isTarget({ ...scope, targets: [target] }, object)));

/** A sentence for each, and for each type of which there is none; none where its kind could not be read, or where the page's first line says all there is. */
export function missingInWords(world: World, scope: Scope): string[] {
  const none = scope.targets.filter(({ name }) => name === '');
  return [...(none.length < scope.targets.length ? none : []), ...missing(world, scope)].flatMap((target) => {
    const gap = target.kind === '' ? null : world.snapshot.gap(target.kind, target.namespace);
    if (gap && gap.reason !== 'not-collected') return [];
    if (target.name === '') return `No ${target.kind.split('.')[0]} was found.`;
    const near = nearTo(world, scope, target).map((object) => `${subjectOf(object).kind}/${object.metadata.name}`);
    if (near.length === 0 && scope.targets.length === 1) return [];
    const there = near.length > 0 ? ` There is ${some(near)}.` : '';
    return `${[target.kind.split('.')[0], target.name].filter(Boolean).join('/')} was not found.${there}`;
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

/** Of the same kind under nearly the same name, or of another kind under this very one; the nearest first. */
function nearTo(world: World, { namespaces }: Scope, target: Target): KubeObject[] {
  const here = ({ metadata: { namespace } }: KubeObject): boolean => !namespace || namespaces.length === 0 || namespaces.includes(namespace);
  const kinds = target.kind === '' ? NAMED : [target.kind, ...NAMED.filter((kind) => kind !== target.kind)];
  const found = kinds.flatMap((kind) => {
    const most = target.kind === '' || kind === target.kind ? Math.min(2, Math.floor(target.name.length / 3)) : 0;
    return world.snapshot.seen(kind).filter(here).map((object) => ({ object, far: distance(target.name, object.metadata.name, most) })).filter(({ far }) => far <= most);
  });
  return found.sort((a, b) => a.far - b.far).slice(0, MOST).map(({ object }) => object);
}

/** Letters to put in, take out, change, or swap with the next one; more than `most` where it is more. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before?.[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last?.[j - 1] ?? 0) + (same ? 0 : 1), swapped));
    }
    [before, last] = [last ?? [], row];
  }
  return last?.[b.length] ?? most + 1;
}
