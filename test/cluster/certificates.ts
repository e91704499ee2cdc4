import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** X.509 certificates on P-256, as DER by hand: Node can read certificates but not make them. */
export interface Identity {
  cert: string;
  key: string;
}

export interface CertificateOptions {
  commonName: string;
  organizations?: readonly string[];
  ips?: readonly string[];
  names?: readonly string[];
  ca?: boolean;
  notBefore?: Date;
  notAfter?: Date;
}

const DAY = 24 * 3600 * 1000;

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const n = body.length;
  const size = n < 0x80 ? [n] : n < 0x100 ? [0x81, n] : [0x82, n >> 8, n & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
const octets = (body: Buffer): Buffer => der(0x04, body);
const bits = (body: Buffer): Buffer => der(0x03, Buffer.from([0]), body);
const TRUE = der(0x01, Buffer.from([0xff]));

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (value: number): number[] => (value < 128 ? [value] : [...base128(value >> 7).map((byte) => byte | 0x80), value & 0x7f]);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTCTime, which RFC 5280 wants until 2049. */
const time = (at: Date): Buffer => der(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

function subject(options: CertificateOptions): Buffer {
  const attribute = (type: string, value: string): Buffer => der(0x31, sequence(oid(type), utf8(value)));
  const organizations = (options.organizations ?? []).map((name) => attribute('2.5.4.10', name));
  return sequence(...organizations, attribute('2.5.4.3', options.commonName));
}

function extensions(options: CertificateOptions): Buffer {
  const names = [
    ...(options.names ?? []).map((name) => der(0x82, Buffer.from(name))),
    ...(options.ips ?? []).map((ip) => der(0x87, Buffer.from(ip.split('.').map(Number)))),
  ];
  const usages = options.ca ? 0x06 : 0x80; // keyCertSign + cRLSign, or digitalSignature
  return sequence(
    sequence(oid('2.5.29.19'), TRUE, octets(sequence(...(options.ca ? [TRUE] : [])))),
    sequence(oid('2.5.29.15'), TRUE, octets(der(0x03, Buffer.from([options.ca ? 1 : 7, usages])))),
    ...(options.ca ? [] : [sequence(oid('2.5.29.37'), octets(sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))))]),
    ...(names.length > 0 ? [sequence(oid('2.5.29.17'), octets(sequence(...names)))] : []),
  );
}

const pem = (label: string, body: Buffer): string =>
  `-----BEGIN ${label}-----\n${(body.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`;

export interface Authority extends Identity {
  commonName: string;
}

/** Makes a certificate signed by `issuer`, or by itself. Valid from yesterday for ten years unless told otherwise. */
export function certificate(options: CertificateOptions, issuer?: Authority): Authority {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signer = createPrivateKey(issuer?.key ?? key);
  const algorithm = sequence(oid('1.2.840.10045.4.3.2')); // ecdsa-with-SHA256
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    subject(issuer ? { commonName: issuer.commonName } : options),
    sequence(time(options.notBefore ?? new Date(Date.now() - DAY)), time(options.notAfter ?? new Date(Date.now() + 3650 * DAY))),
    subject(options),
    createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()).export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions(options)),
  );
  return {
    commonName: options.commonName,
    cert: pem('CERTIFICATE', sequence(body, algorithm, bits(sign('sha256', body, signer)))),
    key,
  };
}

/** The PEM key pair that signs service account tokens. */
export function signingKey(): { privateKey: string; publicKey: string } {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privateKey: pair.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}
