import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { UserError } from '../../model/errors.ts';
import type { KubeFlags } from '../options.ts';
import { parseYaml } from '../yaml.ts';

/** A kubeconfig as written (client-go, tools/clientcmd/api/v1/types.go); only what is read here is named. */
export interface RawCluster {
  server?: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
  'proxy-url'?: string;
}
export interface RawUser {
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  token?: string;
  tokenFile?: string;
  username?: string;
  password?: string;
  as?: string;
  'as-uid'?: string;
  'as-groups'?: string[];
  'as-user-extra'?: Record<string, string[]>;
  exec?: {
    command?: string;
    args?: string[];
    env?: { name: string; value: string }[] | null;
    apiVersion?: string;
    installHint?: string;
    provideClusterInfo?: boolean;
  };
  'auth-provider'?: { name?: string; config?: Record<string, string> };
}
export interface RawContext {
  cluster?: string;
  user?: string;
  namespace?: string;
}
export interface RawConfig {
  files: string[];
  current: string;
  clusters: Map<string, RawCluster>;
  users: Map<string, RawUser>;
  contexts: Map<string, RawContext>;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The kubeconfig files that kubectl would read, in its order; a missing one in $KUBECONFIG is passed over as kubectl does. */
export async function kubeconfigFiles(flags: KubeFlags, env: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  if (flags.kubeconfig) {
    if (await exists(flags.kubeconfig)) return [flags.kubeconfig];
    throw new UserError(
      `The kubeconfig ${flags.kubeconfig} does not exist.`,
      'Name an existing file with --kubeconfig, or leave the flag out for $KUBECONFIG and ~/.kube/config.',
    );
  }
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const paths = named.length > 0 ? named : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
  const found: string[] = [];
  for (const path of paths) if (await exists(path)) found.push(path);
  return found;
}

/** Merges kubeconfig files as kubectl does: the first to name a context, a cluster, a user or the current context wins. */
export async function readRawConfig(files: readonly string[]): Promise<RawConfig> {
  const config: RawConfig = { files: [...files], current: '', clusters: new Map(), users: new Map(), contexts: new Map() };
  for (const file of files) {
    const parsed = await parseOne(file);
    const folder = dirname(file);
    if (!config.current && typeof parsed['current-context'] === 'string') config.current = parsed['current-context'];
    take(config.clusters, parsed['clusters'], 'cluster', (cluster: RawCluster) => absolute(folder, cluster, ['certificate-authority']));
    take(config.users, parsed['users'], 'user', (user: RawUser) => {
      absolute(folder, user, ['client-certificate', 'client-key', 'tokenFile']);
      // A bare name is looked up in PATH, one with a slash is relative to the kubeconfig.
      if (user.exec?.command?.includes('/')) absolute(folder, user.exec, ['command']);
    });
    take(config.contexts, parsed['contexts'], 'context', () => undefined);
  }
  return config;
}

async function parseOne(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`The kubeconfig ${file} cannot be read (${code ?? String(error)}).`, 'Check its permissions, or name another with --kubeconfig.');
  }
  const parsed = await parseYaml(text);
  const value = parsed === 'bomb' ? undefined : parsed.documents[0]?.value;
  if (text.trim() === '') return {};
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const why = parsed === 'bomb' ? 'it expands without end' : (parsed.notes[0] ?? 'it is not a YAML map');
    throw new UserError(
      `The kubeconfig ${file} is broken: ${why.replace(/\.$/, '')}.`,
      'Repair it (kubectl config view shows what kubectl makes of it), or name another with --kubeconfig.',
    );
  }
  return value as Record<string, unknown>;
}

function take<T>(into: Map<string, T>, list: unknown, field: string, prepare: (entry: T) => void): void {
  if (!Array.isArray(list)) return;
  for (const entry of list as ({ name?: unknown } & Record<string, unknown>)[]) {
    if (!entry || typeof entry.name !== 'string' || into.has(entry.name)) continue;
    const held = entry[field];
    const value = (held !== null && typeof held === 'object' ? held : {}) as T;
    prepare(value);
    into.set(entry.name, value);
  }
}

function absolute<T extends object>(folder: string, holder: T, fields: readonly (keyof T)[]): void {
  for (const field of fields) {
    const path = holder[field];
    if (typeof path === 'string' && path !== '' && !isAbsolute(path)) holder[field] = join(folder, path) as T[typeof field];
  }
}
