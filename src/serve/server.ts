import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { UserError } from '../model/errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { LogReader } from '../source/index.ts';
import { type Identity, loopbackIdentity } from './certificate.ts';
import { isProtobuf, reviewIn } from './protobuf.ts';
import { createRoutes, type Handler, internal, isReview, send } from './routes.ts';
import { failure, readOnly } from './status.ts';

export interface ServeOptions {
  /** 0 or absent: any free one. */
  port?: number | undefined;
  /** Its logs, read when they are asked for. */
  logs?: LogReader | undefined;
}

export interface Served {
  /** https://127.0.0.1:PORT */
  url: string;
  token: string;
  /** The certificate to trust, PEM. */
  certificate: string;
  close(): Promise<void>;
}

const MOST_BODY = 64 * 1024;
const MOST_CONNECTIONS = 128;
/** A client that is silent for longer, in a request or before it has read its answer, is let go; watches are not. */
const PATIENCE_MS = 30_000;

/**
 * A snapshot as a read-only API server, on loopback alone, for whoever has the token. Its clock stands at the time of the
 * recording. Raises UserError where the port is taken, and where the recording is of a server that did not answer.
 */
export async function serveSnapshot(snapshot: Snapshot, options: ServeOptions = {}): Promise<Served> {
  if (snapshot.server.reached === false) {
    throw new UserError('The API server did not answer when this was recorded; there is nothing to serve.', 'Judge it as it is: kubectl strata --from PATH');
  }
  const identity: Identity = loopbackIdentity();
  const token = randomBytes(32).toString('base64url');
  // The routes name the address, which is known once the server listens; nobody has the token before.
  let routes: Handler | undefined;
  const listener = guarded(token, new Date(snapshot.now), (...request) => routes?.(...request));
  const server = createServer(
    {
      ...identity,
      minVersion: 'TLSv1.2',
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: PATIENCE_MS,
      connectionsCheckingInterval: 5_000,
      handshakeTimeout: 10_000,
    },
    (request, response) => void listener(request, response),
  );
  const closeAll = limit(server);
  await listen(server, options.port);
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  routes = createRoutes(snapshot, { logs: options.logs ?? null, address });
  return {
    url: `https://${address}`,
    token,
    certificate: identity.cert,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        closeAll();
      }),
  };
}

/** Lets through to `routes` what has shown the token and only reads, with the clock standing at `now`; answers everything else itself. */
function guarded(token: string, now: Date, routes: (...request: Parameters<Handler>) => Promise<void> | undefined) {
  const expected = Buffer.from(`Bearer ${token}`);
  const date = now.toUTCString();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.sendDate = false;
    response.setHeader('Date', date);
    response.setHeader('Audit-Id', randomBytes(8).toString('hex'));
    response.on('error', () => undefined);
    try {
      if (!isKnown(request.headers.authorization, expected)) {
        response.setHeader('Connection', 'close');
        return send(response, failure(401, 'Unauthorized', 'Unauthorized'));
      }
      // Put behind a host of our own: `//elsewhere/path` would bring its own.
      const url = new URL(`https://127.0.0.1${request.url?.startsWith('/') ? request.url : '/-'}`);
      const reviewed = isReview(request.method, url.pathname);
      if (request.method !== 'GET' && request.method !== 'HEAD' && !reviewed) {
        // What is sent with it is not read.
        response.setHeader('Connection', 'close');
        return send(response, readOnly());
      }
      const body = reviewed ? await bodyOf(request, url.pathname.endsWith('rulesreviews')) : null;
      if (body === undefined) return send(response, failure(400, 'BadRequest', 'the body is not a review'));
      await routes(request, response, url, body);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      send(response, error instanceof TypeError && /URL/.test(error.message) ? failure(400, 'BadRequest', 'the path cannot be read') : internal());
    }
  };
}

/** Lets go of whoever is slow, and of those beyond a number. Gives back what cuts every connection. */
function limit(server: Server): () => void {
  server.maxConnections = MOST_CONNECTIONS;
  server.keepAliveTimeout = PATIENCE_MS;
  const watching = new WeakSet<Socket>();
  // Sent already, and nobody reads it: an idle watch has nothing to send and keeps its place.
  server.setTimeout(PATIENCE_MS, (socket: Socket) => {
    if (socket.writableLength > 0 || !watching.has(socket)) socket.destroy();
  });
  const open = new Set<Socket>();
  server.on('request', (request: IncomingMessage) => {
    if (/[?&]watch=(?:true|1)\b/.test(request.url ?? '')) watching.add(request.socket);
    else watching.delete(request.socket);
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', (_error, socket) => void socket.destroy());
  server.on('clientError', (_error, socket) => void socket.destroy());
  return () => {
    for (const socket of open) socket.destroy();
  };
}

/** Raises UserError where the port is taken. */
function listen(server: Server, port = 0): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? new UserError(`Port ${port} cannot be used (${error.code}).`, 'Choose another with --port, or leave it out.')
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
}

function isKnown(header: string | undefined, expected: Buffer): boolean {
  const given = Buffer.from(header ?? '');
  // Compared in constant time; its length is no secret.
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The review in a request's body, JSON or protobuf; undefined where it is neither. */
async function bodyOf(request: IncomingMessage, rules: boolean): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BODY) return undefined;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (isProtobuf(bytes)) return reviewIn(bytes, rules) ?? undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
