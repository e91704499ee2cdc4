import { UserError } from '../../model/errors.ts';
import { COVERAGE, LISTS, MANIFEST, SERVER } from '../recording/layout.ts';
import { type Recorded, readShelf } from '../recording/read.ts';
import { rootsBy } from './layout.ts';
import { LIMITS, inMiB, tooMuch } from './limits.ts';
import type { Tree } from './tree.ts';

/** A recording of our own inside an archive, or some folders down; null where there is none. */
export async function readOwn(tree: Tree, path: string): Promise<Recorded | null> {
  const paths = new Set(tree.files.map((file) => file.path));
  const roots = rootsBy([...paths], new RegExp(`^${MANIFEST.replace('.', '\\.')}$`)).filter((root) => paths.has(root + COVERAGE) && paths.has(root + SERVER));
  const [root] = roots;
  if (root === undefined) return null;
  if (roots.length > 1)
    throw new UserError(
      `${path} holds ${roots.length} recordings: ${listed(roots.map((each) => each.replace(/\/$/, '') || '.'))}.`,
      'Give the folder of one of them (--from PATH/NAME); of an archive, unpack it first.',
    );
  if (tree.cut) throw new UserError(`The recording in ${path} is not whole: the archive breaks off.`, 'Copy it again.');
  const lists = tree.files.filter((file) => file.path.startsWith(`${root}${LISTS}/`) && file.path.endsWith('.jsonl'));
  const total = lists.reduce((sum, file) => sum + file.size, 0);
  if (total > LIMITS.total || lists.some((file) => file.size > LIMITS.file))
    throw tooMuch(path, `holds more than ${inMiB(LIMITS.total)} of objects, or a list of more than ${inMiB(LIMITS.file)}`);
  const texts = new Map<string, string>();
  await tree.read(
    new Set([MANIFEST, SERVER, COVERAGE].map((name) => root + name)),
    async (name, bytes) => void (bytes && texts.set(name, bytes.toString('utf8'))),
  );
  return readShelf({
    path,
    name: root.split('/').at(-2) ?? tree.name,
    text: async (name) => texts.get(root + name) ?? null,
    lists: (visit) => tree.read(new Set(lists.map((file) => file.path)), (name, bytes) => visit(name.slice(root.length), bytes ? [bytes] : [])),
  });
}

const MOST_NAMES = 10;

const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMES ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;
