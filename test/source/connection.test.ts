import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, connect as netConnect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/model/errors.ts';
import { readCluster } from '../../src/source/cluster/index.ts';
import { openSource } from '../../src/source/index.ts';
import type { SourceOptions } from '../../src/source/index.ts';
import { certificate } from '../cluster/certificates.ts';
import { reply, status } from './api-double.ts';
import { doubles, pod, world, pods } from './cluster-world.ts';

const HOUR = 3_600_000;
const { dir, empty, open, running, start } = doubles();

describe('no connection', () => {
  const closedPort = async (): Promise<string> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    return `https://127.0.0.1:${port}`;
  };
  const steps = async (url: string, kube: SourceOptions['kube'] = {}) => {
    const { snapshot } = await open({ url }, { kube });
    expect(snapshot.server.reached).toBe(false);
    expect(snapshot.list('Pod', 'orders')).toMatchObject({ state: 'unknown', why: { reason: 'failed' } });
    expect(snapshot.server.failures[0]).toMatchObject({ path: '/version', code: null });
    return { server: snapshot.server, told: snapshot.server.connection.map((step) => [step.step, step.ok, step.code]) };
  };

  test('a closed port', async () => {
    expect((await steps(await closedPort())).told).toEqual([['tcp', false, 'ECONNREFUSED']]);
  });

  test('what was shown as credential, with its dates and without its secret', async () => {
    const jwt = (claims: object) => ['{"alg":"x"}', JSON.stringify(claims), 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.');
    const refusing = await start({ intercept: (_, response) => reply(response, 401, status(401, 'Unauthorized', 'Unauthorized')) });
    const credential = async (kube: SourceOptions['kube']) => (await open(refusing, { kube })).snapshot.server.credential;
    expect(await credential({ token: 'opaque' })).toEqual({ kind: 'token', subject: '' });
    const token = jwt({ sub: 'system:serviceaccount:a:b', nbf: 1_700_000_000, exp: 1_700_003_600 });
    expect(await credential({ token })).toEqual({ kind: 'token', subject: 'system:serviceaccount:a:b', notBefore: '2023-11-14T22:13:20Z', notAfter: '2023-11-14T23:13:20Z' });
    expect(await credential({ token: '' })).toEqual({ kind: 'none', subject: '' });
    const client = certificate({ commonName: 'jane', notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2026-01-02T00:00:00Z') });
    const file = join(dir(), 'client-config');
    await writeFile(
      file,
      JSON.stringify({
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: refusing.url } }],
        users: [
          {
            name: 'u',
            user: {
              'client-certificate-data': Buffer.from(client.cert).toString('base64'),
              'client-key-data': Buffer.from(client.key).toString('base64'),
            },
          },
        ],
      }),
    );
    const { snapshot } = await openSource({ kube: { kubeconfig: file } });
    expect(snapshot.server.credential).toEqual({ kind: 'certificate', subject: 'jane', notBefore: '2026-01-01T00:00:00Z', notAfter: '2026-01-02T00:00:00Z' });
  });

  test('a name that nobody knows', async () => {
    const { told } = await steps('https://api.strata.invalid:6443');
    expect(told[0]?.slice(0, 2)).toEqual(['dns', false]);
    expect(told[0]?.[2]).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  test('certificates: unknown authority, expired, wrong name; each shown', async () => {
    const ca = certificate({ commonName: 'test-ca', ca: true });
    const caFile = join(dir(), 'ca.crt');
    await writeFile(caFile, ca.cert);
    const good = certificate({ commonName: 'api', ips: ['127.0.0.1'], names: ['api.test'] }, ca);
    const old = certificate({ commonName: 'api', ips: ['127.0.0.1'], notBefore: new Date(Date.now() - 48 * HOUR), notAfter: new Date(Date.now() - HOUR) }, ca);
    const other = certificate({ commonName: 'api', names: ['elsewhere.test'] }, ca);
    const told = async (tls: typeof good, kube: SourceOptions['kube']) => steps((await start({ tls })).url, kube);

    const unknown = await told(good, {});
    expect(unknown.told.slice(0, 2).map((step) => step.slice(0, 2))).toEqual([['tcp', true], ['tls', false]]);
    expect(unknown.server.certificate).toMatchObject({ subject: 'api', issuer: 'test-ca', names: expect.arrayContaining(['api.test', '127.0.0.1']) });
    expect(unknown.server.connection[1]?.message).toContain('unknown authority');
    const expired = await told(old, { certificateAuthority: caFile });
    expect(expired.told[1]).toEqual(['tls', false, 'CERT_HAS_EXPIRED']);
    expect(Date.parse(expired.server.certificate?.notAfter ?? '')).toBeLessThan(Date.now());
    expect((await told(other, { certificateAuthority: caFile })).told[1]).toEqual(['tls', false, 'ERR_TLS_CERT_ALTNAME_INVALID']);

    for (const kube of [{ certificateAuthority: caFile }, { insecureSkipTlsVerify: true }, { certificateAuthority: caFile, tlsServerName: 'api.test' }]) {
      const { snapshot } = await open(await start({ tls: good, objects: world(pod('a')) }), { kube });
      expect(snapshot.server).toMatchObject({ reached: true, certificate: { subject: 'api' } });
      expect(snapshot.server.serverName).toBe(kube.tlsServerName);
      expect(snapshot.server.connection.map((step) => step.step)).toEqual(['tcp', 'tls', 'http']);
    }
  });

  test('a port that speaks no TLS, and one that says nothing', async () => {
    const plain = await start();
    expect((await steps(plain.url.replace('http:', 'https:'))).told[1]?.slice(0, 2)).toEqual(['tls', false]);
    const mute = createServer(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    running.push({ close: () => new Promise((resolve) => (mute.close(() => resolve()), resolve())) });
    const url = `https://127.0.0.1:${(mute.address() as { port: number }).port}`;
    const { input } = await readCluster({ namespaces: ['orders'], kube: { kubeconfig: empty(), server: url } }, [], { hello: 200, consistent: 200, cached: 200, step: 200 });
    expect(input.server.reached).toBe(false);
    expect(input.server.connection.map((step) => [step.step, step.ok])).toEqual([['tcp', true], ['tls', false]]);
  });
});

describe('kubeconfig', () => {
  const config = (more: object = {}) => ({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'one',
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u', namespace: 'orders' } }, { name: 'two', context: { cluster: 'gone', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token: 'from-file' } }], ...more,
  });
  const write = async (name: string, content: unknown) => {
    const path = join(dir(), name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const refusal = async (kube: SourceOptions['kube']): Promise<UserError> => {
    const error: unknown = await openSource({ kube }).then(() => null, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    return error as UserError;
  };

  test('what has to be put right first is one sentence with a hint', async () => {
    const file = await write('config', config());
    expect((await refusal({ kubeconfig: join(dir(), 'none') })).message).toContain('does not exist');
    expect((await refusal({ kubeconfig: await write('broken', 'a: [b\nc') })).message).toContain('is broken');
    expect((await refusal({ kubeconfig: await write('text', 'hello') })).message).toContain('is broken');
    expect((await refusal({ kubeconfig: empty() })).message).toContain('no current context');
    const unknown = await refusal({ kubeconfig: file, context: 'three' });
    expect([unknown.message, unknown.hint]).toEqual(['The kubeconfig has no context "three".', 'It has "one", "two".']);
    expect((await refusal({ kubeconfig: file, context: 'two' })).message).toContain('no cluster "gone"');
    expect((await refusal({ kubeconfig: file, user: 'nobody' })).message).toContain('no user "nobody"');
    expect((await refusal({ kubeconfig: file, certificateAuthority: join(dir(), 'no-ca') })).message).toContain('certificate authority');
    expect((await refusal({ kubeconfig: file, server: 'http://[' })).message).toContain('not the address');
    const plugin = await write('plugin', config({ users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'strata-no-such-plugin', installHint: 'Install the plugin.' } } }] }));
    expect(await refusal({ kubeconfig: plugin })).toMatchObject({ message: expect.stringContaining('is not installed'), hint: 'Install the plugin.', exitCode: 5 });
  });

  test('tokens, token files, exec plugins, basic auth and impersonation reach the server', async () => {
    const double = await start({ objects: world() });
    const cluster = { clusters: [{ name: 'c', cluster: { server: double.url } }] };
    const headers = async (user: object, kube: SourceOptions['kube'] = {}) => {
      const { scope } = await openSource({ kube: { kubeconfig: await write('config-user', config({ ...cluster, users: [{ name: 'u', user }] })), ...kube } });
      expect(scope.namespaces).toEqual(['orders']);
      return double.headers;
    };
    await write('token', 'from-token-file\n');
    expect((await headers({ token: 'plain' })).authorization).toBe('Bearer plain');
    expect((await headers({ tokenFile: 'token' })).authorization).toBe('Bearer from-token-file');
    expect((await headers({ username: 'a', password: 'b' })).authorization).toBe(`Basic ${Buffer.from('a:b').toString('base64')}`);
    expect((await headers({ exec: { command: 'false' } }, { token: 'flag' })).authorization).toBe('Bearer flag');
    const script = 'const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO); console.log(JSON.stringify({ status: { token: "exec-" + spec.interactive } }))';
    expect((await headers({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['-e', script] } })).authorization).toBe('Bearer exec-false');
    const impersonated = await headers({ token: 't' }, { as: 'jane', asGroup: ['dev', 'ops'] });
    expect(impersonated).toMatchObject({ 'impersonate-user': 'jane', 'impersonate-group': 'dev, ops' });
    expect(await headers({ token: 't', as: 'joe', 'as-groups': ['qa'] })).toMatchObject({ 'impersonate-user': 'joe', 'impersonate-group': 'qa' });
  });
});

