import type { ApiServer } from '../../model/server.ts';
import type { Text } from '../../model/text.ts';
import type { Cause } from './server-causes.ts';
import { duration, timeOf } from '../time.ts';
import { some } from '../words.ts';

/** What the words about a server are made of. */
export interface Situation {
  cause: Cause;
  text: Text;
  /** `expired`, `not yet valid` or '': the serving certificate's dates. */
  certificate: string;
  /** What the decisive step, check or answer said. */
  proof: string;
  checks: readonly string[];
  now: number;
}

export interface ServerWords {
  says: string;
  expected: string;
  actual: string;
  conclusion: string;
  /** The look that confirms, and the one after it; '' for none. */
  look: string;
  after: string;
}

const READYZ = `kubectl get --raw '/readyz?verbose'`;
const MEMBERS = 'on each control plane machine: crictl ps -a --name etcd (which members run); etcdctl endpoint status --cluster -w table (whether one leads)';
const CLUSTER = `kubectl config view --minify -o jsonpath='{.clusters[0].cluster}'`;
const USER_CERTIFICATE = `kubectl config view --minify --raw -o jsonpath='{.users[0].user.client-certificate-data}' | base64 -d | openssl x509 -noout -subject -enddate`;
const AUTHORITY = `kubectl config view --minify --raw -o jsonpath='{.clusters[0].cluster.certificate-authority-data}' | base64 -d | openssl x509 -noout -subject -enddate`;

/** Host and port of the endpoint. */
export const hostOf = (server: ApiServer): string => server.endpoint.replace(/^https?:\/\//, '').split('/')[0] || server.metadata.name;

const nameOf = (server: ApiServer): string =>
  hostOf(server)
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '');
const portOf = (server: ApiServer): string => /:(\d+)$/.exec(hostOf(server))?.[1] ?? (server.endpoint.startsWith('http:') ? '80' : '443');
const hello = (server: ApiServer, what: string): string =>
  `openssl s_client -connect ${nameOf(server)}:${portOf(server)}${server.serverName ? ` -servername ${server.serverName}` : ''} </dev/null 2>/dev/null | openssl x509 -noout ${what}`;
const userOf = (server: ApiServer): string => (server.user ? `user ${server.user}` : 'the kubeconfig');

/** How long ago, or how long until: `3d ago`. */
function away(now: number, time: string): string {
  const ms = timeOf(time) ?? now;
  return ms <= now ? `${duration((now - ms) / 1000)} ago` : `in ${duration((ms - now) / 1000)}`;
}

/** Title, expected, actual, conclusion and next looks for what keeps the API server from being asked. */
export function wordsOf(server: ApiServer, at: Situation): ServerWords {
  const known = at.text.class === 'unknown' || at.text.class === '' ? '' : at.text.says;
  const base = { says: known || at.proof, actual: at.proof, after: '' };
  const name = nameOf(server);
  switch (at.cause) {
    case 'dns':
      return {
        ...base,
        expected: `the name ${name} resolves here`,
        look: `getent hosts ${name}`,
        after: CLUSTER,
        conclusion: 'Nothing was sent: the name in the kubeconfig is not known to this machine. The API server itself was not reached and not judged.',
      };
    case 'proxy':
      return {
        ...base,
        expected: `the proxy passes on to ${hostOf(server)}`,
        look: 'env | grep -i _proxy',
        after: CLUSTER,
        conclusion: 'The proxy between here and the API server does not let the connection through. The API server itself was not reached and not judged.',
      };
    case 'tcp':
      return {
        ...base,
        expected: `something listens at ${hostOf(server)}`,
        look: `nc -vz ${name} ${portOf(server)}`,
        after: CLUSTER,
        conclusion:
          'The address was found and nobody took the connection: the API server is down, or a firewall or load balancer stands in between. What runs on the nodes goes on.',
      };
    case 'certificate':
      return { ...base, ...certificateWords(server, at) };
    case 'tls':
      return {
        ...base,
        expected: `a TLS handshake with ${hostOf(server)}`,
        look: `openssl s_client -connect ${name}:${portOf(server)} </dev/null`,
        conclusion: 'Something listens there and TLS did not come about.',
      };
    case 'http':
      return {
        ...base,
        expected: `an HTTP answer from ${hostOf(server)}`,
        look: 'kubectl get --raw /livez',
        conclusion: 'The connection came about and no answer came over it.',
      };
    case 'unauthorized':
      return { ...base, ...identityWords(server, at) };
    case 'etcd':
      return { ...base, actual: withChecks(at), expected: 'etcd answers the API server', look: MEMBERS, after: READYZ, conclusion: storageWords(at) };
    case 'unready':
      return {
        ...base,
        actual: withChecks(at),
        expected: '/readyz answers ok',
        look: READYZ,
        conclusion: 'The API server answers and says itself that it is not ready.',
      };
    case 'failing':
      return {
        ...base,
        expected: 'the API server answers what it is asked',
        look: at.text.next || READYZ,
        conclusion: 'The connection is good; the API server itself fails to answer.',
      };
    case 'throttled':
      return {
        ...base,
        expected: 'requests are served',
        look: 'kubectl get --raw /metrics | grep apiserver_flowcontrol_rejected_requests_total',
        conclusion: 'The API server is reachable and sheds load.',
      };
    case 'forbidden':
      return { ...base, ...permissionWords(server, at) };
    case '':
      return { ...base, says: '', actual: '', expected: '', look: '', conclusion: '' };
  }
}

