import { itemOf } from './kinds.ts';
import { type Layout, rootsBy } from './layout.ts';

/**
 * A Velero backup: `resources/<resource>[.<group>]/[<version>-preferredversion/]{cluster|namespaces/<ns>}/<name>.json`. It is no
 * list of anything: what is being deleted is left out (pkg/backup/item_backupper.go), and so is what the backup's own
 * filters left out, which stand elsewhere. It holds neither events nor logs.
 */
export const velero: Layout = {
  tool: 'velero backup',
  roots: (paths) =>
    rootsBy(paths, /^resources\/[^/]+\/(?:v[^/]+\/)?(?:cluster|namespaces\/[^/]+)\/[^/]+\.json$/).filter((root) => paths.includes(`${root}metadata/version`)),
  open: (paths) => {
    const preferred = new Set(paths.flatMap((path) => /^resources\/([^/]+)\/v[^/]+-preferredversion\//.exec(path)?.[1] ?? []));
    return (path) => {
      const match = /^resources\/(?<name>[^/]+)\/(?:(?<version>v[^/]+)\/)?(?:cluster|namespaces\/(?<namespace>[^/]+))\/[^/]+\.json$/.exec(path)?.groups;
      if (!match) return null;
      const { name = '', version, namespace } = match;
      if (version === undefined ? preferred.has(name) : !version.endsWith('-preferredversion')) return null;
      const dot = name.indexOf('.');
      const item = dot < 0 ? itemOf(name, '') : itemOf(name.slice(0, dot), name.slice(dot + 1));
      return { is: 'object', item, ...(namespace ? { namespace } : {}), whole: false };
    };
  },
};
