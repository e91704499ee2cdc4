// Admission and conversion webhooks over TLS. The path says how it answers, the first label of the name that it is called by
// which certificate it shows. A process of its own: it lives as long as the cluster.
import { createSecureContext, type SecureContext } from 'node:tls';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { certificate } from './certificates.ts';
import { authority } from './credentials.ts';
import { HOST_IP, WEBHOOK_PORT } from './layout.ts';

interface Review {
  apiVersion: string;
  kind: string;
  request: { uid: string; desiredAPIVersion?: string; objects?: { apiVersion: string }[] };
}

const HOUR = 3600_000;

/** A Service called `renamed...` gets the certificate of another name, `expired...` one of yesterday, any other its own. */
function identity(name: string): SecureContext {
  const [service = ''] = name.split('.');
  const ca = authority();
  const names = service.startsWith('renamed') ? ['policy.elsewhere.svc'] : [name];
  const dates = service.startsWith('expired') ? { notBefore: new Date(Date.now() - 48 * HOUR), notAfter: new Date(Date.now() - HOUR) } : {};
  return createSecureContext(certificate({ commonName: 'webhooks', names, ...dates }, ca));
}

const patch = (...operations: object[]): object => ({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') });

const answers: Readonly<Record<string, (review: Review) => object>> = {
  '/allow': () => ({ allowed: true }),
  '/deny': () => ({ allowed: false, status: { code: 403, message: 'pods need a label "team"' } }),
  '/deny-silently': () => ({ allowed: false }),
  // The pod is refused by validation, which comes after mutation.
  '/empty-image': () => patch({ op: 'replace', path: '/spec/containers/0/image', value: '' }),
  '/patch-nothing': () => patch({ op: 'replace', path: '/spec/volumes/7/name', value: 'cache' }),
  '/convert': ({ request: { desiredAPIVersion = '', objects = [] } }) => ({
    result: { status: 'Success' },
    convertedObjects: objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion })),
  }),
  '/convert-refused': () => ({ result: { status: 'Failure', message: 'bucket "nightly" has no region' } }),
};

function answer(path: string, review: Review, res: ServerResponse): void {
  const body = answers[path]?.(review);
  if (body === undefined) {
    res.writeHead(500, { 'Content-Type': 'text/plain' });
    res.end('policy store is not loaded');
    return;
  }
  res.writeHead(200, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: { uid: review.request.uid, ...body } }));
}

function handle(req: IncomingMessage, res: ServerResponse): void {
  const { pathname } = new URL(req.url ?? '/', 'https://webhooks');
  // Whoever asks there waits until the own patience is at its end.
  if (pathname === '/never') return;
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => answer(pathname, JSON.parse(Buffer.concat(chunks).toString()) as Review, res));
}

const own = certificate({ commonName: 'webhooks', ips: [HOST_IP] }, authority());
const known = new Map<string, SecureContext>();

createServer(
  {
    ...own,
    SNICallback: (name, done) => {
      const context = known.get(name) ?? identity(name);
      known.set(name, context);
      done(null, context);
    },
  },
  handle,
).listen(WEBHOOK_PORT, HOST_IP);
