import { readFile } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { UserError } from '../../model/errors.ts';
import { EXIT } from '../../model/report.ts';
import type { KubeFlags } from '../options.ts';
import { isLoopback, proxyFromEnvironment } from './proxy.ts';
import { type RawCluster, type RawConfig, type RawContext, type RawUser, kubeconfigFiles, readRawConfig } from './raw-config.ts';

/** What a request needs, and what to call it in a report. */
export interface Connection {
  server: URL;
  agent: http.Agent;
  headers: Record<string, string | string[]>;
  /** For looking at a connection that fails; the same material the agent uses. */
  tls: { ca?: Buffer | string; cert?: Buffer | string; key?: Buffer | string; servername?: string; rejectUnauthorized: boolean };
  /** Empty for none. */
  proxy: string;
  loopback: boolean;
  context: string;
  user: string;
  /** The context's namespace, else `default`. */
  namespace: string;
}

export const CONCURRENCY = 8;
// A credential plugin may open a browser.
const PLUGIN_MS = 120_000;
const IN_CLUSTER_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

interface Chosen {
  contextName: string;
  context: RawContext;
  clusterName: string;
  cluster: RawCluster;
  userName: string;
  user: RawUser;
}

/** Whether there is a cluster to read at all: a kubeconfig, --server, or a pod's own service account. */
export async function isClusterConfigured(flags: KubeFlags = {}, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  if (flags.server || flags.kubeconfig) return true;
  const files = await kubeconfigFiles(flags, env);
  if (files.length > 0) {
    const config = await readRawConfig(files).catch(() => null);
    return config === null || config.contexts.size > 0;
  }
  return inCluster(env);
}

const inCluster = async (env: NodeJS.ProcessEnv): Promise<boolean> =>
  Boolean(env['KUBERNETES_SERVICE_HOST']) &&
  (await readFile(IN_CLUSTER_TOKEN).then(
    () => true,
    () => false,
  ));

/**
 * Kubeconfig and flags to a connection. Exec plugins, OIDC and other auth providers run here, once.
 * `patience`: ms that these may take.
 * Raises UserError for what has to be put right first: no kubeconfig, an unknown context, a missing file, a failing plugin.
 */
export async function connect(flags: KubeFlags, env: NodeJS.ProcessEnv = process.env, patience = PLUGIN_MS): Promise<Connection> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kube = new KubeConfig();
  const files = await kubeconfigFiles(flags, env);
  let chosen: Chosen;
  if (files.length === 0 && !flags.server && (await inCluster(env))) {
    kube.loadFromCluster();
    const user = kube.getCurrentUser();
    chosen = {
      contextName: '',
      context: { namespace: kube.getContexts()[0]?.namespace ?? '' },
      clusterName: 'in-cluster',
      cluster: { server: kube.getCurrentCluster()?.server ?? '' },
      userName: user?.name ?? '',
      user: {},
    };
  } else {
    chosen = choose(await readRawConfig(files), flags);
    await prepare(chosen, env);
    kube.loadFromString(JSON.stringify(single(chosen)));
  }
  const server = serverOf(chosen);
  const options = await authenticate(kube, chosen, Math.min(patience, PLUGIN_MS));
  const headers: Connection['headers'] = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) if (value !== undefined) headers[name] = Array.isArray(value) ? [...value] : String(value);
  if (options.auth) headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  impersonate(headers, chosen.user, flags);
  const tls: Connection['tls'] = { rejectUnauthorized: chosen.cluster['insecure-skip-tls-verify'] !== true };
  for (const field of ['ca', 'cert', 'key'] as const) if (options[field]) tls[field] = options[field] as Buffer;
  if (chosen.cluster['tls-server-name']) tls.servername = chosen.cluster['tls-server-name'];
  const proxy = chosen.cluster['proxy-url'] ?? '';
  return {
    server,
    headers,
    tls,
    proxy,
    agent: agentFor(server, proxy, tls, options.agent as http.Agent | undefined),
    loopback: isLoopback(server.hostname),
    context: chosen.contextName,
    user: flags.as ? `${flags.as} (as ${chosen.userName})` : chosen.userName,
    namespace: chosen.context.namespace || 'default',
  };
}

