import type { KubeObject, Lease, Pod } from '../../model/kinds.ts';
import { Unknown } from '../../model/read.ts';
import { literal } from '../../model/pattern.ts';
import { heartbeatClock, renewalOf } from '../clock.ts';
import { listOf } from '../lists.ts';
import { ageOf, duration } from '../time.ts';
import type { World } from '../world.ts';
import { isActive, isFinished, isReady } from '../pods/phase.ts';
import { daemonSetOf } from '../owners.ts';

/** Whether the process behind a storage driver lives. */
export interface Driver {
  name: string;
  /** True: a fresh Lease, or a ready pod of it. False: everything that is seen of it is down, or nothing of it exists. Null: cannot be told. */
  runs: boolean | null;
  /** Pods that name the driver in their flags, environment, or plugin directory. */
  pods: Pod[];
  lease: Lease | null;
  /** Whether the cluster knows the driver at all (CSIDriver, CSINode, Lease or pod); null where that could not be read. */
  installed: boolean | null;
  why: string;
}

/** Not a process: `no-provisioner` means volumes made by hand; the in-tree names are served by their CSI successors. */
const NOBODY = /^kubernetes\.io\//;

/** What is known of the process behind a driver, by the driver's name. */
export function driverOf(world: World, name: string): Driver {
  return world.memo(world.snapshot, `claims:driver:${name}`, () => {
    const pods = name === '' ? [] : driverPods(world, name);
    const lease = leaseOf(world, name);
    const base = { name, pods, lease };
    if (name === '' || NOBODY.test(name)) return { ...base, runs: null, installed: null, why: '' };
    const age = lease ? ageOf(heartbeatClock(world), renewalOf(lease).time) : null;
    if (lease && age !== null) {
      return { ...base, runs: isFresh(lease, age), installed: true, why: renewal(lease, age) };
    }
    const controllers = pods.filter((pod) => daemonSetOf(pod) === '');
    if (controllers.length > 0) {
      const ready = controllers.filter((pod) => isReady(pod) && isActive(pod));
      return { ...base, runs: ready.length > 0, installed: true, why: `${ready.length} of ${controllers.length} pods of it ready` };
    }
    const installed = isInstalled(world, name, pods);
    return {
      ...base,
      runs: installed === false ? false : null,
      installed,
      why: installed === false ? 'no CSIDriver, CSINode entry, Lease or pod names it' : '',
    };
  });
}

/** The attacher of a driver, known by the Lease it elects itself with. */
export interface Attacher {
  lease: Lease | null;
  /** Null without a Lease: one that runs alone elects nobody. */
  runs: boolean | null;
  why: string;
}

/** By the driver's name, as CSIDriver and PersistentVolume have it. */
export function attacherOf(world: World, driver: string): Attacher {
  const lease = driver === '' ? null : leaseOf(world, `external-attacher-leader-${driver}`);
  const age = lease ? ageOf(heartbeatClock(world), renewalOf(lease).time) : null;
  return lease && age !== null ? { lease, runs: isFresh(lease, age), why: renewal(lease, age) } : { lease, runs: null, why: '' };
}

const renewal = (lease: Lease, age: number): string => `Lease ${lease.metadata.name} renewed ${duration(age)} ago`;

const isFresh = (lease: Lease, age: number): boolean => age <= 3 * Math.max(15, lease.spec?.leaseDurationSeconds ?? 15);

// The sidecars elect under the driver's name with everything but letters, digits and dashes made a dash (csi-lib-utils
// leaderelection.sanitizeName), the attacher with a prefix (external-attacher, cmd/csi-attacher); provisioners built on
// sig-storage-lib replace only the slash.
function leaseOf(world: World, name: string): Lease | null {
  const names = new Set([name.replaceAll(/[^a-zA-Z0-9-]/g, '-'), name.replaceAll('/', '-')]);
  const found = world.snapshot.seen('Lease').filter((lease) => names.has(lease.metadata.name));
  const renewed = (lease: Lease): string => renewalOf(lease).time ?? '';
  return [...found].sort((a, b) => (renewed(a) < renewed(b) ? 1 : -1))[0] ?? null;
}

function driverPods(world: World, name: string): Pod[] {
  const directory = new RegExp(`/plugins/${literal(name)}(/|$)`);
  const live = world.snapshot.seen('Pod').filter((pod) => !isFinished(pod));
  const named = live.filter((pod) => {
    if (listOf(pod.spec?.volumes).some((volume) => directory.test(volume.hostPath?.path ?? ''))) return true;
    return listOf(pod.spec?.containers).some(
      (container) =>
        listOf(container.env).some((variable) => variable.value === name) ||
        [...listOf(container.command), ...listOf(container.args)].some((word) => typeof word === 'string' && (word === name || word.endsWith(`=${name}`))),
    );
  });
  // The controllers of clouds name their driver nowhere (aws-ebs-csi-driver: a socket, and flags of the sidecars).
  return named.some((pod) => daemonSetOf(pod) === '') ? named : [...named, ...live.filter((pod) => isControllerOf(pod, name))];
}

const SIDECAR = /(?:^|[/-])csi-(?:attacher|provisioner|resizer)(?:$|[:@-])/;
const PLAIN = new Set(['csi', 'driver', 'com', 'io', 'org', 'cloud', 'storage']);

/** A pod with the sidecars of a CSI controller whose name or image bears the word that tells the driver from others: `ebs` of ebs.csi.aws.com. */
function isControllerOf(pod: Pod, driver: string): boolean {
  const word = driver.split('.').find((part) => !PLAIN.has(part)) ?? '';
  const containers = listOf(pod.spec?.containers);
  if (word === '' || daemonSetOf(pod) !== '' || !containers.some(({ name = '', image = '' }) => SIDECAR.test(name) || SIDECAR.test(image))) return false;
  return [pod.metadata.name, ...containers.map(({ image = '' }) => image)].some((text) =>
    text.split(/[^a-z0-9]+/).some((token) => token === word || token === `${word}plugin`),
  );
}

function isInstalled(world: World, name: string, pods: readonly Pod[]): boolean | null {
  const { snapshot } = world;
  if (pods.length > 0 || snapshot.get('CSIDriver', undefined, name).state === 'known') return true;
  if (snapshot.seen('CSINode').some((node) => listOf(node.spec?.drivers).some((driver) => driver.name === name))) return true;
  const unread = (['CSIDriver', 'CSINode', 'Lease', 'Pod'] as const).some((kind) => snapshot.gap(kind) !== null);
  return unread ? null : false;
}

/** Whether the node plugin of a driver is registered on a node. Null where that node's CSINode was never made; raises Unknown where it could not be read. */
export function registered(world: World, driver: string, node: string): { yes: boolean; object: KubeObject } | null {
  const read = world.snapshot.get('CSINode', undefined, node);
  if (read.state === 'unknown') throw new Unknown(read.why);
  if (read.state === 'absent') return null;
  return { yes: listOf(read.value.spec?.drivers).some((each) => each.name === driver), object: read.value };
}
