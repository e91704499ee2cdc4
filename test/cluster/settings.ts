import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from './layout.ts';
import { type ProcessId, processId } from './process.ts';

/** What differs from one cluster to the next. Kept beside it, so that another process restarts a component alike. */
export interface Settings {
  /** Who brought it up. */
  owner: ProcessId;
  etcdMembers: 1 | 3;
  /** The API server's own limit for a request. Reads hang this long while etcd is away (60 s by default in Kubernetes). */
  requestTimeout: string;
}

const DEFAULTS: Settings = { owner: { pid: 0, started: '' }, etcdMembers: 1, requestTimeout: '5s' };
const file = join(paths.config, 'settings.json');

export function settings(): Settings {
  return existsSync(file) ? { ...DEFAULTS, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Settings>) } : DEFAULTS;
}

/** What a caller may choose. */
export type Choice = Partial<Omit<Settings, 'owner'>>;

export function writeSettings(chosen: Choice): void {
  mkdirSync(paths.config, { recursive: true });
  writeFileSync(file, JSON.stringify({ ...DEFAULTS, ...chosen, owner: processId(process.pid) } satisfies Settings));
}

/** Makes another process the one whose end is the end of the cluster. */
export function handOver(owner: ProcessId): void {
  writeFileSync(file, JSON.stringify({ ...settings(), owner }));
}
