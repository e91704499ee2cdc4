import type { Lease, PersistentVolumeClaim, Pod } from '../../model/kinds.ts';
import { type Context, spacesOf } from './context.ts';
import type { View } from './session.ts';
import { type Want, listOf, one } from './want.ts';

// Enough to tell a node's fault from a pod's; a hundred nodes with one fault need no hundred lists.
const MOST_NODES = 5;
const MOST_SPACES = 4;
const MOST_NAMES = 20;
// Room on the nodes is counted over all pods of the cluster; beyond this the arithmetic is left out.
const MOST_PODS = 6_000;

/** One list tells whether scheduler, controllers, kubelets and storage drivers live: they renew a Lease every few seconds. */
export function leases({ trouble, view }: Context): Want[] {
  if (!trouble.any && trouble.services.length === 0 && !awaited(view)) return [];
  const late = new Date(view.now - 30_000).toISOString();
  const silent = view
    .seen('Lease', 'kube-system')
    .some((lease) => /^(?:kube-scheduler|kube-controller-manager|cloud-controller-manager)$/.test(lease.metadata.name) && (lease.spec?.renewTime ?? '') < late);
  return [listOf('Lease'), ...(silent ? [listOf('Pod', 'kube-system')] : [])];
}

const HOUR = 3_600_000;

/** Whether something waits for a controller without being short of anything itself: an address from outside, the next start of a CronJob. */
function awaited(view: View): boolean {
  const started = (time: string | undefined): number => Date.parse(time ?? '') || 0;
  return (
    view.seen('Service').some(({ spec, status }) => spec?.type === 'LoadBalancer' && !status?.loadBalancer?.ingress?.length) ||
    view
      .seen('CronJob')
      .some(({ spec, status }) => spec?.suspend !== true && (Boolean(status?.active?.length) || view.now - started(status?.lastScheduleTime) > HOUR))
  );
}

/** The agents of the nodes where pods are held up, and what those agents and nodes say. */
export function agents({ view, trouble }: Context): Want[] {
  const ours = new Set([...trouble.held, ...trouble.deleting].map((object) => (object['spec'] as { nodeName?: string } | undefined)?.nodeName ?? ''));
  const lost = trouble.nodes.map((node) => node.metadata.name);
  const nodes = [...new Set([...ours, ...lost])].filter((name) => name !== '').sort();
  if (nodes.length === 0) return [];
  const wants = [
    ...nodes.slice(0, MOST_NODES).map((node) => listOf('Pod', undefined, { fields: `spec.nodeName=${node}` })),
    listOf('DaemonSet'),
    listOf('Event', 'default'),
  ];
  const silent = view.seen('Pod').filter((pod) => ownedBy(pod, 'DaemonSet') && trouble.pods.includes(pod));
  return [
    ...wants,
    ...spacesOf(silent)
      .slice(0, MOST_SPACES)
      .map((namespace) => listOf('Event', namespace)),
  ];
}

const ownedBy = (pod: Pod, kind: string): boolean => pod.metadata.ownerReferences?.some((owner) => owner.kind === kind) ?? false;

/** How much room there is on the nodes: the sum of the requests of everything that runs there. */
export function arithmetic({ trouble }: Context): Want[] {
  if (trouble.unscheduled.length === 0) return [];
  const counted = ['Insufficient', 'Too many pods', 'free ports', 'affinity', 'spread constraints', 'preemption'].some((words) => trouble.says(words));
  const wants: Want[] = counted ? [listOf('Pod', undefined, { most: MOST_PODS })] : [];
  if (trouble.unscheduled.some((pod) => pod.spec?.priorityClassName) || trouble.says('PriorityClass')) wants.push(listOf('PriorityClass'));
  const claiming = trouble.unscheduled.filter((pod) => pod.spec?.resourceClaims?.length);
  return [...wants, ...spacesOf(claiming).flatMap((namespace) => [listOf('ResourceClaim', namespace), listOf('DeviceClass')])];
}

/** Claims that are not bound, and pods that wait for volumes: classes, volumes, attachments, drivers. */
export function storage({ view, trouble }: Context): Want[] {
  const waiting = [...trouble.held, ...trouble.unscheduled].filter((pod) =>
    pod.spec?.volumes?.some((volume) => volume.persistentVolumeClaim || volume.csi || volume.ephemeral),
  );
  if (trouble.claims.length === 0 && waiting.length === 0) return [];
  const classes = view.seen('StorageClass');
  // A claim that waits for its first consumer and has none is as it should be.
  const used = new Set(
    view
      .seen('Pod')
      .flatMap((pod) => (pod.spec?.volumes ?? []).map((volume) => `${pod.metadata.namespace ?? ''}/${volume.persistentVolumeClaim?.claimName ?? ''}`)),
  );
  const late = new Set(classes.filter((each) => each.volumeBindingMode === 'WaitForFirstConsumer').map((each) => each.metadata.name));
  const stuck = trouble.claims.filter(
    (claim) =>
      used.has(`${claim.metadata.namespace ?? ''}/${claim.metadata.name}`) || claim.metadata.deletionTimestamp || !late.has(claim.spec?.storageClassName ?? ''),
  );
  if (waiting.length === 0 && (stuck.length === 0 || classes.length === 0)) return [listOf('StorageClass')];
  const volumes = stuck.length > 0 ? [listOf('PersistentVolume', undefined, { most: MOST_PODS })] : volumesOf(waiting, view);
  return [...['StorageClass', 'VolumeAttachment', 'CSINode', 'CSIDriver', 'DaemonSet'].map((kind) => listOf(kind)), ...volumes, ...drivers(stuck, view)];
}

