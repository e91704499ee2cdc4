import type { KubeObject } from '../../model/kinds.ts';
import { kindKey } from '../../model/resources.ts';
import { listOf } from '../lists.ts';

/** Seconds: machines are drained and clusters taken down first, as long as their controller says that it is at it. */
export const WORK_PATIENCE = 600;

const LEAVES = /^(?:deleting|terminating|draining|deprovisioning|destroying|uninstalling)$/i;

interface Status {
  phase?: unknown;
  state?: unknown;
  conditions?: { type?: string; status?: string }[];
}

/** A custom resource whose controller has seen the deletion and says that it works on it. */
export function isAtWork(object: KubeObject): boolean {
  if (!kindKey(object.apiVersion, object.kind).includes('.')) return false;
  const { phase, state, conditions } = (object['status'] ?? {}) as Status;
  return (
    [phase, state].some((word) => typeof word === 'string' && LEAVES.test(word)) ||
    listOf(conditions).some(({ type = '', status }) => status === 'True' && LEAVES.test(type))
  );
}
