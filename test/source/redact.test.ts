import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/model/kinds.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { writeRecording } from '../../src/source/index.ts';
import { createNotes } from '../../src/source/notes.ts';
import { admit } from '../../src/source/door.ts';
import { readRecording } from '../../src/source/recording/read.ts';
import { createRedactor } from '../../src/source/redact.ts';
import { apiServer } from '../build.ts';
import { confession, formsOf, plant } from './secrets.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'strata-redact-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const door = () => ({ notes: createNotes(), redactor: createRedactor() });
const admitted = (raw: unknown): KubeObject => admit(structuredClone(raw), door()) as KubeObject;
const pod = (spec: object, status: object = {}): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'x' }, spec, status });
const args = (...words: string[]): string[] => (admitted(pod({ containers: [{ name: 'c', args: words }] }))['spec'] as { containers: { args: string[] }[] }).containers[0]?.args ?? [];
const said = (message: string): string => admitted({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'x' }, involvedObject: {}, message })['message'] as string;

describe('of what is planted', () => {
  // The pod that the controllers would make of the Deployment, and what its program said when it ended.
  const planted = plant('x');
  const deployment = planted.objects.find(({ kind }) => kind === 'Deployment') as unknown as { spec: { template: { metadata: object; spec: object } } };
  const { metadata, spec } = deployment.spec.template;
  planted.secrets['termination message'] = 'm0123456789abcdef';
  const ended = { containerStatuses: [{ name: 'app', state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 1, message: confession('m0123456789abcdef') } } }] };
  const objects = [...planted.objects, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'planted-1', namespace: 'x', ...metadata }, spec, status: ended }];

  test('nothing gets into a recording, in no form, and the recording says where values were taken out', async () => {
    const shared = door();
    const kept = objects.map((object) => admit(structuredClone(object), shared) as KubeObject);
    const snapshot = new Snapshot({ objects: kept, coverage: [], server: apiServer(), capturedAt: '2026-03-01T12:00:00Z', source: { kind: 'cluster', name: 'x' }, cost: { requests: 0, bytes: 0, ms: 0 } });
    await writeRecording(join(dir, 'planted'), snapshot, { namespaces: ['x'], all: false, targets: [] }, 't');
    const files = (await readdir(join(dir, 'planted'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const text = (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')))).join('\n');
    const found = Object.entries(planted.secrets).filter(([, value]) => formsOf(value).some((form) => text.includes(form))).map(([place]) => place);
    expect(found).toEqual([]);
    expect(Object.keys(planted.secrets).length).toBeGreaterThanOrEqual(40);
    // Nothing but the values is gone.
    for (const word of ['--port=8080', 'registry.example.com/app:1', 'jdbc:sqlserver://db:1433;user=sa;password=<redacted', 'postgres://app:<redacted', '@db.example.com:5432/shop', '"key":"zone","operator":"Exists"', 'DB_PASSWORD', 'does not answer']) expect(text, word).toContain(word);
    const report = JSON.parse(await readFile(join(dir, 'planted/redaction.json'), 'utf8')) as { objects: { kind: string; name: string; at: string[] }[] };
    expect(report.objects.find(({ kind }) => kind === 'CronJob')?.at).toEqual(['/spec/jobTemplate/spec/template/spec/containers/0/env/0/value']);
    expect(report.objects.find(({ kind, name }) => kind === 'Secret' && name === 'basic')?.at).toEqual(['/data/username', '/data/password']);
    const again = (await readRecording(join(dir, 'planted'))).input.objects;
    expect(again.map((object) => JSON.stringify(object)).sort()).toEqual(kept.map((object) => JSON.stringify(object)).sort());
  });

  test('equal values have equal markers, in quotes or without, and other values others', () => {
    const env =
      (
        admitted(
          pod({
            containers: [
              {
                name: 'c',
                env: [
                  { name: 'A_PASSWORD', value: 'one' },
                  { name: 'B_TOKEN', value: 'one' },
                  { name: 'C_TOKEN', value: 'two' },
                ],
              },
            ],
          }),
        )['spec'] as { containers: { env: { value: string }[] }[] }
      ).containers[0]?.env ?? [];
    expect(env[0]?.value).toMatch(/^<redacted [0-9a-f]{12} 3>$/);
    expect(env[1]?.value).toBe(env[0]?.value);
    expect(env[2]?.value).not.toBe(env[0]?.value);
    const [quoted = '', plain = ''] = args('--password="one"', '--password=one');
    expect(quoted.replaceAll('"', '')).toBe(plain);
  });
});

describe('a marker', () => {
  test('stays as it is, and covers up for nothing beside it', () => {
    const marked = '<redacted 0123456789ab 5>';
    expect(args(`--token=${marked}`, '--password', marked)).toEqual([`--token=${marked}`, '--password', marked]);
    expect(args(`--token=${marked} --password=hunter2`)[0]).toMatch(/^--token=<redacted 0123456789ab 5> --password=<redacted \w+ 7>$/);
    expect(said(`${marked} password=hunter2`)).not.toContain('hunter2');
  });

  test('is not believed: what a recording claims to be redacted is looked through again', async () => {
    const input = new Snapshot({
      objects: [admitted(pod({ containers: [{ name: 'c' }] }))],
      coverage: [],
      server: apiServer(),
      capturedAt: '2026-03-01T12:00:00Z',
      source: { kind: 'cluster', name: 'x' },
      cost: { requests: 0, bytes: 0, ms: 0 },
    });
    await writeRecording(join(dir, 'forged'), input, { namespaces: ['x'], all: false, targets: [] }, 't');
    const list = join(dir, 'forged/lists/core/v1/pods.jsonl');
    const { appendFile } = await import('node:fs/promises');
    await appendFile(list, `${JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'x' }, data: { a: 'aHVudGVyMg==' } })}\n${JSON.stringify(pod({ containers: [{ name: 'c', args: ['--token=hunter2'] }] }))}\n`);
    const text = JSON.stringify((await readRecording(join(dir, 'forged'))).input.objects);
    expect(text).not.toMatch(/hunter2|aHVudGVyMg/);
  });
});

// Most messages hold none of these words and are looked at once; each word must be enough to be looked at in full.
describe('a message is looked through for each word that may stand before a secret', () => {
  test.each([
    'Authorization: Bearer hunter2hunter2', 'proxy-authorization=hunter2hunter2', 'X-Amz-Key: hunter2hunter2', 'x-a-token=hunter2hunter2', 'Set-Cookie: hunter2hunter2', 'cookie=hunter2hunter2', 'sent bearer hunter2hunter2', 'Basic hunter2hunter2',
    'db_passwd=hunter2', 'PASSWORD=hunter2', 'the passphrase=hunter2', 'PWD=hunter2', 'client-secret=hunter2', 'a.token=hunter2', 'API-KEY=hunter2', 'apikey=hunter2', 'access_key=hunter2', 'PrivateKey=hunter2', 'db.pass=hunter2', 'pass=hunter2',
    "login failed for password 'hunter2'", 'login with password Hunter2Hunter2 was refused', 'api_key: hunter2hunter2', 'client_secret: "hunter2hunter2"', 'token: hunter2hunter2hunter2', 'https://hooks.slack.com/services/T0000/B0000/hunter2hunter2hunter2', 'sk-proj-hunter2hunter2hunter2',
    '{"password": "hunter2"}', '{\\"secret\\":\\"hunter2\\"}', 'postgres://app:hunter2@db', 'app:hunter2@tcp(db:3306)/shop', 'AKIAHUNTER2HUNTER222', '-----BEGIN PRIVATE KEY-----hunter2', 'ghp_hunter2hunter2hunter2',
  ])('%s', (text) => {
    for (const message of [text, text.replace(/^(?!AKIA|---|ghp_|login with|https|sk-)[^=:"@]+/, (words) => words.toUpperCase()), `exit 1\n${text}`, `${'x'.repeat(2_000)} ${text}`]) expect(said(message)).not.toMatch(/hunter2/i);
  });
});

describe('a word behind the name of a secret, in a sentence', () => {
  test.each([
    'login failed for app with password hunter2zzz', 'invalid password hunter2 for app', 'password is hunter2zzz', 'the password was: hunter2zzz.', 'using passwd hunter2zzz', '(password hunter2!)', 'dbPassword hunter2zzz', 'db_password hunter2zzz', 'passphrase hunter!zzz is wrong',
    'token Hunter2Zk3xLq9 rejected', 'access token is hunter2zk3xlq9', 'api key hunter2b4a5f refused', 'API key: hunter2b4a5f', 'apikey `hunter2b4a5f`', 'access key hunter2b4a5f', 'client secret hunter2b4a5f', 'secret Hunter2Zk3x is wrong', 'password token hunter2b4a5f', 'dbpass=hunter2',
  ])('%s', (text) => {
    for (const message of [text, `exit: 1\n${text}`]) expect(said(message)).not.toMatch(/hunter[2!]/i);
  });

  test('that looks like nothing else: a UUID, a bootstrap token, hexadecimal digits, a long number', () => {
    for (const value of ['123e4567-e89b-42d3-a456-426614174000', 'abcdef.0123456789abcdef', '9f8e7d6c5b4a']) expect(said(`api token ${value} rejected`)).toMatch(/^api token <redacted \w+ \d+> rejected$/);
    expect(said('wrong password 48151623, try again')).toMatch(/^wrong password <redacted \w+ 8>, try again$/);
  });
});

describe('where else it may stand', () => {
  const kept = (raw: object): string => JSON.stringify(admitted({ metadata: { name: 'a', namespace: 'x' }, ...raw }));

  test.each([
    ['the query of a probe', pod({ containers: [{ name: 'c', readinessProbe: { httpGet: { path: '/ready?token=hunter2', port: 80 } } }] })],
    ['parameters of a StorageClass', { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'x', parameters: { adminPassword: 'hunter2', restuserkey: 'hunter2' } }],
    ['the first key of a map in YAML', { apiVersion: 'x.example.com/v1', kind: 'Release', spec: { values: 'db:\n  password: hunter2\n' } }],
    ['a block of YAML', { apiVersion: 'x.example.com/v1', kind: 'Release', spec: { values: 'db:\n  password: |-\n    hunter2\n' } }],
    ['a hash that begins with a dollar', { apiVersion: 'x.example.com/v1', kind: 'User', spec: { passwordHash: '$2a$10$hunter2' } }],
    ['a password that begins with a dollar', pod({ containers: [{ name: 'c', env: [{ name: 'DB_PASSWORD', value: '$hunter2!' }] }] })],
  ])('%s', (_place, raw) => {
    expect(kept(raw)).not.toContain('hunter2');
  });

  test('what is filled in later stays', () => {
    const env = ['$(PW)', '$' + '{PW}', '$PW', '$1', '$HOME/pw'].map((value) => ({ name: 'DB_PASSWORD', value }));
    expect(kept(pod({ containers: [{ name: 'c', env }] }))).not.toContain('<redacted');
  });
});

test('a header that authorizes is a secret however short', () => {
  for (const [name, value] of [['Authorization', 'Bearer hunter2'], ['authorization', 'hunter'], ['Proxy-Authorization', 'Digest hunter']] as const) {
    const probe = { httpGet: { path: '/', port: 80, httpHeaders: [{ name, value }] } };
    expect(JSON.stringify(admitted(pod({ containers: [{ name: 'c', livenessProbe: probe }] })))).not.toContain('hunter');
  }
  expect(args('--authorization-mode=Node,RBAC', '--authorization-policy=strict')).toEqual(['--authorization-mode=Node,RBAC', '--authorization-policy=strict']);
});

describe('programs that take a password behind one letter', () => {
  test.each([
    ['mysql', '-phunter2'], ['mysql', '-h', 'db', '-phunter2'], ['redis-cli', '-a', 'hunter2'], ['sshpass', '-p', 'hunter2', 'ssh', 'x'], ['curl', '-u', 'me:hunter2', 'https://x'], ['curl', '--user=me:hunter2'],
    ['sh', '-c', 'mysqldump -u root -phunter2 shop > x'], ['sh', '-c', 'redis-cli -h db -a hunter2 ping'], ['sh', '-c', "curl -s -u 'me:hunter2' https://x"], ['sh', '-c', 'sshpass -phunter2 ssh x'], ['sh', '-c', 'mongosh -u me -p hunter2'],
    ['app', '-u', 'me', '-p', 'hunter2'], ['app', '--user=me', '-p', 'hunter2'], ['app', '-p', 'hunter2Zk3'], ['sh', '-c', 'registry login -u me -p hunter2 x'],
  ])('%s %s %s', (...words) => {
    const command = (admitted(pod({ containers: [{ name: 'c', command: words }] }))['spec'] as { containers: { command: string[] }[] }).containers[0]?.command;
    expect(command?.join(' ')).not.toContain('hunter2');
  });
});

test('the arguments of a program that the command names, in a pod and in a template', () => {
  const container = { name: 'c', command: ['mysqldump'], args: ['-u', 'root', '-phunter2', 'shop'], env: [{ name: 'PGPASS', value: 'hunter2' }, { name: 'COMPASS', value: 'north' }] };
  for (const object of [pod({ containers: [container] }), { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', namespace: 'x' }, spec: { template: { spec: { containers: [container] } } } }]) {
    const text = JSON.stringify(admitted(object));
    expect(text).not.toContain('hunter2');
    expect(text).toContain('north');
  }
});

describe('what is no secret stays', () => {
  test.each([
    ['--authentication-token-webhook=true'], ['--secret-name=db'], ['--token-file=/x'], ['--key=$(KEY)'], ['--tls-private-key-file', '/etc/tls/key.pem'], ['--authorization-mode=Node,RBAC'],
    ['--token-ttl', '5m'], ['sh', '-c', 'exec app --level=debug'], ['--leader-elect-resource-name=monkey'], ['--sort-key=name'], ['--feature-gates=A=true,B=false'], ['sh', '-c', 'mysql -h db -P 3306 < dump.sql'], ['curl', '-u', 'admin'], ['tar', '-pxf', 'x.tar'],
    ['-p', '8080'], ['psql', '-U', 'app', '-p', '5432'], ['mkdir', '-p', 'cache'], ['app', '--user=1000', '-p', '8080:80'], ['sh', '-c', 'run -u app -p 5432 && mkdir -p /data/x'], ['-p', 'my-project-123'], ['--compass=north'],
  ])('%s %s', (...words) => {
    expect(args(...words)).toEqual(words);
  });

  test.each([
    'couldn\'t find key password in Secret shop/db', 'secret "db-token" not found', 'token: serviceaccount "x" not found', 'FATAL: password authentication failed for user "app"', 'password: authentication failed',
    'Back-off pulling image "registry.example.com/team/app:1.2.3@sha256:0123456789abcdef"', 'Get "https://10.0.0.1:6443/api?timeout=10s": dial tcp 10.0.0.1:6443: connect: connection refused',
    'failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://auth.example.com/token?scope=repository%3Ax%3Apull&service=registry: 401 Unauthorized',
    'secret: web-token-12345678 was not found', 'key: topology.kubernetes.io/zone1', 'ask-project-2024-backlog-worker-1', 'password web-credentials-1 is not in Secret shop/db', 'task-0123456789abcdef0123456789abcdef01234567',
    'token expired 2026-01-01T00:00:00Z', 'no password supplied', 'secret db not found', 'secret db1234567 not found', 'password for user app12345 is missing', 'Unexpected token abc12345 in JSON at position 12', 'unable to get token: AADSTS700016: Application was not found',
    'failed to fetch token: oauth2: cannot fetch token: 400', 'password scram-sha-256 is not supported', 'token: x509: certificate has expired', 'references non-existent secret key: password1', 'failed to retrieve secret shop/db-v2-1234', 'token cache01 is gone', 'password is 90days old', 'token is 3600s old, 1h30m0s more',
    'token file token2.json is missing', 'token /var/run/secrets/x/token2 is not readable', 'token DB_TOKEN_2 is unset', 'token system:serviceaccount:shop:web1 is invalid', 'token web-5774555f78-rftn5', 'max tokens 128000 exceeded', 'passwd entry for uid 1000650000', 'using password: YES', 'Secret ExternalSecret1 is missing', 'back-off restarting failed container=tokens pod=tokens-tq8z68tbb4-j9hgn_shop',
    'openat etc/passwd: path escapes from parent', 'Error: secret "x" not found; MountVolume.SetUp failed for volume "kube-api-access"', 'node(s) had untolerated taint {key: value}', 'Unauthorized: bearer token is missing',
  ])('in a message: %s', (message) => {
    expect(said(message)).toBe(message);
  });

  test('names of a custom resource that only point, and the pods in it', () => {
    const spec = {
      secretName: 'db',
      passwordSecretRef: { name: 'db', key: 'password' },
      tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
      topologyKey: 'zone',
      sessionAffinity: 'ClientIP',
      tokenTTL: '5m',
      publicKey: 'ssh-ed25519 AAAA',
      auth: { type: 'oidc', enabled: 'true' },
    };
    expect(admitted({ apiVersion: 'db.example.com/v1', kind: 'Database', metadata: { name: 'a', namespace: 'x' }, spec })['spec']).toEqual(
      spec,
    );
  });
});

describe('hostile texts', () => {
  test.each([
    ['assignments without end', 'a='.repeat(30_000)], ['names without values', 'x.'.repeat(30_000)], ['tokens without end', 'eyJ-'.repeat(15_000)], ['quotes that do not close', 'token="\\"'.repeat(6_000)],
    ['escaped quotes', '\\\\\\"password\\\\\\":\\\\\\"'.repeat(2_500)], ['headers', 'x-x-'.repeat(15_000)], ['spaces', `--token${' '.repeat(60_000)}`], ['URLs', '://a:'.repeat(12_000)], ['passwords without end', 'password '.repeat(7_000)], ['words behind a password', `password ${'aB'.repeat(25_000)}`], ['users', ' -u x'.repeat(12_000)], ['far too long', 'password=hunter2 '.repeat(20_000)],
  ])('%s are looked through in time', (_name, text) => {
    const started = performance.now();
    expect([...args(text), said(text)].join()).not.toContain('hunter2');
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  test('nothing is too deep', () => {
    let value: unknown = { password: 'hunter2' };
    for (let i = 0; i < 5_000; i++) value = { a: [value] };
    const deep = (raw: object): string => JSON.stringify(admit(raw, door()));
    expect(
      deep({
        apiVersion: 'x.example.com/v1',
        kind: 'Deep',
        metadata: { name: 'a' },
        spec: JSON.parse(`${'{"a":'.repeat(3_000)}{"password":"hunter2"}${'}'.repeat(3_000)}`) as unknown,
        status: { a: JSON.stringify({ kind: 'Secret', data: { x: 'hunter2' } }) },
      }),
    ).not.toContain('hunter2');
    expect(deep({ apiVersion: 'x.example.com/v1', kind: 'Deep', metadata: { name: 'a' }, spec: value })).not.toContain('hunter2');
  });
});

test('of a very long text the beginning and the end are kept, and no secret that the cut goes through', () => {
  const filler = 'spec.template.spec.containers is what it was, ';
  const long = `Error creating: Pod "web" is invalid: ${filler.repeat(24_000)}admission webhook "policy.example.com" denied the request: no owner label`;
  const kept = said(long);
  expect(kept.length).toBeLessThan(64 * 1024);
  expect(kept).toMatch(/^Error creating: Pod "web" is invalid: spec/);
  expect(kept).toMatch(/ <redacted [0-9a-f]{12} \d+> .*denied the request: no owner label$/s);
  expect(said(kept)).toBe(kept);
  // Wherever the cut falls: in a name, between it and its value, in the value, or in a value without an end.
  for (let shift = 0; shift < 60; shift += 1) {
    const message = `${'x'.repeat(shift)} ${'password=hunter2hunter2 '.repeat(8_000)} the end`;
    expect(said(message)).not.toMatch(/hunter2/);
  }
  expect(said(`${'a '.repeat(60_000)}password=${'hunter2'.repeat(6_000)}`)).not.toMatch(/hunter2/);
});