/** A member that runs says that it has no leader; silence is the same whether none runs, none is reached, or those that do were started without a quorum. */
function storageWords({ text }: Situation): string {
  const why =
    text.class === 'etcd-no-leader'
      ? 'a member of it runs and knows no leader, so too few of its members are up or see each other, or they are just electing one'
      : text.class === 'etcd-unavailable'
        ? 'none of its members that is reached said why, so it is down, has lost its quorum, or cannot be reached'
        : 'it is down, has lost its quorum, or cannot be reached';
  return `The API server answers from its caches; its storage does not: ${why}. Writes fail, what is read may be old, and what runs goes on.`;
}

const withChecks = ({ proof, checks }: Situation): string => `${proof}${checks.length > 1 ? `; checks that fail: ${checks.join(', ')}` : ''}`;

function certificateWords(server: ApiServer, at: Situation): Omit<ServerWords, 'says'> & { says?: string } {
  const { certificate } = server;
  const name = server.serverName || nameOf(server);
  const issued = certificate ? `, issued by ${certificate.issuer}` : '';
  if (certificate && at.certificate === 'expired') {
    return {
      says: `The API server's certificate expired ${away(at.now, certificate.notAfter)}`,
      expected: `a certificate that is valid now, for ${name}`,
      actual: `valid until ${certificate.notAfter}${issued}`,
      look: hello(server, '-subject -dates'),
      after: 'on a control plane machine: kubeadm certs check-expiration',
      conclusion: 'The server runs and answers; only its certificate is out of date. Running workloads are not affected by this; changes and recovery are.',
    };
  }
  if (certificate && at.certificate === 'not yet valid') {
    return {
      says: `The API server's certificate is valid only ${away(at.now, certificate.notBefore)}, by this clock`,
      expected: `a certificate that is valid now, for ${name}`,
      actual: `valid from ${certificate.notBefore}${issued}`,
      look: 'date -u',
      after: hello(server, '-subject -dates'),
      conclusion: 'The server runs and answers; its certificate is from the future, so this clock or that of whoever made it is wrong.',
    };
  }
  if (at.text.class === 'tls-name') {
    return {
      says: `The API server's certificate is not for ${name}`,
      expected: `a certificate for ${name}${server.serverName ? ', the tls-server-name of the kubeconfig' : ''}`,
      actual: certificate ? `it is for ${some(certificate.names)}${issued}` : at.proof,
      look: hello(server, '-ext subjectAltName'),
      after: CLUSTER,
      conclusion: server.serverName
        ? 'The server runs and answers; the kubeconfig asks it to be somebody else.'
        : 'The server runs and answers; its certificate does not know this address: a new one, or a load balancer in front.',
    };
  }
  return {
    expected: `a certificate for ${name} by an authority that the kubeconfig trusts`,
    actual: certificate ? `one for ${some(certificate.names.length > 0 ? certificate.names : [certificate.subject])}${issued}` : at.proof,
    look: AUTHORITY,
    after: hello(server, '-issuer -enddate'),
    conclusion:
      "The server runs and answers; its certificate is signed by nobody whom the kubeconfig trusts: another cluster's kubeconfig, a changed authority, or somebody in between.",
  };
}

