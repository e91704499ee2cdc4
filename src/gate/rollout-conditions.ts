import { textsOf } from '../facts/lists.ts';
import { cut } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { CustomResourceDefinition, KubeObject } from '../model/kinds.ts';
import type { Gap } from '../model/read.ts';
import { groupOf } from '../model/resources.ts';
import { parseJsonPath, valuesAt } from './json-path.ts';

/** krane's: on a CRD, when a resource of its kind counts as rolled out, and when as failed (krane, lib/krane/rollout_conditions.rb). */
export const ROLLOUT_CONDITIONS = 'krane.shopify.io/instance-rollout-conditions';

/** A path whose first value must be this one, type and all. */
export interface Expected {
  text: string;
  holds(object: KubeObject): boolean;
  /** What is there instead, or what it says besides. */
  says(object: KubeObject): string;
}

/** `none`: its CRD asks for nothing. `unread`: whether it does is not known. `broken`: it does, in words that nobody understands. */
export type RolloutConditions =
  | { state: 'none' }
  | { state: 'unread'; gap: Gap }
  | { state: 'broken'; says: string }
  | { state: 'known'; success: Expected[]; failure: Expected[] };

const NONE: RolloutConditions = { state: 'none' };

/** What the CRD of a custom resource says of when it is done. */
export function rolloutConditionsOf(world: World, object: KubeObject): RolloutConditions {
  const { snapshot } = world;
  const group = groupOf(object.apiVersion);
  const crd = snapshot.seen('CustomResourceDefinition').find(({ spec }) => spec?.group === group && spec.names?.kind === object.kind);
  if (crd) return byAnnotation(textsOf((crd as CustomResourceDefinition).metadata.annotations)[ROLLOUT_CONDITIONS]);
  const read = snapshot.coverage.filter(
    ({ kind, selector }) => kind === 'CustomResourceDefinition' && (selector === undefined || selector.endsWith(`.${group}`)),
  );
  if (read.some(({ state }) => state === 'complete' || state === 'not-served')) return NONE;
  const [refused] = read;
  const reason = refused && refused.state !== 'complete' && refused.state !== 'not-served' ? refused.state : 'not-collected';
  return { state: 'unread', gap: { kind: 'CustomResourceDefinition', reason } };
}

const parsed = new Map<string, RolloutConditions>();

function byAnnotation(text: string | undefined): RolloutConditions {
  if (text === undefined) return NONE;
  let found = parsed.get(text);
  if (!found) parsed.set(text, (found = parse(text)));
  return found;
}

const condition = (type: string, field: string): string => `$.status.conditions[?(@.type == "${type}")].${field}`;

/** What `"true"` stands for. */
const USUAL = {
  success_conditions: [{ path: condition('Ready', 'status'), value: 'True' }],
  failure_conditions: [{ path: condition('Failed', 'status'), value: 'True', error_msg_path: condition('Failed', 'message') }],
};

function parse(text: string): RolloutConditions {
  const broken = (says: string): RolloutConditions => ({ state: 'broken', says });
  let raw: unknown = USUAL;
  if (text.trim().toLowerCase() !== 'true') {
    try {
      raw = JSON.parse(text);
    } catch {
      return broken('is no JSON');
    }
  }
  const { success_conditions: success = [], failure_conditions: failure = [] } = (raw ?? {}) as {
    success_conditions?: unknown;
    failure_conditions?: unknown;
  };
  if (!Array.isArray(success) || success.length === 0) return broken('names no success_conditions');
  if (!Array.isArray(failure)) return broken('has failure_conditions that are no list');
  const wanted = (success as unknown[]).map(expectedOf);
  const feared = (failure as unknown[]).map(expectedOf);
  const wrong = [...wanted, ...feared].find((each) => typeof each === 'string');
  if (wrong !== undefined) return broken(wrong);
  const whole = (all: (Expected | string)[]): Expected[] => all.filter((each) => typeof each !== 'string');
  return { state: 'known', success: whole(wanted), failure: whole(feared) };
}

/** One entry of the annotation; in words what is wrong with it. */
function expectedOf(entry: unknown): Expected | string {
  const { path, value, error_msg_path: messagePath, custom_error_msg: message } = (entry ?? {}) as Record<string, unknown>;
  if (typeof path !== 'string' || value === undefined) return 'has a condition without path or value';
  const steps = parseJsonPath(path);
  const words = typeof messagePath === 'string' ? parseJsonPath(messagePath) : [];
  if (!steps || !words) return `has a path that is not understood here: ${cut(steps ? String(messagePath) : path, 60)}`;
  const shown = (each: unknown): string => (typeof each === 'string' ? each : JSON.stringify(each));
  return {
    text: `${path}=${shown(value)}`,
    holds: (object) => JSON.stringify(valuesAt(object, steps)[0]) === JSON.stringify(value),
    says(object) {
      const [found] = valuesAt(object, steps);
      const told = typeof message === 'string' && message !== '' ? message : words.length > 0 ? valuesAt(object, words)[0] : undefined;
      return `${found === undefined ? `nothing at ${path} yet` : `${path} is ${cut(shown(found), 60)}`}${told === undefined ? '' : `: ${cut(shown(told), 200)}`}`;
    },
  };
}
