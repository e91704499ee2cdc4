import type { KubeObject, Pod } from '../../model/kinds.ts';
import { textsOf } from '../lists.ts';
import { timeOf } from '../time.ts';
import type { World } from '../world.ts';

/** Marks that OpenShift writes on what it makes for one try after another, none of which is the controller of its pod, or the same for two tries. */
const DEPLOYS = 'openshift.io/deployment-config.name';
const BUILDS = 'openshift.io/build-config.name';
const PHASE = 'openshift.io/deployment.phase';

/** What the pod is one of several tries at; '' for none that is known. */
function tryAt({ metadata, spec }: Pod): string {
  const [labels, annotations] = [textsOf(metadata.labels), textsOf(metadata.annotations)];
  // Deployer and hook pods (openshift-controller-manager, pkg/apps/deployer), build pods (pkg/build), and the installers of static pods (library-go).
  if (labels['openshift.io/deployer-pod-for.name'] && annotations[DEPLOYS]) return `deploy ${annotations[DEPLOYS]}`;
  if (labels['openshift.io/build.name'] && labels[BUILDS]) return `build ${labels[BUILDS]}`;
  return labels['app'] === 'installer' && spec?.nodeName && /^installer-\d+-/.test(metadata.name) ? `install ${spec.nodeName}` : '';
}

const bornAt = ({ metadata }: Pick<KubeObject, 'metadata'>): number => timeOf(metadata.creationTimestamp) ?? 0;

/** Whether a later try at the same thing went well: what an earlier one ended with is history. */
export function wasTriedAgain(world: World, pod: Pod): boolean {
  const what = tryAt(pod);
  if (what === '') return false;
  const isLater = (other: Pick<KubeObject, 'metadata'>): boolean => other.metadata.namespace === pod.metadata.namespace && bornAt(other) > bornAt(pod);
  if (world.snapshot.seen('Pod').some((other) => other.status?.phase === 'Succeeded' && isLater(other) && tryAt(other) === what)) return true;
  // The pod of a deployment that went well may be gone; its ReplicationController says so as long as it is there.
  return world.snapshot.seen('ReplicationController').some((other) => {
    const said = textsOf(other.metadata.annotations);
    return said[PHASE] === 'Complete' && isLater(other) && what === `deploy ${said[DEPLOYS]}`;
  });
}
