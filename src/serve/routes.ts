import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pod } from '../model/kinds.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { LogReader } from '../source/index.ts';
import { createDiscovery } from './discovery.ts';
import { healthOf, refusalAt, versionBody } from './health.ts';
import { formOf, listBody, objectBody, select } from './lists.ts';
import { logsOf } from './logs.ts';
import { openapiIndex, openapiOf } from './openapi.ts';
import { type ServedResource, resourcesOf } from './resources.ts';
import { reviewAccess, reviewRules } from './review.ts';
import { type Status, failure, notRecorded, readOnly } from './status.ts';
import { createStore } from './store.ts';
import { watch } from './watch.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, url: URL, body: unknown) => Promise<void>;

export interface RouteOptions {
  /** Its logs; null where there are none. */
  logs: LogReader | null;
  address: string;
}

const REVIEW = /^\/apis\/authorization\.k8s\.io\/v1\/(selfsubjectaccessreviews|selfsubjectrulesreviews)$/;
export const isReview = (method: string | undefined, path: string): boolean => method === 'POST' && REVIEW.test(path);

/** The API of a recording. Every request it gets has shown the token. */
export function createRoutes(snapshot: Snapshot, { logs, address }: RouteOptions): Handler {
  const served = resourcesOf(snapshot);
  const store = createStore(snapshot);
  const discovery = createDiscovery(served);

  return async (request, response, url, body) => {
    const path = url.pathname.length > 1 ? url.pathname.replace(/\/+$/, '') : url.pathname;
    const query = url.searchParams;
    const accept = String(request.headers.accept ?? '');
    const json = (value: object | null): void => (value === null ? page(response) : send(response, value));
    const review = request.method === 'POST' ? REVIEW.exec(path)?.[1] : undefined;
    if (review) {
      const spec = (body as { spec?: unknown } | null)?.spec;
      return send(response, review === 'selfsubjectaccessreviews' ? reviewAccess(spec, store, served) : reviewRules(spec, snapshot, served), 201);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, readOnly());
    const aggregated = /g=apidiscovery\.k8s\.io/.test(accept) ? (/v=(v2(?:beta1)?)\b/.exec(accept)?.[1] ?? null) : null;
    switch (path) {
      case '/version':
        return json(refusalAt(path, snapshot.server) ?? versionBody(snapshot.server));
      case '/healthz':
      case '/livez':
      case '/readyz': {
        const { code, text } = healthOf(path, snapshot.server, query.has('verbose'));
        return plain(response, code, text);
      }
      case '/':
        return json({ paths: ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'] });
      case '/api':
        return aggregated ? found(response, discovery.aggregated('api', aggregated), aggregated) : json(discovery.versions(address));
      case '/apis':
        return aggregated ? found(response, discovery.aggregated('apis', aggregated), aggregated) : json(discovery.groups());
      case '/openapi/v3':
        return json(openapiIndex(served, snapshot));
      case '/openapi/v2':
        return send(response, notRecorded('the OpenAPI document'));
      default:
    }
    const schema = /^\/openapi\/v3\/(?:api|apis\/([^/]+))\/([^/]+)$/.exec(path);
    if (schema) {
      const [, group = '', version = ''] = schema;
      const document = openapiOf(group, version, served, snapshot);
      return document ? json(document) : send(response, notRecorded(`the schema of ${group === '' ? version : `${group}/${version}`}`));
    }
    const root = /^\/api\/(?<v>v1)$|^\/apis\/(?<group>[^/]+)(?:\/(?<version>[^/]+))?$/.exec(path)?.groups;
    if (root)
      return json(
        root['v']
          ? discovery.resources('', 'v1')
          : root['version'] === undefined
            ? discovery.group(root['group'] ?? '')
            : discovery.resources(root['group'] ?? '', root['version']),
      );
    const place = placeIn(path, served);
    if (place === null) return page(response);
    return answer(place);

    async function answer({ resource, namespace, name, subresource }: Place): Promise<void> {
      const asked = { resource, form: formOf(accept), query, snapshot };
      if (name !== undefined) {
        const object = store.get(resource, namespace, name);
        if (isStatus(object)) return send(response, object);
        if (subresource === undefined || subresource === 'status') return send(response, objectBody(object, asked));
        if (subresource === 'log' && resource.key === 'Pod') {
          const log = await logsOf(logs, object as Pod, query, snapshot.now);
          return typeof log === 'string' ? plain(response, 200, log) : send(response, log);
        }
        return send(response, notRecorded(`${subresource.slice(0, 100)} of ${resource.resource} "${name}"`));
      }
      const isWatch = query.get('watch') === 'true' || query.get('watch') === '1';
      // What storage answers to a watch comes inside it: the API server has begun the answer by then.
      const broken = isWatch ? refusalAt(path, snapshot.server) : null;
      if (broken && broken.code >= 500) return send(response, { type: 'ERROR', object: broken });
      const selected = select(store, resource, namespace, query);
      if (isStatus(selected)) return send(response, selected);
      if (isWatch) return watch(response, selected, asked);
      return send(response, listBody(selected, asked));
    }
  };
}

interface Place {
  resource: ServedResource;
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

/** `/api/v1/namespaces/shop/pods/web/log` taken apart; null where no such resource is served. A namespace itself is an object of its own. */
function placeIn(path: string, served: readonly ServedResource[]): Place | null {
  const match = /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)\/(?<rest>.+)$/.exec(path)?.groups;
  if (!match) return null;
  const parts = (match['rest'] ?? '').split('/').map(decoded);
  if (parts.includes('') || parts.length > 6) return null;
  const spaced =
    parts[0] === 'namespaces' && parts.length > 2 && !(match['group'] === undefined && parts.length === 3 && ['status', 'finalize'].includes(parts[2] ?? ''));
  const [plural, name, subresource, more] = spaced ? parts.slice(2) : parts;
  const resource = served.find((each) => each.group === (match['group'] ?? '') && each.version === match['version'] && each.resource === plural);
  if (!resource || more !== undefined || (spaced && !resource.namespaced)) return null;
  return { resource, ...(spaced ? { namespace: parts[1] } : {}), name, subresource };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

export const isStatus = (value: object): value is Status => (value as { kind?: unknown }).kind === 'Status';

/** A value as JSON; a Status with its own code. */
export function send(response: ServerResponse, value: object, code = 200): void {
  const refused = isStatus(value);
  const headers = refused && value.code === 405 ? { Allow: 'GET, HEAD' } : {};
  response.writeHead(refused ? value.code : code, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private', ...headers });
  response.end(JSON.stringify(value));
}

function found(response: ServerResponse, value: object, version: string): void {
  response.writeHead(200, { 'Content-Type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`, Vary: 'Accept' });
  response.end(JSON.stringify(value));
}

function plain(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' });
  response.end(text);
}

// What the API server says of a group or version that it does not have (net/http NotFound).
const page = (response: ServerResponse): void => plain(response, 404, '404 page not found\n');

export const internal = (): Status => failure(500, 'InternalError', 'the recording could not be served');
