/** The engine and its rules as one lazy part: half of what the program consists of. */
export { diagnose } from '../engine/index.ts';
export { rulesOf } from './rule-set.ts';
