import { identityOf } from '../model/identity.ts';
import type { KubeObject, OwnerReference } from '../model/kinds.ts';
import { kindKey } from '../model/resources.ts';

interface Reference {
  apiVersion?: unknown;
  kind?: unknown;
  namespace?: unknown;
  name?: unknown;
  uid?: unknown;
}

/** Controllers that own what they make. */
const MAKERS = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'ReplicationController']);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Joins what a stripped or hand-written dump left without uid, in place. What an owner reference, an event or a volume says of an
 * object's uid is taken for it where all of them agree; a reference without uid means the one object of that kind and name.
 * Where neither has one, kind, namespace and name stand in for it. A sole owner that makes such objects is their controller. Objects that carry their uid are left alone.
 */
export function identify(objects: Iterable<KubeObject>): void {
  const all = [...objects];
  const named = new Map<string, KubeObject>();
  for (const object of all) named.set(identityOf({ kind: kindKey(object.apiVersion, object.kind), metadata: object.metadata }), object);
  // Owners are in the namespace of what they own, or cluster-wide.
  const meant = ({ apiVersion, kind, name }: Reference, namespace: string): KubeObject | undefined => {
    const wanted = { kind: kindKey(text(apiVersion), text(kind)), name: text(name) };
    return named.get(identityOf({ ...wanted, namespace })) ?? named.get(identityOf(wanted));
  };

  const told = new Map<KubeObject, Set<string>>();
  const bare = new Set<KubeObject>();
  for (const object of all) {
    for (const { reference, namespace } of referencesOf(object)) {
      const target = meant(reference, namespace);
      if (!target || target.metadata.uid) continue;
      const uid = text(reference.uid);
      if (uid === '') bare.add(target);
      else told.set(target, (told.get(target) ?? new Set()).add(uid));
    }
  }
  for (const object of new Set([...told.keys(), ...bare])) {
    const uids = told.get(object) ?? new Set();
    const [only] = uids;
    if (uids.size === 1 && only !== undefined) object.metadata.uid = only;
    else if (uids.size === 0) object.metadata.uid = identityOf(object);
  }
  for (const object of all) {
    const owners = ownersOf(object);
    const [only] = owners;
    // Each of these sets it on what it makes; a second owner may be anybody's.
    if (only && owners.length === 1 && only.controller === undefined && MAKERS.has(text(only.kind))) only.controller = true;
    for (const reference of owners) {
      if (reference.uid) continue;
      const owner = meant(reference, object.metadata.namespace ?? '');
      if (owner?.metadata.uid && owner !== object) reference.uid = owner.metadata.uid;
    }
  }
}

const isReference = (value: unknown): value is Reference => value !== null && typeof value === 'object';

function ownersOf({ metadata }: KubeObject): OwnerReference[] {
  return Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences.filter(isReference) : [];
}

function* referencesOf(object: KubeObject): Generator<{ reference: Reference; namespace: string }> {
  for (const reference of ownersOf(object)) yield { reference, namespace: object.metadata.namespace ?? '' };
  const about = object['involvedObject'];
  if (object.kind === 'Event' && isReference(about) && text(about.uid) !== '') yield { reference: about, namespace: text(about.namespace) };
  const claim = (object['spec'] as { claimRef?: unknown } | null | undefined)?.claimRef;
  if (object.kind === 'PersistentVolume' && isReference(claim) && text(claim.uid) !== '')
    yield { reference: { kind: 'PersistentVolumeClaim', ...claim }, namespace: text(claim.namespace) };
}
