import type { Pod } from '../../model/kinds.ts';
import { conditionOf, isTrue } from '../address.ts';
import { groupBy, listOf, textsOf } from '../lists.ts';
import { controllerRef } from '../owners.ts';
import { heardAt, kubeletNow } from '../skew.ts';
import { bornAt, timeOf } from '../time.ts';
import type { World } from '../world.ts';
import { isActive } from './phase.ts';

/** When a pod failed, in ms by the clock of the API server: the last of its containers, or the moment it stopped being Ready. */
export function failedAt(world: World, pod: Pod): number {
  const heard = (time: string | null | undefined): number => heardAt(world, pod.spec?.nodeName ?? '', timeOf(time)) ?? 0;
  const ends = listOf(pod.status?.containerStatuses).map((status) => heard(status.state?.terminated?.finishedAt));
  return Math.max(...ends, heard(conditionOf(pod, 'Ready')?.since), timeOf(pod.metadata.creationTimestamp) ?? 0);
}

/** Taken away with its node, by preemption or through the API: that the next one fails, too, is not to be expected. The kubelet evicts for what pods use. */
export const isDisrupted = (pod: Pod): boolean => isTrue(pod, 'DisruptionTarget') && pod.status?.reason !== 'Evicted';

export const newestOf = (world: World, failed: readonly Pod[], first: Pod): Pod =>
  failed.reduce((best, other) => (failedAt(world, other) > failedAt(world, best) ? other : best), first);

const runsOf = ({ status }: Pod): { from: number; to: number }[] =>
  listOf(status?.containerStatuses).map(({ state }) => ({
    from: timeOf((state?.terminated ?? state?.running)?.startedAt) ?? Number.POSITIVE_INFINITY,
    to: timeOf(state?.terminated?.finishedAt) ?? Number.POSITIVE_INFINITY,
  }));

/** Whether what was made after the last failure has by far outlived those that failed: as for a container that is started again, that is over then. */
export function hasPassed(world: World, attempts: readonly Pod[], failed: readonly Pod[]): boolean {
  const last = Math.max(...failed.map((pod) => failedAt(world, pod)));
  const retries = attempts.filter((pod) => isActive(pod) && bornAt(pod) >= last);
  const ran = Math.max(...failed.flatMap(runsOf).map(({ from, to }) => (Number.isFinite(to - from) ? to - from : 0)), 0);
  const up = retries.flatMap((pod) => runsOf(pod).map(({ from }) => kubeletNow(world, pod) - from));
  return up.length > 0 && Math.min(...up) > 2 * ran + 30_000;
}

/** Marks that OpenShift writes on what it makes for one try after another. */
const DEPLOYS = 'openshift.io/deployment-config.name';
const BUILDS = 'openshift.io/build-config.name';
const PHASE = 'openshift.io/deployment.phase';

/** What the pod is one of several tries at, where no controller of this API counts them; '' for none that is known. */
function tryAt({ metadata, spec }: Pod): string {
  const [labels, annotations] = [textsOf(metadata.labels), textsOf(metadata.annotations)];
  // Deployer and hook pods (openshift-controller-manager, pkg/apps/deployer), build pods (pkg/build), and the installers of static pods (library-go).
  if (labels['openshift.io/deployer-pod-for.name'] && annotations[DEPLOYS]) return `deploy ${annotations[DEPLOYS]}`;
  if (labels['openshift.io/build.name'] && labels[BUILDS]) return `build ${labels[BUILDS]}`;
  if (labels['app'] === 'installer' && spec?.nodeName && /^installer-\d+-/.test(metadata.name)) return `install ${spec.nodeName}`;
  // A node of type Retry numbers its children (argo-workflows, workflow/controller/operator.go); a retried TaskRun makes pod after pod (tektoncd/pipeline, pkg/pod).
  const step = /^(.*)\(\d+\)$/.exec(annotations['workflows.argoproj.io/node-name'] ?? '')?.[1];
  if (step && labels['workflows.argoproj.io/workflow']) return `step ${labels['workflows.argoproj.io/workflow']}/${step}`;
  if (labels['tekton.dev/taskRun']) return `task ${labels['tekton.dev/taskRun']}`;
  // A driver asks for its workers itself, and again for those that it loses.
  const owner = controllerRef({ metadata });
  return owner?.kind === 'Pod' ? `worker of ${owner.uid ?? owner.name ?? ''}` : '';
}

const keyOf = (pod: Pod): string => {
  const what = tryAt(pod);
  return what === '' ? '' : `${pod.metadata.namespace ?? ''} ${what}`;
};

/** Whether a later try at the same thing went well, or is on its way and not bound to end as this one did: what this one ended with is history. */
export function wasTriedAgain(world: World, pod: Pod): boolean {
  const key = keyOf(pod);
  if (key === '') return false;
  const tries = world.memo(world.snapshot, 'index:tries', () => groupBy(world.snapshot.seen('Pod'), keyOf)).get(key) ?? [];
  if (tries.some((other) => other.status?.phase === 'Succeeded' && bornAt(other) > bornAt(pod))) return true;
  const failed = tries.filter((other) => other.status?.phase === 'Failed');
  if (newestOf(world, failed, pod) !== pod) return true;
  const again = tries.some((other) => isActive(other) && bornAt(other) >= failedAt(world, pod));
  if (again && (failed.filter((other) => !isDisrupted(other)).length <= 1 || hasPassed(world, tries, failed))) return true;
  // The pod of a deployment that went well may be gone; its ReplicationController says so as long as it is there.
  return world.snapshot.seen('ReplicationController', pod.metadata.namespace).some((other) => {
    const said = textsOf(other.metadata.annotations);
    return said[PHASE] === 'Complete' && bornAt(other) > bornAt(pod) && tryAt(pod) === `deploy ${said[DEPLOYS]}`;
  });
}
