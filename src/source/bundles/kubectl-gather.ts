import { itemOf } from './kinds.ts';
import { type About, type Layout, bare, rootsBy } from './layout.ts';

/**
 * kubectl-gather: `<context>/cluster/[<group>/]<resource>/<name>.yaml` and `<context>/namespaces/<ns>/[<group>/]<resource>/<name>.yaml`;
 * every object of a kind has its file, the core group has no folder. Beside the contexts lies gather.log, the only place
 * that tells which lists failed, and which came empty (pkg/gather/gather.go). Each context is a cluster of its own.
 */
export const kubectlGather: Layout = {
  tool: 'kubectl-gather',
  apart: true,
  roots: (paths) => {
    const found = rootsBy(
      paths,
      /^(?:cluster\/(?:[^/]+\/)?(?:nodes|namespaces|persistentvolumes|storageclasses|customresourcedefinitions)\/[^/]+\.yaml|namespaces\/[^/]+\/(?:[^/]+\.[^/]+\/[a-z]+|apps\/[a-z]+|batch\/[a-z]+|[a-z]+)\/[^/]+\.yaml)$/,
    );
    const has = (start: string): boolean => paths.some((path) => path.startsWith(start));
    return found.filter(
      (root) =>
        paths.includes(`${root}gather.log`) ||
        paths.includes(`${root.replace(/[^/]+\/$/, '')}gather.log`) ||
        (has(`${root}cluster/`) && has(`${root}namespaces/`)),
    );
  },
  logs: {
    stamped: false,
    paths: ({ namespace, pod, container, previous }) => [`namespaces/${namespace}/pods/${pod}/${container}/${previous ? 'previous' : 'current'}.log`],
  },
  open: () => (path) => {
    if (path === 'gather.log' || path === '../gather.log') return { is: 'about', read: account };
    const parts = path.split('/');
    const file = parts.pop() ?? '';
    if (!file.endsWith('.yaml')) return null;
    const inner = parts[0] === 'cluster' ? parts.slice(1) : parts[0] === 'namespaces' ? parts.slice(2) : null;
    const namespace = parts[0] === 'namespaces' ? parts[1] : undefined;
    if (!inner || inner.length === 0 || inner.length > 2 || bare(file) === '') return null;
    const [group, resource] = inner.length === 2 ? [inner[0] ?? '', inner[1] ?? ''] : ['', inner[0] ?? ''];
    return { is: 'object', item: itemOf(resource, group), ...(namespace ? { namespace } : {}), whole: true };
  },
};

// Cannot list "apps/deployments": ... and Gathered 0 "batch/jobs" in 0.012 seconds
function account(text: string, about: About): void {
  for (const [, name = '', words = ''] of text.matchAll(/Cannot list \\?"([^"\\]+)\\?": ([^\n]*)/g)) {
    const item = ofName(name);
    if (item) about.failed(item, null, words.replace(/["}\s]+$/, ''));
    else about.note(`kubectl-gather could not list ${name}: ${words}`);
  }
  for (const [, name = ''] of text.matchAll(/Gathered \d+ \\?"([^"\\]+)\\?" in /g)) {
    const item = ofName(name);
    if (item) about.listed(item, null);
  }
}

const ofName = (name: string): ReturnType<typeof itemOf> =>
  name.includes('/') ? itemOf(name.slice(name.indexOf('/') + 1), name.slice(0, name.indexOf('/'))) : itemOf(name, '');
