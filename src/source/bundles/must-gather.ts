import { groupName, itemOf } from './kinds.ts';
import { type Layout, type Part, bare, isText, previousBeside, rootsBy } from './layout.ts';
import { timesIn } from './times.ts';

const SIGN = /^(?:cluster-scoped-resources\/[^/]+\/|namespaces\/([^/]+)\/(?:core\/|\1\.yaml$|pods\/[^/]+\/[^/]+\.yaml$))/;

/**
 * `oc adm must-gather` and `oc adm inspect`: `cluster-scoped-resources/<group|core>/<resource>[/<name>].yaml` and
 * `namespaces/<ns>/<group|core>/<resource>[/<name>].yaml`. A must-gather has one folder an image, all of one cluster.
 * A file of one object is no list: inspect writes what it was asked for and what that refers to. Only of a whole
 * must-gather the scripts are known to ask for all cluster-scoped objects, namespaces apart.
 */
export const mustGather: Layout = {
  tool: 'oc adm must-gather or inspect',
  roots: (paths) => rootsBy(paths, SIGN),
  logs: {
    stamped: true,
    paths: (name) => {
      const { namespace, pod, container, previous } = name;
      const which = previous ? 'previous' : 'current';
      const folder = `namespaces/${namespace}/pods/${pod}/${container}/${container}/logs`;
      // `insecure`: fetched past a kubelet whose certificate did not hold. HyperShift's own dumps have the last form.
      return [`${folder}/${which}.log`, `${folder}/${which}.insecure.log`, ...previousBeside(`namespaces/${namespace}/core/pods/logs`, `${pod}-`, name)];
    },
  },
  open: (paths) => {
    const isWhole =
      paths.includes('version') || paths.some((path) => path.startsWith('must-gather.log') || path === 'gather.logs' || path === 'event-filter.html');
    return (path) => {
      if (path === 'timestamp') return { is: 'about', read: (text, about) => timesIn(text).forEach(about.time) };
      if (!/\.(?:json|ya?ml)$/.test(path)) return null;
      const parts = path.split('/');
      return parts[0] === 'cluster-scoped-resources' ? ofCluster(parts.slice(1), isWhole) : parts[0] === 'namespaces' ? ofNamespace(parts.slice(1)) : null;
    };
  },
};

function ofCluster([group = '', resource = '', file, ...more]: string[], isWhole: boolean): Part | null {
  if (more.length > 0 || resource === '') return null;
  const item = itemOf(bare(resource), groupName(group));
  if (file === undefined) return isText(resource) ? { is: 'list', item } : null;
  return { is: 'object', item, whole: isWhole && item?.kind !== 'Namespace' };
}

function ofNamespace([namespace = '', group = '', resource, file, ...more]: string[]): Part | null {
  if (resource === undefined) return bare(group) === namespace ? { is: 'object', item: { apiVersion: 'v1', kind: 'Namespace' }, whole: false } : null;
  // pods/<pod>/<pod>.yaml; deeper there are logs.
  if (group === 'pods')
    return file !== undefined && more.length === 0 && bare(file) === resource
      ? { is: 'object', item: { apiVersion: 'v1', kind: 'Pod' }, namespace, whole: false }
      : null;
  if (more.length > 0) return null;
  const item = itemOf(bare(resource), groupName(group));
  return file === undefined ? { is: 'list', item, namespace } : { is: 'object', item, namespace, whole: false };
}
