import { ownerChain } from '../facts/owners.ts';
import { parseSelector } from '../facts/selector-text.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Scope } from '../model/snapshot.ts';

/** Whether an object is one the user asked about. */
export function inScope(world: World, scope: Scope, object: KubeObject): boolean {
  const namespace = object.kind === 'Namespace' ? object.metadata.name : object.metadata.namespace;
  if (object.kind === 'APIServer') return true;
  if (!scope.all && (namespace === undefined || !scope.namespaces.includes(namespace))) return isTarget(scope, object);
  if (scope.selector && !fitsSelector(world, scope.selector, object)) return false;
  if (scope.targets.length === 0) return true;
  return [object, ...ownerChain(world, object)].some((each) => isTarget(scope, each));
}

/** By its own labels or those of what controls it: the ReplicaSet of a chosen Deployment is chosen, too. */
function fitsSelector(world: World, selector: string, object: KubeObject): boolean {
  const test = world.memo(world.snapshot, `engine:selector ${selector}`, () => parseSelector(selector));
  return [object, ...ownerChain(world, object)].some((each) => test?.(each.metadata.labels ?? {}) === true);
}

/** Whether it defines the kind of something that was asked about: without it there is nothing to look at. */
export const definesTarget = (scope: Scope, { kind, spec }: KubeObject): boolean => {
  const { group, names } = (spec ?? {}) as { group?: string; names?: { kind?: string } };
  return kind === 'CustomResourceDefinition' && scope.targets.some((target) => target.kind === `${names?.kind}.${group}`);
};

/** Whether it is one of the objects asked for by name. */
export const isTarget = (scope: Scope, object: KubeObject): boolean =>
  scope.targets.some(
    (target) =>
      target.kind.split('.')[0] === object.kind &&
      target.name === object.metadata.name &&
      (target.namespace === undefined || object.metadata.namespace === undefined || target.namespace === object.metadata.namespace),
  );
