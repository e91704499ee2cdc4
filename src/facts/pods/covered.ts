import type { Pod } from '../../model/kinds.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import type { FieldDoc } from '../family.ts';
import { listOf } from '../lists.ts';
import type { Slot } from './containers.ts';

/** A mount that takes the place of what the image has in a folder. */
export interface Covered extends Addressed {
  volume: string;
  path: string;
  /** The program that is not there. */
  program: string;
}

export const COVERED_TYPE: Record<string, FieldDoc> = {
  volume: { type: 'string', doc: 'name of the volume' },
  path: { type: 'string', doc: 'where it is mounted' },
  program: { type: 'string', doc: 'the program that is not there' },
  evidence: { type: 'Evidence', doc: 'the mount in the spec' },
};

/** What a container has for its PATH where neither image nor pod says (containerd, oci/spec_opts.go). */
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

const holds = (path: string, folder: string): boolean => path === folder || folder.startsWith(path === '/' ? '/' : `${path}/`);

export function coveredOf(pod: Pod, slot: Slot, { class: row, captures }: Text): Covered | null {
  const program = captures['command'] ?? captures['command2'] ?? '';
  if (!program || !['exec-not-found', 'exec-missing'].includes(row)) return null;
  const folders = row === 'exec-not-found' ? FOLDERS : program.startsWith('/') ? [program.slice(0, program.lastIndexOf('/')) || '/'] : [];
  const mounts = listOf(slot.spec.volumeMounts);
  const index = mounts.findIndex(({ mountPath = '' }) => folders.some((folder) => holds(mountPath.replace(/(.)\/+$/, '$1'), folder)));
  const mount = mounts[index];
  if (!mount) return null;
  const field = slot.role === 'main' ? 'containers' : 'initContainers';
  const at = pointerTo('spec', field, listOf(pod.spec?.[field]).indexOf(slot.spec), 'volumeMounts', index);
  const path = mount.mountPath ?? '';
  return {
    volume: mount.name ?? '',
    path,
    program,
    evidence: evidenceAt(pod, at, `container ${slot.name}: volume ${mount.name ?? ''} is mounted over ${path}`),
  };
}

/**
 * The memory volume of a container that finds no room to start: a run that did start had memory enough, and what it left there
 * is charged to the next one (tmpfs and cgroups). '' where there is none.
 */
export function filledOf(pod: Pod, slot: Slot, { class: row }: Text): string {
  if (row !== 'init-oom' || !slot.status?.restartCount) return '';
  const mounted = new Set(listOf(slot.spec.volumeMounts).map(({ name }) => name));
  return listOf(pod.spec?.volumes).find((volume) => volume.emptyDir?.medium === 'Memory' && mounted.has(volume.name))?.name ?? '';
}
