import { family as components } from './components.ts';
import { family as events } from './events.ts';
import { family as templateRisks } from './template-risks.ts';
import type { Family } from './family.ts';
import { family as general } from './general.ts';
import { family as nodes } from './nodes.ts';
import { family as pod } from './pod.ts';
import { family as endpoints } from './endpoints-family.ts';
import { family as refusal } from './refusal-family.ts';
import { family as quotas } from './quotas.ts';
import { family as deletion } from './deletion-family.ts';
import { family as workload } from './workload-family.ts';
import { family as scheduling } from './scheduling-family.ts';
import { family as volumes } from './volumes-family.ts';
import { family as claims } from './claims-family.ts';
import { family as server } from './server.ts';
import { family as apiservices } from './apiservices.ts';
import { family as custom } from './custom-family.ts';
import { family as autoscaling } from './autoscaling-family.ts';
import { family as writers } from './writers-family.ts';
import { family as ingress } from './ingress-family.ts';
import { family as stall } from './stall.ts';

/** Every fact family; the engine, the type checker and the reference read this table. */
export const FAMILIES: readonly Family[] = [
  general,
  events,
  pod,
  nodes,
  components,
  endpoints,
  refusal,
  quotas,
  deletion,
  workload,
  scheduling,
  volumes,
  claims,
  server,
  apiservices,
  custom,
  autoscaling,
  writers,
  ingress,
  stall,
  templateRisks,
];
