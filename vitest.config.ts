import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

// Judging is pure, so tests share their threads: isolation costs 0.35 s a file and buys nothing here.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/cluster/**'],
    pool: 'threads',
    // The tests that run the binary and those of the gate mostly wait; one thread a core, less one, leaves the machine idle half of the time.
    maxWorkers: Math.max(4, availableParallelism()),
    isolate: false,
    testTimeout: 20_000,
    // The product must read the same everywhere.
    env: { TZ: 'America/St_Johns', LC_ALL: 'C.UTF-8' },
  },
});
