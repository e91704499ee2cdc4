import { disturbed, drained } from './disturbed.ts';
import { failing } from './failing.ts';
import { limited } from './limited.ts';
import { passing } from './passing.ts';
import type { Rollout } from './rollout.ts';
import { waiting } from './waiting.ts';

/** Those that take longest first, so that all of them together take little longer than they do. */
export const together: readonly Rollout[] = [...failing, ...passing, ...waiting, ...limited, drained].sort((a, b) => b.limit - a.limit);
/** They stop what the others need. */
export const oneByOne: readonly Rollout[] = disturbed;
