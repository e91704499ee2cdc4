import { itemOfKind } from './kinds.ts';
import { type Layout, rootsBy } from './layout.ts';
import { timesIn } from './times.ts';

/**
 * crust-gather: `cluster/<apiVersion>/<kind>/<name>.yaml` and `namespaces/<ns>/<apiVersion>/<kind>/<name>.yaml`, lower case,
 * `/` in an apiVersion as `-`; every object of a kind has its file. Of a recorded run `<name>.patch` holds the later states, a JSON
 * patch a line (crust-gather, gather/writer.rs `sync`); annotations say when it was changed, or deleted. The last state is read.
 */
export const crustGather: Layout = {
  tool: 'crust-gather',
  roots: (paths) => {
    const all = new Set(paths);
    return rootsBy(paths, /^(?:api|apis)\.json$|^collected\.timestamp$/).filter(
      (root) => all.has(`${root}apis.json`) && (all.has(`${root}api.json`) || all.has(`${root}collected.timestamp`)),
    );
  },
  apart: true,
  logs: {
    stamped: false,
    paths: ({ namespace, pod, container, previous }) => [`namespaces/${namespace}/v1/pod/${pod}/${container}/${previous ? 'previous' : 'current'}.log`],
  },
  open: (paths) => {
    const patched = paths.some((path) => path.endsWith('.patch'));
    return (path) => {
      if (path === 'collected.timestamp') {
        return {
          is: 'about',
          read: (text, about) => {
            timesIn(text).forEach(about.time);
            if (patched) about.note('The bundle was recorded over a time; its last state is read.');
          },
        };
      }
      if (path === 'version.yaml') return { is: 'about', read: (text, about) => about.version(/gitVersion:\s*"?([^"\s]+)/.exec(text)?.[1] ?? '') };
      if (path.endsWith('.patch')) return { is: 'patches', of: path.replace(/patch$/, 'yaml') };
      if (!/\.(?:json|ya?ml)$/.test(path)) return null;
      const parts = path.split('/');
      const [namespace, version = '', kind = '', file] =
        parts[0] === 'namespaces' ? parts.slice(1) : parts[0] === 'cluster' ? [undefined, ...parts.slice(1)] : [];
      if (file === undefined || parts.length > 5) return null;
      return {
        is: 'object',
        item: itemOfKind(kind, version.replace(/-(v\d+(?:(?:alpha|beta)\d+)?)$/, '/$1')),
        ...(namespace ? { namespace } : {}),
        whole: true,
      };
    };
  },
  last: (value, about) => {
    const annotations = (value as { metadata?: { annotations?: Record<string, unknown> } } | null)?.metadata?.annotations ?? {};
    for (const what of ['added', 'updated', 'deleted']) timesIn(String(annotations[`crust-gather.io/${what}`] ?? '')).forEach(about.changed);
    return 'crust-gather.io/deleted' in annotations ? null : value;
  },
};
