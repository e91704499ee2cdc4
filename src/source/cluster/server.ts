import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ApiServer, ConnectionStep, Failure } from '../../model/server.ts';
import type { Connection } from './kubeconfig.ts';
import { credentialOf } from './credential.ts';
import { certificateOf } from './probe.ts';
import type { Answer } from './transport.ts';

/** The API server as it looks after its first answer, or the lack of one. */
export function serverOf(connection: Connection, version: Answer): ApiServer {
  const { gitVersion } = (version.code === 200 && version.body !== null && typeof version.body === 'object' ? version.body : {}) as { gitVersion?: unknown };
  const reached = version.code !== null;
  const certificate = reached ? shownCertificate(connection) : undefined;
  return {
    kind: 'APIServer',
    apiVersion: 'kubectl-strata/v1',
    metadata: { name: connection.server.host },
    endpoint: connection.server.href.replace(/\/$/, ''),
    ...(connection.context ? { context: connection.context } : {}),
    ...(connection.user ? { user: connection.user } : {}),
    ...(connection.tls.servername ? { serverName: connection.tls.servername } : {}),
    ...(typeof gitVersion === 'string' ? { version: gitVersion } : {}),
    reached,
    connection: reached ? stepsTo(connection) : [],
    health: [],
    failures: [],
    ...(certificate ? { certificate } : {}),
    credential: credentialOf(connection),
  };
}

function stepsTo({ server, proxy }: Connection): ConnectionStep[] {
  const steps: ConnectionStep['step'][] = proxy ? ['proxy'] : isIP(server.hostname.replace(/^\[|\]$/g, '')) ? ['tcp'] : ['dns', 'tcp'];
  if (server.protocol === 'https:') steps.push('tls');
  return [...steps, 'http' as const].map((step) => ({ step, ok: true }));
}

// The connection that brought the first answer waits in the agent's pool.
function shownCertificate({ agent }: Connection): ApiServer['certificate'] {
  for (const sockets of [...Object.values(agent.freeSockets), ...Object.values(agent.sockets)]) {
    for (const socket of sockets ?? []) if (socket instanceof TLSSocket) return certificateOf(socket.getPeerCertificate());
  }
  return undefined;
}

/** Adds a failure once a path and status. */
export function note(server: ApiServer, failure: Failure | undefined): void {
  if (!failure || server.failures.some((each) => each.path === failure.path && each.code === failure.code)) return;
  server.failures.push(failure);
}

/** Our own `serve` says so: its clock stands on purpose, and it knows what was recorded and nothing else. */
export const isServedRecording = ({ body }: Answer): boolean => (body as { platform?: unknown } | null)?.platform === 'recording';
