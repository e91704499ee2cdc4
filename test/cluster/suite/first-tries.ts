import { beforeEach } from 'vitest';

// A second try may be better, and then nobody would hear what was wrong with the first.
beforeEach(({ task, onTestFailed }) => {
  onTestFailed(() => {
    const { errors = [], retryCount = 0 } = task.result ?? {};
    process.stderr.write(`${task.name}: try ${retryCount + 1}\n${errors.at(-1)?.message}\n`);
  });
});
