import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, certificate, signingKey } from './certificates.ts';
import { closedServer, nowhereServer, writeKubeconfig } from './kubeconfig.ts';
import { HOST_IP, NODES, paths } from './layout.ts';

interface User {
  kubeconfig: string;
  name: string;
  groups: readonly string[];
}

/** `limited` and those named for what they may not do are identities and nothing more, until a test binds them to roles. */
const USERS: readonly User[] = [
  { kubeconfig: 'admin', name: 'admin', groups: ['system:masters'] },
  { kubeconfig: 'limited', name: 'limited', groups: ['strata:limited'] },
  ...['no-watch', 'no-events', 'no-nodes', 'no-pods'].map((name) => ({ kubeconfig: name, name, groups: [] })),
  { kubeconfig: 'kube-controller-manager', name: 'system:kube-controller-manager', groups: [] },
  { kubeconfig: 'kube-scheduler', name: 'system:kube-scheduler', groups: [] },
  { kubeconfig: 'kube-proxy', name: 'system:kube-proxy', groups: [] },
  ...NODES.map((node) => ({ kubeconfig: node.name, name: `system:node:${node.name}`, groups: ['system:nodes'] })),
];

export const pki = {
  ca: join(paths.pki, 'ca.crt'),
  caKey: join(paths.pki, 'ca.key'),
  serverCert: join(paths.pki, 'apiserver.crt'),
  serverKey: join(paths.pki, 'apiserver.key'),
  accountKey: join(paths.pki, 'service-account.key'),
  accountPublic: join(paths.pki, 'service-account.pub'),
} as const;

const CA_NAME = 'strata-test-ca';

/** The authority of the running cluster, for tests that need a certificate of their own. */
export const authority = (): Authority => ({
  commonName: CA_NAME,
  cert: readFileSync(pki.ca, 'utf8'),
  key: readFileSync(pki.caKey, 'utf8'),
});

const HOUR = 3600 * 1000;

/** What can be wrong between a user and the API server, one kubeconfig each; `adminToken` is right where something else is wrong. */
function writeWrongKubeconfigs(ca: Authority, adminToken: string): void {
  const expired = certificate(
    {
      commonName: 'admin',
      organizations: ['system:masters'],
      notBefore: new Date(Date.now() - 48 * HOUR),
      notAfter: new Date(Date.now() - HOUR),
    },
    ca,
  );
  const other = certificate({ commonName: CA_NAME, ca: true });
  writeKubeconfig({ name: 'wrong-token', ca: ca.cert, token: randomBytes(16).toString('hex') });
  writeKubeconfig({ name: 'no-credentials', ca: ca.cert });
  writeKubeconfig({ name: 'expired-certificate', ca: ca.cert, client: expired });
  writeKubeconfig({ name: 'wrong-ca', ca: other.cert, token: adminToken });
  writeKubeconfig({ name: 'wrong-name', ca: ca.cert, token: adminToken, tlsServerName: 'api.elsewhere.test' });
  writeKubeconfig({ name: 'closed-port', ca: ca.cert, token: adminToken, server: closedServer });
  writeKubeconfig({ name: 'unknown-host', ca: ca.cert, token: adminToken, server: nowhereServer });
}

/** Makes the authority, the serving certificate, the tokens and all kubeconfigs anew. */
export function writeCredentials(): void {
  mkdirSync(paths.pki, { recursive: true, mode: 0o700 });
  const ca = certificate({ commonName: CA_NAME, ca: true });
  const server = certificate(
    {
      commonName: 'kube-apiserver',
      ips: [HOST_IP, '127.0.0.1', '198.18.0.1'],
      names: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    },
    ca,
  );
  const account = signingKey();
  const files: Record<string, string> = {
    [pki.ca]: ca.cert,
    [pki.caKey]: ca.key,
    [pki.serverCert]: server.cert,
    [pki.serverKey]: server.key,
    [pki.accountKey]: account.privateKey,
    [pki.accountPublic]: account.publicKey,
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text, { mode: 0o600 });

  const tokens = USERS.map((user) => ({ user, token: randomBytes(16).toString('hex') }));
  const lines = tokens.map(({ user, token }) => {
    const groups = user.groups.length > 0 ? `,"${user.groups.join(',')}"` : '';
    return `${token},${user.name},${user.name}${groups}`;
  });
  writeFileSync(paths.tokens, `${lines.join('\n')}\n`, { mode: 0o600 });
  for (const { user, token } of tokens) writeKubeconfig({ name: user.kubeconfig, ca: ca.cert, token });
  writeWrongKubeconfigs(ca, tokens[0]?.token ?? '');
}
