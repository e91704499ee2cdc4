import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { KubeObject } from '../../src/model/kinds.ts';
import { RESOURCES, type Resource, kindKey } from '../../src/model/resources.ts';
import type { Identity } from '../cluster/certificates.ts';

/** A small API server in this process: lists with paging, single objects, health; and a place to misbehave. */
export interface Double {
  url: string;
  /** Path and query of every request, in order. */
  asked: string[];
  /** Headers of the last request. */
  headers: IncomingMessage['headers'];
  sockets: number;
  close(): Promise<void>;
}

export interface DoubleOptions {
  objects?: readonly unknown[];
  resources?: readonly Resource[];
  tls?: Identity;
  gzip?: boolean;
  /** Any free one by default. */
  port?: number;
  /** True when it has taken the request over. */
  intercept?(url: URL, response: ServerResponse, request: IncomingMessage): boolean | void;
}

export const status = (code: number, reason: string, message: string, more: object = {}) => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code, ...more });

export function reply(response: ServerResponse, code: number, body: unknown, headers: Record<string, string> = {}): true {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(code, { 'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json', ...headers });
  response.end(text);
  return true;
}

export async function startDouble(options: DoubleOptions = {}): Promise<Double> {
  const { objects = [], resources = RESOURCES } = options;
  const held = objects as readonly KubeObject[];
  const double: Double = { url: '', asked: [], headers: {}, sockets: 0, close: () => new Promise((resolve) => (server.close(() => resolve()), open.forEach((socket) => socket.destroy()))) };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://double');
    double.asked.push(request.url ?? '');
    double.headers = request.headers;
    if (options.intercept?.(url, response, request)) return;
    if (url.pathname === '/version') return void reply(response, 200, { gitVersion: 'v1.34.4' });
    if (url.pathname === '/readyz' || url.pathname === '/livez') return void reply(response, 200, `[+]ping ok\n[+]etcd ok\n${url.pathname.slice(1)} check passed\n`);
    if (url.pathname === '/apis') return void reply(response, 200, discovery(resources));
    const match = /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>v[^/]+)(?:\/namespaces\/(?<space>[^/]+)(?=\/[^/]))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+))?$/.exec(url.pathname);
    const { group = '', space, resource: plural, name } = match?.groups ?? {};
    const resource = resources.find((each) => each.group === group && each.resource === plural);
    if (!resource) return void reply(response, 404, '404 page not found\n');
    const version = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    const key = kindKey(version, resource.kind);
    const matching = held.filter(
      (each) =>
        kindKey(each.apiVersion, each.kind) === key &&
        (space === undefined || each.metadata.namespace === space) &&
        fits(each, url.searchParams.get('fieldSelector')),
    );
    if (name !== undefined) {
      const found = matching.find((each) => each.metadata.name === name);
      return void (found ? reply(response, 200, found) : reply(response, 404, status(404, 'NotFound', `${plural} "${name}" not found`)));
    }
    if (url.searchParams.get('watch') === '1')
      return watch(response, resource, version, () =>
        held.filter(
          (each) =>
            kindKey(each.apiVersion, each.kind) === key &&
            (space === undefined || each.metadata.namespace === space) &&
            fits(each, url.searchParams.get('fieldSelector')),
        ),
      );
    const from = Number(url.searchParams.get('continue') ?? 0);
    // The cache ignores limit.
    const limit = url.searchParams.get('resourceVersion') === '0' ? Infinity : Number(url.searchParams.get('limit') ?? Infinity);
    const items = matching.slice(from, from + limit).map(({ kind: _, apiVersion: __, ...rest }) => rest);
    const more = from + limit < matching.length ? { continue: String(from + limit), remainingItemCount: matching.length - from - limit } : {};
    const body = JSON.stringify({ kind: `${resource.kind}List`, apiVersion: version, metadata: { resourceVersion: '1000', ...more }, items });
    if (options.gzip && /gzip/.test(String(request.headers['accept-encoding']))) {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      return void response.end(gzipSync(body));
    }
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(body);
  };

  const server = options.tls ? createSecureServer(options.tls, listener) : createServer(listener);
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    double.sockets++;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  double.url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return double;
}

/** Tells what differs from one moment to the next; objects need no resourceVersion for it. */
function watch(response: ServerResponse, resource: Resource, apiVersion: string, now: () => readonly KubeObject[]): void {
  const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  const seen = new Map(now().map((each) => [keyOf(each), JSON.stringify(each)]));
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders();
  const send = (type: string, object: object): void => void response.write(`${JSON.stringify({ type, object })}\n`);
  const timer = setInterval(() => {
    const objects = now();
    for (const each of objects) {
      const text = JSON.stringify(each);
      const before = seen.get(keyOf(each));
      if (before === text) continue;
      send(before === undefined ? 'ADDED' : 'MODIFIED', each);
      seen.set(keyOf(each), text);
    }
    const names = new Set(objects.map(keyOf));
    for (const [key, text] of seen) {
      if (names.has(key)) continue;
      send('DELETED', JSON.parse(text) as object);
      seen.delete(key);
    }
    send('BOOKMARK', { kind: resource.kind, apiVersion, metadata: { resourceVersion: '1000' } });
  }, 50);
  response.on('close', () => clearInterval(timer));
}

function fits(object: KubeObject, selector: string | null): boolean {
  if (!selector) return true;
  const [path = '', value] = selector.split('=');
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object) === value;
}

function discovery(resources: readonly Resource[]): object {
  const groups = [...new Set(resources.map((each) => each.group))].filter((group) => group !== '');
  return {
    kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2',
    items: groups.map((name) => ({
      metadata: { name },
      versions: [
        {
          version: resources.find((each) => each.group === name)?.version,
          resources: resources
            .filter((each) => each.group === name)
            .map((each) => ({
              resource: each.resource,
              responseKind: { kind: each.kind },
              scope: each.namespaced ? 'Namespaced' : 'Cluster',
              singularResource: each.kind.toLowerCase(),
              shortNames: each.short ?? [],
              verbs: ['get', 'list', 'watch'],
            })),
        },
      ],
    })),
  };
}

/** A kubeconfig that leads to it, in namespace shop. */
export const kubeconfigOf = (url: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
  });
