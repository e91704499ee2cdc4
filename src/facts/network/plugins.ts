import type { Deployment, KubeObject, PodSpec, StatefulSet } from '../../model/kinds.ts';
import { listOf } from '../lists.ts';
import type { World } from '../world.ts';

// Images and workloads of network plugins.
const PLUGIN =
  /(?:^|[/-])(?:calico|cilium|flannel|weave|canal|antrea|kube-router|kube-ovn|ovn-kubernetes|ovnkube|aws-node|amazon-k8s-cni|azure-cni|kindnet|multus|terway)(?:$|[/:-])/;

/** Told by its name, or by an image. */
export const isNetworkPlugin = (name: string, spec: PodSpec | undefined): boolean =>
  [name, ...[...listOf(spec?.containers), ...listOf(spec?.initContainers)].map(({ image = '' }) => image)].some((word) => PLUGIN.test(word));

/** What serves the network of the whole cluster and runs on no node in particular: ovnkube-control-plane, kube-ovn-controller, cilium-operator. */
export function networkControllers(world: World): KubeObject[] {
  return world.memo(world.snapshot, 'network:controllers', () =>
    (['Deployment', 'StatefulSet'] as const)
      .flatMap((kind) => world.snapshot.seen(kind) as readonly (Deployment | StatefulSet)[])
      .filter(({ metadata, spec }) => isNetworkPlugin(metadata.name, spec?.template?.spec)),
  );
}
