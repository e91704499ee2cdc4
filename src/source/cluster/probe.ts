import { lookup } from 'node:dns/promises';
import { isIP, connect as tcpConnect, type Socket } from 'node:net';
import * as tls from 'node:tls';
import type { ApiServer, ConnectionStep } from '../../model/server.ts';
import type { Connection } from './kubeconfig.ts';
import type { Answer } from './transport.ts';

export interface Probe {
  connection: ConnectionStep[];
  certificate?: ApiServer['certificate'];
}

/**
 * How far a connection comes, step by step: name, TCP, TLS, HTTP. Done once, after `failed` (a request that got no answer),
 * because a library's error says what broke but not how far it was until then, nor which certificate was shown.
 * `patience`: the longest silence in ms of the step that begins now.
 */
export async function probe(connection: Connection, failed: Answer | null, patience: () => number): Promise<Probe> {
  const { server } = connection;
  const steps: ConnectionStep[] = [];
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = Number(server.port || (server.protocol === 'https:' ? 443 : 80));
  if (connection.proxy) {
    const { ok, step } = await viaProxy(connection.proxy, failed, patience());
    return { connection: ok ? [step, lastStep(failed)] : [step] };
  }
  if (!isIP(host)) {
    const step = await timed('dns', () => resolve(host, patience()));
    steps.push(step);
    if (!step.ok) return { connection: steps };
  }
  let socket: Socket | undefined;
  const tcp = await timed('tcp', async () => void (socket = await dial(host, port, patience())));
  steps.push(tcp);
  if (!socket) return { connection: steps };
  try {
    if (server.protocol === 'http:') return { connection: [...steps, lastStep(failed)] };
    const shaken = await shakeHands(socket, host, connection, patience());
    steps.push(shaken.step);
    if (shaken.step.ok) steps.push(lastStep(failed));
    return { connection: steps, ...(shaken.certificate ? { certificate: shaken.certificate } : {}) };
  } finally {
    socket.destroy();
  }
}

const lastStep = (failed: Answer | null): ConnectionStep =>
  failed && failed.code === null ? { step: 'http', ok: false, code: failed.reason, message: failed.message } : { step: 'http', ok: true };

async function timed(step: ConnectionStep['step'], run: () => Promise<void>): Promise<ConnectionStep> {
  const start = performance.now();
  const ms = (): number => Math.round(performance.now() - start);
  try {
    await run();
    return { step, ok: true, ms: ms() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { step, ok: false, ms: ms(), ...(code ? { code } : {}), message };
  }
}

/** A resolver that hangs has a patience of its own, of half a minute and more. */
async function resolve(host: string, patience: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(`no answer about ${host} within ${inSeconds(patience)}`), { code: 'ETIMEDOUT' })), patience);
  });
  await Promise.race([lookup(host), late]).finally(() => clearTimeout(timer));
}

const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

function dial(host: string, port: number, patience: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tcpConnect({ host, port, timeout: patience });
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once('timeout', () =>
      socket.destroy(Object.assign(new Error(`no answer from ${host}:${port} within ${inSeconds(patience)}`), { code: 'ETIMEDOUT' })),
    );
    // Node gathers the attempts on several addresses in an AggregateError, whose own message is empty.
    socket.once('error', (error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }) =>
      reject(error.message === '' && error.errors?.[0] ? error.errors[0] : error),
    );
  });
}

async function viaProxy(proxy: string, failed: Answer | null, patience: number): Promise<{ ok: boolean; step: ConnectionStep }> {
  const url = new URL(proxy);
  const ports: Record<string, number> = { 'https:': 443, 'http:': 80 };
  const step = await timed('proxy', async () => void (await dial(url.hostname, Number(url.port) || (ports[url.protocol] ?? 1080), patience)).destroy());
  if (!step.ok) return { ok: false, step: { ...step, message: `the proxy ${url.host} does not answer: ${step.message ?? ''}` } };
  if (failed && /Bad response: \d+/.test(failed.message))
    return {
      ok: false,
      step: { step: 'proxy', ok: false, code: failed.message.replace(/\D+/g, ''), message: `the proxy ${url.host} refuses to connect: ${failed.message}` },
    };
  return { ok: true, step };
}

// Verification is off here on purpose: nothing is sent, and a certificate that does not verify is the one to look at.
function shakeHands(
  socket: Socket,
  host: string,
  { tls: options }: Connection,
  patience: number,
): Promise<{ step: ConnectionStep; certificate?: ApiServer['certificate'] }> {
  const start = performance.now();
  const step = (rest: Partial<ConnectionStep>): ConnectionStep => ({ step: 'tls', ok: true, ms: Math.round(performance.now() - start), ...rest });
  return new Promise((resolve) => {
    const servername = options.servername ?? (isIP(host) ? undefined : host);
    let secure: tls.TLSSocket;
    try {
      secure = tls.connect({ ...options, socket, ...(servername ? { servername } : {}), rejectUnauthorized: false });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      resolve({ step: step({ ok: false, ...(code ? { code } : {}), message }) });
      return;
    }
    const timer = setTimeout(() => secure.destroy(Object.assign(new Error(`no TLS answer within ${inSeconds(patience)}`), { code: 'ETIMEDOUT' })), patience);
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      const peer = secure.getPeerCertificate();
      const shown = certificateOf(peer);
      const certificate = shown ? { certificate: shown } : {};
      const wrong = options.rejectUnauthorized ? (verificationError(secure) ?? tls.checkServerIdentity(servername ?? host, peer)) : undefined;
      secure.destroy();
      if (!wrong) return resolve({ step: step({}), ...certificate });
      const { code, message } = wrong as NodeJS.ErrnoException;
      resolve({ step: step({ ok: false, ...(code ? { code } : {}), message }), ...certificate });
    });
    secure.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ step: step({ ok: false, ...(error.code ? { code: error.code } : {}), message: error.message }) });
    });
  });
}

// Typed as an Error, but Node gives the bare code of OpenSSL (lib/_tls_wrap.js, onConnectSecure).
function verificationError(secure: tls.TLSSocket): { code: string; message: string } | undefined {
  if (secure.authorized) return undefined;
  const error: unknown = secure.authorizationError;
  if (error === undefined || error === null) return undefined;
  const code = typeof error === 'string' ? error : ((error as NodeJS.ErrnoException).code ?? String(error));
  // Node reports a wrong name through the same field, as its own code.
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return undefined;
  return { code, message: WORDS[code] ?? code.toLowerCase().replaceAll('_', ' ') };
}

const WORDS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_NOT_YET_VALID: 'certificate is not yet valid',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate signed by unknown authority (self-signed certificate in the chain)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate signed by unknown authority (self-signed)',
  CERT_SIGNATURE_FAILURE: 'the certificate is not signed by the authority that the kubeconfig names',
};

/** A certificate in the report's terms; undefined where the peer showed none. */
export function certificateOf(peer: tls.PeerCertificate): ApiServer['certificate'] {
  if (!peer?.valid_to) return undefined;
  const name = (of: tls.Certificate | undefined): string => String(of?.CN ?? of?.O ?? '');
  const names = (peer.subjectaltname ?? '')
    .split(', ')
    .map((entry) => entry.replace(/^(?:DNS|IP Address|URI):/, ''))
    .filter((entry) => entry !== '');
  return { subject: name(peer.subject), issuer: name(peer.issuer), notBefore: timeOf(peer.valid_from), notAfter: timeOf(peer.valid_to), names };
}

const timeOf = (text: string): string => new Date(text).toISOString().replace('.000Z', 'Z');
