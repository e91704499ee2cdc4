import { itemOf } from './kinds.ts';
import { type Layout, bare, isText, rootsBy } from './layout.ts';

/**
 * rancher/support-bundle-kit: `yamls/cluster/<group>/<version>/<resource>.yaml` and `yamls/namespaced/<ns>/...`, each a List;
 * older ones have one more folder (`kubernetes`, `harvester`). The zips of the nodes hold no objects.
 */
export const supportBundleKit: Layout = {
  tool: 'support-bundle-kit',
  roots: (paths) => rootsBy(paths, /^yamls\/(?:cluster|namespaced)\//),
  logs: { stamped: false, paths: ({ namespace, pod, container, previous }) => (previous ? [] : [`logs/${namespace}/${pod}/${container}.log`]) },
  open: () => (path) => {
    if (path === 'metadata.yaml') return { is: 'about', read: (text, about) => about.version(/kubernetesVersion:\s*"?([^"\s]+)/i.exec(text)?.[1] ?? '') };
    const [top, scope = '', ...inner] = path.split('/');
    if (top !== 'yamls' || !isText(path)) return null;
    const namespace = scope === 'namespaced' ? inner.shift() : undefined;
    const file = inner.pop();
    if (file === undefined || (scope !== 'namespaced' && scope !== 'cluster')) return null;
    return { is: 'list', item: itemOf(bare(file), groupIn(inner)), ...(namespace ? { namespace } : {}) };
  },
  mend: withoutNullWords,
};

// `apps/v1`, `apps-v1`, `apps_v1` or `v1`; another folder may stand in front, and of the oldest nothing says the group.
function groupIn(folders: readonly string[]): string | undefined {
  const last = folders.at(-1) ?? '';
  if (/^v\d/.test(last)) {
    const before = folders.at(-2);
    return before === undefined || before === 'kubernetes' || before === 'harvester' ? '' : before;
  }
  return /^(.+)[-_]v\d+(?:(?:alpha|beta)\d+)?$/.exec(last)?.[1];
}

/** The collector writes null and "" as the word "null" (pkg/utils). No field of Kubernetes has that word as its value. */
function withoutNullWords(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withoutNullWords(value[i]);
  } else if (value !== null && typeof value === 'object') {
    const fields = value as Record<string, unknown>;
    for (const key of Object.keys(fields)) fields[key] = withoutNullWords(fields[key]);
  }
  return value === 'null' ? null : value;
}
