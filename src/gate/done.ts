import { claimFacts } from '../facts/volumes/claims.ts';
import { conditionOf } from '../facts/address.ts';
import { customFacts } from '../facts/custom/custom.ts';
import { GATEWAY_KINDS } from '../facts/network/ingress-gateway.ts';
import { svcFacts } from '../facts/network/endpoints.ts';
import { jobFacts } from '../facts/workloads/job.ts';
import { plural, some } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { Ingress, Job, KubeObject, PersistentVolumeClaim, Pod, Service } from '../model/kinds.ts';
import { kindKey } from '../model/resources.ts';
import { gatewayStanding, ingressStanding } from './done-route.ts';
import { workloadStanding } from './done-workload.ts';
import { revisionPods } from './revision-pods.ts';
import { type Standing, standing, told } from './standing.ts';
import { isReady } from '../facts/pods/phase.ts';

/** Where an object stands, by the way its kind comes to its goal. `excused`: nodes that were not ready before the rollout. */
export function standingOf(world: World, object: KubeObject, excused: ReadonlySet<string>): Standing {
  if (object.metadata.deletionTimestamp) return standing('moving', 'is being deleted');
  switch (kindKey(object.apiVersion, object.kind)) {
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
    case 'ReplicationController':
      return workloadStanding(world, object, excused);
    case 'Job':
      return jobStanding(world, object);
    case 'CronJob':
      return cronStanding(object);
    case 'Pod':
      return podStanding(world, object);
    case 'PersistentVolumeClaim':
      return claimStanding(world, object as PersistentVolumeClaim);
    case 'Service':
      return serviceStanding(world, object as Service);
    case 'HorizontalPodAutoscaler':
      return byCondition(object, 'ScalingActive', ['ScalingDisabled']);
    case 'CustomResourceDefinition':
      return crdStanding(object);
    case 'PodDisruptionBudget':
      return budgetStanding(object);
    case 'ResourceQuota':
      return quotaStanding(object);
    case 'APIService':
      return byCondition(object, 'Available', []);
    case 'Namespace':
      return (object['status'] as { phase?: string } | undefined)?.phase === 'Terminating'
        ? standing('moving', 'is being deleted')
        : standing('done', 'exists');
    case 'Ingress':
      return ingressStanding(world, object as Ingress);
    default:
      return GATEWAY_KINDS.includes(kindKey(object.apiVersion, object.kind)) ? gatewayStanding(world, object) : customStanding(world, object);
  }
}

function jobStanding(world: World, object: KubeObject): Standing {
  const job = object as Job;
  const { done, lost, reason, message, succeeded, completions, failed, active, limit } = jobFacts(world, job);
  const pods = told(() => revisionPods(world, object)).value;
  const base = { desired: completions, ready: succeeded, pods };
  // FailureTarget and SuccessCriteriaMet precede the last word by the time its pods take to end, and the counts come with that (batch/v1 JobConditionType).
  if (done && conditionOf(object, 'Complete')?.status !== 'True') return standing('moving', 'has met its success criteria, and its pods are ending', base);
  if (done) return standing('done', `complete: ${succeeded} of ${completions} succeeded`, base);
  if (lost) return standing('failed', `failed: ${reason || 'no reason given'}${message ? ` (${message})` : ''}`, base);
  if (job.spec?.suspend)
    return standing('waiting', 'suspended', { ...base, acts: `kubectl patch job/${object.metadata.name} --patch '{"spec":{"suspend":false}}'` });
  return standing('moving', `${succeeded} of ${completions} succeeded, ${active} active${failed > 0 ? `, ${failed} of ${limit} allowed failures` : ''}`, base);
}

function cronStanding(object: KubeObject): Standing {
  const suspended = (object['spec'] as { suspend?: boolean } | undefined)?.suspend === true;
  return standing('done', suspended ? 'suspended' : 'accepted', { remarks: ['a CronJob is accepted at once: its next run is not waited for'] });
}

function podStanding(world: World, object: KubeObject): Standing {
  const pod = object as Pod;
  const pods = told(() => revisionPods(world, object)).value;
  const phase = pod.status?.phase ?? 'Pending';
  const base = { desired: 1, ready: isReady(pod) ? 1 : 0, pods };
  if (phase === 'Succeeded') return standing('done', 'has run to its end', base);
  if (phase === 'Failed') return standing('failed', `failed${pod.status?.reason ? `: ${pod.status.reason}` : ''}`, base);
  return isReady(pod) ? standing('done', 'ready', base) : standing('moving', `${phase}, not ready`, base);
}

function claimStanding(world: World, claim: PersistentVolumeClaim): Standing {
  const { phase } = claim.status ?? {};
  if (phase === 'Bound') return standing('done', `bound to ${claim.spec?.volumeName ?? 'its volume'}`);
  if (phase === 'Lost') return standing('failed', 'lost: its volume does not exist any more');
  const facts = told(() => claimFacts(world, claim));
  const idle = told(() => facts.value !== null && facts.value.mode === 'WaitForFirstConsumer' && facts.value.users.length === 0);
  // Its class binds when the first pod is scheduled; without one, Pending is where it should be.
  if (idle.value === true)
    return standing('done', 'waits for its first pod, as its class asks', { remarks: ['not bound: WaitForFirstConsumer, and no pod uses it yet'] });
  return standing('moving', `${phase ?? 'Pending'}, not bound`, facts.value === null ? { gap: facts.gap } : {});
}

