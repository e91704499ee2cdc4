import { UserError } from '../../model/errors.ts';
import { clusterInfo } from './cluster-info.ts';
import { crustGather } from './crust-gather.ts';
import { kubectlGather } from './kubectl-gather.ts';
import { type Layout, isText } from './layout.ts';
import { mustGather } from './must-gather.ts';
import { sonobuoy } from './sonobuoy.ts';
import { supportBundleKit } from './support-bundle-kit.ts';
import type { Tree } from './tree.ts';
import { troubleshoot } from './troubleshoot.ts';
import { velero } from './velero.ts';

// The more particular first: several tools share the words `cluster` and `namespaces`.
const LAYOUTS: readonly Layout[] = [troubleshoot, crustGather, mustGather, supportBundleKit, sonobuoy, velero, clusterInfo, kubectlGather];

export interface Found {
  layout: Layout;
  roots: string[];
}

/** Which tool's bundle it is, and where in it that begins; null for a folder of plain dumps. Raises UserError where it holds several clusters. */
export function detect(tree: Tree, path: string): Found | null {
  const paths = tree.files.map((file) => file.path);
  for (const layout of LAYOUTS) {
    const roots = layout.roots(paths);
    if (roots.length > 1 && layout.apart) {
      throw new UserError(
        `${path} holds ${roots.length} clusters: ${roots.map((root) => root.replace(/\/$/, '') || '.').join(', ')}.`,
        'Give the folder of one of them (--from PATH/NAME); of an archive, unpack it first.',
      );
    }
    if (roots.length > 0) return { layout, roots };
  }
  return tree.isArchive ? { layout: ARCHIVE, roots: [''] } : null;
}

/** An archive of plain dumps: each file stands for itself, as in a folder. */
const ARCHIVE: Layout = { tool: 'archive of dumps', roots: () => [''], open: () => (path) => (isText(path) ? { is: 'list' } : null) };
