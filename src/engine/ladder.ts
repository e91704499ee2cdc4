import type { VariableDoc } from '../facts/family.ts';
import { type World, asObject } from '../facts/world.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Stage } from '../model/layer.ts';
import { type Gap, Unknown } from '../model/read.ts';
import { kindKey } from '../model/resources.ts';

/** Where an object stands. `gap`: the rung depends on something that could not be read. */
export interface Standing {
  at: readonly Stage[];
  young: boolean;
  gap: Gap | null;
}

export interface Ladder {
  standing(object: KubeObject): Standing;
  /** Objects of a kind (or '*') that stand at one of the rungs; everything else is never looked at. */
  at(kind: string, stages: readonly Stage[]): readonly KubeObject[];
}

interface Rungs {
  at?: unknown;
  young?: unknown;
}

/** Where every object stands, worked out as it is asked for. */
export function createLadder(world: World, rungs: readonly VariableDoc[]): Ladder {
  const forKind = new Map<string, VariableDoc[]>();
  const variablesOf = (kind: string): VariableDoc[] => {
    let list = forKind.get(kind);
    if (!list) forKind.set(kind, (list = rungs.filter((v) => v.kinds.includes(kind) || v.kinds.includes('*'))));
    return list;
  };
  const stood = new Map<KubeObject, Standing>();
  const standing = (object: KubeObject): Standing => {
    let found = stood.get(object);
    if (!found) stood.set(object, (found = stand(world, object, variablesOf(keyOf(object)))));
    return found;
  };
  const index = new Map<string, Map<Stage, KubeObject[]>>();
  const indexOf = (kind: string): Map<Stage, KubeObject[]> => {
    let stages = index.get(kind);
    if (stages) return stages;
    index.set(kind, (stages = new Map()));
    const objects = kind === 'APIServer' ? [asObject(world)] : world.snapshot.seen(kind);
    for (const object of objects) {
      for (const stage of standing(object).at) {
        const list = stages.get(stage);
        if (list) list.push(object);
        else stages.set(stage, [object]);
      }
    }
    return stages;
  };
  return {
    standing,
    at(kind, stages) {
      const kinds = kind === '*' ? world.snapshot.kinds() : [kind];
      const found = new Set<KubeObject>();
      for (const each of kinds) for (const stage of stages) for (const object of indexOf(each).get(stage) ?? []) found.add(object);
      return [...found];
    },
  };
}

/** The kind that rules name: `Pod`, `Certificate.cert-manager.io`; `APIServer` for the API server itself. */
export const keyOf = (object: KubeObject): string => (object.kind === 'APIServer' ? 'APIServer' : kindKey(object.apiVersion, object.kind));

const AT_GOAL: Standing = { at: ['goal'], young: false, gap: null };

/** The union of the rungs of every fact that describes the object: a pod's own and that of its deletion. */
function stand(world: World, object: KubeObject, variables: readonly VariableDoc[]): Standing {
  // Thousands are well: for them nothing is made.
  let open: VariableDoc[] | null = null;
  for (const variable of variables) if (variable.isWell?.(world, object) !== true) (open ??= []).push(variable);
  if (open === null) return AT_GOAL;
  const at = new Set<Stage>();
  let young = false;
  let gap: Gap | null = null;
  for (const variable of open) {
    try {
      const record = variable.of(world, object) as Rungs | null;
      if (record === null) continue;
      for (const stage of Array.isArray(record.at) ? record.at : [record.at]) if (stage && stage !== 'goal') at.add(stage as Stage);
      if (at.size > 0 && record.young === true) young = true;
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      gap = error.gap;
    }
  }
  return { at: at.size === 0 && gap === null ? ['goal'] : [...at], young, gap };
}
