/** `rules/` as one plain object, as the build writes it and `src/engine/load.ts` reads it. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { parseDocument } from 'yaml';

export interface RuleFiles {
  rules: { file: string; rule: unknown }[];
  texts: unknown[];
}

/** Every rule and text table under `folder`, in the order of their paths. A file that is not YAML ends the build with its place. */
export async function collectRules(folder: string): Promise<RuleFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml') && !entry.name.endsWith('.test.yaml') && entry.name !== 'omitted.yaml')
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  const parsed = await Promise.all(files.map(async (file) => ({ file, rule: read(file, await readFile(join(folder, file), 'utf8')) })));
  const isText = (file: string): boolean => file.startsWith('texts/');
  return {
    rules: parsed.filter(({ file }) => !isText(file)),
    texts: parsed.filter(({ file }) => isText(file)).map(({ rule }) => rule),
  };
}

function read(file: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem) throw new Error(`rules/${file}: ${problem.message}`);
  return document.toJS();
}
