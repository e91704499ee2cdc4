import type { Ora } from 'ora';
import { visible } from '../render/escape.ts';

/** A glance at a small namespace needs no spinner. */
const PATIENCE = 300;

// A terminal without a width (docker run -t in a pipeline) has no lines to draw on.
const canDraw = (): boolean => process.stderr.isTTY && process.stderr.columns > 0;

/** Runs `work`; shows on a terminal's stderr what it says it does, once that takes a while. */
export async function withSpinner<T>(work: (say: (text: string) => void) => Promise<T>): Promise<T> {
  if (!canDraw()) return work(() => {});
  let text = 'reading';
  let spinner: Ora | undefined;
  let done = false;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    // stdin may be the dump that is being read.
    if (!done) spinner = ora({ text, stream: process.stderr, discardStdin: false }).start();
  }, PATIENCE);
  try {
    return await work((words) => {
      text = visible(words);
      if (spinner) spinner.text = text;
    });
  } finally {
    done = true;
    clearTimeout(timer);
    spinner?.stop();
  }
}

/** Lines that stay, and under them, on a terminal, one that says what is going on. */
export interface Progress {
  line(text: string): void;
  say(text: string): void;
  stop(): void;
}

/** For work that takes minutes: on stderr, a line a change; the moving line on a terminal only. Texts are escaped here for the moving line, by the caller for the others. */
export function showProgress(): Progress {
  const { stderr } = process;
  if (!canDraw()) return { line: (text) => void stderr.write(`${text}\n`), say: () => undefined, stop: () => undefined };
  let text = 'reading';
  let spinner: Ora | undefined;
  let done = false;
  void import('ora').then(({ default: ora }) => {
    if (!done) spinner = ora({ text, stream: stderr, discardStdin: false }).start();
  });
  return {
    line(words) {
      spinner?.clear();
      stderr.write(`${words}\n`);
      spinner?.render();
    },
    say(words) {
      text = visible(words).slice(0, Math.max(20, (stderr.columns ?? 80) - 4));
      if (spinner) spinner.text = text;
    },
    stop() {
      done = true;
      spinner?.stop();
    },
  };
}
