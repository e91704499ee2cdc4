import type { KubeObject } from '../../model/kinds.ts';
import { customFacts } from './custom.ts';
import type { World } from '../world.ts';

/** Where the kinds that bring Secrets and ConfigMaps name what they bring; where they name nothing it bears their own name. */
const NAMES: readonly (readonly string[])[] = [['secretName'], ['target', 'name'], ['destination', 'name'], ['template', 'metadata', 'name']];
const BRINGS = /Secret|Certificate|Bundle|ConfigMap/;

/**
 * The custom resource that is to bring a Secret or ConfigMap (a Certificate, an ExternalSecret, a SealedSecret) and says of itself that it failed:
 * an object of that name is absent because of it. Empty where none that was read does.
 */
export function makersOf(world: World, namespace: string, names: readonly string[]): KubeObject[] {
  return failed(world).filter((each) => each.metadata.namespace === namespace && names.some((name) => brings(each, name)));
}

function failed(world: World): readonly KubeObject[] {
  return world.memo(world.snapshot, 'index:failed-makers', () =>
    world.snapshot.kinds().filter((kind) => kind.includes('.') && BRINGS.test(kind)).flatMap((kind) => world.snapshot.seen(kind))
      .filter((each) => customFacts(world, each)?.at.includes('condition')));
}

function brings(object: KubeObject, name: string): boolean {
  const told = NAMES.map((path) =>
    path.reduce<unknown>(
      (at, key) => (at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined),
      object['spec'],
    ),
  ).filter((value) => typeof value === 'string');
  return told.length > 0 ? told.includes(name) : object.metadata.name === name;
}
