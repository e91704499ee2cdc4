import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from './layout.ts';

/** What differs from one cluster to the next. Kept beside it, so that another process restarts a component alike. */
export interface Settings {
  /** Differs for every `up`. */
  id: string;
  etcdMembers: 1 | 3;
  /** The API server's own limit for a request. Reads hang this long while etcd is away (60 s by default in Kubernetes). */
  requestTimeout: string;
}

const DEFAULTS: Settings = { id: '', etcdMembers: 1, requestTimeout: '5s' };
const file = join(paths.config, 'settings.json');

export function settings(): Settings {
  return existsSync(file) ? { ...DEFAULTS, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Settings>) } : DEFAULTS;
}

export function writeSettings(chosen: Partial<Settings>): void {
  mkdirSync(paths.config, { recursive: true });
  writeFileSync(file, JSON.stringify({ ...DEFAULTS, ...chosen, id: randomUUID() }));
}
