import type { Job, KubeObject } from '../../model/kinds.ts';
import { conditionOf } from '../address.ts';
import { listOf } from '../lists.ts';
import type { World } from '../world.ts';
import { customFacts } from './custom.ts';

/** Where the kinds that bring Secrets and ConfigMaps name what they bring; where they name nothing it bears their own name. */
const NAMES: readonly (readonly string[])[] = [['secretName'], ['target', 'name'], ['destination', 'name'], ['template', 'metadata', 'name']];
const BRINGS = /Secret|Certificate|Bundle|ConfigMap/;

/**
 * What is to bring a Secret or ConfigMap and has not: a custom resource (a Certificate, an ExternalSecret, a SealedSecret) that says of itself
 * that it failed, or a Job that is not through and whose command names it (`create --secret-name=tls`). Empty where none that was read does.
 */
export function makersOf(world: World, namespace: string, names: readonly string[]): KubeObject[] {
  return [
    ...failed(world).filter((each) => each.metadata.namespace === namespace && names.some((name) => brings(each, name))),
    ...world.snapshot.seen('Job', namespace).filter((job) => !isThrough(job) && names.some((name) => makes(job, name))),
  ];
}

const isThrough = (job: Job): boolean => conditionOf(job, 'Complete')?.status === 'True' || job.spec?.suspend === true;

/**
 * Jobs that somebody made once, to set something up, and that are not through: what they were to bring is not here, whatever it is.
 * One that needs the missing object itself does not make it.
 */
export function unfinishedJobs(world: World, namespace: string, names: readonly string[]): Job[] {
  const isOfCron = ({ metadata }: Job): boolean => listOf(metadata.ownerReferences).some(({ kind }) => kind === 'CronJob');
  const needs = ({ spec }: Job): boolean => names.some((name) => JSON.stringify(spec?.template ?? {}).includes(`"${name}"`));
  return world.snapshot.seen('Job', namespace).filter((job) => !isThrough(job) && !isOfCron(job) && !needs(job));
}

/** A name alone may be that of anything: the command has to speak of Secrets or ConfigMaps, too. */
function makes(job: Job, name: string): boolean {
  const { containers, initContainers } = job.spec?.template?.spec ?? {};
  return [...listOf(initContainers), ...listOf(containers)].some(({ command, args }) => {
    const words = [...listOf(command), ...listOf(args)].join(' ');
    return /secret|config-?map/i.test(words) && words.split(/[\s=,:;/'"()]+/).includes(name);
  });
}

function failed(world: World): readonly KubeObject[] {
  return world.memo(world.snapshot, 'index:failed-makers', () =>
    world.snapshot
      .kinds()
      .filter((kind) => kind.includes('.') && BRINGS.test(kind))
      .flatMap((kind) => world.snapshot.seen(kind))
      .filter((each) => customFacts(world, each)?.at.includes('condition')),
  );
}

function brings(object: KubeObject, name: string): boolean {
  const told = NAMES.map((path) =>
    path.reduce<unknown>((at, key) => (at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined), object['spec']),
  ).filter((value) => typeof value === 'string');
  return told.length > 0 ? told.includes(name) : object.metadata.name === name;
}
