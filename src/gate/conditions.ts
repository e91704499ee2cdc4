import { compileCondition } from '../engine/condition.ts';
import { conditionOf } from '../facts/address.ts';
import { listOf } from '../facts/lists.ts';
import { cut } from '../facts/words.ts';
import { UserError } from '../model/errors.ts';
import type { Condition, KubeObject } from '../model/kinds.ts';
import { kindKey } from '../model/resources.ts';
import { parseJsonPath, valuesAt } from './json-path.ts';
import { ROLLOUT_CONDITIONS, type RolloutConditions } from './rollout-conditions.ts';
import type { Standing } from './standing.ts';

/** What the caller says of when a target is done, and when it has failed; as typed, so that a recording keeps it. */
export interface Wishes {
  for: string[];
  fail: string[];
}

/** Whether it holds; `says`: what is there instead. */
type Test = (object: KubeObject) => { holds: boolean; says: string };

const compiled = new Map<string, Test>();

/** `condition=Type[=Value]`, `jsonpath=PATH[=VALUE]`, `cel=EXPR`. Raises UserError where it is none of these. */
export function wishOf(text: string, flag: '--for' | '--fail-for' = '--for'): Test {
  const known = compiled.get(text);
  if (known) return known;
  const [, form, rest = ''] = /^(condition|jsonpath|cel)=(.+)$/s.exec(text) ?? [];
  const test = form === 'condition' ? byCondition(rest) : form === 'jsonpath' ? byPath(rest, flag) : form === 'cel' ? byExpression(rest, flag) : null;
  if (!test)
    throw new UserError(
      `${flag} ${text} says nothing that can be waited for.`,
      `Write ${flag} condition=Ready, ${flag} 'jsonpath={.status.phase}=Running' or ${flag} 'cel=object.status.phase == "Running"'.`,
    );
  compiled.set(text, test);
  return test;
}

function byCondition(text: string): Test {
  const [type = '', value = 'True'] = text.split('=');
  return (object) => {
    const found = listOf((object['status'] as { conditions?: Condition[] } | undefined)?.conditions).find(
      (each) => each.type?.toLowerCase() === type.toLowerCase(),
    );
    const condition = found?.type ? conditionOf(object, found.type) : null;
    if (!condition) return { holds: false, says: `no condition ${type} yet` };
    // kubectl wait, too, takes no word for the present that was written for an older generation.
    if (!condition.current) return { holds: false, says: `${condition.type}=${condition.status} is of an older generation` };
    return {
      holds: condition.status.toLowerCase() === value.toLowerCase(),
      says: `${condition.type}=${condition.status}${condition.reason ? ` (${condition.reason})` : ''}`,
    };
  };
}

function byPath(text: string, flag: string): Test {
  const [, path = '', value] = /^(\{.*?\}|[^=]*(?:\[[^\]]*\][^=]*)*)(?:=(.*))?$/s.exec(text) ?? [];
  const steps = parseJsonPath(path);
  if (!steps)
    throw new UserError(
      `${flag} jsonpath=${text}: "${path}" is no path that is understood here.`,
      `Write it like ${flag} 'jsonpath={.status.phase}=Running'; for more there is ${flag} cel=EXPR.`,
    );
  return (object) => {
    const found = valuesAt(object, steps).map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each)));
    return {
      holds: value === undefined ? found.length > 0 : found.includes(value),
      says: found.length > 0 ? `${path} is ${cut(found.join(', '), 60)}` : `nothing at ${path} yet`,
    };
  };
}

function byExpression(source: string, flag: string): Test {
  const condition = compileCondition(source, flag);
  return (object) => {
    const said = condition(object);
    return 'error' in said ? { holds: false, says: `${source}: ${said.error}` } : { holds: said.holds, says: `${source} is ${said.holds}` };
  };
}

const isForeign = (object: KubeObject): boolean => kindKey(object.apiVersion, object.kind).includes('.');

/**
 * A custom resource is at its goal when the caller says so; what it says of itself by convention counts no more, but that its
 * status must be of the present generation. A kind that is known must come to its own goal as well.
 */
export function withWishes(
  own: Standing,
  object: KubeObject,
  wishes: Wishes | undefined,
  asked: () => RolloutConditions = () => ({ state: 'none' }),
): Standing {
  if (own.state === 'failed') return own;
  // Who says it on the command line means this rollout; a CRD means all of its kind.
  if (!wishes || (wishes.for.length === 0 && wishes.fail.length === 0))
    return isForeign(object) && !object.metadata.deletionTimestamp ? asItsKindAsks(own, object, asked()) : own;
  const behind = notObserved(object);
  if (behind) return { ...own, state: 'moving', says: behind };
  const failed = wishes.fail.find((text) => wishOf(text, '--fail-for')(object).holds);
  if (failed) return { ...own, state: 'failed', says: `has failed, as ${failed} holds` };
  if (wishes.for.length === 0) return own;
  const open = wishes.for.map((text) => wishOf(text)(object)).find(({ holds }) => !holds);
  if (open) return { ...own, state: own.state === 'done' || isForeign(object) ? 'moving' : own.state, says: open.says };
  const met = `${wishes.for.join(' and ')} holds`;
  return isForeign(object)
    ? { ...own, state: 'done', says: met, remarks: [], gap: undefined, acts: undefined }
    : own.state === 'done'
      ? { ...own, says: `${own.says}; ${met}` }
      : own;
}

/** '' where the status is of the present generation, or does not say of which. */
function notObserved(object: KubeObject): string {
  const { generation = 0 } = object.metadata;
  const { observedGeneration = generation } = (object['status'] ?? {}) as { observedGeneration?: number };
  return observedGeneration < generation ? `generation ${generation} is not observed yet (${observedGeneration} is)` : '';
}

function asItsKindAsks(own: Standing, object: KubeObject, asked: RolloutConditions): Standing {
  switch (asked.state) {
    case 'none':
      return own;
    case 'unread':
      return { ...own, remarks: [...own.remarks, `whether its CRD asks for more (${ROLLOUT_CONDITIONS}) could not be read: ${asked.gap.reason}`] };
    case 'broken':
      return { ...own, state: 'unknown', says: `its CRD's ${ROLLOUT_CONDITIONS} ${asked.says}` };
    case 'known': {
      const behind = notObserved(object);
      if (behind) return { ...own, state: 'moving', says: behind };
      const failed = asked.failure.find((each) => each.holds(object));
      if (failed) return { ...own, state: 'failed', says: `has failed by its CRD's ${ROLLOUT_CONDITIONS}, as ${failed.says(object)}` };
      const open = asked.success.find((each) => !each.holds(object));
      if (open) return { ...own, state: 'moving', says: `${open.says(object)}; its CRD asks for ${open.text}` };
      return {
        ...own,
        state: 'done',
        says: `${asked.success.map(({ text }) => text).join(' and ')} holds, as its CRD asks`,
        remarks: [],
        gap: undefined,
        acts: undefined,
      };
    }
  }
}
