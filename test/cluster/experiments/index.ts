import { apply, get, remove, waitForObject } from '../api.ts';
import { sleep } from '../wait.ts';
import { admission } from './admission.ts';
import { containers } from './containers.ts';
import { controlPlane } from './control-plane.ts';
import { conversions } from './conversion.ts';
import { csiVolumes } from './csi.ts';
import { drains } from './drains.ts';
import type { Experiment } from './experiment.ts';
import { healthy } from './healthy.ts';
import { namespaces } from './namespaces.ts';
import { nodes } from './nodes.ts';
import { namespace } from './objects.ts';
import { LIMIT } from './observe.ts';
import { policies } from './policies.ts';
import { pressures } from './pressure.ts';
import { references } from './references.ts';
import { rollouts } from './rollouts.ts';
import { scheduling } from './scheduling.ts';
import { services } from './services.ts';
import { storages } from './storage.ts';
import { terminating } from './terminating.ts';
import { webhooks } from './webhooks.ts';
import { workloads } from './workloads.ts';

export const experiments: readonly Experiment[] = [
  ...healthy,
  ...scheduling,
  ...containers,
  ...references,
  ...admission,
  ...webhooks,
  ...policies,
  ...services,
  ...controlPlane,
  ...nodes,
  ...namespaces,
  ...conversions,
  ...rollouts,
  ...storages,
  ...csiVolumes,
  ...workloads,
  ...terminating,
  ...drains,
  ...pressures,
];

/** Those that leave everything but their own namespace alone: all of them can be there at the same time. */
export const quiet: readonly Experiment[] = experiments.filter((experiment) => !experiment.alone);
export const loud: readonly Experiment[] = experiments.filter((experiment) => experiment.alone);

/** The namespace and what is in it, until the state is reached. */
export async function arrange(experiment: Experiment): Promise<void> {
  if (experiment.namespace !== 'default') {
    // Another test may have left the same state a moment ago; what is made in a namespace that goes is refused, or goes with it.
    await waitForObject('v1', 'Namespace', '', experiment.namespace, (left) => left?.metadata.deletionTimestamp === undefined, LIMIT);
    await apply(namespace(experiment.namespace));
    // Until then admission refuses every pod, and what is well would begin with a warning.
    await waitForObject('v1', 'ServiceAccount', experiment.namespace, 'default', (account) => account !== undefined, LIMIT);
  }
  await experiment.arrange();
  await experiment.until();
  await sleep((experiment.lasts ?? 0) * 1000);
}

/** Asks for the deletion of its namespace; nothing waits for that. */
export async function leave({ namespace: name }: Experiment): Promise<void> {
  if (name !== 'default' && (await get('v1', 'Namespace', '', name))) await remove('v1', 'Namespace', '', name);
}
