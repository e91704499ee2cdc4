import type { KubeObject } from '../model/kinds.ts';
import type { World } from './world.ts';

/**
 * How a fact family is told to the rule engine: data, so that the engine, the type checker and the generated
 * reference read the same table.
 *
 * A field type is one of `string double bool dyn object`, another type's name, `list<T>` or `map<string, T>`;
 * a trailing `?` says that it may be null.
 */
export interface Family {
  name: string;
  doc: string;
  /** Record types: name to fields. */
  types?: Record<string, Record<string, FieldDoc>>;
  /** Variables a rule may read when it scans one of `kinds` ('*' for any). */
  variables?: VariableDoc[];
  functions?: FunctionDoc[];
}

export interface FieldDoc {
  type: string;
  doc: string;
  /** Closed set of values; literals compared with the field must be members. */
  oneOf?: readonly string[];
}

export interface VariableDoc {
  name: string;
  kinds: readonly string[];
  type: string;
  doc: string;
  of(world: World, object: KubeObject): unknown;
  /** True where the object's own status says that it is at its goal: its record need not be made to find that out. */
  isWell?(world: World, object: KubeObject): boolean;
}

export interface FunctionDoc {
  name: string;
  /** Name, type and meaning of each argument; a type ending in `?` is optional. */
  args: readonly { name: string; type: string }[];
  returns: string;
  doc: string;
  /** Numbers arrive as JS numbers, lists as arrays. May raise Unknown. */
  call(world: World, object: KubeObject, ...args: unknown[]): unknown;
}
