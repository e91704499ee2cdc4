import { type Gap, Unknown } from '../model/read.ts';
import type { Pod } from '../model/kinds.ts';
import type { RevisionPods } from './revision-pods.ts';

/** Where one target stands at one look. */
export interface Standing {
  state: 'done' | 'moving' | 'waiting' | 'failed' | 'unknown';
  /** A few words, the same while nothing changes. */
  says: string;
  remarks: string[];
  /** Nothing moves until a person does this. */
  acts?: string | undefined;
  /** What would have been needed to say more. */
  gap?: Gap | undefined;
  desired: number;
  ready: number;
  revision: string;
  pods: RevisionPods | null;
}

const NOTHING: Omit<Standing, 'state' | 'says'> = { remarks: [], desired: 0, ready: 0, revision: '', pods: null };

export const standing = (state: Standing['state'], says: string, more: Partial<Standing> = {}): Standing => ({ ...NOTHING, state, says, ...more });

/** The value, or the gap that kept it from being told. */
export function told<T>(fact: () => T): { value: T; gap?: undefined } | { value: null; gap: Gap } {
  try {
    return { value: fact() };
  } catch (error) {
    if (error instanceof Unknown) return { value: null, gap: error.gap };
    throw error;
  }
}

export const podNames = (pods: readonly Pod[]): string[] => pods.map((pod) => pod.metadata.name);