// Bound: only the volumes themselves.
function volumesOf(pods: readonly Pod[], view: View): Want[] {
  const claims = new Set(
    pods.flatMap((pod) =>
      (pod.spec?.volumes ?? []).map(
        (volume) => `${pod.metadata.namespace ?? ''}/${volume.persistentVolumeClaim?.claimName ?? `${pod.metadata.name}-${volume.name ?? ''}`}`,
      ),
    ),
  );
  const bound = view
    .seen('PersistentVolumeClaim')
    .filter((claim) => claim.spec?.volumeName && claims.has(`${claim.metadata.namespace ?? ''}/${claim.metadata.name}`));
  return bound.slice(0, MOST_NAMES).map((claim) => one('PersistentVolume', undefined, claim.spec?.volumeName ?? ''));
}

const plain = (name: string): string => name.replaceAll(/[^a-zA-Z0-9]/g, '-');

// The sidecars of a driver hold a Lease named after it, in the driver's own namespace (csi-lib-utils, leaderelection).
// Where a provisioner holds none, its pods may be anywhere.
function drivers(stuck: readonly PersistentVolumeClaim[], view: View): Want[] {
  const held = view.seen('Lease');
  const classes = view.seen('StorageClass');
  const ofDriver = (name: string): Lease[] => held.filter((lease) => plain(lease.metadata.name).endsWith(plain(name)));
  const names = [...classes.map((each) => each.provisioner ?? ''), ...view.seen('CSIDriver').map((each) => each.metadata.name)].filter((name) => name !== '');
  const spaces = spacesOf(names.flatMap(ofDriver)).slice(0, MOST_SPACES);
  const asked = new Set(stuck.map((claim) => claim.spec?.storageClassName ?? ''));
  const silent =
    held.length > 0 &&
    classes.some(
      ({ metadata, provisioner = '' }) => asked.has(metadata.name) && !provisioner.startsWith('kubernetes.io/') && ofDriver(provisioner).length === 0,
    );
  return [...spaces.map((namespace) => listOf('Pod', namespace)), ...(silent ? [listOf('Pod', undefined, { most: MOST_PODS })] : [])];
}

interface Refs {
  configMaps: Set<string>;
  secrets: Set<string>;
}

/** Whether the ConfigMaps and Secrets that held pods name exist; their keys only where a key is said to be missing. */
export function configuration({ trouble }: Context): Want[] {
  const refused = trouble.pods.filter((pod) =>
    [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].some(
      (box) => box.state?.waiting?.reason === 'CreateContainerConfigError',
    ),
  );
  const pods = [...new Set([...refused, ...trouble.held])];
  const keys = trouble.says("couldn't find key") || trouble.says('references non-existent');
  const wants = new Map<string, Want>();
  for (const pod of pods) {
    const namespace = pod.metadata.namespace ?? '';
    const { configMaps, secrets } = referencesOf(pod);
    for (const name of configMaps) wants.set(`c/${namespace}/${name}`, one('ConfigMap', namespace, name, keys ? 'keys' : 'metadata'));
    for (const name of secrets) wants.set(`s/${namespace}/${name}`, one('Secret', namespace, name, keys ? 'keys' : 'metadata'));
    if (wants.size >= MOST_NAMES) break;
  }
  const runtime = pods.filter((pod) => pod.spec?.runtimeClassName);
  return [...[...wants.values()].slice(0, MOST_NAMES), ...(runtime.length > 0 ? [listOf('RuntimeClass')] : [])];
}

function referencesOf({ spec }: Pod): Refs {
  const refs: Refs = { configMaps: new Set(), secrets: new Set() };
  const add = (set: Set<string>, name: string | undefined): void => void (name && set.add(name));
  for (const volume of spec?.volumes ?? []) {
    add(refs.configMaps, volume.configMap?.name);
    add(refs.secrets, volume.secret?.secretName);
    add(refs.secrets, volume.csi?.nodePublishSecretRef?.name);
    for (const source of volume.projected?.sources ?? []) {
      add(refs.configMaps, source.configMap?.name);
      add(refs.secrets, source.secret?.name);
    }
  }
  for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
    for (const from of container.envFrom ?? []) {
      add(refs.configMaps, from.configMapRef?.name);
      add(refs.secrets, from.secretRef?.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      add(refs.configMaps, valueFrom?.configMapKeyRef?.name);
      add(refs.secrets, valueFrom?.secretKeyRef?.name);
    }
  }
  // Every namespace has it, every pod mounts it (kube-controller-manager, rootcacertpublisher).
  refs.configMaps.delete('kube-root-ca.crt');
  return refs;
}

const PULLING = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);

/** The pull secrets that pods name, or their service accounts, where an image does not come. */
export function images({ trouble, view }: Context): Want[] {
  const pods = trouble.held.filter((pod) =>
    [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].some((box) => PULLING.has(box.state?.waiting?.reason ?? '')),
  );
  const wants = new Map<string, Want>();
  for (const pod of pods) {
    const { namespace = '' } = pod.metadata;
    const account = pod.spec?.serviceAccountName || 'default';
    wants.set(`a/${namespace}/${account}`, one('ServiceAccount', namespace, account));
    const read = view.seen('ServiceAccount', namespace).find((each) => each.metadata.name === account);
    const named = [...(pod.spec?.imagePullSecrets ?? []), ...(read?.imagePullSecrets ?? [])];
    for (const { name } of named) if (name) wants.set(`s/${namespace}/${name}`, one('Secret', namespace, name, 'metadata'));
    if (wants.size >= MOST_NAMES) break;
  }
  return [...wants.values()].slice(0, MOST_NAMES);
}
