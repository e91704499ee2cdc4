import type { KubeObject } from '../../model/kinds.ts';
import { type AddressedCondition, conditionOf } from '../address.ts';
import { ageOf, duration } from '../time.ts';
import type { World } from '../world.ts';

interface Rollout {
  spec?: { replicas?: number; progressDeadlineSeconds?: number; paused?: boolean };
  status?: { phase?: unknown; message?: unknown; updatedReplicas?: number; replicas?: number };
}

const DEADLINE = 600;
const SLACK = 300;

/**
 * Argo's Rollout has the form of a Deployment, and its controller calls it degraded where it passes its deadline. One that is still said to
 * progress after that, with not one pod of the new version, is one that the controller no longer gets to judge. Null otherwise.
 */
export function overdueOf(world: World, object: KubeObject): AddressedCondition | null {
  const { spec = {}, status = {} } = object as unknown as Rollout;
  if (status.phase !== 'Progressing' || status.updatedReplicas !== 0 || (status.replicas ?? 0) === 0) return null;
  const moving = conditionOf(object, 'Progressing');
  const deadline = spec.progressDeadlineSeconds ?? DEADLINE;
  const age = moving?.status === 'True' ? (ageOf(world.now, moving.since) ?? 0) : 0;
  if (!moving || age < deadline + SLACK) return null;
  const said = typeof status.message === 'string' && status.message !== '' ? status.message : moving.message;
  return { ...moving, message: `${said}, so for ${duration(age)} and past its own deadline of ${duration(deadline)}` };
}
