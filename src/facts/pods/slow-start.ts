import type { Pod } from '../../model/kinds.ts';
import type { Layer } from '../../model/layer.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { duration } from '../time.ts';
import type { World } from '../world.ts';
import { timelineOf } from './timeline.ts';

/** The step on the way to ready that takes pods of one workload long: why it is slow to grow. */
export interface SlowStart extends Addressed {
  layer: Layer;
  says: string;
}

const STEPS: Record<string, { layer: Layer; words: string }> = {
  scheduled: { layer: 'scheduler', words: 'to be given a node' },
  sandbox: { layer: 'kubelet', words: 'for its volumes and its sandbox' },
  initialized: { layer: 'application', words: 'in its init containers' },
  image: { layer: 'cri', words: 'to pull its image' },
  started: { layer: 'cri', words: 'until its containers ran' },
  ready: { layer: 'application', words: 'from its start until it was ready' },
};

/** A minute is what an autoscaler can do without; beyond an hour a condition tells of a later change. */
const LONG = 60;
const NOT_THE_START = 3600;

interface Took {
  pod: Pod;
  step: string;
  seconds: number;
}

/** Seconds before each step of a pod that has come through and was never started again: a condition tells its last change only. */
function tookOf(world: World, pod: Pod): Took[] {
  const { steps, waits, restarted } = timelineOf(world, pod);
  if (waits || restarted > 0) return [];
  return steps.flatMap(({ step, after }, index) => {
    const before = steps[index - 1]?.after ?? null;
    return after === null || before === null || !STEPS[step] || after - before > NOT_THE_START ? [] : [{ pod, step, seconds: after - before }];
  });
}

/** Readiness comes and goes, so of that the quickest of several speaks; of the rest the slowest pod. */
export function slowStartOf(world: World, pods: readonly Pod[]): SlowStart | null {
  const all = pods.flatMap((pod) => tookOf(world, pod));
  const candidates = Object.keys(STEPS).flatMap((step) => {
    const took = all.filter((each) => each.step === step).sort((a, b) => b.seconds - a.seconds);
    const one = step === 'ready' ? (took.length > 1 ? took.at(-1) : undefined) : took[0];
    return one && one.seconds >= LONG ? [{ ...one, others: took.filter((each) => each !== one).map(({ seconds }) => seconds) }] : [];
  });
  const slowest = candidates.sort((a, b) => b.seconds - a.seconds)[0];
  const about = slowest ? STEPS[slowest.step] : undefined;
  if (!slowest || !about) return null;
  const [least, most] = [Math.min(...slowest.others), Math.max(...slowest.others)];
  const range = least === most ? duration(least) : `${duration(least)} to ${duration(most)}`;
  const beside = slowest.others.length === 0 ? '' : `, its siblings ${range}`;
  const says = `is slow to grow: ${slowest.pod.metadata.name} took ${duration(slowest.seconds)} ${about.words}${beside}`;
  return {
    layer: about.layer,
    says,
    evidence: evidenceAt(slowest.pod, '/status/conditions', `${slowest.step} ${duration(slowest.seconds)} after the step before`),
  };
}
