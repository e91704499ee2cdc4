import type { KubeObject, Pod } from '../../model/kinds.ts';
import { attempt } from '../../model/read.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { componentFacts } from '../control-plane/components.ts';
import { listOf } from '../lists.ts';
import { ownedBy } from '../owners.ts';
import { isActive, isFinished, isReady, readySince } from '../pods/phase.ts';
import { bornAt, timeOf } from '../time.ts';
import { plural } from '../words.ts';
import type { World } from '../world.ts';
import type { Counts } from './common.ts';

/** What a controller's status counts, and the pods that are there: two that differ for long while nobody corrects the one. */
export interface Miscount extends Addressed {
  /** `counts 3 pods, and 1 is there` */
  says: string;
}

const LONG = 60_000;

/**
 * A status that does not fit the pods, all of which were read; null where it does. Its controller corrects it within a second, so what
 * tells its time must be a minute old. `silent`: since when the controller is known to write nothing, which replaces that minute.
 */
export function miscountOf(world: World, object: KubeObject, { have, ready }: Counts, all: readonly Pod[], silent: string | null = null): Miscount | null {
  const daemon = object.kind === 'DaemonSet';
  const field = daemon ? { have: 'currentNumberScheduled', ready: 'numberReady' } : { have: 'replicas', ready: 'readyReplicas' };
  const counts = (pointer: string, counted: string, there: number, what = 'there'): Miscount => ({
    says: `counts ${counted}, and ${there} ${there === 1 ? 'is' : 'are'}${what === '' ? '' : ` ${what}`}`,
    evidence: evidenceAt(object, `/status/${pointer}`, `counts ${counted}`),
  });
  const pods = all.filter(isActive);
  const old = (time: number | null): boolean => silent !== null || (time !== null && world.now - time > LONG);
  // Who is on its way out is not counted, and the turn in which that is noted is not the reader's.
  const leaving = silent === null ? all.filter((pod) => pod.metadata.deletionTimestamp && !isFinished(pod)) : [];
  if (pods.length + leaving.length < have) return counts(field.have, plural(have, 'pod'), pods.length);
  const surplus = pods.filter((pod) => old(bornAt(pod)));
  if (silent === null && surplus.length > have && !daemon) return counts(field.have, plural(have, 'pod'), pods.length);
  const readyNow = pods.filter(isReady);
  if (readyNow.length < ready && leaving.length === 0 && pods.every((pod) => isReady(pod) || old(turnedAt(pod))))
    return counts(field.ready, `${ready} ready`, readyNow.length, '');
  const turned = readyNow.filter((pod) => (silent === null ? old(readySince(pod)) : (readySince(pod) ?? 0) > (timeOf(silent) ?? 0)));
  if (silent === null ? turned.length > ready : readyNow.length > ready && turned.length > 0) return counts(field.ready, `${ready} ready`, readyNow.length, '');
  return null;
}

const turnedAt = (pod: Pod): number | null => {
  const ready = listOf(pod.status?.conditions).find(({ type }) => type === 'Ready');
  return timeOf(ready?.lastTransitionTime);
};

const TRACKED = 'batch.kubernetes.io/job-tracking';

/** Pods of a Job that ended long ago, that it counts as active and whose tracking finalizer only its controller takes off. */
export function uncountedEnds(world: World, job: KubeObject, silent = false): Miscount | null {
  const pods = ownedBy(world, job.metadata.uid, 'Pod') as Pod[];
  const endedAt = (pod: Pod): number => Math.max(...listOf(pod.status?.containerStatuses).map(({ state }) => timeOf(state?.terminated?.finishedAt) ?? 0), 0);
  const ended = pods.filter(
    (pod) => isFinished(pod) && listOf(pod.metadata.finalizers).includes(TRACKED) && endedAt(pod) > 0 && (silent || world.now - endedAt(pod) > LONG),
  );
  const { active = 0 } = (job['status'] ?? {}) as { active?: number };
  const there = pods.filter(isActive).length;
  if (ended.length === 0 || active <= there) return null;
  return {
    says: `counts ${active} active, and ${plural(ended.length, 'pod')} of it ended long ago`,
    evidence: evidenceAt(job, '/status/active', `counts ${active} active`),
  };
}

/** Whether nobody can tell that kube-controller-manager lives, as its Lease could not be read. In a dump the kinds are read minutes apart. */
export const isUnattended = (world: World): boolean =>
  world.snapshot.source.kind !== 'files' && attempt(() => componentFacts(world, 'kube-controller-manager').known) === null;
