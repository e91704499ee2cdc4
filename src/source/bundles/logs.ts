import { textOf } from '../bytes.ts';
import { COVERAGE, LOGS, MANIFEST } from '../recording/layout.ts';
import { detect } from './detect.ts';
import { type LogLayout, type LogName, rootsBy } from './layout.ts';
import { openTree } from './open.ts';
import type { Tree } from './tree.ts';

export interface Log {
  text: string;
  /** Each line begins with the kubelet's time, RFC 3339. */
  stamped: boolean;
}

/** One container's log as it was collected; null where it was not. */
export type LogReader = (name: LogName) => Promise<Log | 'too-large' | null>;

const MOST = 64 * 1024 * 1024;

/** Of a recording of our own, wherever in a bundle it lies. */
const OWN: LogLayout = {
  paths: ({ namespace, uid, container, previous }) => [[LOGS, namespace, uid, container, `${previous ? 'previous' : 'current'}.log`].join('/')],
  stamped: true,
};

/**
 * The logs beside what was read from these paths. Nothing is read before a log is asked for, and one at a time, so that no more
 * than one is held; of an archive that is a walk from its beginning.
 */
export function openLogs(paths: readonly string[]): LogReader {
  let shelves: Promise<Shelf[]> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return (name) => {
    shelves ??= Promise.all(paths.filter((path) => path !== '-').map(shelfOf)).then((found) => found.flat());
    const next = Promise.all([shelves, last]).then(([all]) => find(all, name));
    last = next.catch(() => undefined);
    return next;
  };
}

interface Shelf {
  tree: Tree;
  sizes: ReadonlyMap<string, number>;
  roots: readonly string[];
  layout: LogLayout;
}

async function shelfOf(path: string): Promise<Shelf[]> {
  const tree = await openTree(path).catch(() => null);
  if (!tree) return [];
  const sizes = new Map(tree.files.map((file) => [file.path, file.size]));
  const own = rootsBy([...sizes.keys()], new RegExp(`^${MANIFEST.replace('.', '\\.')}$`)).filter((root) => sizes.has(root + COVERAGE));
  if (own.length > 0) return [{ tree, sizes, roots: own, layout: OWN }];
  const found = detect(tree, path);
  return found?.layout.logs ? [{ tree, sizes, roots: found.roots, layout: found.layout.logs }] : [];
}

async function find(shelves: readonly Shelf[], name: LogName): Promise<Log | 'too-large' | null> {
  // Names come from the bundle, which may have been made by anybody.
  if ([name.namespace, name.pod, name.container].some((part) => !/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(part)) || !/^[\w.-]*$/.test(name.uid)) return null;
  for (const { tree, sizes, roots, layout } of shelves) {
    const path = roots.flatMap((root) => layout.paths(name).map((inner) => root + inner)).find((each) => sizes.has(each));
    if (path === undefined) continue;
    if ((sizes.get(path) ?? 0) > MOST) return 'too-large';
    let text: string | null = null;
    await tree.read(new Set([path]), async (_, bytes) => void (text = bytes && textOf(bytes)));
    const own = text === null || !layout.within ? text : layout.within(text, name);
    if (own !== null) return { text: own, stamped: layout.stamped };
  }
  return null;
}
