import { groupName, itemOf } from './kinds.ts';
import { type Layout, rootsBy } from './layout.ts';
import { timesIn } from './times.ts';

/** Sonobuoy's results: `resources/{cluster|ns/<ns>}/<group|core>_<version>_<resource>.json`; `meta/` says when, `serverversion.json` what. */
export const sonobuoy: Layout = {
  tool: 'sonobuoy',
  roots: (paths) => rootsBy(paths, /^resources\/(?:cluster|ns\/[^/]+)\/[^/]+_v\d[^/]*_[^/]+\.json$/),
  logs: { stamped: false, paths: ({ namespace, pod, container, previous }) => (previous ? [] : [`podlogs/${namespace}/${pod}/logs/${container}.txt`]) },
  open: () => (path) => {
    if (path === 'serverversion.json') return { is: 'about', read: (text, about) => about.version(/"gitVersion":\s*"([^"]+)"/.exec(text)?.[1] ?? '') };
    if (path === 'meta/query-time.json') return { is: 'about', read: (text, about) => timesIn(text).forEach(about.time) };
    const match = /^resources\/(?:cluster|ns\/(?<namespace>[^/]+))\/(?<group>[^/_]+)_v\d[^/_]*_(?<resource>[^/_]+)\.json$/.exec(path)?.groups;
    if (!match) return null;
    const { namespace, group = '', resource = '' } = match;
    return { is: 'list', item: itemOf(resource, groupName(group)), ...(namespace ? { namespace } : {}) };
  },
};
