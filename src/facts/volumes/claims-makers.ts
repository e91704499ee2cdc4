import type { KubeObject, PersistentVolumeClaim, PodSpec } from '../../model/kinds.ts';
import { maybe } from '../../model/read.ts';
import { kindKey } from '../../model/resources.ts';
import { driverOf } from './claims-driver.ts';
import { listOf } from '../lists.ts';
import type { World } from '../world.ts';
import { daemonSetOf } from '../owners.ts';

interface Source {
  apiGroup?: string;
  kind?: string;
  name?: string;
  namespace?: string;
}

/** What the claim is to be filled from, a snapshot or another claim; null where it names none, or that was not read. */
export function sourceOf(world: World, claim: PersistentVolumeClaim): KubeObject | null {
  const { dataSource, dataSourceRef } = (claim.spec ?? {}) as { dataSource?: Source; dataSourceRef?: Source };
  const source = dataSourceRef ?? dataSource;
  if (!source?.kind || !source.name) return null;
  const namespace = source.namespace ?? claim.metadata.namespace;
  if (!source.apiGroup) return maybe(world.snapshot.get(source.kind, namespace, source.name));
  const kind = world.snapshot.kinds().find((each) => each === kindKey(`${source.apiGroup}/v1`, source.kind ?? ''));
  return kind ? maybe(world.snapshot.get(kind, namespace, source.name)) : null;
}

/**
 * Workloads that run the provisioner of a driver, where no pod of theirs names the driver (its flags name a socket only): beside the
 * driver's node plugin, with a container that provisions. In a namespace of many drivers their names must have a word of the driver's, too.
 */
export function provisionersOf(world: World, driver: string): KubeObject[] {
  return world.memo(world.snapshot, `claims:provisioners:${driver}`, () => {
    const plugins = driverOf(world, driver).pods.filter((pod) => daemonSetOf(pod) !== '');
    const namespaces = new Set(plugins.map((pod) => pod.metadata.namespace));
    const words = driver
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word.length > 2 && !COMMON.has(word));
    return ['Deployment', 'StatefulSet']
      .flatMap((kind) => world.snapshot.seen(kind))
      .filter((workload) => {
        const { namespace, name } = workload.metadata;
        return namespaces.has(namespace) && provisions(workload) && (namespace !== 'kube-system' || words.some((word) => name.includes(word)));
      });
  });
}

const COMMON = new Set(['csi', 'com', 'org', 'net', 'driver', 'storage', 'k8s', 'kubernetes', 'provisioner']);

const provisions = (workload: KubeObject): boolean =>
  listOf((workload['spec'] as { template?: { spec?: PodSpec } } | undefined)?.template?.spec?.containers).some(({ name, image }) =>
    /provisioner/.test(`${name ?? ''} ${image ?? ''}`),
  );
