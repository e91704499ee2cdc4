import { itemOfKind } from './kinds.ts';
import { type Layout, rootsBy } from './layout.ts';
import { timesIn } from './times.ts';

/**
 * crust-gather: `cluster/<apiVersion>/<kind>/<name>.yaml` and `namespaces/<ns>/<apiVersion>/<kind>/<name>.yaml`, lower case,
 * `/` in an apiVersion as `-`; every object of a kind has its file. `.patch` files are later states of a recorded run
 * (JSON patches); the first state is read.
 */
export const crustGather: Layout = {
  tool: 'crust-gather',
  roots: (paths) => {
    const all = new Set(paths);
    return rootsBy(paths, /^(?:api|apis)\.json$|^collected\.timestamp$/).filter((root) => all.has(`${root}apis.json`) && (all.has(`${root}api.json`) || all.has(`${root}collected.timestamp`)));
  },
  apart: true,
  open: (paths) => {
    const patched = paths.some((path) => path.endsWith('.patch'));
    return (path) => {
      if (path === 'collected.timestamp') {
        return { is: 'about', read: (text, about) => {
          timesIn(text).forEach(about.time);
          if (patched) about.note('The bundle was recorded over a time; its first state is read, without the patches after it.');
        } };
      }
      if (path === 'version.yaml') return { is: 'about', read: (text, about) => about.version(/gitVersion:\s*"?([^"\s]+)/.exec(text)?.[1] ?? '') };
      if (!/\.(?:json|ya?ml)$/.test(path)) return null;
      const parts = path.split('/');
      const [namespace, version = '', kind = '', file] = parts[0] === 'namespaces' ? parts.slice(1) : parts[0] === 'cluster' ? [undefined, ...parts.slice(1)] : [];
      if (file === undefined || parts.length > 5) return null;
      return { is: 'object', item: itemOfKind(kind, version.replace(/-(v\d+(?:(?:alpha|beta)\d+)?)$/, '/$1')), ...(namespace ? { namespace } : {}), whole: true };
    };
  },
};
