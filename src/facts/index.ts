import type { Family } from './family.ts';

/** Every fact family; the engine, the type checker and the reference read this table. */
export const FAMILIES: readonly Family[] = [];
