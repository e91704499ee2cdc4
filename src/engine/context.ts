/** What the expressions of a rule see: the object, its facts, and the rule's own lets, each computed when it is first named. */
import type { World } from '../facts/world.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { CompiledRule, Program } from './compile.ts';
import { keyOf } from './ladder.ts';

interface Context {
  $world: World;
  /** The context of the object itself; for an element of `each`, its parent. */
  $base: Context;
  $variables: Map<string, unknown>;
  $lets: Map<string, unknown>;
  object: KubeObject;
}

/** Getters live on one prototype for each rule and kind: defining them anew for each of thousands of objects is what costs. */
const prototypes = new WeakMap<CompiledRule, Map<string, object>>();

export function contextOf(world: World, program: Program, compiled: CompiledRule, object: KubeObject): object {
  const context = Object.create(prototypeOf(program, compiled, keyOf(object))) as Context & Record<string, unknown>;
  context.$world = world;
  context.$base = context;
  context.$variables = new Map();
  context.$lets = new Map();
  context.object = object;
  context['kind'] = object.kind;
  context['ns'] = object.metadata.namespace ?? '';
  context['name'] = object.metadata.name;
  // A hand-made dump may leave it out.
  context['born'] = object.metadata.creationTimestamp ?? '';
  return context;
}

/** The same with one element of the rule's list; lets are worked out again, because they may name it. */
export function elementOf(base: object, name: string, element: unknown): object {
  const context = Object.create(base) as Context & Record<string, unknown>;
  context.$base = base as Context;
  context.$lets = new Map();
  Object.defineProperty(context, name, { value: element, enumerable: true });
  return context;
}

function prototypeOf(program: Program, compiled: CompiledRule, kind: string): object {
  let kinds = prototypes.get(compiled);
  if (!kinds) prototypes.set(compiled, (kinds = new Map()));
  const known = kinds.get(kind);
  if (known) return known;
  const prototype = Object.create(null) as object;
  for (const variable of program.variables) {
    if (!variable.kinds.includes(kind) && !variable.kinds.includes('*')) continue;
    lazily(
      prototype,
      variable.name,
      (context) => context.$base.$variables,
      (context) => variable.of(context.$world, context.object),
    );
  }
  for (const [name, run] of compiled.let)
    lazily(
      prototype,
      name,
      (context) => context.$lets,
      (context) => run()(context),
    );
  kinds.set(kind, prototype);
  return prototype;
}

function lazily(prototype: object, name: string, keep: (context: Context) => Map<string, unknown>, make: (context: Context) => unknown): void {
  Object.defineProperty(prototype, name, {
    enumerable: true,
    configurable: true,
    get(this: Context) {
      const kept = keep(this);
      if (!kept.has(name)) kept.set(name, make(this) ?? null);
      return kept.get(name);
    },
  });
}
