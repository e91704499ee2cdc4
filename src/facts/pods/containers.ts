import type { Container, ContainerState, ContainerStatus, Pod, Terminated } from '../../model/kinds.ts';
import { pointerTo } from '../address.ts';
import { listOf } from '../lists.ts';

export const ROLES = ['init', 'sidecar', 'main'] as const;
export type BoxRole = (typeof ROLES)[number];

/** A container of the spec with its status, in the order in which the kubelet starts them. */
export interface Slot {
  name: string;
  role: BoxRole;
  spec: Container;
  status: ContainerStatus | null;
  /** Of the status, or of the spec where there is none. */
  pointer: string;
}

/** Init containers and sidecars in their order, then the main ones. Ephemeral containers are visitors and do not count. */
export function slotsOf(pod: Pod): Slot[] {
  const init = listOf(pod.spec?.initContainers).map((spec, index) => slot(pod, spec, index, spec.restartPolicy === 'Always' ? 'sidecar' : 'init'));
  const main = listOf(pod.spec?.containers).map((spec, index) => slot(pod, spec, index, 'main'));
  // A dump without specs still has statuses.
  if (main.length > 0) return [...init, ...main];
  return [
    ...init,
    ...listOf(pod.status?.containerStatuses).map(
      (status, index): Slot => ({
        name: status.name ?? '',
        role: 'main',
        spec: { name: status.name },
        status,
        pointer: `/status/containerStatuses/${index}`,
      }),
    ),
  ];
}

function slot(pod: Pod, spec: Container, index: number, role: BoxRole): Slot {
  const field = role === 'main' ? 'containerStatuses' : 'initContainerStatuses';
  const statuses = pod.status?.[field];
  const at = Array.isArray(statuses) ? statuses.findIndex((status) => status?.name === spec.name) : -1;
  const status = (at >= 0 ? statuses?.[at] : null) ?? null;
  const pointer = status ? `/status/${field}/${at}` : `/spec/${role === 'main' ? 'containers' : 'initContainers'}/${index}`;
  return { name: spec.name ?? '', role, spec, status, pointer };
}

/** Where something of its spec stands. */
export function specPointer(pod: Pod, { role, spec }: Slot, ...path: readonly string[]): string {
  const field = role === 'main' ? 'containers' : 'initContainers';
  return pointerTo('spec', field, listOf(pod.spec?.[field]).indexOf(spec), ...path);
}

/** Exactly one of the three; no state at all means waiting (API reference of ContainerState). */
export function stateOf(status: ContainerStatus | null): 'waiting' | 'running' | 'terminated' {
  const state: ContainerState = status?.state ?? {};
  if (state.running) return 'running';
  return state.terminated ? 'terminated' : 'waiting';
}

/** Whether a rule of the container's own says that this code has it started again in place. */
export function asksForRestart(spec: Container, code: number): boolean {
  const rules = listOf((spec as { restartPolicyRules?: { action?: string; exitCodes?: { operator?: string; values?: number[] } }[] }).restartPolicyRules);
  return rules.some(({ exitCodes }) => {
    const named = listOf(exitCodes?.values).includes(code);
    return exitCodes?.operator === 'In' ? named : exitCodes?.operator === 'NotIn' && !named;
  });
}

/** Whether a container that ended with this code is started again (pkg/api/v1/pod, ContainerShouldRestart). */
export function restartsAfter(pod: Pod, { role, spec }: Slot, code: number): boolean {
  if (role === 'sidecar') return true;
  if (asksForRestart(spec, code)) return true;
  const policy = spec.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
  // An init container that succeeded has done its work, whatever the policy.
  if (policy === 'Always') return role === 'main' || code !== 0;
  return policy === 'OnFailure' && code !== 0;
}

/** One finished run of a container. `current` while nothing newer has started. */
export interface Run {
  record: Terminated;
  pointer: string;
  current: boolean;
}

/** The newest run that has ended, the present state before the last; null where none has. */
export function lastRun({ status, pointer }: Slot): Run | null {
  const now = status?.state?.terminated;
  if (now) return { record: now, pointer: `${pointer}/state/terminated`, current: true };
  const last = status?.lastState?.terminated;
  return last ? { record: last, pointer: `${pointer}/lastState/terminated`, current: false } : null;
}
