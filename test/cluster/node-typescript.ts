import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Runs a TypeScript file. Node looks for packages from the working folder, not beside the script, so the loader is named in full. */
export const nodeRuns = (script: string): string[] => [
  process.execPath,
  '--import',
  pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href,
  script,
];