function choose(config: RawConfig, flags: KubeFlags): Chosen {
  const known = [...config.contexts.keys()].map((name) => `"${name}"`).join(', ');
  const contextName = flags.context ?? config.current;
  const bare = Boolean(flags.server) || (Boolean(flags.cluster) && Boolean(flags.user));
  if (config.files.length === 0 && !flags.server) {
    throw new UserError(
      'There is no kubeconfig: neither $KUBECONFIG nor ~/.kube/config is there.',
      'Name one with --kubeconfig or $KUBECONFIG. A recording or a dump needs none: kubectl strata --from PATH.',
    );
  }
  if (flags.context && !config.contexts.has(flags.context)) {
    throw new UserError(`The kubeconfig has no context "${flags.context}".`, known ? `It has ${known}.` : 'It has no contexts at all.');
  }
  if (!contextName && !bare)
    throw new UserError(
      'The kubeconfig has no current context.',
      known ? `Choose one with --context: ${known}.` : 'It has no contexts at all; name another file with --kubeconfig.',
    );
  if (contextName && !config.contexts.has(contextName) && !bare)
    throw new UserError(
      `The kubeconfig's current context "${contextName}" is not in it.`,
      known ? `Choose one with --context: ${known}.` : 'It has no contexts at all.',
    );
  const context = { ...config.contexts.get(contextName) };
  const clusterName = flags.cluster ?? context.cluster ?? '';
  const userName = flags.user ?? context.user ?? '';
  const cluster = pick(config.clusters, clusterName, 'cluster', Boolean(flags.server));
  const user = pick(config.users, userName, 'user', userName === '');
  if (flags.server) cluster.server = flags.server;
  if (flags.insecureSkipTlsVerify) cluster['insecure-skip-tls-verify'] = true;
  if (flags.tlsServerName) cluster['tls-server-name'] = flags.tlsServerName;
  if (flags.certificateAuthority) {
    cluster['certificate-authority'] = flags.certificateAuthority;
    delete cluster['certificate-authority-data'];
  }
  if (flags.token) {
    user.token = flags.token;
    for (const other of ['tokenFile', 'exec', 'auth-provider', 'username', 'password'] as const) delete user[other];
  }
  if (!cluster.server)
    throw new UserError(`The cluster "${clusterName}" of the kubeconfig has no server.`, 'Give one with --server, or repair the kubeconfig.');
  return { contextName, context, clusterName, cluster, userName, user };
}

function pick<T extends object>(map: ReadonlyMap<string, T>, name: string, what: string, optional: boolean): T {
  const found = map.get(name);
  if (!found && !optional)
    throw new UserError(`The kubeconfig has no ${what} "${name}".`, `It has ${[...map.keys()].map((key) => `"${key}"`).join(', ') || 'none'}.`);
  return { ...(found as T) };
}

function serverOf({ cluster }: Chosen): URL {
  const text = cluster.server ?? '';
  try {
    const url = new URL(text.includes('://') ? text : `https://${text}`);
    if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  } catch {
    // Told below.
  }
  throw new UserError(`"${text}" is not the address of an API server.`, 'It has to look like https://HOST:PORT.');
}

// What the client library does not read: tokenFile, the environment's proxy, and KUBERNETES_EXEC_INFO for plugins
// (client-go, plugin/pkg/client/auth/exec/exec.go, sets it for every plugin).
async function prepare(chosen: Chosen, env: NodeJS.ProcessEnv): Promise<void> {
  const { cluster, user } = chosen;
  if (user.tokenFile) user.token = (await readOrRefuse(user.tokenFile, 'token file')).trim();
  for (const [file, what] of [
    [cluster['certificate-authority'], 'certificate authority'],
    [user['client-certificate'], 'client certificate'],
    [user['client-key'], 'client key'],
  ] as const) {
    if (file) await readOrRefuse(file, what);
  }
  cluster['proxy-url'] ||= proxyFromEnvironment(serverOf(chosen), env);
  if (user.exec) {
    const spec = {
      interactive: false,
      ...(user.exec.provideClusterInfo
        ? {
            cluster: {
              server: cluster.server,
              'certificate-authority-data': cluster['certificate-authority-data'],
              'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
              'tls-server-name': cluster['tls-server-name'],
            },
          }
        : {}),
    };
    const info = JSON.stringify({ kind: 'ExecCredential', apiVersion: user.exec.apiVersion ?? 'client.authentication.k8s.io/v1', spec });
    user.exec = { ...user.exec, args: user.exec.args ?? [], env: [...(user.exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: info }] };
  }
}

