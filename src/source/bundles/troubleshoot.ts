import type { ItemKind } from '../door.ts';
import { itemOf } from './kinds.ts';
import { type About, type Layout, bare, isText, previousBeside, rootsBy } from './layout.ts';
import { attempt } from '../yaml.ts';

/**
 * Support bundles of replicatedhq/troubleshoot: `cluster-resources/<resource>.json` and `cluster-resources/<resource>/<ns>.json`.
 * Empty lists are `items: null` or a bare array; older files have no kinds at all; `<resource>-errors.json` is there only
 * where something failed (pkg/collect/cluster_resources.go).
 */
export const troubleshoot: Layout = {
  tool: 'troubleshoot support bundle',
  roots: (paths) => rootsBy(paths, /^cluster-resources\/[^/]+(?:\.json|\/[^/]+\.json)$/),
  logs: { stamped: false, paths: (name) => previousBeside(`cluster-resources/pods/logs/${name.namespace}/${name.pod}`, '', name) },
  open: () => (path) => {
    if (path === 'cluster-info/cluster_version.json')
      return {
        is: 'about',
        read: (text, about) => about.version(/"gitVersion":\s*"([^"]+)"/.exec(text)?.[1] ?? /"string":\s*"([^"]+)"/.exec(text)?.[1] ?? ''),
      };
    const [top, dir = '', file = '', last, ...more] = path.split('/');
    if (top !== 'cluster-resources' || more.length > 0 || !isText(path)) return null;
    if (dir === 'custom-resources') {
      // The same list lies there twice where the bundle is new; old ones have YAML alone. Newest wins, so both may be read.
      return last === undefined ? { is: 'list' } : { is: 'list', namespace: bare(last) };
    }
    if (last !== undefined || (dir === 'pods' && file === 'logs')) return null;
    if (file === '') {
      const name = bare(dir);
      if (name.endsWith('-errors')) return { is: 'about', read: (text, about) => errors(itemOf(name.slice(0, -'-errors'.length)), text, about) };
      const item = itemOf(NAMES[name] ?? name);
      return item ? { is: 'list', item } : null;
    }
    const item = itemOf(NAMES[dir] ?? dir);
    return item ? { is: 'list', item, namespace: bare(file) } : null;
  },
};

const NAMES: Readonly<Record<string, string>> = { 'custom-resource-definitions': 'customresourcedefinitions', 'network-policy': 'networkpolicies' };

/** An object of namespace to words for namespaced kinds, an array of words for the others. */
function errors(item: ItemKind | undefined, text: string, about: About): void {
  if (!item) return;
  const value: unknown = attempt(() => JSON.parse(text) as unknown);
  if (Array.isArray(value)) for (const words of value) about.failed(item, null, String(words));
  else if (value !== null && typeof value === 'object') for (const [namespace, words] of Object.entries(value)) about.failed(item, namespace, String(words));
  else about.failed(item, null, 'the bundle says that it could not be collected');
}
