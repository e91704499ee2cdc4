import { configDefaults, defineConfig } from 'vitest/config';

// Judging is pure, so tests share their threads: isolation costs 0.35 s a file and buys nothing here.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/cluster/**'],
    pool: 'threads',
    isolate: false,
    testTimeout: 20_000,
    // The product must read the same everywhere.
    env: { TZ: 'America/St_Johns', LC_ALL: 'C.UTF-8' },
  },
});
