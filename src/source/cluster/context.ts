import type { KubeObject } from '../../model/kinds.ts';
import type { Served } from './discovery.ts';
import type { View } from './session.ts';
import type { Trouble } from './trouble.ts';
import type { Want } from './want.ts';

export interface Context {
  view: View;
  trouble: Trouble;
  /** Empty with -A. */
  namespaces: readonly string[];
  /** What discovery found; null while it was not asked. */
  served: readonly Served[] | null;
  /** Whether something that is merely good to know may be read: always while something is wrong, else within the budget of a healthy scope. */
  afford(want?: Want): boolean;
  /** Says that discovery is needed to go on. */
  discover(): void;
}

/** One reason to read more, out of what was read so far. */
export type Need = (context: Context) => Want[];

/** The namespaces of objects, without doubles. */
export const spacesOf = (objects: readonly { metadata: KubeObject['metadata'] }[]): string[] =>
  [...new Set(objects.map((object) => object.metadata.namespace ?? ''))].filter((name) => name !== '');