describe('proxies', () => {
  test('the way goes through the proxy that the kubeconfig names, over kept connections; a dead proxy is told as such', async () => {
    const ca = certificate({ commonName: 'test-ca', ca: true });
    const double = await start({ tls: certificate({ commonName: 'api', ips: ['127.0.0.1'] }, ca), objects: world(...pods(20)) });
    let tunnels = 0;
    const proxy = createHttpServer();
    proxy.on('connect', (request, socket: Socket) => {
      tunnels++;
      const [host = '', port] = (request.url ?? '').split(':');
      const onward = netConnect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const one of [onward, socket]) one.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    running.push({ close: () => new Promise((resolve) => (proxy.close(() => resolve()), proxy.closeAllConnections())) });
    const via = async (proxyUrl: string) => {
      const file = join(dir(), 'proxied');
      await writeFile(file, JSON.stringify({
        'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'orders' } }], users: [{ name: 'u', user: { token: 't' } }],
        clusters: [{ name: 'c', cluster: { server: double.url, 'proxy-url': proxyUrl, 'certificate-authority-data': Buffer.from(ca.cert).toString('base64') } }],
      }));
      return (await openSource({ kube: { kubeconfig: file } })).snapshot;
    };
    const { port } = proxy.address() as { port: number };
    const snapshot = await via(`http://127.0.0.1:${port}`);
    expect(snapshot.seen('Pod').length).toBe(20);
    expect(snapshot.server.connection.map((step) => step.step)).toEqual(['proxy', 'tls', 'http']);
    expect(tunnels).toBeGreaterThan(0);
    expect(tunnels).toBeLessThanOrEqual(8);
    proxy.close();
    proxy.closeAllConnections();
    const dead = await via(`http://127.0.0.1:${port}`);
    expect(dead.server.reached).toBe(false);
    expect(dead.server.connection).toEqual([expect.objectContaining({ step: 'proxy', ok: false, code: 'ECONNREFUSED' })]);
  });
});
