/**
 * Where people and programs leave secrets in a cluster, one marker a place. The markers are random, so that none can be found but
 * by its value; each looks as its kind does, because some are known by nothing else.
 */
import { randomBytes } from 'node:crypto';
import type { KubeObject } from '../../src/model/kinds.ts';

export interface Planted {
  /** What must be found nowhere, by the place it was left in. */
  secrets: Record<string, string>;
  objects: KubeObject[];
}

const random = (bytes = 9): string => randomBytes(bytes).toString('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const upper = (length: number): string => Array.from(randomBytes(length), (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte % 32]).join('');

/** Objects for `namespace`; those of `Widget.strata.test` need its definition. All of them pass the API server's validation. */
export function plant(namespace: string): Planted {
  const secrets: Record<string, string> = {};
  const keep = (place: string, value: string): string => (secrets[place] = value);
  const marker = (place: string): string => keep(place, `m${random()}`);
  const jwt = (place: string): string => {
    const payload = keep(place, Buffer.from(JSON.stringify({ sub: random() })).toString('base64url'));
    return `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${payload}.${randomBytes(20).toString('base64url')}`;
  };
  const pem = (place: string): string => `-----BEGIN RSA PRIVATE KEY-----\n${keep(place, randomBytes(24).toString('hex'))}\n-----END RSA PRIVATE KEY-----\n`;
  const meta = (name: string, annotations?: Record<string, string>): KubeObject['metadata'] => ({ name, namespace, ...(annotations ? { annotations } : {}) });
  const secret = (name: string, type: string, data: Record<string, string>, annotations?: Record<string, string>): KubeObject =>
    ({ apiVersion: 'v1', kind: 'Secret', metadata: meta(name, annotations), type, data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])) });

  const applied = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'opaque', namespace }, data: { password: base64(marker('last applied, data')) }, stringData: { pin: marker('last applied, stringData') } };
  const url = `postgres://app:${marker('password of a URL')}@db.example.com:5432/shop`;
  const shared = marker('the same value twice');

  const container = (name: string, more: object): object => ({ name, image: 'registry.example.com/app:1', ...more });
  const template = {
    metadata: { labels: { app: 'planted' }, annotations: { 'vendor.example.com/api-token': marker('annotation of a template'), 'tool.example.com/original': `{"apiVersion":"v1","kind":"Secret","stringData":{"x":"${marker('manifest in an annotation')}"}}` } },
    spec: {
      initContainers: [container('init', { command: ['sh', '-c', `export PGPASSWORD=${marker('assignment in a shell')}; curl -H "Authorization: Bearer ${marker('header in a shell')}" -u admin:${marker('user of curl')} https://example.com`], env: [{ name: 'INIT_DB_PASS', value: marker('variable of an init container') }] })],
      containers: [container('app', {
        args: [`--token=${marker('argument with =')}`, '--api-key', marker('argument of its own'), '--port=8080', `--config={"smtp":{"password":"${marker('JSON in an argument')}"}}`],
        command: ['app', '--dsn', `app:${marker('Go data source name')}@tcp(db:3306)/shop`],
        env: [
          { name: 'DB_PASSWORD', value: marker('variable by its name') }, { name: 'COPY_PASSWORD', value: shared }, { name: 'OTHER_TOKEN', value: shared },
          { name: 'DATABASE_URL', value: url }, { name: 'JDBC', value: `jdbc:sqlserver://db:1433;user=sa;password=${marker('connection string')};encrypt=true` },
          { name: 'SESSION', value: jwt('JWT') }, { name: 'AWS_ACCESS_KEY_ID', value: keep('AWS key id', `AKIA${upper(16)}`) }, { name: 'AWS_SECRET_ACCESS_KEY', value: keep('AWS secret key', randomBytes(30).toString('base64')) },
          { name: 'CHANNEL', value: keep('token by its prefix', `ghp_${random(18)}`) }, { name: 'TLS', value: pem('private key in a variable') }, { name: 'JAVA_OPTS', value: `-Xmx1g -Djavax.net.ssl.keyStorePassword=${marker('system property')}` },
        ],
        readinessProbe: { httpGet: { path: '/', port: 80, httpHeaders: [{ name: 'Authorization', value: `Basic ${keep('header of a probe', base64(`probe:${random()}`))}` }] } },
        livenessProbe: { exec: { command: ['redis-cli', '-a', marker('flag of one letter'), 'ping'] } },
        lifecycle: { preStop: { exec: { command: ['sh', '-c', `deregister --secret ${marker('hook')}`] } } },
      })],
      volumes: [{ name: 'share', csi: { driver: 'smb.example.com', volumeAttributes: { username: 'u', password: marker('attribute of a CSI volume') } } }],
    },
  };

  return {
    secrets,
    objects: [
      secret('opaque', 'Opaque', { password: marker('Secret, data') }, { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(applied) }),
      secret('basic', 'kubernetes.io/basic-auth', { username: 'admin', password: marker('basic-auth') }),
      secret('registry', 'kubernetes.io/dockerconfigjson', { '.dockerconfigjson': JSON.stringify({ auths: { 'registry.example.com': { auth: base64(`robot:${marker('dockerconfigjson')}`) } } }) }),
      secret('tls', 'kubernetes.io/tls', { 'tls.crt': 'no certificate', 'tls.key': pem('TLS key') }),
      secret('helm', 'helm.sh/release.v1', { release: base64(`{"values":{"password":"${marker('Helm release')}"}}`) }),
      secret('token', 'Opaque', { token: jwt('token of a service account') }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('settings'), data: { 'app.yaml': `db:\n  password: ${marker('ConfigMap')}\n`, 'id_rsa': pem('private key in a ConfigMap') } },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta('planted', { 'kubernetes.io/change-cause': `kubectl set env deploy/planted ADMIN_PASSWORD=${marker('change cause')}` }), spec: { replicas: 1, selector: { matchLabels: { app: 'planted' } }, template } },
      { apiVersion: 'batch/v1', kind: 'CronJob', metadata: meta('planted'), spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container('job', { env: [{ name: 'CRON_SECRET', value: marker('variable of a CronJob') }] })] } } } } } },
      { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: meta('planted', { 'nginx.example.com/snippet': `proxy_set_header Authorization "Bearer ${marker('annotation of an Ingress')}1234";` }), spec: { defaultBackend: { service: { name: 'planted', port: { number: 80 } } } } },
      {
        apiVersion: 'v1', kind: 'Event', metadata: meta('planted.1'), type: 'Warning', reason: 'Failed', reportingComponent: 'strata.test/widget', source: { component: 'strata.test/widget' },
        involvedObject: { apiVersion: 'strata.test/v1', kind: 'Widget', namespace, name: 'planted' }, firstTimestamp: new Date().toISOString(), lastTimestamp: new Date().toISOString(), count: 1,
        message: `login with token=${marker('token in an event')} refused; ${url.replace(/:m\w+@/, `:${marker('URL in an event')}@`)} does not answer; password: ${marker('password in an event')}`,
      } as KubeObject,
      {
        apiVersion: 'strata.test/v1', kind: 'Widget', metadata: meta('planted'),
        spec: { user: 'admin', password: marker('password of a custom resource'), auth: { clientSecret: marker('nested in a custom resource') }, tokens: [marker('list in a custom resource')], selector: [{ key: 'zone', operator: 'Exists' }], pod: { containers: [{ name: 'x', env: [{ name: 'API_TOKEN', value: marker('variable in a custom resource') }] }] }, manifest: JSON.stringify({ kind: 'Secret', data: { x: base64(marker('manifest in a custom resource')) } }) },
        status: { accessToken: marker('token in a status'), conditions: [{ type: 'Ready', status: 'False', reason: 'Refused', lastTransitionTime: '2026-01-01T00:00:00Z', message: `401 for bearer ${marker('bearer in a condition')}` }] },
      } as KubeObject,
    ],
  };
}

/** What programs leave in a pod's status; the kubelet copies the termination message. */
export const confession = (value: string): string => `FATAL: cannot log in, password=${value}`;

/** Every form in which a value could still be there: as it is, in base64 at any offset, escaped, reversed. */
export function formsOf(value: string): string[] {
  const encoded = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]).toString('base64').replace(/=+$/, '');
    // The first and the last characters depend on what stands around.
    return text.slice(offset === 0 ? 0 : offset + 1, text.length - (((value.length + offset) % 3) === 0 ? 0 : 1));
  });
  return [...new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), Buffer.from(value).toString('hex'), [...value].reverse().join(''), ...encoded])];
}
