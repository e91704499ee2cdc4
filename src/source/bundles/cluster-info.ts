import { itemOf } from './kinds.ts';
import { type Layout, type LogName, bare, isText, rootsBy } from './layout.ts';

/**
 * `kubectl cluster-info dump --output-directory`: nodes and one file a kind and namespace. Written by typed clients, so the
 * items carry neither kind nor apiVersion (pkg/cmd/clusterinfo/clusterinfo_dump.go).
 */
export const clusterInfo: Layout = {
  tool: 'kubectl cluster-info dump',
  roots: (paths) => {
    const found = rootsBy(paths, /^[^/]+\/(?:pods|events)\.(?:json|yaml)$/);
    return found.filter((root) => paths.some((path) => path === `${root}nodes.json` || path === `${root}nodes.yaml`));
  },
  logs: { stamped: false, paths: ({ namespace, pod, previous }) => (previous ? [] : [`${namespace}/${pod}/logs.txt`]), within: blockOf },
  open: () => (path) => {
    const [first = '', file, ...more] = path.split('/');
    if (!isText(path) || more.length > 0) return null;
    // Others add lists of their own beside these (kops toolbox dump); they bring their kinds with them.
    return file === undefined ? { is: 'list', item: itemOf(bare(first)) } : { is: 'list', item: itemOf(bare(file)), namespace: first };
  },
};

const BLOCK = /^==== START logs for container .* ====\r?\n[\s\S]*?(?:^==== END logs for container .* ====(?:\r?\n|$)|(?![\s\S]))/gm;

/**
 * The same dump on stdout holds the logs between its documents. Whatever an application prints, objects even, is no part of
 * the cluster's state: lines stay, so that line numbers hold, and their content goes.
 */
export function withoutLogs(text: string): string {
  if (!text.includes('==== START logs for container ')) return text;
  return text.replace(BLOCK, (block) => '\n'.repeat(block.split('\n').length - 1));
}

/** One container's block of a logs.txt, from the line that begins it to the one that ends it. */
function blockOf(text: string, { namespace, pod, container }: LogName): string | null {
  const edge = (word: string): string => `==== ${word} logs for container ${container} of pod ${namespace}/${pod} ====`;
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trimEnd() === edge('START'));
  if (start < 0) return null;
  const end = lines.findIndex((line, index) => index > start && line.trimEnd().endsWith(edge('END')));
  const block = lines.slice(start + 1, end < 0 ? undefined : end);
  // A log that does not end with a newline has the mark on its own last line.
  const tail = end < 0 ? '' : (lines[end] ?? '').trimEnd().slice(0, -edge('END').length);
  if (tail !== '') block.push(tail);
  return block.length === 0 ? '' : `${block.join('\n')}\n`;
}
