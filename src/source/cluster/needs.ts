import type { KubeObject } from '../../model/kinds.ts';
import type { Served } from './discovery.ts';
import { backEnds, metrics, names, routes, webhooks } from './needs-around.ts';
import { deletions } from './needs-deletions.ts';
import { owners } from './needs-owners.ts';
import { agents, arithmetic, configuration, images, leases, storage } from './needs-pods.ts';
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

/**
 * Stage 2: only what stage 1 refers to. Asked again after each round, because what is read may refer to more
 * (an event names a webhook, the webhook a Service, the Service its pods).
 */
const NEEDS: readonly Need[] = [leases, agents, arithmetic, storage, configuration, images, webhooks, backEnds, names, metrics, deletions, owners, routes];

export const needed = (context: Context): Want[] => NEEDS.flatMap((need) => need(context));

/** The namespaces of objects, without doubles. */
export const spacesOf = (objects: readonly { metadata: KubeObject['metadata'] }[]): string[] => [...new Set(objects.map((object) => object.metadata.namespace ?? ''))].filter((name) => name !== '');
