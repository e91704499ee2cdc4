import type { KubeObject } from '../../model/kinds.ts';
import { AGE, type Column, NAME, NONE, age, at, column, condition, count, list, text, wide } from './cells.ts';
import { type Fields, isFields } from '../../model/fields.ts';

interface Summary {
  status: string;
  ready: number;
  total: number;
  restarts: number;
  last: string;
}

/**
 * Status, readiness and restarts of a pod as `kubectl get pods` shows them (pkg/printers/internalversion/printers.go,
 * printPod): the first init container that holds, then the last container that says something, then deletion.
 */
function summary(pod: KubeObject): Summary {
  const main = list(at(pod, 'status', 'containerStatuses'));
  const specs = list(at(pod, 'spec', 'initContainers'));
  const isSidecar = (name: unknown): boolean => specs.some((each) => each['name'] === name && each['restartPolicy'] === 'Always');
  let status = text(at(pod, 'status', 'reason')) || text(at(pod, 'status', 'phase'));
  if (condition(pod, 'PodScheduled')?.['reason'] === 'SchedulingGated') status = 'SchedulingGated';
  let restarts = 0;
  let sidecarRestarts = 0;
  let last = '';
  let ready = 0;
  let total = list(at(pod, 'spec', 'containers')).length;
  let holds = false;
  const see = (box: Fields): void => {
    const ended = text(at(box, 'lastState', 'terminated', 'finishedAt'));
    if (ended > last) last = ended;
  };
  const init = list(at(pod, 'status', 'initContainerStatuses'));
  total += specs.filter((each) => each['restartPolicy'] === 'Always').length;
  for (const [index, box] of init.entries()) {
    restarts += count(box['restartCount']);
    see(box);
    const sidecar = isSidecar(box['name']);
    if (sidecar) sidecarRestarts += count(box['restartCount']);
    if (sidecar && box['started'] === true) {
      if (box['ready'] === true) ready++;
      continue;
    }
    if (holds) continue;
    const done = at(box, 'state', 'terminated');
    if (isFields(done)) {
      if (done['exitCode'] === 0) continue;
      status = `Init:${ending(done)}`;
    } else {
      const waiting = text(at(box, 'state', 'waiting', 'reason'));
      status = waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${specs.length}`;
    }
    holds = true;
  }
  if (!holds || condition(pod, 'Initialized')?.['status'] === 'True') {
    restarts = sidecarRestarts;
    let running = false;
    for (const box of [...main].reverse()) {
      restarts += count(box['restartCount']);
      see(box);
      const waiting = text(at(box, 'state', 'waiting', 'reason'));
      const ended = at(box, 'state', 'terminated');
      if (waiting !== '') status = waiting;
      else if (isFields(ended)) status = ending(ended);
      else if (box['ready'] === true && isFields(at(box, 'state', 'running'))) {
        running = true;
        ready++;
      }
    }
    // One container is done while others run.
    if (status === 'Completed' && running) status = condition(pod, 'Ready')?.['status'] === 'True' ? 'Running' : 'NotReady';
  }
  if (pod.metadata.deletionTimestamp) {
    if (at(pod, 'status', 'reason') === 'NodeLost') status = 'Unknown';
    else if (!['Succeeded', 'Failed'].includes(text(at(pod, 'status', 'phase')))) status = 'Terminating';
  }
  return { status, ready, total, restarts, last };
}

function ending(done: Fields): string {
  const reason = text(done['reason']);
  if (reason !== '') return reason;
  return count(done['signal']) !== 0 ? `Signal:${count(done['signal'])}` : `ExitCode:${count(done['exitCode'])}`;
}

const gates = (pod: KubeObject): string => {
  const wanted = list(at(pod, 'spec', 'readinessGates'));
  if (wanted.length === 0) return NONE;
  return `${wanted.filter((gate) => condition(pod, text(gate['conditionType']))?.['status'] === 'True').length}/${wanted.length}`;
};

export const POD_COLUMNS: readonly Column[] = [
  NAME,
  column('Ready', (pod) => `${summary(pod).ready}/${summary(pod).total}`),
  column('Status', (pod) => summary(pod).status),
  column('Restarts', (pod, now) => {
    const { restarts, last } = summary(pod);
    return restarts > 0 && last !== '' ? `${restarts} (${age(now, last)} ago)` : String(restarts);
  }),
  AGE,
  wide('IP', (pod) => text(at(pod, 'status', 'podIP'), NONE)),
  wide('Node', (pod) => text(at(pod, 'spec', 'nodeName'), NONE)),
  wide('Nominated Node', (pod) => text(at(pod, 'status', 'nominatedNodeName'), NONE)),
  wide('Readiness Gates', gates),
];
