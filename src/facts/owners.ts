import type { Subject } from '../model/finding.ts';
import type { KubeObject, Metadata, OwnerReference } from '../model/kinds.ts';
import { Unknown, absent, known, maybe, type Read, unknown } from '../model/read.ts';
import { kindKey } from '../model/resources.ts';
import { listOf } from './lists.ts';
import type { World } from './world.ts';

interface HasMetadata {
  metadata: Metadata;
}

/** The reference with `controller: true`; there is at most one (apimachinery, GetControllerOf). */
export const controllerRef = (object: HasMetadata): OwnerReference | null =>
  (Array.isArray(object.metadata.ownerReferences) ? object.metadata.ownerReferences : []).find((ref) => ref?.controller === true) ?? null;

/** The DaemonSet that made it; '' for a pod of anything else. */
export function daemonSetOf(object: HasMetadata): string {
  const ref = controllerRef(object);
  return ref?.kind === 'DaemonSet' ? (ref.name ?? '') : '';
}

/** The controller as its reference names it, read or not; null for an object that nothing controls. */
export function controllerSubject(object: HasMetadata): Subject | null {
  const ref = controllerRef(object);
  if (!ref?.kind || !ref.name) return null;
  return {
    ...(ref.apiVersion ? { apiVersion: ref.apiVersion } : {}),
    kind: ref.kind,
    ...(object.metadata.namespace ? { namespace: object.metadata.namespace } : {}),
    name: ref.name,
    ...(ref.uid ? { uid: ref.uid } : {}),
  };
}

/** The controller by UID. A namesake with another UID is a later life, so the controller itself is absent. */
export function controllerOf(world: World, object: HasMetadata): Read<KubeObject> {
  const ref = controllerRef(object);
  if (!ref) return absent;
  const found = ref.uid ? world.snapshot.byUid(ref.uid) : undefined;
  if (found) return known(found);
  const kind = kindKey(ref.apiVersion ?? '', ref.kind ?? '');
  const { namespace } = object.metadata;
  // Owners are in the same namespace or cluster-wide (a mirror pod's Node).
  const inside = world.snapshot.get(kind, namespace, ref.name ?? '');
  const read = inside.state === 'unknown' && namespace ? firstKnown(inside, world.snapshot.get(kind, undefined, ref.name ?? '')) : inside;
  if (read.state !== 'known') return read;
  const { uid } = (read.value as KubeObject).metadata;
  return ref.uid && uid && uid !== ref.uid ? absent : (read as Read<KubeObject>);
}

/**
 * The controller that is not there any more while its object is, and is not on its way out: the garbage collector deletes it as soon as it
 * hears of that (pkg/controller/garbagecollector, attemptToDeleteItem). Raises Unknown where the controller's kind could not be read.
 */
export function goneController(world: World, object: HasMetadata): Subject | null {
  if (object.metadata.deletionTimestamp || !controllerRef(object)?.name) return null;
  const read = controllerOf(world, object);
  if (read.state === 'unknown' && read.why.reason !== 'not-collected') throw new Unknown(read.why);
  return read.state === 'absent' ? controllerSubject(object) : null;
}

const firstKnown = (first: Read<KubeObject>, second: Read<KubeObject>): Read<KubeObject> => (second.state === 'known' ? second : first);

/** The first step up, and where that leads; stops where there is nothing above, and at a ring. Siblings share the list. */
function climb(world: World, object: HasMetadata, family: string, above: (world: World, object: HasMetadata) => KubeObject | null): readonly KubeObject[] {
  const first = above(world, object);
  if (first === null || isSame(first, object)) return NOBODY;
  const shared = world.memo(first, family, () => {
    const chain = [first];
    for (let at = above(world, first); at && !chain.includes(at); at = above(world, at)) chain.push(at);
    return chain;
  });
  const ring = shared.findIndex((each) => isSame(each, object));
  return ring < 0 ? shared : shared.slice(0, ring);
}

const NOBODY: readonly KubeObject[] = [];

const isSame = (one: KubeObject, other: HasMetadata): boolean => one === other || (other.metadata.uid !== undefined && one.metadata.uid === other.metadata.uid);

/** From the direct controller to the top, as far as it was read. */
export const controllerChain = (world: World, object: HasMetadata): readonly KubeObject[] => climb(world, object, 'controllers', controllerByRead);

const controllerByRead = (world: World, object: HasMetadata): KubeObject | null => maybe(controllerOf(world, object));

/**
 * Who answers for an object, nearest first: its controllers, found by UID alone. Unlike `controllerChain` it goes on where an object
 * other than a pod has owners and none that is its controller, to the first of them: what an operator made often says no more.
 */
export const ownerChain = (world: World, object: KubeObject): readonly KubeObject[] => climb(world, object, 'owners', ownerByUid);

function ownerByUid(world: World, object: HasMetadata): KubeObject | null {
  const reference = controllerRef(object) ?? ((object as Partial<KubeObject>).kind === 'Pod' ? null : listOf(object.metadata.ownerReferences)[0]);
  return (reference?.uid ? world.snapshot.byUid(reference.uid) : undefined) ?? null;
}

/** The highest controller that could be read; null for an object that nothing controls or whose controller was not read. */
export const topOwner = (world: World, object: HasMetadata): KubeObject | null => controllerChain(world, object).at(-1) ?? null;

/** Everything controlled by this UID (ownerReferences with `controller: true`), optionally of one kindKey. */
export function ownedBy(world: World, uid: string | undefined, kind?: string): readonly KubeObject[] {
  if (!uid) return [];
  const index = world.memo(world.snapshot, 'index:controlled', () => {
    const map = new Map<string, KubeObject[]>();
    for (const each of world.snapshot.kinds()) {
      if (each === 'Event') continue;
      for (const object of world.snapshot.seen(each)) {
        const owner = controllerRef(object)?.uid;
        if (!owner) continue;
        const list = map.get(owner);
        if (list) list.push(object);
        else map.set(owner, [object]);
      }
    }
    return map;
  });
  const all = index.get(uid) ?? [];
  return kind === undefined ? all : all.filter((object) => kindKey(object.apiVersion, object.kind) === kind);
}

/** Children of a kind, known only where that kind was listed completely in the namespace. */
export function ownedList(world: World, owner: HasMetadata, kind: string): Read<readonly KubeObject[]> {
  const gap = world.snapshot.gap(kind, owner.metadata.namespace);
  return gap ? unknown(gap) : known(ownedBy(world, owner.metadata.uid, kind));
}
