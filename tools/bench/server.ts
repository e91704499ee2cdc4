/** An API server of lists alone, on loopback: `node server.ts PODS SICK [one]` prints its port, `/log` gives the requests so far. */
import { createServer } from 'node:http';
import { RESOURCES } from '../../src/model/resources.ts';
import { lists, NAMESPACE } from './objects.ts';

const [pods = '0', sick = '0', one] = process.argv.slice(2);
const data = lists({ pods: Number(pods), sick: Number(sick), oneDeployment: one === 'one' });
const log: string[] = [];
const pages = new Map<string, Buffer>();

const groupPath = (group: string, version: string): string => (group === '' ? `/api/${version}` : `/apis/${group}/${version}`);

function page(resource: (typeof RESOURCES)[number], limit: number, from: number): Buffer {
  const key = `${resource.resource}|${limit}|${from}`;
  let body = pages.get(key);
  if (!body) {
    const items = data[resource.resource] ?? [];
    const part = limit > 0 ? items.slice(from, from + limit) : items;
    const left = items.length - from - part.length;
    const metadata = { resourceVersion: '1000', ...(left > 0 ? { continue: String(from + limit), remainingItemCount: left } : {}) };
    const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    body = Buffer.from(JSON.stringify({ kind: `${resource.kind}List`, apiVersion, metadata, items: part }));
    pages.set(key, body);
  }
  return body;
}

const discovery = (group: string, version: string): string =>
  JSON.stringify({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: RESOURCES.filter((each) => each.group === group && each.version === version).map(({ resource, kind, namespaced, short }) => ({
      name: resource,
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      verbs: ['get', 'list', 'watch'],
      shortNames: short,
    })),
  });

const groups = [...new Set(RESOURCES.map(({ group }) => group))].filter(Boolean);
const fixed: Record<string, string> = {
  '/version': JSON.stringify({ gitVersion: 'v1.34.4', major: '1', minor: '34' }),
  '/readyz': '[+]ping ok\n[+]etcd ok\nreadyz check passed\n',
  '/livez': '[+]ping ok\nlivez check passed\n',
  '/api': JSON.stringify({ kind: 'APIVersions', versions: ['v1'] }),
  '/apis': JSON.stringify({
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map((name) => {
      const versions = [...new Set(RESOURCES.filter(({ group }) => group === name).map(({ version }) => version))].map((version) => ({
        groupVersion: `${name}/${version}`,
        version,
      }));
      return { name, versions, preferredVersion: versions[0] };
    }),
  }),
};
for (const { group, version } of RESOURCES) fixed[groupPath(group, version)] = discovery(group, version);

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://bench');
  if (url.pathname === '/log') {
    response.end(JSON.stringify(log.splice(0)));
    return;
  }
  log.push(request.url ?? '/');
  const send = (code: number, body: string | Buffer): void => {
    response.writeHead(code, {
      'content-type': body.toString().startsWith('[') ? 'text/plain' : 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  };
  const plain = fixed[url.pathname];
  if (plain !== undefined) return send(200, plain);
  const resource = RESOURCES.find(
    (each) =>
      url.pathname === `${groupPath(each.group, each.version)}/${each.resource}` ||
      url.pathname === `${groupPath(each.group, each.version)}/namespaces/${NAMESPACE}/${each.resource}`,
  );
  if (resource) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(page(resource, Number(url.searchParams.get('limit') ?? 0), Number(url.searchParams.get('continue') ?? 0)));
    return;
  }
  if (url.pathname === `/api/v1/namespaces/${NAMESPACE}`) {
    return send(200, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', ...data['namespaces']?.[0] }));
  }
  send(404, JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404, message: 'not found' }));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as { port: number }).port}\n`));
