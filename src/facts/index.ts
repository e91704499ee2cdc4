import { family as components } from './control-plane/components.ts';
import { family as events } from './events/events.ts';
import { family as templateRisks } from './pods/template-risks.ts';
import type { Family } from './family.ts';
import { family as general } from './general.ts';
import { family as nodes } from './nodes.ts';
import { family as pod } from './pods/pod.ts';
import { family as network } from './network/word.ts';
import { family as endpoints } from './network/endpoints-family.ts';
import { family as refusal } from './admission/refusal-family.ts';
import { family as quotas } from './admission/quotas.ts';
import { family as deletion } from './deletion/family.ts';
import { family as workload } from './workloads/family.ts';
import { family as scheduling } from './scheduling/family.ts';
import { family as volumes } from './volumes/volumes-family.ts';
import { family as reclaim } from './volumes/reclaim.ts';
import { family as claims } from './volumes/claims-family.ts';
import { family as server } from './control-plane/server.ts';
import { family as apiservices } from './control-plane/apiservices.ts';
import { family as custom } from './custom/family.ts';
import { family as autoscaling } from './workloads/autoscaling-family.ts';
import { family as writers } from './writers/family.ts';
import { family as ingress } from './network/ingress-family.ts';
import { family as stall } from './control-plane/stall.ts';
import { family as undone } from './control-plane/undone.ts';

/** Every fact family; the engine, the type checker and the reference read this table. */
export const FAMILIES: readonly Family[] = [
  general,
  events,
  pod,
  nodes,
  network,
  components,
  endpoints,
  refusal,
  quotas,
  deletion,
  workload,
  scheduling,
  volumes,
  claims,
  reclaim,
  server,
  apiservices,
  custom,
  autoscaling,
  writers,
  ingress,
  stall,
  undone,
  templateRisks,
];
