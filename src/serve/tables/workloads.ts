import type { KubeObject } from '../../model/kinds.ts';
import { AGE, type Column, NAME, NONE, age, at, boxColumns, column, condition, count, human, list, number, selector, text, wide } from './cells.ts';

const TEMPLATE = ['spec', 'template', 'spec'];
const selected = wide('Selector', (object) => selector(at(object, 'spec', 'selector')));

const replicas: readonly Column[] = [
  NAME,
  number('Desired', 'spec', 'replicas'),
  number('Current', 'status', 'replicas'),
  number('Ready', 'status', 'readyReplicas'),
  AGE,
  ...boxColumns(...TEMPLATE),
  selected,
];

function jobStatus(job: KubeObject): string {
  if (condition(job, 'Complete')?.['status'] === 'True') return 'Complete';
  if (condition(job, 'Failed')?.['status'] === 'True') return 'Failed';
  if (job.metadata.deletionTimestamp) return 'Terminating';
  if (condition(job, 'Suspended')?.['status'] === 'True') return 'Suspended';
  if (condition(job, 'FailureTarget')?.['status'] === 'True') return 'FailureTarget';
  return condition(job, 'SuccessCriteriaMet')?.['status'] === 'True' ? 'SuccessCriteriaMet' : 'Running';
}

function completions(job: KubeObject): string {
  const done = count(at(job, 'status', 'succeeded'));
  const wanted = at(job, 'spec', 'completions');
  if (typeof wanted === 'number') return `${done}/${wanted}`;
  const parallel = count(at(job, 'spec', 'parallelism'));
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const start = Date.parse(text(at(job, 'status', 'startTime')));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(text(at(job, 'status', 'completionTime')));
  return human(((Number.isNaN(end) ? now : end) - start) / 1000);
}

/** One metric of an autoscaler and its goal: `cpu: 20%/80%`. */
function targets(hpa: KubeObject): string {
  const current = list(at(hpa, 'status', 'currentMetrics'));
  const specs = list(at(hpa, 'spec', 'metrics'));
  if (specs.length === 0) return NONE;
  const told = specs.map((spec, index) => {
    const type = text(spec['type']);
    const field = type.charAt(0).toLowerCase() + type.slice(1);
    const goal = at(spec, field, 'target');
    const now = at(current[index], field, 'current');
    const name = text(at(spec, field, 'name'));
    const label = type === 'Resource' || type === 'ContainerResource' ? `${name}: ` : '';
    if (at(goal, 'averageUtilization') !== undefined)
      return `${label}${at(now, 'averageUtilization') === undefined ? '<unknown>' : `${text(at(now, 'averageUtilization'))}%`}/${text(at(goal, 'averageUtilization'))}%`;
    const average = at(goal, 'averageValue') !== undefined;
    return `${label}${text(at(now, average ? 'averageValue' : 'value'), '<unknown>')}/${text(at(goal, average ? 'averageValue' : 'value'))}${average && type !== 'Resource' && type !== 'ContainerResource' ? ' (avg)' : ''}`;
  });
  return told.length > 2 ? `${told.slice(0, 2).join(', ')} + ${told.length - 2} more...` : told.join(', ');
}

export const WORKLOAD_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  ReplicaSet: replicas,
  ReplicationController: replicas,
  Deployment: [
    NAME,
    column('Ready', (object) => `${count(at(object, 'status', 'readyReplicas'))}/${count(at(object, 'spec', 'replicas'))}`),
    column('Up-to-date', (object) => text(at(object, 'status', 'updatedReplicas'), '0')),
    column('Available', (object) => text(at(object, 'status', 'availableReplicas'), '0')),
    AGE,
    ...boxColumns(...TEMPLATE),
    selected,
  ],
  StatefulSet: [
    NAME,
    column('Ready', (object) => `${count(at(object, 'status', 'readyReplicas'))}/${count(at(object, 'spec', 'replicas'))}`),
    AGE,
    ...boxColumns(...TEMPLATE),
  ],
  DaemonSet: [
    NAME,
    number('Desired', 'status', 'desiredNumberScheduled'),
    number('Current', 'status', 'currentNumberScheduled'),
    number('Ready', 'status', 'numberReady'),
    number('Up-to-date', 'status', 'updatedNumberScheduled'),
    number('Available', 'status', 'numberAvailable'),
    column('Node Selector', (object) => selector(at(object, ...TEMPLATE, 'nodeSelector') ?? {})),
    AGE,
    ...boxColumns(...TEMPLATE),
    selected,
  ],
  Job: [NAME, column('Status', jobStatus), column('Completions', completions), column('Duration', jobDuration), AGE, ...boxColumns(...TEMPLATE), selected],
  CronJob: [
    NAME,
    column('Schedule', (object) => text(at(object, 'spec', 'schedule'))),
    column('Timezone', (object) => text(at(object, 'spec', 'timeZone'), NONE)),
    column('Suspend', (object) => (at(object, 'spec', 'suspend') === true ? 'True' : 'False')),
    { ...number('Active'), cell: (object) => list(at(object, 'status', 'active')).length },
    column('Last Schedule', (object, now) => (at(object, 'status', 'lastScheduleTime') ? age(now, at(object, 'status', 'lastScheduleTime')) : NONE)),
    AGE,
    ...boxColumns('spec', 'jobTemplate', ...TEMPLATE),
    wide('Selector', (object) => selector(at(object, 'spec', 'jobTemplate', 'spec', 'selector'))),
  ],
  HorizontalPodAutoscaler: [
    NAME,
    column('Reference', (object) => `${text(at(object, 'spec', 'scaleTargetRef', 'kind'))}/${text(at(object, 'spec', 'scaleTargetRef', 'name'))}`),
    column('Targets', targets),
    column('MinPods', (object) => text(at(object, 'spec', 'minReplicas'), '<unset>')),
    column('MaxPods', (object) => text(at(object, 'spec', 'maxReplicas'))),
    column('Replicas', (object) => text(at(object, 'status', 'currentReplicas'), '0')),
    AGE,
  ],
  PodDisruptionBudget: [
    NAME,
    column('Min Available', (object) => text(at(object, 'spec', 'minAvailable'), 'N/A')),
    column('Max Unavailable', (object) => text(at(object, 'spec', 'maxUnavailable'), 'N/A')),
    number('Allowed Disruptions', 'status', 'disruptionsAllowed'),
    AGE,
  ],
  ControllerRevision: [
    NAME,
    column('Controller', (object) => {
      const owner = (object.metadata.ownerReferences ?? []).find((each) => each.controller);
      return owner ? `${text(owner.kind).toLowerCase()}.${text(owner.apiVersion).split('/')[0]}/${text(owner.name)}` : NONE;
    }),
    column('Revision', (object) => text(object['revision'])),
    AGE,
  ],
};
