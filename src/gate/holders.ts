import type { Inspection } from '../engine/index.ts';
import { schedFacts } from '../facts/scheduling/scheduling.ts';
import { workFacts } from '../facts/workloads/workload.ts';
import { newestSet } from '../facts/workloads/rollout.ts';
import type { World } from '../facts/world.ts';
import type { Finding } from '../model/finding.ts';
import type { KubeObject, Pod } from '../model/kinds.ts';
import { attempt } from '../model/read.ts';
import type { Circumstances } from './permanence.ts';
import { boxAt, restartsOf, runsEnded } from './soak.ts';
import type { Standing } from './standing.ts';
import type { Track } from './state.ts';
import { isReady } from '../facts/pods/phase.ts';
import { RUN_STAGES } from './permanence.ts';

export interface Holder {
  finding: Finding;
  circumstances: Circumstances;
}

/** Restarts since the gate began that are no start-up trouble of a pod that is ready now. */
const OFTEN = 2;

/**
 * The causes that hold the revision under test back. What stands only on pods of an older revision is none: a rollout
 * that replaces a crash loop must not fail by that crash loop.
 */
export function holdersOf(inspection: Inspection, object: KubeObject, standing: Standing, track: Track, fencedAt: number): Holder[] {
  const { report, world } = inspection;
  const newest = object.kind === 'Deployment' ? attempt(() => newestSet(world, object)) : null;
  const itself = new Set([object.metadata.uid, newest?.metadata.uid ?? object.metadata.uid]);
  const current = standing.pods?.current ?? [];
  const own = new Set(current.map((pod) => pod.metadata.uid));
  return report.findings
    .filter((finding) => finding.role === 'root')
    .flatMap((finding) => {
      const seen = inspection.seenOn(finding);
      const whole = seen.some((each) => itself.has(each.metadata.uid));
      const hit = seen.filter((each) => own.has(each.metadata.uid)) as Pod[];
      if (!whole && hit.length === 0) return [];
      const names = new Set(hit.map((pod) => pod.metadata.uid));
      // What runs between two crashes is ready for that long.
      const between = (pod: Pod): boolean => RUN_STAGES.has(finding.stage) && restartsOf(track, pod) >= OFTEN;
      const every = current.every((pod) => (names.has(pod.metadata.uid) && !isReady(pod)) || between(pod));
      return [
        {
          finding,
          circumstances: {
            whole,
            every,
            release: releases(world, object, standing) && !isBarred(world, finding, hit),
            counted: object.kind === 'Job',
            runs: runsIn(finding, hit, track, fencedAt),
          },
        },
      ];
    });
}

/** How often the containers that the finding is about came to an end since the fence, in all of these pods. */
function runsIn(finding: Finding, pods: readonly Pod[], track: Track, fencedAt: number): number {
  if (!RUN_STAGES.has(finding.stage)) return 0;
  const names = new Set(
    finding.evidence.flatMap(({ object, pointer }) => pods.filter((pod) => pod.metadata.uid === object.uid).map((pod) => boxAt(pod, pointer))).filter(Boolean),
  );
  return pods.reduce((sum, pod) => sum + runsEnded(track, pod, names, fencedAt), 0);
}

/** Pods that no node would take, however much room the old ones leave. */
const isBarred = (world: World, finding: Finding, pods: readonly Pod[]): boolean =>
  finding.stage === 'schedule' && pods.length > 0 && pods.every((pod) => schedFacts(world, pod).barred);

/** Whether the rollout itself ends old pods, and so frees what they hold, before the new ones are all there. */
function releases(world: World, object: KubeObject, { pods, ready }: Standing): boolean {
  if (!pods) return false;
  if (pods.leaving.length > 0) return true;
  if (pods.old.length === 0) return false;
  if (object.kind !== 'Deployment') return true;
  const { strategy, maxUnavailable } = workFacts(world, object);
  return strategy === 'Recreate' || maxUnavailable > 0 || ready > 0;
}
