import type { Inspection } from '../engine/index.ts';
import { bornAt, timeOf } from '../facts/time.ts';
import { conditionOf } from '../facts/address.ts';
import { newestSet, revisionOf } from '../facts/workloads/rollout.ts';
import { workFacts } from '../facts/workloads/workload.ts';
import { specChangedAt, statusOf } from '../facts/workloads/common.ts';
import type { World } from '../facts/world.ts';
import { identityOf } from '../model/identity.ts';
import type { GateRef } from '../model/gate.ts';
import type { KubeObject } from '../model/kinds.ts';
import { attempt } from '../model/read.ts';
import { noteOf } from './baseline.ts';
import { standingOf } from './done.ts';
import { excusedNodes } from './done-workload.ts';
import type { Fence, FencedTarget, GateState, Track } from './state.ts';
import { find } from './targets.ts';

/** Everything as it is when the gate begins. */
export function fenceOf(state: GateState, inspection: Inspection, refs: readonly GateRef[], now: number): { fence: Fence; tracks: Record<string, Track> } {
  const { world, report } = inspection;
  const nodes = excusedNodes(world);
  const targets: Record<string, FencedTarget> = {};
  const tracks: Record<string, Track> = {};
  const implied = state.options.targets.length === 0;
  for (const ref of refs) {
    const { object } = find(world, ref);
    if (object) targets[identityOf(ref)] = fenced(world, object);
    tracks[identityOf(ref)] = {
      ref,
      implied,
      uid: object?.metadata.uid ?? '',
      said: '',
      failed: 0,
      absent: 0,
      doneAt: null,
      seenOnce: object !== null,
      restarts: {},
      restarted: 0,
      longestRun: 0,
      backOff: 0,
      preexisting: implied && object !== null && isLeftBroken(world, object, nodes, now),
    };
  }
  return {
    fence: {
      at: now,
      targets,
      nodes,
      findings: report.findings.filter(({ role, certainty }) => role === 'root' && certainty !== 'undetermined').map(noteOf),
    },
    tracks,
  };
}

function fenced(world: World, object: KubeObject): FencedTarget {
  const { uid = '', generation = 0, resourceVersion = '' } = object.metadata;
  return { uid, generation, resourceVersion, revision: revisionLabelOf(world, object) };
}

export function revisionLabelOf(world: World, object: KubeObject): string {
  if (object.kind !== 'Deployment') return statusOf(object).updateRevision ?? '';
  const newest = attempt(() => newestSet(world, object));
  return newest ? revisionOf(newest) : '';
}

/** A rollout may be this old when the gate is started and still be the one it is started for. */
const RECENT = 600_000;

/**
 * Not at its goal, and nothing suggests that it is being rolled out: its template was last written long ago. Nobody named
 * it, so it is a neighbour that was broken before.
 */
function isLeftBroken(world: World, object: KubeObject, nodes: readonly string[], now: number): boolean {
  const { state } = standingOf(world, object, new Set(nodes));
  if (state === 'done') return false;
  if (object.kind === 'Job') return state === 'failed' && (timeOf(conditionOf(object, 'Failed')?.since) ?? 0) < now - RECENT;
  if (state === 'waiting') return true;
  const newest = object.kind === 'Deployment' ? attempt(() => workFacts(world, object).newest) : null;
  const changed = Math.max(specChangedAt(object) ?? 0, newest ? bornAt(newest) : 0, bornAt(object));
  const observed = (statusOf(object).observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
  return observed && now - changed > RECENT;
}
