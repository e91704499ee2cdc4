import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RuleSet } from '../engine/load.ts';
import { UserError } from '../model/errors.ts';
import type { Report } from '../model/report.ts';
import type { Renderer } from '../render/index.ts';
import { reaching } from '../render/reach.ts';
import { type Flags, reachOf } from './flags.ts';
import { rendererOf } from './output.ts';
import { stepSummary } from './step-summary.ts';
import { print, styleOf } from './terminal.ts';

/** One `-o FORMAT` or `-o FORMAT=PATH`. */
export interface Output {
  format: string;
  render: Renderer;
  /** Absent: stdout. */
  path?: string | undefined;
}

/** What `-o`, given any number of times, asks for: text on stdout unless something else was sent there. */
export async function outputsOf(formats: string | readonly string[] | undefined): Promise<Output[]> {
  const asked = typeof formats === 'string' ? [formats] : (formats ?? []);
  const outputs = await Promise.all(
    asked.map(async (text): Promise<Output> => {
      const at = text.indexOf('=');
      const [format, path] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
      if (path === '') throw new UserError(`-o ${text} names no file.`, `Write it like -o ${format}=report.${format}.`);
      return { format, render: await rendererOf(format), path };
    }),
  );
  const shown = outputs.filter(({ path }) => path === undefined);
  if (shown.length > 1)
    throw new UserError(`-o ${shown[0]?.format} and -o ${shown[1]?.format} would both be printed.`, 'Send all but one to a file: -o junit=report.xml.');
  return shown.length > 0 ? outputs : [{ format: 'text', render: await rendererOf('text') }, ...outputs];
}

/** Writes all of them: files whole or not at all, then what is printed, and for GitHub the page of the run. */
export async function put(outputs: readonly Output[], judged: Report, flags: Flags, { rules }: Pick<RuleSet, 'rules'>): Promise<void> {
  const titles = new Map(rules.map(({ id, title }) => [id, title]));
  const reach = reachOf(flags);
  const reachable = { ...judged, findings: judged.findings.map((finding) => ({ ...finding, next: finding.next.map((line) => reaching(line, reach)) })) };
  // JSON is for programs, which are given their own way to the cluster, and the same wherever it was judged.
  const shown = ({ format }: Output): Report => (format === 'json' ? judged : reachable);
  for (const output of outputs) {
    const { render, path } = output;
    if (path !== undefined) await writeWhole(path, render(shown(output), { color: false, width: 80, verbose: flags.verbose ?? false, titles, reach }));
  }
  for (const output of outputs) if (output.path === undefined) await print(output.render(shown(output), { ...styleOf(flags), titles, reach }));
  if (outputs.some(({ format }) => format === 'github')) await stepSummary(reachable, styleOf(flags));
}

// For others to read as far as the umask lets them: what uploads it from a pipeline is often another user.
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${process.pid}-${path.split('/').at(-1) ?? 'report'}.part`);
  try {
    const handle = await open(draft, 'w');
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    throw new UserError(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'failed'}).`,
      'Choose a folder that exists and that you may write to.',
    );
  }
}
