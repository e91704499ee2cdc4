import { parseSelector } from '../facts/selector-text.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Scope } from '../model/snapshot.ts';

/** The controllers above an object, nearest first, by UID; stops where an owner was not read, and at a ring. */
export function ownerChain(world: World, object: KubeObject): KubeObject[] {
  return world.memo(object, 'engine:owners', () => {
    const chain: KubeObject[] = [];
    let at = object;
    while (chain.length < 10) {
      const references = at.metadata.ownerReferences ?? [];
      const reference = references.find((each) => each.controller === true) ?? (at.kind === 'Pod' ? undefined : references[0]);
      const owner = reference?.uid ? world.snapshot.byUid(reference.uid) : undefined;
      if (!owner || owner === object || chain.includes(owner)) break;
      chain.push(owner);
      at = owner;
    }
    return chain;
  });
}

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

/** Unfinished pods given to a node. */
export function podsOn(world: World, node: KubeObject): readonly KubeObject[] {
  const index = world.memo(world.snapshot, 'engine:podsOn', () => {
    const pods = new Map<string, KubeObject[]>();
    for (const pod of world.snapshot.seen('Pod')) {
      const name = pod.spec?.nodeName;
      if (!name || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue;
      const list = pods.get(name);
      if (list) list.push(pod);
      else pods.set(name, [pod]);
    }
    return pods;
  });
  return index.get(node.metadata.name) ?? [];
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