const CREDENTIALS = { certificate: 'client certificate', token: 'token', password: 'password', none: 'credential' } as const;

/** The server says no more than 401, whatever the reason (apiserver, filters/authentication.go); the credential's own dates may. */
function identityWords(server: ApiServer, { now }: Situation): Omit<ServerWords, 'says' | 'actual'> & Partial<ServerWords> {
  const { kind, subject, notBefore, notAfter } = server.credential ?? { kind: undefined, subject: '' };
  const what = kind ? CREDENTIALS[kind] : 'credential';
  // Whoever is not known cannot ask who they are.
  const looks = {
    look: kind === 'certificate' ? USER_CERTIFICATE : `kubectl config view --minify -o jsonpath='{.users[0]}'`,
    after: `get a new ${what} from whoever runs the cluster`,
  };
  const expected = `the ${what} of ${userOf(server)} is accepted`;
  const until = timeOf(notAfter);
  const from = timeOf(notBefore);
  if (notAfter && until !== null && until < now) {
    return {
      ...looks,
      says: `The ${what} of ${userOf(server)} expired ${away(now, notAfter)}`,
      expected: `a ${what} that is valid now`,
      actual: `valid until ${notAfter}${subject ? `, for ${subject}` : ''}; the server answers 401 Unauthorized`,
      conclusion: `The server runs and answers; what is shown to it is out of date. This is identity, not permission: a new ${what} is needed, no role would help.`,
    };
  }
  if (notBefore && from !== null && from > now) {
    return {
      ...looks,
      look: 'date -u',
      after: looks.look,
      says: `The ${what} of ${userOf(server)} is valid only ${away(now, notBefore)}`,
      expected: `a ${what} that is valid now`,
      actual: `valid from ${notBefore}; the server answers 401 Unauthorized`,
      conclusion: 'The server runs and answers; the credential is from the future, so a clock is wrong.',
    };
  }
  if (kind === 'none') {
    return {
      ...looks,
      says: `The kubeconfig shows the API server no credential`,
      expected: `a credential of ${userOf(server)}`,
      conclusion: 'The server runs and answers; nothing tells it who asks. This is identity, not permission: no role would help.',
    };
  }
  return {
    ...looks,
    says: `The API server does not accept the ${what} of ${userOf(server)}`,
    expected,
    conclusion: 'The server runs and answers; it does not know who asks. This is identity, not permission: no role would help.',
  };
}

function permissionWords(server: ApiServer, { proof }: Situation): Omit<ServerWords, 'says' | 'actual' | 'after'> & Partial<ServerWords> {
  const who = /User "([^"]+)"/.exec(proof)?.[1] ?? '';
  if (who === 'system:anonymous') {
    return {
      says: 'The API server takes whoever asks for system:anonymous: no credential reached it',
      expected: `a credential of ${userOf(server)}`,
      look: `kubectl config view --minify -o jsonpath='{.users[0]}'`,
      after: 'kubectl auth whoami',
      conclusion: 'The server runs and answers; it was shown no credential (or a proxy took it away), and nobody without one may read anything.',
    };
  }
  return {
    says: `${who || userOf(server)} may list nothing that was asked for`,
    expected: `${userOf(server)} may list something`,
    look: 'kubectl auth whoami',
    after: 'kubectl auth can-i --list',
    conclusion: 'The server runs and knows who asks; nothing is permitted. What cannot be seen is not judged.',
  };
}
