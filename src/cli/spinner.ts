import type { Ora } from 'ora';
import { visible } from '../render/escape.ts';

/** A glance at a small namespace needs no spinner. */
const PATIENCE = 300;

/** Runs `work`; shows on a terminal's stderr what it says it does, once that takes a while. */
export async function withSpinner<T>(work: (say: (text: string) => void) => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work(() => {});
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
