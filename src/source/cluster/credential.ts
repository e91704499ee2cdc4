import { X509Certificate } from 'node:crypto';
import type { Credential } from '../../model/server.ts';
import type { Connection } from './kubeconfig.ts';

/** Who the server was told is asking, as far as the credential itself says; a 401 gives no reason (apiserver, filters/authentication.go). */
export function credentialOf({ headers, tls }: Connection): Credential {
  const authorization = String(headers['Authorization'] ?? headers['authorization'] ?? '');
  if (authorization.startsWith('Bearer ')) return tokenOf(authorization.slice('Bearer '.length).trim());
  if (authorization.startsWith('Basic '))
    return { kind: 'password', subject: Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':')[0] ?? '' };
  return tls.cert ? certificateOf(tls.cert) : { kind: 'none', subject: '' };
}

function certificateOf(pem: Buffer | string): Credential {
  try {
    const { subject, validFrom, validTo } = new X509Certificate(pem);
    return {
      kind: 'certificate',
      subject: /^CN=(.*)$/m.exec(subject)?.[1] ?? '',
      notBefore: rfc3339(Date.parse(validFrom)),
      notAfter: rfc3339(Date.parse(validTo)),
    };
  } catch {
    return { kind: 'certificate', subject: '' };
  }
}

function tokenOf(token: string): Credential {
  const claims = claimsOf(token);
  const time = (field: string): string | undefined => (typeof claims[field] === 'number' ? rfc3339(claims[field] * 1000) : undefined);
  const [notBefore, notAfter] = [time('nbf'), time('exp')];
  return {
    kind: 'token',
    subject: typeof claims['sub'] === 'string' ? claims['sub'] : '',
    ...(notBefore ? { notBefore } : {}),
    ...(notAfter ? { notAfter } : {}),
  };
}

// The middle part of a JWT; any other token is opaque.
function claimsOf(token: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const rfc3339 = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
