import type { Context, Need } from './context.ts';
import { backEnds, conversions, metrics, names, routes, webhooks } from './needs-around.ts';
import { deletions } from './needs-deletions.ts';
import { owners } from './needs-owners.ts';
import { pointed } from './needs-pointed.ts';
import { agents, arithmetic, configuration, images, leases, storage } from './needs-pods.ts';
import type { Want } from './want.ts';

/**
 * Stage 2: only what stage 1 refers to. Asked again after each round, because what is read may refer to more
 * (an event names a webhook, the webhook a Service, the Service its pods).
 */
const NEEDS: readonly Need[] = [
  leases,
  agents,
  arithmetic,
  storage,
  configuration,
  images,
  webhooks,
  conversions,
  backEnds,
  names,
  metrics,
  deletions,
  owners,
  routes,
  pointed,
];

export const needed = (context: Context): Want[] => NEEDS.flatMap((need) => need(context));
