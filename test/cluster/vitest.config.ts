import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** All of them use one cluster: what breaks nothing else first, what asks about all requests late, and the end of the cluster last. */
const ORDER = ['quiet', 'plugin', 'commands', 'serve', 'secrets', 'gate', 'loud', 'audit', 'takedown'];
const place = ({ moduleId }: TestSpecification): number => ORDER.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

const MINUTE = 60_000;

export default defineConfig({
  cacheDir: join(import.meta.dirname, '..', '..', 'node_modules', '.vite'),
  test: {
    root: import.meta.dirname,
    include: ['suite/*.test.ts'],
    globalSetup: ['suite/setup.ts'],
    setupFiles: ['suite/first-tries.ts'],
    // Threads end with the runner, whatever ends it.
    pool: 'threads',
    fileParallelism: false,
    // States that are there at the same time; more would measure how busy the machine is.
    maxConcurrency: 16,
    isolate: false,
    // A real cluster on a machine that may have other work to do: what fails twice is wrong.
    retry: 1,
    sequence: { sequencer: InOrder },
    testTimeout: 8 * MINUTE,
    hookTimeout: 8 * MINUTE,
    teardownTimeout: 2 * MINUTE,
    reporters: ['verbose'],
    env: { TZ: 'America/St_Johns', LC_ALL: 'C.UTF-8' },
  },
});
