import { groupOf, kindKey } from '../../model/resources.ts';
import type { Context } from './needs.ts';
import { type Want, listOf } from './want.ts';

interface Owner {
  apiVersion: string;
  kind: string;
  namespace: string;
}

const BUILT_IN_OWNERS = ['ReplicationController', 'Lease', 'ControllerRevision'];
// Read in stage 1 anyway; a static pod is owned by its node.
const OWN = new Set(['ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Node', 'Pod', 'Service']);

/**
 * Owners of any kind: a custom resource may say in its own status why the objects under it are as they are. While nothing
 * is wrong, only as many as a healthy scope may cost; owners of what is in trouble always.
 */
export function owners(context: Context): Want[] {
  const { view, trouble, namespaces } = context;
  const wants: Want[] = [];
  const foreign = new Map<string, Owner>();
  for (const kind of ['Pod', 'ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'Service', 'PersistentVolumeClaim']) {
    for (const object of view.seen(kind)) {
      const { namespace = '' } = object.metadata;
      if (namespaces.length > 0 && !namespaces.includes(namespace)) continue;
      for (const { apiVersion = '', kind: owner = '' } of object.metadata.ownerReferences ?? []) {
        if (OWN.has(owner) && !apiVersion.includes('.')) continue;
        if (BUILT_IN_OWNERS.includes(owner) && groupOf(apiVersion) === '') wants.push(listOf(owner, namespace));
        else if (kindKey(apiVersion, owner) === owner || !groupOf(apiVersion).includes('.')) continue;
        else foreign.set(`${kindKey(apiVersion, owner)} ${namespaces.length > 0 ? namespace : ''}`, { apiVersion, kind: owner, namespace: namespaces.length > 0 ? namespace : '' });
      }
    }
  }
  const revised = trouble.workloads.filter((object) => object.kind === 'DaemonSet' || object.kind === 'StatefulSet');
  for (const object of revised) if (namespaces.includes(object.metadata.namespace ?? '')) wants.push(listOf('ControllerRevision', object.metadata.namespace));
  if (foreign.size === 0) return wants;
  if (context.served === null) {
    if (trouble.any || context.spare > 1) context.discover();
    return wants;
  }
  const most = trouble.any ? 20 : context.spare;
  for (const owner of [...foreign.values()].slice(0, most)) {
    const found = context.served.find((each) => each.kind === owner.kind && each.group === groupOf(owner.apiVersion));
    if (found) wants.push({ resource: found.resource, ...(found.namespaced && owner.namespace ? { namespace: owner.namespace } : {}) });
  }
  return wants;
}