async function readOrRefuse(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(
      `The ${what} ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`,
      'The kubeconfig or a flag names it; put the file there or correct the path.',
    );
  }
}

function single({ contextName, context, clusterName, cluster, userName, user }: Chosen): object {
  // The library refuses http:// unless verification is off, and skips the CA where there is no user.
  const plain = cluster.server?.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
  const names = { context: contextName || 'flags', cluster: clusterName || 'flags', user: userName || 'anonymous' };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': names.context,
    contexts: [{ name: names.context, context: { cluster: names.cluster, user: names.user, namespace: context.namespace } }],
    clusters: [{ name: names.cluster, cluster: { ...cluster, ...plain } }],
    users: [{ name: names.user, user }],
  };
}

interface Applied extends https.RequestOptions {
  headers?: http.OutgoingHttpHeaders;
}

async function authenticate(
  kube: { applyToHTTPSOptions(options: https.RequestOptions): Promise<void> },
  { user, userName }: Chosen,
  patience: number,
): Promise<Applied> {
  const options: Applied = {};
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${Math.round(patience / 1000)} s`)), patience);
  });
  try {
    await Promise.race([kube.applyToHTTPSOptions(options), late]);
    return options;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const [first = ''] = message.trim().split('\n');
    const { exec, 'auth-provider': provider } = user;
    if (exec) {
      const missing = code === 'ENOENT';
      throw new UserError(
        `The credential plugin "${exec.command ?? ''}" of user "${userName}" ${missing ? 'is not installed' : `failed: ${first || 'without a word'}`}.`,
        (missing ? exec.installHint?.trim().split('\n')[0] : undefined) || `Run it by hand to see why: ${[exec.command, ...(exec.args ?? [])].join(' ')}`,
        EXIT.unreachable,
      );
    }
    if (provider)
      throw new UserError(
        `The auth provider "${provider.name ?? ''}" of user "${userName}" failed: ${first}.`,
        'Log in again, so that the kubeconfig holds a fresh token.',
        EXIT.unreachable,
      );
    throw new UserError(`The credentials of user "${userName}" cannot be used: ${first}.`, 'Check the certificate, key and CA that the kubeconfig names.');
  } finally {
    clearTimeout(timer);
  }
}

function impersonate(headers: Connection['headers'], user: RawUser, flags: KubeFlags): void {
  const as = flags.as ?? user.as;
  if (!as) return;
  headers['Impersonate-User'] = as;
  const groups = flags.asGroup?.length ? flags.asGroup : flags.as ? [] : (user['as-groups'] ?? []);
  if (groups.length > 0) headers['Impersonate-Group'] = [...groups];
  const uid = flags.asUid ?? (flags.as ? undefined : user['as-uid']);
  if (uid) headers['Impersonate-Uid'] = uid;
  if (!flags.as) for (const [key, values] of Object.entries(user['as-user-extra'] ?? {})) headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = values;
}

/** The library's own agents close the connection after each request; theirs are kept only where there is a proxy to speak to. */
function agentFor(server: URL, proxy: string, tls: Connection['tls'], theirs: http.Agent | undefined): http.Agent {
  const pool = { keepAlive: true, maxSockets: CONCURRENCY, maxFreeSockets: CONCURRENCY, scheduling: 'lifo' as const };
  if (proxy && theirs) return Object.assign(theirs, pool);
  return server.protocol === 'http:' ? new http.Agent(pool) : new https.Agent({ ...pool, ...tls });
}