function serviceStanding(world: World, service: Service): Standing {
  const svc = svcFacts(world, service);
  if (svc.external) return standing('done', `is another name for ${svc.externalName}`);
  const balancer = told(() => svc.pending);
  if (balancer.value === true) return standing('moving', 'has no load balancer address yet');
  if (svc.selector === '') return standing('done', 'exists', { remarks: ['without a selector nothing is known of what is behind it'] });
  const ready = told(() => svc.ready);
  if (ready.value === null) return standing('unknown', 'its endpoints could not be read', { gap: ready.gap });
  if (ready.value > 0) return standing('done', `${plural(ready.value, 'ready endpoint')}`);
  if (told(() => svc.idle).value === true)
    return standing('done', 'what it selects is scaled to zero', { remarks: ['no endpoints: nothing is meant to serve now'] });
  return standing('moving', 'no ready endpoint');
}

function byCondition(object: KubeObject, type: string, well: readonly string[]): Standing {
  const condition = conditionOf(object, type);
  if (condition && !condition.current) return standing('moving', `${type}=${condition.status} is of an older generation`);
  if (condition?.status === 'True' || well.includes(condition?.reason ?? ''))
    return standing('done', condition?.status === 'True' ? type : (condition?.reason ?? ''));
  return standing('moving', condition ? `${type}=${condition.status} (${condition.reason})` : `no condition ${type} yet`);
}

/** Null where the status is of the present generation, or does not say of which. */
function behind({ metadata: { generation = 0 }, status }: KubeObject): Standing | null {
  const { observedGeneration = generation } = (status ?? {}) as { observedGeneration?: number };
  return observedGeneration < generation ? standing('moving', `generation ${generation} is not observed yet (${observedGeneration} is)`) : null;
}

/** Whether it allows a disruption now is no part of its goal: that it has been computed is. Until then it allows none (policy/v1, PodDisruptionBudgetStatus). */
function budgetStanding(object: KubeObject): Standing {
  const { observedGeneration, disruptionsAllowed = 0 } = (object['status'] ?? {}) as { observedGeneration?: number; disruptionsAllowed?: number };
  if (observedGeneration === undefined) return standing('moving', 'no controller has computed it yet');
  const old = behind(object);
  if (old) return old;
  const condition = conditionOf(object, 'DisruptionAllowed');
  if (condition?.reason === 'SyncFailed') return standing('moving', `cannot be computed: ${condition.message || condition.reason}`);
  return standing('done', `computed: ${plural(disruptionsAllowed, 'disruption')} allowed`);
}

/** The quota controller writes the limits that it has taken up beside what is used of them. */
function quotaStanding(object: KubeObject): Standing {
  const { hard: wanted = {} } = (object['spec'] ?? {}) as { hard?: Record<string, unknown> };
  const { hard: taken = {} } = (object['status'] ?? {}) as { hard?: Record<string, unknown> };
  const open = [...new Set([...Object.keys(wanted), ...Object.keys(taken)])].filter((name) => String(wanted[name]) !== String(taken[name])).sort();
  return open.length > 0 ? standing('moving', `not taken up yet: ${some(open)}`) : standing('done', `${plural(Object.keys(wanted).length, 'limit')} taken up`);
}

function crdStanding(object: KubeObject): Standing {
  const names = conditionOf(object, 'NamesAccepted');
  if (names?.status === 'False' && conditionOf(object, 'Established')?.status !== 'True')
    return standing('failed', `names not accepted: ${names.message || names.reason}`);
  return byCondition(object, 'Established', []);
}

/** Kinds that say of themselves how they are, by the conventions of kstatus and of controllers in general. */
function customStanding(world: World, object: KubeObject): Standing {
  const custom = customFacts(world, object);
  if (!custom) return behind(object) ?? standing('done', 'exists');
  const { generation, observed, stalled, reconciling, ready, failing, phase } = custom;
  if (observed >= 0 && observed < generation) return standing('moving', `generation ${generation} is not observed yet (${observed} is)`);
  if (stalled?.status === 'True' && stalled.current) return standing('failed', `Stalled: ${stalled.message || stalled.reason}`);
  if (custom.suspended) return standing('waiting', 'suspended', { acts: 'resuming it' });
  if (reconciling?.status === 'True' && reconciling.current) return standing('moving', `Reconciling: ${reconciling.message || reconciling.reason}`);
  if (ready && !ready.current) return standing('moving', `${ready.type}=${ready.status} is of an older generation`);
  if (ready?.status === 'True') return standing('done', ready.type);
  if (ready) return standing('moving', `${ready.type}=${ready.status}${ready.reason ? ` (${ready.reason})` : ''}`);
  if (failing) return standing('moving', `${failing.type}=${failing.status}${failing.reason ? ` (${failing.reason})` : ''}`);
  const noted = told(() => custom.statusless);
  if (noted.value === true) return standing('moving', 'no controller has written its status yet');
  return standing('done', phase || 'exists', { remarks: [phase ? `judged by its phase ${phase}` : 'it says nothing of its own state: judged by existing'] });
}
