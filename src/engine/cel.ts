/** The one importer of the CEL engine. Expressions select and fill words; facts compute. */
import { Environment } from '@marcbachmann/cel-js';
import type { Family } from '../facts/family.ts';
import type { World } from '../facts/world.ts';
import type { KubeObject } from '../model/kinds.ts';
import { type Gap, Unknown } from '../model/read.ts';

/** What functions see while one expression is evaluated. Evaluation is synchronous, so one holder serves. */
export interface Frame {
  world: World;
  object: KubeObject;
  /** Gaps swallowed by `hint`. */
  gaps: Gap[];
}

export type Expression = (context: object) => unknown;

export interface Cel {
  compile(source: string): Expression;
  /** Runs `work` with functions bound to the frame. */
  within<T>(frame: Frame, work: () => T): T;
}

const ARITHMETIC: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
};

/** An environment with the house's settings; the checker makes its own, typed. */
export function newEnvironment(options: { typed: boolean }): Environment {
  return new Environment({
    unlistedVariablesAreDyn: !options.typed,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 2_000 },
  });
}

export function createCel(families: readonly Family[]): Cel {
  let frame: Frame | null = null;
  const current = (): Frame => {
    if (!frame) throw new Error('a CEL function was called outside of an evaluation');
    return frame;
  };
  const env = newEnvironment({ typed: false });
  // JSON numbers are doubles and literals are ints: comparing mixes freely, arithmetic does not unless registered.
  for (const [operator, apply] of Object.entries(ARITHMETIC)) {
    env.registerOperator(`double ${operator} int`, (a: number, b: bigint) => apply(a, Number(b)));
    env.registerOperator(`int ${operator} double`, (a: bigint, b: number) => apply(Number(a), b));
  }
  env.registerFunction('hint(ast): dyn', hintMacro(() => current().gaps) as never);
  for (const { functions = [] } of families) {
    for (const fn of functions) {
      const least = fn.args.filter((arg) => !arg.type.endsWith('?')).length;
      for (let arity = least; arity <= fn.args.length; arity += 1) {
        const parameters = Array.from({ length: arity }, () => 'dyn').join(', ');
        env.registerFunction(`${fn.name}(${parameters}): dyn`, (...args: unknown[]) => {
          const { world, object } = current();
          return fn.call(world, object, ...args.map(plain)) ?? null;
        });
      }
    }
  }
  return {
    compile: (source) => env.parse(source),
    within(next, work) {
      const before = frame;
      frame = next;
      try {
        return work();
      } finally {
        frame = before;
      }
    },
  };
}

/** CEL integers are bigints; facts take JS numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
}

interface MacroNode {
  args: unknown[];
}
interface MacroRuntime {
  run(node: unknown, context: unknown): unknown;
}
interface MacroChecker {
  check(node: unknown, context: unknown): unknown;
  getType(name: string): unknown;
}

/** `hint(x)`: null instead of Unknown. A macro, because arguments of a function are evaluated before it is called. */
export function hintMacro(gaps: () => Gap[]) {
  return ({ args }: MacroNode) => ({
    args,
    async: false,
    evaluate(runtime: MacroRuntime, macro: MacroNode, context: unknown): unknown {
      try {
        return runtime.run(macro.args[0], context);
      } catch (error) {
        if (!(error instanceof Unknown)) throw error;
        gaps().push(error.gap);
        return null;
      }
    },
    typeCheck(checker: MacroChecker, macro: MacroNode, context: unknown): unknown {
      checker.check(macro.args[0], context);
      return checker.getType('dyn');
    },
  });
}
