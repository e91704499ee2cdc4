import { groupOf, kindKey } from '../../model/resources.ts';
import type { KubeObject, OwnerReference } from '../../model/kinds.ts';
import type { Context } from './context.ts';
import { perList } from './per-list.ts';
import { type Want, listOf, one } from './want.ts';

interface Owner {
  apiVersion: string;
  kind: string;
  namespace: string;
}

const MOST_KINDS = 20;
const BUILT_IN_OWNERS = ['ReplicationController', 'Lease', 'ControllerRevision'];
// Read in stage 1 anyway; a static pod is owned by its node.
const OWN = new Set(['ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Node', 'Pod', 'Service']);

/** The kinds that own objects of a list, in each namespace, but those that are read in stage 1. */
const ownersIn = perList((objects: readonly KubeObject[]): Owner[] => {
  const found = new Map<string, Owner>();
  for (const {
    metadata: { namespace = '', ownerReferences },
  } of objects) {
    for (const { apiVersion = '', kind = '' } of (ownerReferences ?? []) as OwnerReference[]) {
      if (OWN.has(kind) && !apiVersion.includes('.')) continue;
      found.set(`${apiVersion} ${kind} ${namespace}`, { apiVersion, kind, namespace });
    }
  }
  return [...found.values()];
});

/**
 * Owners of any kind: a custom resource may say in its own status why the objects under it are as they are. While nothing
 * is wrong, only as many as a healthy scope may cost; owners of what is in trouble always.
 */
export function owners(context: Context): Want[] {
  const { view, trouble, namespaces } = context;
  const wants: Want[] = [];
  const foreign = new Map<string, Owner>();
  for (const kind of ['Pod', 'ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'Service', 'PersistentVolumeClaim']) {
    for (const { apiVersion, kind: owner, namespace } of ownersIn(view.seen(kind))) {
      if (namespaces.length > 0 && !namespaces.includes(namespace)) continue;
      if (BUILT_IN_OWNERS.includes(owner) && groupOf(apiVersion) === '') wants.push(listOf(owner, namespace));
      else if (kindKey(apiVersion, owner) === owner || !groupOf(apiVersion).includes('.')) continue;
      else
        foreign.set(`${kindKey(apiVersion, owner)} ${namespaces.length > 0 ? namespace : ''}`, {
          apiVersion,
          kind: owner,
          namespace: namespaces.length > 0 ? namespace : '',
        });
    }
  }
  if (foreign.size === 0) return wants;
  if (context.served === null) {
    if (context.afford()) context.discover();
    return wants;
  }
  for (const owner of [...foreign.values()].slice(0, MOST_KINDS)) {
    const found = context.served.find((each) => each.kind === owner.kind && each.group === groupOf(owner.apiVersion));
    if (!found) continue;
    const want: Want = { resource: found.resource, ...(found.namespaced && owner.namespace ? { namespace: owner.namespace } : {}) };
    if (context.afford(want)) wants.push(want);
    // Whether the kind has a status at all is in its definition.
    if (trouble.any) wants.push(one('CustomResourceDefinition', undefined, `${found.plural}.${found.group}`));
  }
  return wants;
}
