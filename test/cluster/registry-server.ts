// An image registry that has no image (OCI distribution API). It answers as a real one does, so that the runtime says what
// it says of a wrong name or of a missing permission. A process of its own: it lives as long as the cluster.
import { createServer, type ServerResponse } from 'node:http';
import { HOST_IP, REGISTRY_PORT } from './layout.ts';

const version = { 'Content-Type': 'application/json', 'Docker-Distribution-Api-Version': 'registry/2.0' };

function refuse(res: ServerResponse, status: number, code: string, message: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { ...version, ...headers });
  res.end(JSON.stringify({ errors: [{ code, message }] }));
}

createServer((req, res) => {
  const { pathname } = new URL(req.url ?? '/', 'http://registry');
  if (pathname.startsWith('/v2/private/')) {
    refuse(res, 401, 'UNAUTHORIZED', 'authentication required', { 'Www-Authenticate': 'Basic realm="registry.strata.test"' });
  } else if (pathname.includes('/manifests/') || pathname.includes('/blobs/')) {
    refuse(res, 404, 'MANIFEST_UNKNOWN', 'manifest unknown');
  } else {
    res.writeHead(200, version);
    res.end('{}');
  }
}).listen(REGISTRY_PORT, HOST_IP);
