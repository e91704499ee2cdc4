import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A key and a certificate that vouches for itself, PEM. */
export interface Identity {
  cert: string;
  key: string;
}

const DAY = 24 * 3600 * 1000;

/**
 * A certificate for 127.0.0.1 on P-256. kubectl sends no token over plain HTTP (client-go, clientcmd/client_config.go), and
 * Node can read certificates but not make them: DER by hand (X.690), fields by RFC 5280.
 */
export function loopbackIdentity(now = Date.now()): Identity {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('1.2.840.10045.4.3.2')); // ecdsa-with-SHA256
  const name = sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from('kubectl-strata recording')))));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    name,
    sequence(utcTime(now - DAY), utcTime(now + 30 * DAY)),
    name,
    createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' })).export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        // basicConstraints: an authority, of itself alone. keyUsage: digitalSignature and keyCertSign. subjectAltName.
        sequence(oid('2.5.29.19'), TRUE, octets(sequence(TRUE))),
        sequence(oid('2.5.29.15'), TRUE, octets(der(0x03, Buffer.from([2, 0x84])))),
        sequence(oid('2.5.29.17'), octets(sequence(der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from('localhost'))))),
      ),
    ),
  );
  return {
    cert: pem('CERTIFICATE', sequence(body, algorithm, der(0x03, Buffer.from([0]), sign('sha256', body, pair.privateKey)))),
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const n = body.length;
  return Buffer.concat([Buffer.from([tag, ...(n < 0x80 ? [n] : n < 0x100 ? [0x81, n] : [0x82, n >> 8, n & 0xff])]), body]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const octets = (body: Buffer): Buffer => der(0x04, body);
const TRUE = der(0x01, Buffer.from([0xff]));
const utcTime = (at: number): Buffer => der(0x17, Buffer.from(`${new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (value: number): number[] => (value < 128 ? [value] : [...base128(value >> 7).map((byte) => byte | 0x80), value & 0x7f]);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

const pem = (label: string, body: Buffer): string =>
  `-----BEGIN ${label}-----\n${(body.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`;
