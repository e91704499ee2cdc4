import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { apiServer } from './layout.ts';
import { kubeconfigPath } from './kubeconfig.ts';
import { type Seen, waitFor } from './wait.ts';

/** Objects as the API server sends them: the one JSON boundary of the cluster tests. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is the server's
export type Obj = any;

export interface Reply {
  status: number;
  body: Obj;
  text: string;
}

interface Access {
  ca: string;
  token: string;
}

let agent: Agent | undefined;
let access: Access | undefined;

function readAccess(): Access {
  const path = kubeconfigPath('admin');
  if (!existsSync(path)) throw new Error('the test cluster is not up');
  const config = JSON.parse(readFileSync(path, 'utf8')) as Obj;
  const ca = Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString();
  return { ca, token: config.users[0].user.token };
}

/** Forgets the connection and the credentials: `up` makes new ones. */
export function forget(): void {
  agent?.destroy();
  agent = undefined;
  access = undefined;
  resources.clear();
}

/** One request as admin. Resolves with any status; rejects only when there is no HTTP answer within `limitMs`. */
export function call(method: string, path: string, body?: Obj, options: { type?: string; limitMs?: number } = {}): Promise<Reply> {
  access ??= readAccess();
  agent ??= new Agent({ keepAlive: true, maxSockets: 8 });
  const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers: Record<string, string | number> = { Authorization: `Bearer ${access.token}`, Accept: 'application/json', 'User-Agent': 'cluster-test' };
  if (data) {
    headers['Content-Type'] = options.type ?? 'application/json';
    headers['Content-Length'] = data.length;
  }
  return new Promise((resolve, reject) => {
    const req = request(new URL(path, apiServer), { method, headers, agent: agent as Agent, ca: access?.ca ?? '', timeout: options.limitMs ?? 15_000 }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        let parsed: Obj;
        try {
          parsed = JSON.parse(text);
        } catch {
          // /readyz and some proxies answer in plain text
        }
        resolve({ status: res.statusCode ?? 0, body: parsed, text });
      });
    });
    req.on('timeout', () => req.destroy(new Error(`${method} ${path}: no answer within ${(options.limitMs ?? 15_000) / 1000} s`)));
    req.on('error', reject);
    req.end(data);
  });
}

async function accepted(method: string, path: string, body?: Obj, type?: string): Promise<Obj> {
  const reply = await call(method, path, body, type === undefined ? {} : { type });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.body?.message ?? reply.text}`);
  return reply.body;
}

const resources = new Map<string, Map<string, { name: string; namespaced: boolean }>>();

/** The URL path of a kind's collection or of one object. */
export async function pathOf(apiVersion: string, kind: string, namespace?: string, name?: string): Promise<string> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  let known = resources.get(apiVersion);
  if (!known?.has(kind)) {
    const list = await accepted('GET', root);
    known = new Map(list.resources.filter((r: Obj) => !r.name.includes('/')).map((r: Obj) => [r.kind, { name: r.name, namespaced: r.namespaced }]));
    resources.set(apiVersion, known);
  }
  const resource = known.get(kind);
  if (!resource) throw new Error(`the server has no ${kind} in ${apiVersion}`);
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
  return `${root}${scope}/${resource.name}${name === undefined ? '' : `/${name}`}`;
}

const pathOfObject = (obj: Obj): Promise<string> =>
  pathOf(obj.apiVersion, obj.kind, obj.metadata.namespace ?? 'default', obj.metadata.name);

/** Server-side apply, in the order given. Returns the last object as stored. */
export async function apply(objects: Obj | readonly Obj[]): Promise<Obj> {
  let stored: Obj;
  for (const obj of Array.isArray(objects) ? objects : [objects]) {
    stored = await accepted('PATCH', `${await pathOfObject(obj)}?fieldManager=strata-test&force=true`, obj, 'application/apply-patch+yaml');
  }
  return stored;
}

/** The object, or undefined when there is none of that name. */
export async function get(apiVersion: string, kind: string, namespace: string, name: string): Promise<Obj | undefined> {
  const path = await pathOf(apiVersion, kind, namespace, name);
  const reply = await call('GET', path);
  if (reply.status === 404) return undefined;
  if (reply.status >= 300) throw new Error(`GET ${path}: ${reply.status} ${reply.body?.message ?? reply.text}`);
  return reply.body;
}

/** All objects of a kind, of one namespace or of all. */
export async function list(apiVersion: string, kind: string, namespace?: string): Promise<Obj[]> {
  return (await accepted('GET', await pathOf(apiVersion, kind, namespace))).items;
}

/** Merge patch of an existing object. */
export async function patch(apiVersion: string, kind: string, namespace: string, name: string, change: Obj, subresource = ''): Promise<Obj> {
  const path = `${await pathOf(apiVersion, kind, namespace, name)}${subresource === '' ? '' : `/${subresource}`}`;
  return accepted('PATCH', path, change, 'application/merge-patch+json');
}

/** Asks for the deletion; what is not there is deleted. Does not wait. */
export async function remove(apiVersion: string, kind: string, namespace: string, name: string, options: Obj = {}): Promise<void> {
  const path = await pathOf(apiVersion, kind, namespace, name);
  const reply = await call('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', ...options });
  if (reply.status >= 300 && reply.status !== 404) throw new Error(`DELETE ${path}: ${reply.status} ${reply.body?.message ?? reply.text}`);
}

/** Waits until an object looks as wanted; undefined stands for "not there". */
export function waitForObject(
  apiVersion: string,
  kind: string,
  namespace: string,
  name: string,
  wanted: (obj: Obj | undefined) => boolean,
  limitMs: number,
): Promise<Obj> {
  return waitFor(
    `${kind} ${namespace}/${name}`,
    async (): Promise<Seen<Obj>> => {
      const obj = await get(apiVersion, kind, namespace, name);
      return wanted(obj) ? { done: obj } : { saw: obj?.status ?? obj ?? 'not there' };
    },
    limitMs,
  );
}
